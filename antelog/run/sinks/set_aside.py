"""Rows that the engine set aside, each with the file and line it comes from.

a row of `engine.last_rejects`, and line 7 of Temp.csv ──▶ Reject("Temp.csv", 7, "Temp", "late", …)
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from antelog.engine.facts.rejects import LATE
from antelog.files import Reject
from antelog.language.epochs import LIKELY
from antelog.language.moments import Timescale, moment
from antelog.language.printer import value_text


def reject_of(row: Mapping[str, Any], file: str, line: int | None, timescale: Timescale | None) -> Reject:
    """A row of `engine.last_rejects`, from this line of a file.

    On Spark a row may have its text in place of its number.
    """
    written = row["row"] if isinstance(row["row"], str) else fact_text(row, timescale)
    return Reject(file, line, row["input"], row["reason"], row["detail"], written, _delay(row))


def _delay(row: Mapping[str, Any]) -> int | None:
    """The delay with which a late fact would have been used; None where its times seem to be no ticks."""
    late = row["reason"] == LATE and max(row["time"], row["arrival"]) < LIKELY[0].first
    return row["arrival"] - row["time"] if late else None


def fact_text(row: Mapping[str, Any], timescale: Timescale | None) -> str:
    """A fact in the language's own syntax, its time as elsewhere; `_` stands for what is missing."""
    values = ["_" if value is None else value_text(value) for value in json.loads(row["values"] or "[]")]
    values.append("_" if row["time"] is None else moment(row["time"], timescale))
    return f"{row['input']}({', '.join(values)})"
