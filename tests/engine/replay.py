"""A case through the engine, and what it tells in the specification's terms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from antelog.compile import compile_program
from antelog.compile.plan import Plan, Relation
from antelog.engine.engine import Engine
from antelog.language import Checked
from antelog.reference import Change, Evaluation, Kind, Outlook, Report, Silence, changes, outlook, snapshots
from antelog.reference.answers import explanation, own_names
from tests.reference.helpers import Fact
from tests.reference.reading import answer_of, explanations_of, literal_of
from tests.strategies import Case


@dataclass(frozen=True)
class Compiled:
    """A program the engine takes."""

    plan: Plan


def runnable(checked: Checked) -> Compiled | None:
    """The program, if it has a plan."""
    plan = compile_program(checked).plan
    return None if plan is None else Compiled(plan)


def frames(facts: Iterable[Fact], plan: Plan, after: int, until: int) -> dict[str, Any]:
    """The facts that arrive after one tick and up to another, as the engine takes them."""
    given: dict[str, list[tuple[Any, ...]]] = {source.name: [] for source in plan.inputs}
    for name, values, arrival in facts:
        if after < arrival <= until:
            given[name].append((*values, arrival))
    columns = {source.name: [*source.columns, "arrival"] for source in plan.inputs}
    return {
        name: [dict(zip(columns[name], row, strict=True)) for row in rows]
        for name, rows in given.items()
        if rows
    }


def run(case: Case, compiled: Compiled, ends: Iterable[int]) -> list[dict[str, Any]]:
    """The change log of a case whose ticks are cut into steps that end at these ticks."""
    engine = Engine(compiled)
    log = []
    for end in ends:
        changed = engine.advance(end, frames(case.facts, compiled.plan, engine.now, end))
        log += [{"query": name, **row} for name, table in changed.items() for row in table.to_pylist()]
    return sorted(log, key=lambda row: row["tick"])


def changes_of(log: Iterable[Mapping[str, Any]], plan: Plan) -> set[Change]:
    """Lines of the engine's log as the specification has them."""
    found: set[Change] = set()
    for row in log:
        relation = plan.relation(row["query"])
        answer = _answer(row, relation)
        told = explanations_of(row["explanations"], own_names(answer))
        kind = Kind(row["change"])
        ahead = _outlook(row) if kind in (Kind.POSSIBLE, Kind.REVISED) else None
        because = frozenset(map(literal_of, row["because"] or ()))
        found.add(Change(row["tick"], kind, row["query"], answer, told, ahead, because))
    return found


def reports_of(engine: Engine, plan: Plan) -> dict[Report, Outlook | None]:
    """The engine's answers at its tick as the specification has them, and what is known ahead."""
    found: dict[Report, Outlook | None] = {}
    for query in plan.queries:
        for row in engine.answers(query.name).to_pylist():
            answer = _answer(row, query)
            told = explanations_of(row["explanations"], own_names(answer))
            excepted = frozenset(each[name] for each in row.get("except") or () for name in row["others"])
            report = Report(engine.now, query.name, answer, told, excepted)
            found[report] = None if report.confirmed else _outlook(row)
    return found


def _answer(row: Mapping[str, Any], query: Relation) -> Any:
    names = (*query.variables, *([query.time] if query.time else []))
    return answer_of({name: row[name] for name in names}, row.get("others"))


def _outlook(row: Mapping[str, Any]) -> Outlook:
    silent = row["if_silent"]
    return Outlook(Silence(**silent) if silent else None, row["decided_by"])


def follow(case: Case, compiled: Compiled, evaluation: Evaluation) -> int:
    """Asserts that the engine tells what the specification does, at every tick; how many lines it told."""
    lines, reports = _by_tick(changes(evaluation)), _by_tick(snapshots(evaluation))
    engine, told = Engine(compiled), 0
    for now in range(case.until + 1):
        changed = engine.advance(now, frames(case.facts, compiled.plan, now - 1, now))
        log = [{"query": name, **row} for name, table in changed.items() for row in table.to_pylist()]
        found = set(map(as_read, changes_of(log, compiled.plan)))
        expected = set(map(as_read, lines.get(now, ())))
        assert not found - expected, f"tick {now}: a line too many"
        assert not expected - found, f"tick {now}: a line too few"
        assert len(log) == len(found), f"tick {now}: a line twice"
        answers = {r: None if r.confirmed else outlook(evaluation, r) for r in reports.get(now, ())}
        assert reports_of(engine, compiled.plan) == answers, f"tick {now}: other answers"
        told += len(log)
    return told


def as_read(line: Change) -> tuple[Change, object]:
    """A line of the log with its reasons as they read, whatever their open variables are called."""
    own = frozenset(own_names(line.answer))
    groups = (explanation((), [literal], own).groups for literal in line.because)
    return replace(line, because=frozenset()), frozenset(groups)


Told = TypeVar("Told", Change, Report)


def _by_tick(told: Iterable[Told]) -> dict[int, set[Told]]:
    found: dict[int, set[Told]] = {}
    for each in told:
        found.setdefault(each.tick, set()).add(each)
    return found
