"""The result of a step, the protocol of sinks that write it, and rows that the engine set aside."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import pyarrow as pa

from antelog.compile.nodes.plan import Relation
from antelog.engine.facts.rejects import LATE
from antelog.files import Reject
from antelog.language.epochs import LIKELY
from antelog.language.moments import Timescale, moment
from antelog.language.printer import value_text

Tables = Mapping[str, pa.Table]


@dataclass(frozen=True, eq=False)
class StepResult:
    """A table of changes for each query after a tick, or of open answers, with `changes` beside them then.

    There are no tables where nothing is to be shown. `relations` are given if they are those of another plan.
    """

    tick: int
    tables: Tables
    changes: Tables | None = None
    relations: Sequence[Relation] | None = None


class Sink(Protocol):
    """Writes the steps of a run."""

    def write(self, step: StepResult) -> None: ...

    def mark(self) -> Mapping[str, Any] | None:
        """The position after the last safe write, as JSON; None if no run can resume from there."""

    def close(self) -> None: ...


def reject_of(row: Mapping[str, Any], file: str, line: int | None, timescale: Timescale | None) -> Reject:
    """A row of `engine.last_rejects` as a reject; on Spark it may have its text in place of its number."""
    if isinstance(row["row"], str):
        written = row["row"]
    else:
        written = fact_text(row["input"], json.loads(row["values"] or "[]"), row["time"], timescale)
    delay = None
    if row["reason"] == LATE and max(row["time"], row["arrival"]) < LIKELY[0].first:  # ticks, as it seems
        delay = row["arrival"] - row["time"]
    return Reject(file, line, row["input"], row["reason"], row["detail"], written, delay)


def fact_text(name: str, values: Iterable[object], time: int | None, timescale: Timescale | None) -> str:
    """A fact in the language's syntax, with `_` for missing values."""
    written = [*map(_value, values), "_" if time is None else moment(time, timescale)]
    return f"{name}({', '.join(written)})"


def _value(value: object) -> str:
    if value is None:
        return "_"
    return value_text(value if isinstance(value, str | int | float) else str(value))
