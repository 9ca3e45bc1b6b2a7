"""Recorded facts for all runners: the examples of the project, and streams of records beside it.

A case is a program, its files, and the flags that say how `antelog try` reads them; its `facts` are rows with
the ticks that they are about and arrive at, as the reader of a run has them.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import antelog
from antelog.files import ARRIVAL, Rejects
from antelog.run.reading import Now
from antelog.run.replay import Recording

ROOT = Path(__file__).resolve().parents[2]
RECORDS = Path(os.environ.get("RECORDS", ROOT.parent / "shared" / "data"))


@dataclass(frozen=True, eq=False)
class Case:
    """A program and its files; `arrival` is what they call the column of arrivals, and `functions` a file."""

    name: str
    program: antelog.Program
    path: Path
    inputs: Mapping[str, Path]
    arrival: str = "arrival"
    flags: tuple[str, ...] = ()
    functions: Path | None = None

    @property
    def arguments(self) -> list[str]:
        """What follows the name of the command, but for its own flags."""
        inputs = [each for name, path in self.inputs.items() for each in ("--input", f"{name}={path}")]
        functions = ["--functions", str(self.functions)] if self.functions else []
        return [str(self.path), *inputs, *functions, *self.flags]

    @cached_property
    def facts(self) -> dict[str, pa.Table]:
        """The rows of each input by arrival, in the column `ARRIVAL`."""
        reader = Recording(self.inputs, arrival=self.arrival).reader(self.program.plan, Rejects())
        while not reader.through:
            reader.read(Now(-1, 0))
        reader.close()
        return reader.waiting.batch(2**60, 2**60).facts

    @property
    def arrivals(self) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
        return np.sort(np.concatenate([each.column(ARRIVAL).to_numpy() for each in self.facts.values()]))

    @property
    def last(self) -> int:
        return int(self.arrivals[-1])

    def timeless(self, folder: Path) -> Case:
        """The case without arrivals, its files in another folder and their rows in another order."""
        chance = np.random.default_rng(7)
        files = {}
        for name, table in self.facts.items():
            order = pa.array(chance.permutation(table.num_rows))
            files[name] = folder / f"{name}.parquet"
            pq.write_table(table.drop_columns([ARRIVAL]).take(order), files[name])
        return Case(self.name, self.program, self.path, files, functions=self.functions)

    def dated(self, folder: Path, tables: Mapping[str, pa.Table]) -> Case:
        """The case with other facts, which have a column `arrival` of ticks."""
        files = {}
        for name, table in tables.items():
            files[name] = folder / f"{name}-dated.parquet"
            pq.write_table(table, files[name])
        return Case(self.name, self.program, self.path, files, functions=self.functions)


EXAMPLES = sorted(path.parent.name for path in (ROOT / "examples").glob("*/README.md"))
ON_SPARK = [
    name if name in ("fleet", "payments", "turbines") else pytest.param(name, marks=pytest.mark.long)
    for name in EXAMPLES
]
"""A few examples of different kinds; each takes half a minute on Spark, so the others are for `make long`."""


def example(name: str) -> Case:
    """The first `antelog try` of an example's page."""
    own = ROOT / "examples" / name
    text = (own / "README.md").read_text(encoding="utf-8").replace("\\\n", " ")
    found = re.search(r"^antelog try (.*)$", text, re.MULTILINE)
    assert found is not None
    words = shlex.split(found[1])
    inputs: dict[str, Path] = {}
    arrival = "arrival"
    flags: list[str] = []
    functions = None
    for flag, value in zip(words[1::2], words[2::2], strict=True):
        assert flag in ("--input", "--arrival", "--functions", "--format", "--only"), flag
        if flag == "--input":
            predicate, _, file_name = value.partition("=")
            inputs[predicate] = own / file_name
        elif flag == "--arrival":
            arrival, flags = value, [*flags, flag, value]
        elif flag == "--functions":
            functions = own / value
    path = own / words[0]
    program = antelog.load(path, functions=functions)
    return Case(name, program, path, inputs, arrival, tuple(flags), functions)


def streams() -> Iterator[str]:
    """The streams whose records are there."""
    try:
        from benchmarks.forecast import records, streams  # noqa: PLC0415 - they need Polars
    except ImportError:
        return
    for stream in streams.STREAMS.values():
        if (RECORDS / records.RECORDS[stream.record].path).exists():
            yield stream.name


def stream(name: str, folder: Path, most: int | None = None) -> Case:
    """A stream of a record, with at most this many facts."""
    from benchmarks.forecast import records, streams  # noqa: PLC0415 - see above

    found = streams.STREAMS[name]
    record = records.RECORDS[found.record]
    facts = replace(record, path=str(RECORDS / record.path)).facts()
    program = found.program
    path, file = folder / f"{name}.alog", folder / f"{name}.parquet"
    path.write_text(program.source.text, encoding="utf-8")
    (source,) = program.plan.inputs
    table = facts.select([*facts.column_names]) if most is None else facts.slice(0, most)
    pq.write_table(table.rename_columns([*source.columns, "arrival"]), file)
    return Case(name, program, path, {source.name: file})


MOST = 3_000  # the facts of a recorded stream that are taken in every run of the tests
STREAMS = list(streams())
SAMPLE = [name for name in STREAMS if name in ("outbreak", "gap-1", "overheating", "rush", "shocks")]
