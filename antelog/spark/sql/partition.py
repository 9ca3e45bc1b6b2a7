"""Programs as table functions of SQL: one partition's rows in, its lines out, by the code of a bucket."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice
from typing import Any, cast

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as is_a
from pyspark.sql import SparkSession
from pyspark.sql.functions import udtf
from pyspark.sql.udtf import UserDefinedTableFunction

from antelog.errors import DataError
from antelog.given import TEXT, ArgumentKind, check
from antelog.process import functions_of, plan_of
from antelog.program import Program
from antelog.run.options import keywords, taken
from antelog.spark.bucket.packing import packed
from antelog.spark.bucket.state import CHANGES, reasoner
from antelog.spark.bucket.state import REJECTED as SET_ASIDE
from antelog.spark.bucket.unpacking import reject_reader, unpacked
from antelog.spark.failures import explaining_lost_java, plain_errors, require_version
from antelog.spark.job.checking import FunctionOptions, OutputOptions, background_of, chances_of, job_of
from antelog.spark.job.job import Data, sent
from antelog.spark.settings import quoted
from antelog.spark.sql import analysis

PIECE = 10_000  # the rows that are made columns at once, and the fewest whose lines are made at once


class Partition:
    """Takes the rows of a partition one by one, and makes lines once all rows of their keys are there.

    It returns a few with each further row: Spark's Java keeps in memory all that come at the end.
    """

    def __init__(self, call: analysis.AnalysedCall) -> None:
        self.call = call
        self.tables: list[pa.Table] = []
        self.waiting: list[Sequence[object]] = []
        self.missing: dict[object, int] = {}  # rows still to come, of keys of which some have come
        self.ready: deque[tuple[object, ...]] = deque()
        self.share = 0  # the number of lines that are returned with a row

    def add(self, row: Sequence[object]) -> Iterable[tuple[object, ...]]:
        """Takes a row, whose last values are its key and how many rows have it; returns some of the lines."""
        *_, key, rows = row
        self.waiting.append(row)
        if key is not None and key == key:  # a row without a key, or with not-a-number, is set aside
            left = self.missing.pop(key, cast("int", rows)) - 1
            if left:
                self.missing[key] = left
        if len(self.waiting) >= PIECE:
            self._flush()
        if self.tables and not self.missing:
            self.ready.extend(self._lines())
            self.share = 1 + len(self.ready) // PIECE
        return [self.ready.popleft() for _ in range(min(self.share, len(self.ready)))]

    def end(self) -> Iterable[tuple[object, ...]]:
        """All other lines. Raises DataError if the partition lacks rows of some keys."""
        if self.missing:
            raise DataError(
                f"the PARTITION BY of {self.call.name} divides rows that belong together. Leave it out, or "
                f"write {self.call.clause}"
            )
        return chain(self.ready, self._lines())

    def _lines(self) -> Iterable[tuple[object, ...]]:
        self._flush()
        if not self.tables:
            return ()
        rows = pa.concat_tables(self.tables)
        job, plain, call = self.call.job, self.call.job.without_model, self.call.call
        facts = {each.name: self.call.columns.facts(rows, each.name) for each in job.plan.inputs}
        packets = pa.Table.from_batches(
            [batch for name, each in facts.items() for batch in packed(plain, name, iter(each.to_batches()))]
        )
        self.tables = []
        found = reasoner(job, call.lines == analysis.ANSWERED)(packets)
        what = SET_ASIDE if call.lines == analysis.REJECTED else CHANGES
        payloads = found.filter(pc.equal(found.column("what"), what)).select(["query", "payload"])
        batches = iter(payloads.to_batches())
        if what == SET_ASIDE:
            return rows_of(reject_reader(batches))
        return rows_of(unpacked(plain, self.call.output, batches))

    def _flush(self) -> None:
        if self.waiting:
            self.tables.append(self.call.columns.table_of(self.waiting))
            self.waiting = []


def handler_of(program: analysis.FunctionProgram) -> type:
    """The class of a handler for each partition; made here, so that Spark sends it with its program."""

    class Handler:
        # Methods with `yield`: Spark puts a sentence of its own around errors of others.
        def __init__(self, call: analysis.AnalysedCall) -> None:
            self.partition = Partition(call)

        @staticmethod
        def analyze(*given, **named):  # type: ignore[no-untyped-def]  # Spark looks at no types, but at names
            with plain_errors():
                return analysis.analysed(program, given, named)

        def eval(self, row, **_named):  # type: ignore[no-untyped-def]  # likewise
            with plain_errors():
                yield from self.partition.add(row)

        def terminate(self):  # type: ignore[no-untyped-def]  # likewise
            with plain_errors():
                yield from self.partition.end()

    return Handler


def rows_of(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[object, ...]]:
    """The rows of batches, with tuples for lists and structs."""
    known: dict[object, object] = {}
    for batch in batches:
        yield from zip(*(_cells(column, known) for column in batch.columns), strict=True)


def _cells(array: pa.Array, known: dict[object, object]) -> list[object]:
    if is_a.is_string(array.type):
        encoded = array.dictionary_encode()
        distinct = [known.setdefault(text, text) for text in encoded.dictionary.to_pylist()]
        return [None if code is None else distinct[code] for code in encoded.indices.to_pylist()]
    if is_a.is_list(array.type):
        items = iter(_cells(array.flatten(), known))
        lengths = pc.list_value_length(array).to_pylist()
        lists = [None if length is None else tuple(islice(items, length)) for length in lengths]
        return [known.setdefault(each, each) for each in lists] if _is_of_texts(array.type) else list(lists)
    if is_a.is_struct(array.type):
        rows = zip(*(_cells(field, known) for field in array.flatten()), strict=True)
        return [row if there else None for row, there in zip(rows, array.is_valid().to_pylist(), strict=True)]
    return list(array.to_pylist())


def _is_of_texts(type_: pa.DataType) -> bool:
    """Whether there are only texts in a type: numbers such as 1 and 1.0 are equal and not the same."""
    parts = [type_.field(at).type for at in range(type_.num_fields)]
    return all(map(_is_of_texts, parts)) if parts else is_a.is_string(type_)


# ---- the function ----

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SESSION = ArgumentKind("a SparkSession", lambda value: hasattr(value, "udtf"))


@explaining_lost_java()
def register(spark: SparkSession, name: str, program: Program, /, **options: Any) -> str:
    """Makes a program a table function of SQL: `SELECT * FROM name(TABLE(readings) PARTITION BY device)`.

    Returns the clause by which rows may be divided, such as "PARTITION BY `device`". It has the options of
    `antelog.spark` but for `buckets` and those of streams.
    """
    check("register", {"spark": spark, "name": name}, {"spark": _SESSION, "name": TEXT})
    given = keywords(FunctionOptions, "register", options)
    plan = plan_of(program)
    if not _NAME.fullmatch(name):
        raise DataError(f"{name!r} is not a name of a function in SQL; use letters, digits and `_`")
    require_version(spark, "table functions of antelog need", "Use antelog.spark.changes for DataFrames")
    clause = "WITH SINGLE PARTITION"
    if not analysis.in_one_partition(plan):
        keys = {
            name: "NULL" if each is None else quoted(each)
            for name, each in analysis.key_columns(plan).items()
        }
        clause = f"PARTITION BY {analysis.of_each_input(keys)}"
    chosen = taken(OutputOptions, replace(given, static=None))
    prepared = analysis.FunctionProgram(
        name,
        plan,
        background_of(plan, given.static or {}),
        sent(functions_of(program)),
        chances_of(plan.read, chosen),
        replace(chosen, model=None),
        clause,
    )
    # Options that fit no call are refused at once.
    data = Data(prepared.given, {}, {each.name for each in plan.inputs}, {})
    job_of(plan.read, data, prepared.options, prepared.forecasts, batch=True)
    # With `useArrow` Spark makes a table of each row that a function takes, also where nothing comes out.
    function = cast("UserDefinedTableFunction", udtf(handler_of(prepared), useArrow=False))
    spark.udtf.register(name, function)
    return clause
