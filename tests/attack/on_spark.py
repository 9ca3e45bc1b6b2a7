"""Types that change, on a real Spark: a stream over files, stopped and gone on with, and a batch over all."""

from __future__ import annotations

import csv
import io
import json
import os
import tempfile
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

import antelog
from antelog.accounts import FATES
from antelog.files.naming import Form
from antelog.run.address import Files
from antelog.spark import Outputs, outputs
from antelog.spark.endpoints.sources import frame, reading_of
from antelog.spark.settings import MALFORMED, ROW
from tests.attack.changing import PROGRAMS, chances_for, records, schema_of, table_of
from tests.attack.findings import Attempt
from tests.spark.comparing import comparable
from tests.spark.sessions import small_session
from tests.spark.streamed import ATTEMPTS

_PATIENCE = 120.0
_STEPS = 4
_LAST = 20  # the last tick that is finished
_WIDTH = 3  # ticks of a file: those of the next one are later, so that it is the same when each comes


@dataclass(frozen=True)
class _Case:
    """A program, how it is run, and a folder with a folder of files for each input."""

    program: antelog.Program
    options: Mapping[str, Any]
    form: Form
    folder: Path

    def frames(self, spark: SparkSession, *, stream: bool) -> dict[str, DataFrame]:
        """The facts of each input; a micro-batch of a stream has one more file of each."""
        found = {}
        for source in self.program.plan.inputs:
            files = Files(str(self.folder / source.name), self.form, True)
            reading = reading_of(spark, self.program.plan, source.name, files, {}, stream=stream)
            found[source.name] = frame(spark, reading, stream=stream, limit=1 if stream else None)
        return found


def attempts(count: int, seed: int) -> Iterator[Attempt]:
    """So many sequences of files, in a session of their own."""
    with small_session() as spark:
        yield from attempts_in(spark, count, seed)


def attempts_in(spark: SparkSession, count: int, seed: int) -> Iterator[Attempt]:
    """So many sequences of files."""
    for number in range(count):
        name = f"{seed}.{number}"
        yield Attempt(f"on Spark {name}", partial(streamed, spark, Random(name)), _PATIENCE)


def streamed(spark: SparkSession, random: Random) -> None:
    """Raises AssertionError if records go missing, or if stream, batch and engine have different changes."""
    with tempfile.TemporaryDirectory(prefix="antelog-attack-") as name:
        case = _some_case(random, Path(name))
        made = {source.name: _files(random, case.form, source.columns) for source in case.program.plan.inputs}
        stopped = random.randrange(1, _STEPS)
        _write(case, made, range(stopped))
        _run(case, spark)
        _write(case, made, range(stopped, _STEPS + 1))
        found = _run(case, spark)
        given = sum(each.count for files in made.values() for each in files)
        _all_counted(found, given)
        changes = _rows(found)
        batch = outputs(case.program, case.frames(spark, stream=False), until=_LAST, **case.options)
        _all_counted(batch, given)
        _same(changes, _rows(batch), "a batch")
        if not case.options.keys() & {"model", "most"}:  # for an engine that is in all buckets
            _same(changes, _in_process(case, spark), "an engine")


def _some_case(random: Random, folder: Path) -> _Case:
    text, _ = PROGRAMS[random.choice(list(PROGRAMS))]
    program = antelog.parse(text)
    form = random.choice([Form.JSON, Form.JSON, Form.CSV, Form.PARQUET])
    return _Case(program, {"buckets": 3, **chances_for(random, program)}, form, folder)


@dataclass(frozen=True)
class _File:
    """A file of facts: its content, and the number of its records."""

    content: bytes
    count: int


def _files(random: Random, form: Form, columns: Sequence[str]) -> list[_File]:
    """The files of an input. The last one has a record after the last tick, so that a stream finishes it."""
    spans = [range(_WIDTH * step, _WIDTH * (step + 1)) for step in range(_STEPS)]
    if form == Form.PARQUET:  # within a stream, Spark has one type for a column, and null
        schema = schema_of(random, columns)
        tables = [table_of(random, schema, span, random.choice([0.1, 0.9, 1])) for span in spans]
        end = [pa.nulls(1, type_) for type_ in schema.types[:-1]]
        return [_parquet(each) for each in (*tables, pa.table([*end, [_LAST + 1]], schema=schema))]
    batches = [records(random, columns, span) for span in spans]
    batches.append([dict.fromkeys(columns, 1) | {columns[-1]: _LAST + 1}])
    return [_json(each) if form == Form.JSON else _csv(columns, each) for each in batches]


def _json(rows: Sequence[Mapping[str, Any]]) -> _File:
    return _File("".join(f"{json.dumps(each)}\n" for each in rows).encode(), len(rows))


def _csv(columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> _File:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(columns)
    writer.writerows([[each.get(name) for name in columns] for each in rows])
    return _File(text.getvalue().encode(), len(rows))


def _parquet(table: pa.Table) -> _File:
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink)
    return _File(sink.getvalue().to_pybytes(), table.num_rows)


def _write(case: _Case, made: Mapping[str, Sequence[_File]], numbers: range) -> None:
    for name, files in made.items():
        for number in numbers:
            path = case.folder / name / f"{number}.{case.form}"
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(files[number].content)
            os.utime(path, (1000 + 10 * number,) * 2)  # Spark takes the oldest first


def _run(case: _Case, spark: SparkSession) -> Outputs:
    """Runs a stream to the end of what is there now, from where it was left; all that it wrote so far."""
    found = outputs(case.program, case.frames(spark, stream=True), **case.options)
    checkpoint, written = str(case.folder / "checkpoint"), str(case.folder / "out")
    for attempt in range(1, ATTEMPTS + 1):
        writer = found.frame.writeStream.format("parquet").option("path", written)
        writer = writer.option("checkpointLocation", checkpoint).outputMode("append")
        try:
            writer.trigger(availableNow=True).start().awaitTermination()
            break
        except StreamingQueryException as error:  # on a busy machine Spark's Python may start too slowly
            if "failed to connect back" not in str(error) or attempt == ATTEMPTS:
                raise
    return found.of(spark.read.parquet(written))


def _all_counted(found: Outputs, given: int) -> None:
    """Each record has one fate, or is held for a later tick."""
    counts = [row.asDict() for row in found.counts.collect()]
    fates = sum(row[fate] for row in counts for fate in FATES)
    assert sum(row["given"] for row in counts) == given, f"{given} records, of which {counts}"
    in_order = sorted(counts, key=lambda row: -1 if row["now"] is None else row["now"])
    last = {row["bucket"]: row["held"] for row in in_order}
    assert fates + sum(last.values()) == given, f"{given} records, of which {counts}"


def _in_process(case: _Case, spark: SparkSession) -> list[dict[str, Any]]:
    facts = {}
    for name, rows in case.frames(spark, stream=False).items():
        good = rows.where(f.col(MALFORMED).isNull()) if MALFORMED in rows.columns else rows
        facts[name] = good.drop(MALFORMED, ROW).toArrow()
    engine = antelog.Engine(case.program, **{k: v for k, v in case.options.items() if k != "buckets"})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", antelog.DataWarning)
        changes = engine.advance(_LAST, facts)
    return _comparable({"query": name, **row} for name, table in changes.items() for row in table.to_pylist())


def _rows(found: Outputs) -> list[dict[str, Any]]:
    return _comparable(row.asDict(recursive=True) for row in found.changes.collect())


def _comparable(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Rows in an order of their own. Chances are sums, whose last digits depend on how facts are cut."""
    return [_rounded(row) for row in comparable(rows)]


def _rounded(value: Any) -> Any:
    match value:
        case dict():
            return {name: _rounded(each) for name, each in value.items()}
        case list():
            return [_rounded(each) for each in value]
        case float():
            return float(f"{value:.12g}")
        case _:
            return value


def _same(found: Sequence[Mapping[str, Any]], expected: Sequence[Mapping[str, Any]], of: str) -> None:
    if found != expected:
        more = [each for each in found if each not in expected]
        less = [each for each in expected if each not in found]
        raise AssertionError(f"{len(found)} changes, {len(expected)} of {of}: {more[:1]}, not {less[:1]}")
