"""antelog/accounts.py: every row that is read is accounted for, in files, in the engine, on Spark."""

from __future__ import annotations

import csv
import json
import math
import random
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import antelog
from antelog.accounts import FATES, REASONS, Counts, total
from antelog.run import reading, waiting
from antelog.spark.job.job import ARRIVED
from antelog.spark.settings import COUNTS, MALFORMED
from tests.cli.trying import antelog as command
from tests.spark.comparing import job_of
from tests.spark.simulated import Stream, run_batch

PROGRAM = """
input P(x: text, v: number, time) delay 1.
input Q(x: text, time) delay 2.
A(X, T) :- P(X, V, T), V > 3, not Q(X, T+1).
query A(X, T).
"""
COLUMNS = {"P": ("x", "v", "time"), "Q": ("x", "time")}
TYPES = {"x": pa.string(), "v": pa.float64(), "time": pa.int64(), "arrival": pa.int64()}
_VALUES: Mapping[str, Sequence[Any]] = {
    "x": ["a", "b", "c", "", None],
    "v": [1.0, 5.0, 7.0, math.nan, math.inf, -math.inf, None],
    "time": [*range(10), -1, 2**60, None],
    "arrival": [*range(12), -2, 2**60, None],
}
ODD = (math.inf, -math.inf)
Table: TypeAlias = list[dict[str, Any]]


def _rows(*columns: str) -> st.SearchStrategy[Table]:
    # Mostly what a column should have, which stands first.
    cells = {name: st.sampled_from([*[*_VALUES[name]][:3] * 4, *_VALUES[name]]) for name in columns}
    ticks = {name: st.integers(0, 11) | cells[name] for name in columns if name in ("time", "arrival")}
    return st.lists(st.fixed_dictionaries({**cells, **ticks}), max_size=30)


TABLES = st.fixed_dictionaries(
    {name: _rows(*columns) | _rows(*columns, "arrival") for name, columns in COLUMNS.items()}
)
UNTIL = st.none() | st.integers(0, 12)


def _count(tables: Mapping[str, Table]) -> int:
    return sum(map(len, tables.values()))


def _names(name: str, rows: Table) -> list[str]:
    return list(rows[0]) if rows else [*COLUMNS[name], "arrival"]


def _arrow(name: str, rows: Table) -> pa.Table:
    return pa.Table.from_pylist(rows, pa.schema([(each, TYPES[each]) for each in _names(name, rows)]))


# ---- antelog try ----


def _write(path: Path, name: str, rows: Table, chance: random.Random) -> None:
    """A file of rows, in CSV and JSON with lines among them that are none."""
    names = _names(name, rows)
    if path.suffix == ".parquet":
        pq.write_table(_arrow(name, rows), path, row_group_size=7)
        return
    if path.suffix == ".csv":
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(names)
            for row in rows:
                kept = len(names) if chance.random() < 0.9 else chance.randrange(2, len(names) + 2)
                writer.writerow([*row.values(), "more"][:kept])
        return
    with path.open("w", encoding="utf-8") as file:
        for row in rows:
            whole = {key: value for key, value in row.items() if value not in ODD and value == value}
            file.write((json.dumps(whole) if chance.random() < 0.9 else "{nonsense") + "\n")


def _summed(stderr: str) -> Counts:
    """What the summary says of rows, read as a person would read it."""
    (line,) = [line for line in stderr.splitlines() if line.startswith("done: ")]
    found = re.fullmatch(r"done: ([\d,]+) facts?(?: \((.*)\))?", line)
    assert found is not None, line
    names = {words: name for name, words in FATES.items()}
    rows = int(found[1])
    if found[2] is None:
        return Counts(admitted=rows)
    parts = [part.split(" ", 1) for part in found[2].split(", ")]
    counts = Counts(**{names[words]: int(count) for count, words in parts})
    assert counts.given == rows, line
    return counts


@pytest.mark.parametrize("form", ["parquet", "csv", "jsonl"])
@given(
    tables=TABLES, until=UNTIL, show=st.sampled_from(["--changes", "--snapshots"]),
    sizes=st.sampled_from([(2_000_000, 200_000), (50, 3), (200, 1)]), seed=st.integers(0, 9),
)  # fmt: skip
def test_files(
    form: str, tables: dict[str, Table], until: int | None, show: str, sizes: tuple[int, int], seed: int
) -> None:
    with pytest.MonkeyPatch.context() as patch, TemporaryDirectory() as name_of_folder:
        folder = Path(name_of_folder)
        (folder / "p.alog").write_text(PROGRAM, encoding="utf-8")
        arguments: list[object] = ["try", folder / "p.alog", show]
        for name, rows in tables.items():
            path = folder / f"{name}.{form}"
            # JSON has its columns from its rows.
            if rows or form != "jsonl":
                _write(path, name, rows, random.Random(seed))
                arguments += ["--input", f"{name}={path}"]
        if until is not None:
            arguments += ["--until", until]
        patch.setattr(reading, "ROOM", sizes[0])
        patch.setattr(waiting, "STEP", sizes[1])
        done = command(*arguments)
    # Of what is of no use at all every row is counted as well.
    if "error: " in done.stderr and not re.search(r"error: .*: (its only|none of its) ", done.stderr):
        assert "too many to be sorted" in done.stderr or "has no column" in done.stderr, done.stderr
        return
    counts = _summed(done.stderr)
    assert counts.given == _count(tables)
    aside = re.search(r"(\d+) rows? (?:was|were) set aside", done.stderr)
    assert sum(getattr(counts, reason) for reason in REASONS) == (int(aside[1]) if aside else 0)


# ---- antelog.Engine ----


@pytest.mark.filterwarnings("ignore::antelog.DataWarning")
@given(tables=TABLES, ends=st.lists(st.integers(0, 12), min_size=1, max_size=5, unique=True))
def test_the_engine(tables: dict[str, Table], ends: list[int]) -> None:
    engine = antelog.Engine(antelog.parse(PROGRAM), keep_rejects=1_000)
    handed = 0
    for i, end in enumerate(sorted(ends)):
        frames = {name: _arrow(name, rows[i :: len(ends)]) for name, rows in tables.items()}
        handed += sum(frame.num_rows for frame in frames.values())
        try:
            engine.advance(end, frames)
        except antelog.DataError:  # a frame of no use changes nothing
            assert engine.status.counts.given == handed - sum(frame.num_rows for frame in frames.values())
            return
        assert engine.status.counts.given == handed
    expected = {name: len(rows) for name, rows in tables.items()}
    assert {name: counts.given for name, counts in engine.counts.items()} == expected
    assert sum(getattr(engine.status.counts, reason) for reason in REASONS) == engine.rejects.num_rows
    assert handed == _count(tables)


# ---- pipelines on Spark ----


def _frames(tables: Mapping[str, Table], seed: int) -> dict[str, pa.Table]:
    """Tables as a source has them, which may find some of the rows malformed."""
    found = {}
    for name, rows in tables.items():
        table = _arrow(name, rows)
        table = table.rename_columns([ARRIVED if each == "arrival" else each for each in table.column_names])
        chance = random.Random(seed)
        marks = ["no line at all" if chance.random() < 0.1 else None for _ in rows]
        found[name] = table.append_column(MALFORMED, pa.array(marks, pa.string()))
    return found


def _total(counts: Sequence[Mapping[str, Any]]) -> Counts:
    return Counts(**{name: _sum(counts, name) for name in FATES})


def _sum(counts: Sequence[Mapping[str, Any]], name: str) -> int:
    return sum(each[name] for each in counts)


BUCKETS = st.sampled_from([1, 3])


@given(tables=TABLES, until=UNTIL, buckets=BUCKETS, answers=st.booleans(), seed=st.integers(0, 9))
def test_batches_on_spark(
    tables: dict[str, Table], until: int | None, buckets: int, answers: bool, seed: int
) -> None:
    frames = _frames(tables, seed)
    job = job_of(antelog.parse(PROGRAM).plan, frames, buckets, batch=True, until=until)
    found = run_batch(job, frames, random.Random(seed), answers=answers)
    counts = _total(found.counts)
    assert counts.given == _sum(found.counts, "given") == _count(tables)
    assert sum(getattr(counts, reason) for reason in REASONS) == len(found.rejects)
    assert _sum(found.counts, "held") == 0


@given(tables=TABLES, parts=st.integers(1, 4), buckets=BUCKETS, seed=st.integers(0, 9))
def test_streams_on_spark(tables: dict[str, Table], parts: int, buckets: int, seed: int) -> None:
    frames = _frames(tables, seed)
    stream = Stream(job_of(antelog.parse(PROGRAM).plan, frames, buckets), random.Random(seed))
    held = 0
    for part in range(parts):
        rows = {name: pa.array(range(part, t.num_rows, parts), pa.int64()) for name, t in frames.items()}
        now = {name: table.take(rows[name]) for name, table in frames.items()}
        found = stream.batch(now)
        counts = _total(found.counts)
        assert _sum(found.counts, "given") == sum(table.num_rows for table in now.values())
        if found.counts:  # without any row no bucket tells anything
            assert _sum(found.counts, "given") + held == counts.given + _sum(found.counts, "held")
            held = _sum(found.counts, "held")
        assert sum(getattr(counts, reason) for reason in REASONS) == len(found.rejects)


@given(tables=TABLES, until=UNTIL, buckets=BUCKETS, seed=st.integers(0, 9))
def test_spark_counts_what_one_process_counts(
    tables: dict[str, Table], until: int | None, buckets: int, seed: int
) -> None:
    """Except that it knows beforehand what no rule can use."""
    frames = {name: table.drop_columns([MALFORMED]) for name, table in _frames(tables, seed).items()}
    job = job_of(antelog.parse(PROGRAM).plan, frames, buckets, batch=True, until=until)
    there = _total(run_batch(job, frames, random.Random(seed)).counts)
    with TemporaryDirectory() as folder:
        Path(folder, "p.alog").write_text(PROGRAM, encoding="utf-8")
        arguments: list[object] = ["try", Path(folder, "p.alog")]
        for name, rows in tables.items():
            _write(Path(folder, f"{name}.parquet"), name, rows, random.Random(seed))
            arguments += ["--input", f"{name}={Path(folder, name)}.parquet"]
        here = _summed(command(*arguments, *([] if until is None else ["--until", until])).stderr)
    assert all(getattr(here, name) == getattr(there, name) for name in ("after_until", *REASONS))
    assert here.admitted + here.repeated == there.admitted + there.repeated + there.unneeded


# ---- the list ----


def test_there_is_one_list_of_fates() -> None:
    assert set(FATES) < set(COUNTS)
    assert set(REASONS) < set(FATES)
    assert Counts(1, malformed=2) + Counts(late=1) == Counts(1, late=1, malformed=2)
    assert Counts(1, late=1, malformed=2).given == 4


def test_a_total_is_known_if_all_parts_are() -> None:
    assert (total(1, 2), total(1, None)) == (3, None)
