"""Lines of the log for tests: a program runs on facts, and what comes out is what the product writes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow as pa

import antelog
from antelog.run.sinks.json_lines import Style, change_lines
from antelog.run.sinks.result import StepResult

Fact = tuple[str, tuple[Any, ...], int]
"""The input, the values with the time as the last of them, and the tick of arrival."""


def lines_of(program: str, facts: Iterable[Fact], until: int) -> list[Any]:
    """The changes of a program on facts, up to a tick."""
    engine, changes = _advanced(program, facts, until)
    return _written(engine, until, changes)


def open_lines(program: str, facts: Iterable[Fact], until: int) -> list[Any]:
    """The open answers after a tick, as heads of feeds have them."""
    engine, _ = _advanced(program, facts, until)
    return _written(engine, until, {each.name: engine.answers(each.name) for each in engine.plan.queries})


def _advanced(
    program: str, facts: Iterable[Fact], until: int
) -> tuple[antelog.Engine, Mapping[str, pa.Table]]:
    engine = antelog.Engine(antelog.parse(program))
    columns = {each.name: (*each.columns, "arrival") for each in engine.plan.inputs}
    given: dict[str, list[dict[str, Any]]] = {}
    for name, values, arrival in facts:
        given.setdefault(name, []).append(dict(zip(columns[name], (*values, arrival), strict=True)))
    return engine, engine.advance(until, given)


def _written(engine: antelog.Engine, tick: int, tables: Mapping[str, pa.Table]) -> list[Any]:
    text = change_lines(list(engine.plan.queries), StepResult(tick, tables), Style())
    return [json.loads(line) for line in text.splitlines()]
