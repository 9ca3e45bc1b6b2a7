"""Static facts from outside the program: frames down to the rows the compiler's evaluation takes.

{"Turbine": [("wt2",), ("wt4",)]}: the rows (wt2), (wt4) of the background relation Turbine
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from math import isfinite
from typing import Any

from antelog.compile.nodes.plan import Plan, Static
from antelog.compile.rules.statics import Row
from antelog.engine.facts.frames import Frame, columns_in
from antelog.engine.values.kinds import as_plain
from antelog.errors import DataError
from antelog.language.checks.suggestions import did_you_mean
from antelog.language.syntax import number


def static_rows(plan: Plan, frames: Mapping[str, Frame]) -> dict[str, list[Row]]:
    """The rows of each static predicate that is given some. Raises DataError if one cannot be used."""
    statics = {static.name: static for static in plan.statics}
    for name in frames:
        if name not in statics:
            hint = did_you_mean(name, statics) or f"It has {', '.join(statics) or 'none'}."
            raise DataError(f"the program has no static predicate {name}. {hint}")
    return {name: _rows(statics[name], frame) for name, frame in frames.items()}


def _rows(static: Static, frame: Frame) -> list[Row]:
    names, arrays = columns_in(static.name, frame)
    if not arrays:
        return []
    if len(arrays) != len(static.columns):
        raise DataError(f"{static.name} is given {len(arrays)} columns; it has {', '.join(static.columns)}")
    if names is not None and set(names) == set(static.columns):
        arrays = [arrays[names.index(column)] for column in static.columns]
    columns = [
        _column(static.name, name, type_, array.to_pylist())
        for name, type_, array in zip(static.columns, static.types, arrays, strict=True)
    ]
    return list(zip(*columns, strict=True))


def _column(what: str, name: str, type_: str | None, values: Sequence[Any]) -> list[str | int | float]:
    found: list[str | int | float] = []
    for value in values:
        if isinstance(value, str):
            kind = "text"
        elif isinstance(value, int | float | Decimal) and not isinstance(value, bool) and isfinite(value):
            kind = "number"
        else:
            raise DataError(f"`{value}` in column {name} of {what} is neither a number nor a text")
        if type_ not in (None, kind):
            raise DataError(f"`{value}` in column {name} of {what} is not a {type_}")
        found.append(value if isinstance(value, str) else plain_number(value, f"column {name} of {what}"))
    return found


def plain_number(value: float | Decimal, what: str) -> int | float:
    """A number in `what` as rules have it. Raises DataError if it has more digits than that can keep."""
    if not isinstance(value, Decimal):
        return number(value)
    plain = as_plain(value)
    if plain is None:
        raise DataError(
            f"`{value:f}` in {what} has more digits than a number of the background keeps, some 15: "
            "round it, or give it as a text"
        )
    return plain
