"""A case through the engine, and its answers and changes in the specification's terms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from hypothesis import event, note, reject
from msgspec.structs import replace

from antelog import UserFunction
from antelog.compile import compile_program
from antelog.compile.literals import AnyLiteral, Negation
from antelog.compile.nodes.patterns import Pattern
from antelog.compile.nodes.plan import Plan, Relation
from antelog.compile.prepared.rules import cycles, prepared
from antelog.compile.show.explain import plan_text
from antelog.engine.step.wording import rows_of
from antelog.language import Checked
from tests.engine.few import at_most_for
from tests.engine.plain import PlainEngine
from tests.random_functions import FUNCTIONS
from tests.specification import (
    Change,
    Evaluation,
    Kind,
    Outlook,
    RefusedError,
    Report,
    Silence,
    TooManyDerivationsError,
    evaluate,
    outlook,
    snapshots,
)
from tests.specification import changes as specified_changes
from tests.specification.answers import Answer, explanation
from tests.specification.helpers import Fact, stream_of
from tests.specification.literals.literal import Literal
from tests.specification.reading import because_of, explanations_of, in_order
from tests.specification.terms import OTHERS
from tests.strategies import Case


@dataclass(frozen=True)
class Compiled:
    """A program the engine takes."""

    plan: Plan

    @property
    def functions(self) -> dict[str, UserFunction]:
        """The functions that the program declares."""
        return {each.name: FUNCTIONS[each.name] for each in self.plan.functions}


def runnable(checked: Checked) -> Compiled | None:
    """The program, if it is not refused; without its `tick`: time begins at 0, as for the specification."""
    plan = compile_program(checked).plan
    return None if plan is None else Compiled(replace(spelt_out(plan), tick=None))


def spelt_out(plan: Plan) -> Plan:
    """The plan in which what is written as `first` reads as it is defined, as in the specification."""

    def literal(each: AnyLiteral) -> AnyLiteral:
        return replace(each, written=None) if isinstance(each, Negation) else each

    def pattern(each: Pattern) -> Pattern:
        return replace(each, literals=tuple(map(literal, each.literals)))

    relations = (replace(each, patterns=tuple(map(pattern, each.patterns))) for each in plan.relations)
    return replace(plan, relations=tuple(relations))


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


class _ExactEngine(PlainEngine):
    """Its tables have all digits of whole numbers, as those of which JSON lines are made."""

    _is_read = True


def log_lines(tables: Mapping[str, pa.Table], plan: Plan) -> list[dict[str, Any]]:
    each = ((name, rows_of(table, plan.relation(name))) for name, table in tables.items())
    return [{"query": name, **row} for name, rows in each for row in rows]


def run(case: Case, compiled: Compiled, ends: Iterable[int]) -> list[dict[str, Any]]:
    """The change log of a case whose ticks are cut into steps that end at these ticks."""
    engine, log = _ExactEngine(compiled), list[dict[str, Any]]()
    with at_most_for(case):
        for end in ends:
            changed = engine.advance(end, frames(case.facts, compiled.plan, engine.now, end))
            log += log_lines(changed, compiled.plan)
    return sorted(log, key=lambda row: row["tick"])


def reports(engine: PlainEngine, plan: Plan) -> dict[tuple[str, Answer], tuple[Report, Outlook | None]]:
    """The engine's answers at its tick, each with what it knows ahead of an open one."""
    found = {}
    for query in plan.queries:
        for row in rows_of(engine.answers(query.name), query):
            answer = answer_of(row, query)
            reported = explanations_of(row["explanations"], [name for name, _ in answer])
            report = Report(engine.now, query.name, answer, reported)
            assert (query.name, answer) not in found, f"{answer} is reported twice"
            found[query.name, answer] = report, None if report.confirmed else _ahead(row)
    return found


def changes(log: Iterable[Mapping[str, Any]], plan: Plan) -> list[Change]:
    """The lines of a change log."""
    relations = {query.name: query for query in plan.queries}
    return [_change(row, relations[row["query"]]) for row in log]


def _change(row: Mapping[str, Any], query: Relation) -> Change:
    answer = answer_of(row, query)
    own = [name for name, _ in answer]
    around = [text for each in row["explanations"] for text in each["hypotheses"]]
    because = because_of(row["because"] or [], own, around)
    kind = Kind(row["change"])
    ahead = _ahead(row) if kind in (Kind.POSSIBLE, Kind.REVISED) else None
    reported = explanations_of(row["explanations"], own)
    return Change(row["tick"], kind, row["query"], answer, reported, ahead, because)


def answer_of(row: Mapping[str, Any], query: Relation) -> Answer:
    names = query.answer.names
    others = row.get("others") or ()
    return tuple((name, OTHERS if name in others else row[name]) for name in names)


def _ahead(row: Mapping[str, Any]) -> Outlook:
    silent = row["if_silent"]
    return Outlook(silent and Silence(silent["change"], silent["tick"]), row["decided_by"])


def reading(because: Iterable[Literal], answer: Answer) -> frozenset[tuple[str, ...]]:
    """What a rejection gives as its reasons, whatever open variables are called."""
    return explanation((), because, frozenset(name for name, _ in answer)).groups


MOST = 10_000
"""So many steps of resolution are enough to tell what a random program means, or it is passed over."""


def compare(case: Case) -> int:
    """Asserts that the engine does with a random case what the specification says; returns how many lines."""
    note(str(case))
    compiled, evaluation = runnable(case.checked), None
    try:
        evaluation = evaluate(case.checked, stream_of(case.facts), case.until, MOST)
    except RefusedError as error:
        note(f"refused: {error}")
    except TooManyDerivationsError:
        reject()
    assert (compiled is None) == (evaluation is None), compile_program(case.checked).diagnostics
    if compiled is None or evaluation is None:
        event("refused")
        return 0
    note(plan_text(compiled.plan))
    lines = follow(case, compiled, evaluation)
    event("with lines" if lines else "without lines")
    return lines


def follow(case: Case, compiled: Compiled, evaluation: Evaluation) -> int:
    """Asserts that the engine reports what the specification does, at every tick; returns how many lines."""
    with at_most_for(case):
        return _follow(case, compiled, evaluation)


def _follow(case: Case, compiled: Compiled, evaluation: Evaluation) -> int:
    lines: dict[int, set[object]] = {tick: set() for tick in range(case.until + 1)}
    specified = list(specified_changes(evaluation))
    answers: dict[int, dict[object, object]] = {tick: {} for tick in range(case.until + 1)}
    for line in specified:
        lines[line.tick].add(_as_read(line))
    for report in snapshots(evaluation):
        ahead = None if report.confirmed else outlook(evaluation, report)
        answers[report.tick][report.query, report.answer] = report, ahead
    engine, reported = _ExactEngine(compiled), 0
    for now in range(case.until + 1):
        changed = engine.advance(now, frames(case.facts, compiled.plan, now - 1, now))
        log = log_lines(changed, compiled.plan)
        assert all(map(_in_order, log)), f"tick {now}: literals in another order"
        found = set(map(_as_read, changes(log, compiled.plan)))
        assert not found - lines[now], f"tick {now}: a line too many"
        assert not lines[now] - found, f"tick {now}: a line too few"
        assert len(log) == len(found), f"tick {now}: a line twice"
        check_lost(log, specified, case.checked, compiled.plan)
        assert reports(engine, compiled.plan) == answers[now], f"tick {now}: other answers"
        reported += len(log)
    return reported


def check_lost(
    log: Iterable[Mapping[str, Any]], specified: Iterable[Change], checked: Checked, plan: Plan
) -> None:
    """Asserts that lines name what is lost, but behind atoms that rest on their own past, and open ends."""
    patterns = (each for own in prepared(plan).patterns.values() for each in own)
    beyond = bool(cycles(plan)) or any(each.ends for each in patterns)
    watched = any(each.source for each in checked.vocabulary.predicates.values())
    wanted = {(c.tick, c.query, c.answer): reading(c.lost, c.answer) for c in specified if c.lost}
    for row in log:
        assert ("lost" in row) == watched, row
        if "lost" not in row or beyond:
            continue
        answer, lost = answer_of(row, plan.relation(row["query"])), row["lost"]
        around = [text for each in row["explanations"] for text in each["hypotheses"]]
        literals = because_of(lost or (), [name for name, _ in answer], around)
        assert reading(literals, answer) == wanted.get((row["tick"], row["query"], answer), frozenset()), row
        assert lost is None or (lost and lost == in_order(lost)), row


def _in_order(row: Mapping[str, Any]) -> bool:
    """Whether the literals of a line are by time, then text."""
    lists = [each[part] for each in row["explanations"] for part in ("evidence", "hypotheses")]
    return all(texts == in_order(texts) for texts in (*lists, row["because"] or []))


def _as_read(line: Change) -> tuple[object, ...]:
    """A line of the log with its reasons as they read."""
    because = reading(line.because, line.answer)
    explanations = frozenset((each, each.so_far) for each in line.explanations)
    return (line.tick, line.kind, line.query, line.answer, explanations, line.ahead, because)
