"""The rows after each stage of the engine, for one reading: the tables of docs/architecture.md.

python -m tests.docs.stages     prints them, to be put into the page
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pyarrow as pa

import antelog
from antelog.compile.literals.atoms import FactLiteral
from antelog.compile.literals.literal import AskedLiteral
from antelog.compile.prepared.pattern import Prepared
from antelog.compile.prepared.rules import prepared
from antelog.engine.columns.spans import spans_of
from antelog.engine.columns.tables import NEVER, Column
from antelog.engine.facts.history import Facts, added, gather
from antelog.engine.kernel import admitted, query_of, step
from antelog.engine.state import knowledge_of, start, step_to
from antelog.engine.step.atoms import derivations_of
from antelog.engine.step.derivations import Knowledge
from antelog.engine.step.explanations import minimal
from antelog.engine.step.lives import Lives, lives, moments
from antelog.engine.step.query import StepQuery, affected
from antelog.engine.step.rows import Rows, facts_for_each
from antelog.engine.values.values import Values

PROGRAM = """
input Temp(device, level, time) delay 2.
Begin(X, T) :- Temp(X, high, T), Temp(X, high, T+1), not Temp(X, high, T-1).
query Begin(X, T).
"""
BEFORE = {5: ("wt2", "low", 5), 7: ("wt2", "high", 7)}
READING = ("wt2", "high", 6)
NOW = 8
QUERY = "Begin"


def stages() -> Iterator[tuple[str, str]]:
    """The name of each stage, and the table it leaves."""
    plan = antelog.parse(PROGRAM).plan
    rules, state = prepared(plan), start(plan)
    for now, row in BEFORE.items():
        state, batch = admitted(plan, state, {"Temp": [row]}, now)
        state, _ = step(plan, state, batch.facts, now)
    state, batch = admitted(plan, state, {"Temp": [READING]}, NOW)
    new, values = batch.facts["Temp"], state.values
    whole = replace(state, history=added(state.history, batch.facts))
    yield "facts", _facts(new, values)
    yield "kept", _facts(gather(whole.history, "Temp", None), values)

    until, known = step_to(state, NOW), knowledge_of(plan, whole)
    about = affected(rules, [QUERY], until, {"Temp": spans_of(new.time)}, whole.observed.seen)[QUERY]
    yield "affected", table({"first": about.first, "last": about.last})

    (pattern,) = rules.patterns[QUERY]
    yield "found", _found(known, pattern)
    query = query_of(plan, state, StepQuery(QUERY, about, until))
    found = lives(known, query, derivations_of(known, query))
    (block,) = found.blocks
    names, bound = list(map(_name, pattern.literals)), _bound(block.rows, values)
    yield "rows", table({**bound, **dict(zip(names[:2], block.holds, strict=False))})
    lines = zip(names, block.holds, block.fails, strict=True)
    yield "truth", table({**bound, **{name: _both(*ticks) for name, *ticks in lines}})
    life = found.life
    yield "lives", table({**bound, "supported": life.supported, "complete": life.complete, "over": life.end})
    yield "views", _views(found, until.before, until.now, known)

    log = step(plan, state, batch.facts, NOW)[1][QUERY].table
    because = [", ".join(each or ()) for each in log["because"].to_pylist()]
    yield (
        "log",
        table({**{name: log[name].to_pylist() for name in ("tick", "change", "X", "T")}, "because": because}),
    )


def _found(known: Knowledge, pattern: Prepared) -> str:
    """The facts that fit each literal."""
    rows: list[dict[str, object]] = []
    for fact in pattern.facts:
        found = facts_for_each([fact], known.history, [None], known.values)[0]
        columns = {**_bound(found.rows, known.values), "arrived": found.arrived}
        rows += [
            {"literal": _name(fact), **dict(zip(columns, each, strict=True))}
            for each in zip(*columns.values(), strict=True)
        ]
    return table({name: [row[name] for row in rows] for name in ("literal", "X", "T", "arrived")})


def _views(found: Lives, before: int, now: int, known: Knowledge) -> str:
    """The explanations at each moment, and which of them are reported."""
    at = moments(found, before, now)
    kept = minimal(found, at, known.rules.relations[QUERY].answer.variables, known.values)
    (block,) = found.blocks
    bound = _bound(block.rows.take(at.view_of), known.values)
    return table({**bound, "at": at.then, "reported": ["yes" if each else "no, needless" for each in kept]})


def _facts(facts: Facts, values: Values) -> str:
    device, level = (values.decode(column, pa.string()).to_pylist() for column in facts.columns)
    return table({"device": device, "level": level, "time": facts.time, "arrival": facts.arrival})


def _bound(rows: Rows, values: Values) -> dict[str, Sequence[object] | Column]:
    devices = values.decode(rows.bound["X"], pa.string()).to_pylist()
    return {"X": devices, "T": rows.bound["T"]}


def _name(literal: FactLiteral | AskedLiteral) -> str:
    return f"`{literal.node.text}`"


def _both(holds: Column, fails: Column) -> list[str]:
    return [f"{_cell(one)}, {_cell(other)}" for one, other in zip(holds, fails, strict=True)]


def _cell(cell: object) -> str:
    return "never" if cell == NEVER else str(cell)


def table(columns: dict[str, Sequence[object] | Column]) -> str:
    rows = [[_cell(cell) for cell in row] for row in zip(*columns.values(), strict=True)]
    return "\n".join(f"| {' | '.join(row)} |" for row in [list(columns), ["---"] * len(columns), *rows])


if __name__ == "__main__":
    for stage, text in stages():
        sys.stdout.write(f"{stage}\n\n{text}\n\n")
