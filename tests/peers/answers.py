"""Answers of a program as rows of text, which cases of other engines and pages of the documentation have."""

from __future__ import annotations

from typing import Any

import antelog

Rows = dict[str, int | None]
Facts = dict[str, list[tuple[Any, ...]]]


def value(text: str) -> Any:
    """A number where the text is one."""
    try:
        return float(text) if "." in text else int(text)
    except ValueError:
        return text


def rows(texts: list[str]) -> Rows:
    """Rows as they are written: ` at 11` says at which tick one is confirmed."""
    pairs = (text.partition(" at ") for text in texts)
    return {row: int(tick) if tick else None for row, _, tick in pairs}


def confirmed(text: str, facts: Facts, ticks: Rows, until: int = 0, static: Facts | None = None) -> Rows:
    """The rows that are confirmed once all facts have come, each with its tick where that is asked for."""
    program = antelog.parse(text)
    engine = antelog.Engine(program, only=["confirmed"], explanations=0, static=static)
    last = max(
        [until, *(fact[-1] for each in facts.values() for fact in each), *(t or 0 for t in ticks.values())]
    )
    found: Rows = {}
    for query, table in engine.advance(last, facts).items():
        names = program.plan.relation(query).answer.names
        for line in table.to_pylist():
            row = " ".join(str(line[name]).removesuffix(".0") for name in names)
            found[row] = None if ticks.get(row) is None else line["tick"]
    assert len(engine.rejects) == 0
    return found
