"""Changes that any pipeline wrote, as a feed has them.

    {"change": "possible", "answer": "{\\"X\\": \\"wt2\\"}", …}    a row of Spark's
    {"change": "possible", "answer": {"X": "wt2"}, …}          a record of a feed

In comes a line or a row, out goes a record, or None for what is none.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import msgspec

Record: TypeAlias = dict[str, Any]


def record_of(line: bytes) -> Record | None:
    """The record of a line of JSON."""
    try:
        found = msgspec.json.decode(line, type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    return found if {"head", "status", "reject"} & found.keys() else change_of(found)


def change_of(row: Record) -> Record | None:
    """A change as lines have it: Spark writes answers as JSON, and forecasts as structs."""
    if not {"tick", "change", "query", "answer"} <= row.keys():
        return None
    answer = row["answer"]
    if isinstance(answer, str):
        try:
            row = {**row, "answer": msgspec.json.decode(answer, type=dict[str, Any])}
        except msgspec.DecodeError:
            return None
    forecast = row.get("forecast")
    if forecast and isinstance(forecast[0], dict):
        row = {**row, "forecast": [[each["tick"], each["chance"]] for each in forecast]}
    return {key: value for key, value in row.items() if key != "timestamp"}
