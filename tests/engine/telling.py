"""A program and its facts through the engine, and every change in one line of text."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from itertools import chain
from typing import Any

import pyarrow as pa

import antelog
from antelog import Engine
from antelog.engine.step.schema import AFTER_ANSWER

Fact = tuple[Any, ...]


def by_arrival(facts: Iterable[Fact]) -> dict[int, dict[str, list[Fact]]]:
    """Facts given as (input, values…, time, arrival), by the tick at which they arrive."""
    arriving: dict[int, dict[str, list[Fact]]] = {}
    for name, *values in facts:
        arriving.setdefault(values[-1], {}).setdefault(name, []).append(tuple(values))
    return arriving


def reported(text: str, facts: Iterable[Fact], until: int) -> dict[int, list[str]]:
    """The lines that are reported at each tick up to one, in order; ticks without changes are left out."""
    engine = Engine(antelog.parse(text))
    arriving = by_arrival(facts)
    lines = {now: lines_of(engine.advance(now, arriving.get(now))) for now in range(until + 1)}
    return {now: found for now, found in lines.items() if found}


def reported_at_once(text: str, facts: Iterable[Fact], until: int) -> list[str]:
    """What is reported if all ticks are handed over at once."""
    everything: dict[str, list[Fact]] = {}
    for name, *values in facts:
        everything.setdefault(name, []).append(tuple(values))
    return lines_of(Engine(antelog.parse(text)).advance(until, everything))


def reported_both_ways(text: str, facts: Collection[Fact], until: int) -> dict[int, list[str]]:
    """The lines that are reported at each tick, which are those that are reported at once."""
    lines = reported(text, facts, until)
    assert reported_at_once(text, facts, until) == [*chain.from_iterable(lines.values())]
    return lines


def lines_of(changed: Mapping[str, pa.Table]) -> list[str]:
    """Changes as `possible P(a, _): A(a, 1) | A(a, T) where T > 1, rejected at 3`: evidence | hypotheses."""
    return [_line(name, row) for name, table in changed.items() for row in table.to_pylist()]


_ABOUT = ("tick", "change", "others", *AFTER_ANSWER)


def _line(name: str, row: dict[str, Any]) -> str:
    others = row.get("others") or ()
    values = (
        "others" if key in others else "_" if value is None else str(value)
        for key, value in row.items()
        if key not in _ABOUT
    )
    parts = [f"{row['change']} {name}({', '.join(values)}): {' ; '.join(map(_text, row['explanations']))}"]
    if row["if_silent"] is not None:
        parts.append(f"{row['if_silent']['change']} at {row['if_silent']['tick']}")
    if row["decided_by"] is not None:
        parts.append(f"decided by {row['decided_by']}")
    if row["because"] is not None:
        parts.append(f"because {', '.join(row['because'])}")
    return ", ".join(parts)


def _text(explanation: dict[str, Any]) -> str:
    return f"{', '.join(explanation['evidence'])} | {', '.join(explanation['hypotheses'])}".strip()
