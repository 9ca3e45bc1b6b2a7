"""Rows that the engine set aside, each with the file and line it comes from."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from antelog.engine.facts.rejects import LATE
from antelog.files import Reject
from antelog.language.epochs import LIKELY
from antelog.language.moments import Timescale, moment
from antelog.language.printer import value_text


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
