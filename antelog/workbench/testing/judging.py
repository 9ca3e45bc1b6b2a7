"""Runs a case as `antelog try` runs recorded facts, and compares what comes out with what is expected."""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa
from yaml.nodes import Node

from antelog.arrow.arrays import array_of
from antelog.arrow.ticks import in_ticks_of
from antelog.compile.rules.statics import Row as StaticRow
from antelog.compile.rules.statics import evaluate
from antelog.engine.step.wording import rows_of
from antelog.engine.values.functions import Functions
from antelog.engine.values.values import Values
from antelog.errors import AntelogError, DataError
from antelog.files import ARRIVAL, Reject, Rejects
from antelog.files.chunks import Chunk
from antelog.forecast.reports.words import percent
from antelog.language.printer import to_text
from antelog.language.syntax import Constant
from antelog.lines import amount_text, amounts_so_far
from antelog.process import Engine
from antelog.program import Program
from antelog.run.clock import Timing
from antelog.run.driver import ChangeView, Driver, Judged, speaks_by_the_clock
from antelog.run.reading import InputReader, InputSource, Listeners, wanted_of
from antelog.run.replay import RecordedRows, static_facts
from antelog.run.sinks.result import StepResult, fact_text
from antelog.run.sources.recorded import RecordedFiles
from antelog.run.sources.source import FactSource, Mark, SourcePiece
from antelog.run.waiting import DueRows
from antelog.why import Detail, WhyAnswer, explained
from antelog.workbench.testing import suite
from antelog.workbench.testing.suite import RuleCase
from antelog.workbench.testing.texts import Fact, ProgramTexts, alike

# ---- a case through the engine ----

Row = Mapping[str, Any]

MOST_TICKS = 20_000  # the most ticks behind the last fact for which a case with answers at each goes on
_DEPTH = 4  # the levels of rules in a reason
_DECIDING = ("possible", "revised", "confirmed", "rejected", "closed")  # the state of an answer


@dataclass(frozen=True, eq=False)
class AnswerState:
    """The state of an answer at a tick: its last line, or if it is open, its row among the answers then."""

    query: str
    change: str
    row: Row

    @property
    def is_open(self) -> bool:
        return self.change in ("possible", "revised")

    @property
    def state(self) -> str:
        return "open" if self.is_open else self.change


@dataclass(eq=False)
class Outcome:
    """The outcome of a case up to the tick `ended`, or the error for which it could not be run."""

    lines: list[tuple[str, Row]] = field(default_factory=list)
    snapshots: dict[int, list[tuple[str, Row]]] = field(default_factory=dict)
    set_aside: list[Reject] = field(default_factory=list)
    ended: int = -1
    error: str = ""

    def states(self, tick: int, names: Mapping[str, Sequence[str]]) -> list[AnswerState]:
        """The last state of each answer up to a tick, in the order in which they came."""
        found: dict[object, AnswerState] = {}
        for query, row in self.lines:
            if row["tick"] <= tick and row["change"] in _DECIDING:
                found[query, _key(row, names[query])] = AnswerState(query, row["change"], row)
        for query, row in self.snapshots.get(tick, ()):
            key = query, _key(row, names[query])
            if row["change"] == "open" and key in found and found[key].is_open:
                found[key] = replace(found[key], row=row)
        return list(found.values())


def _key(row: Row, names: Sequence[str]) -> tuple[object, ...]:
    """The values of an answer, and its variables that stand for all others."""
    values = ((type(row[name]).__name__, row[name]) for name in names)
    return (*values, tuple(row.get("others") or ()))


class _Watching(ChangeView):
    """Yields all changes, and keeps the answers of some ticks."""

    def __init__(self, ticks: Sequence[int], outcome: Outcome) -> None:
        super().__init__()
        self._ticks, self._outcome = sorted(set(ticks)), outcome

    def steps(self, engine: Engine, batch: DueRows, judged: Judged) -> Iterator[StepResult]:
        for tick in self._stops(engine.now, batch.now):
            part = batch.between(engine.now, tick)
            tables = engine.advance(tick, part.facts)
            judged(part)
            self._look(engine)
            yield StepResult(tick, tables)

    def rest(self, engine: Engine, end: int) -> Iterator[StepResult]:
        for tick in self._stops(engine.now, end):
            tables = engine.advance(tick)
            self._look(engine)
            yield StepResult(tick, tables)

    def _stops(self, now: int, end: int) -> list[int]:
        return [*(each for each in self._ticks if now < each < end), *([end] if end > now else [])]

    def _look(self, engine: Engine) -> None:
        if engine.now in self._ticks:
            self._outcome.snapshots[engine.now] = [
                (each.name, row)
                for each in engine.plan.queries
                for row in rows_of(engine.answers(each.name), each)
            ]


class _CaseFacts(FactSource):
    """The facts of a case for one input: those in its text, then those of files."""

    def __init__(self, facts: Sequence[Fact], name: str, files: Sequence[FactSource]) -> None:
        super().__init__()
        self._facts, self._name, self._files = facts, name, files

    @property
    def mark(self) -> Mark:
        return {}

    def poll(self) -> list[SourcePiece]:
        facts, self._facts = self._facts, ()
        found = [SourcePiece(_chunk(facts), self._name)] if facts else []
        found += [piece for each in self._files if not each.ended for piece in each.poll()]
        self.ended = all(each.ended for each in self._files)
        self.behind = not self.ended
        return found


def _chunk(facts: Sequence[Fact]) -> Chunk:
    columns = [array_of(each) for each in zip(*(fact.values for fact in facts), strict=True)]
    times = [int(fact.values[-1]) for fact in facts]
    arrivals = [t if fact.arrival is None else fact.arrival for fact, t in zip(facts, times, strict=True)]
    return Chunk(
        [*columns[:-1], pa.array(times, pa.int64()), pa.array(arrivals, pa.int64())],
        lambda: np.array([fact.node.start_mark.line + 1 for fact in facts], np.int64),
        lambda row: " ".join(facts[row].node.value.split()),
        arrives=np.array([fact.arrival is not None for fact in facts]),
    )


def replayed(case: RuleCase, program: Program | None = None, name: str = "") -> Outcome:
    """Runs a case, perhaps with another program that has the same inputs; `name` is that of its file."""
    program = program or case.texts.program
    ticks = [each.at for each in case.expected if each.at is not None]
    outcome, rejects = Outcome(), Rejects()
    view = _Watching(ticks, outcome)

    def steps(engine: Engine, found: Iterable[StepResult]) -> None:
        for step in found:
            tables = [(each, step.tables[each.name]) for each in engine.plan.queries]
            rows = [(each.name, row) for each, table in tables for row in rows_of(table, each)]
            outcome.lines += sorted(rows, key=lambda line: line[1]["tick"])

    try:
        static = _static(case, program, rejects)
        engine = Engine(program, static=static, arrival=ARRIVAL, model=case.model)
        reader = _reader(case, program, name, rejects, outcome.set_aside.extend)
        steps(engine, Driver(engine, reader, view).steps())
        last = max(ticks, default=-1)
        if last - engine.now > MOST_TICKS and speaks_by_the_clock(program.plan):
            raise DataError.of("testing.far-tick", last=last, ticks=last - engine.now)
        steps(engine, view.rest(engine, last))
        rejects.require_use()
        outcome.ended = engine.now
    except AntelogError as error:
        outcome.error = str(error)
    return outcome


def reason(case: RuleCase, name: str, answer: str, at: int | None) -> WhyAnswer | None:
    """Explains why an answer is there at a tick, or is not; None if that cannot be done."""
    rejects = Rejects()
    try:
        reader = _reader(case, case.texts.program, name, rejects, lambda _: None)
        static = _static(case, case.texts.program, rejects)
        grounds = RecordedRows.of(reader).grounds(case.texts.program, static, at)
        return explained(grounds, answer, Detail(_DEPTH))
    except AntelogError:
        return None


def background(case: RuleCase, program: Program) -> dict[str, frozenset[StaticRow]]:
    """The facts of each static relation in a case, derived ones among them."""
    plan = program.plan
    try:
        given = _static(case, program, Rejects())
        return evaluate(plan, given, Values(functions=Functions.of(plan, program.functions)).called)
    except AntelogError:  # the case itself says so
        return {}


def _static(case: RuleCase, program: Program, rejects: Rejects) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for name in (each.name for each in program.plan.statics):
        written = [fact.values for fact in case.facts if fact.predicate == name]
        files = [path for predicate, path in case.files if predicate == name]
        read = [static_facts(program.plan, {name: path}, rejects, {})[name] for path in files]
        if written or read:
            found[name] = [*written, *chain(*read)]
    return found


def _reader(
    case: RuleCase,
    program: Program,
    name: str,
    rejects: Rejects,
    set_aside: Callable[[Sequence[Reject]], None],
) -> InputReader:
    plan, sources = program.plan, dict[str, InputSource]()
    for each in plan.inputs:
        wanted = wanted_of(plan, each.name, case.arrival)
        facts = [fact for fact in case.facts if fact.predicate == each.name]
        paths = [path for predicate, path in case.files if predicate == each.name]
        files = [RecordedFiles(path, wanted, complete=True) for path in paths]
        if not files:
            wanted = replace(wanted, counting=in_ticks_of(plan.timescale))
        if facts or files:
            sources[each.name] = InputSource(_CaseFacts(facts, name, files), name, wanted)
    timing, listeners = Timing(timescale=plan.timescale), Listeners(rejects.notes.append, set_aside)
    return InputReader(plan, sources, timing, rejects, listeners, recorded=True)


# ---- expected and found ----

MOST_OTHERS = 5  # the most other answers that are listed with a failure

_HALF_A_PERCENT = 0.005
_COMPARES = {">": operator.gt, "<": operator.lt, ">=": operator.ge, "<=": operator.le}
_PLACES = {"awaits": "hypotheses", "evidence": "evidence"}


@dataclass(frozen=True)
class Side:
    expected: str
    found: str
    agrees: bool


@dataclass(frozen=True)
class Failure:
    """An expectation that was not met, its place, both sides, and an answer whose reason is of interest."""

    at: int | None
    when: str
    sides: tuple[Side, ...]
    node: Node
    recorded: bool = False
    answer: str = ""

    @property
    def summary(self) -> str:
        wrong = [each for each in self.sides if not each.agrees and each.expected]
        return "; ".join(f"expected {each.expected.strip()}, found {each.found.strip()}" for each in wrong)


def failures(case: RuleCase, outcome: Outcome) -> list[Failure]:
    """The expectations of a case that were not met, in the order of the file."""
    names = {each.name: each.answer.names for each in case.texts.program.plan.queries}
    found: list[Failure] = []
    for expectation in case.expected:
        tick = outcome.ended if expectation.at is None else expectation.at
        judge = _Judge(case.texts, expectation, outcome.states(tick, names), tick)
        found += judge.failures([each.row for each in outcome.set_aside])
    return found


class _Judge:
    def __init__(
        self, texts: ProgramTexts, expectation: suite.Expectation, states: Sequence[AnswerState], tick: int
    ) -> None:
        self._texts, self._expectation, self._states = texts, expectation, states
        self._when = "at the end" if expectation.at is None else f"at {texts.written(tick)}"

    def failures(self, set_aside: Collection[str]) -> Iterator[Failure]:
        texts, expectation = self._texts, self._expectation
        for each in expectation.answers:
            sides = self._sides(each)
            if not all(side.agrees for side in sides):
                yield self._failure(sides, each.node, self._goal(each))
        there = [each for each in expectation.answers if each.state in (suite.OPEN, suite.CONFIRMED)]
        others = [
            each
            for each in self._states
            if each.query in expectation.alone and each.change != suite.REJECTED
            if not any(self._fits(expected, each) for expected in there)
        ]
        if others:
            nothing = f"nothing else of {', '.join(expectation.alone)}"
            sides = [Side("", self._shown(each), agrees=False) for each in others[:MOST_OTHERS]]
            sides[0] = replace(sides[0], expected=nothing)
            more = len(others) - MOST_OTHERS
            sides += [Side("", f"and {more} more", agrees=False)] if more > 0 else []
            goal = texts.answer_of(others[0].query, others[0].row, in_ticks=True)
            yield self._failure(sides, expectation.node, goal)
        for fact in expectation.set_aside:
            *values, time = fact.values
            text = fact_text(fact.predicate, values, int(time), texts.timescale)
            if text not in set_aside:
                sides = [Side(f"{text} is set aside", "it was not", agrees=False)]
                yield self._failure(sides, fact.node, text)

    def _goal(self, expected: suite.ExpectedAnswer) -> str:
        """The answer whose reason is of interest: if several fit, the first."""
        if all(isinstance(each, Constant) for each in expected.answer.terms):
            return to_text(expected.answer)
        fitting = self._fitting(expected)
        return self._texts.answer_of(fitting[0].query, fitting[0].row, in_ticks=True) if fitting else ""

    def _failure(self, sides: Sequence[Side], node: Node, answer: str) -> Failure:
        expectation = self._expectation
        return Failure(expectation.at, self._when, tuple(sides), node, expectation.recorded, answer)

    def _fits(self, expected: suite.ExpectedAnswer, state: AnswerState) -> bool:
        answer = expected.answer
        return state.query == answer.predicate and self._texts.fits(answer, state.row)

    def _fitting(self, expected: suite.ExpectedAnswer) -> list[AnswerState]:
        return [each for each in self._states if self._fits(expected, each)]

    def _sides(self, expected: suite.ExpectedAnswer) -> list[Side]:
        """Compares an answer with the one that comes nearest, if several fit."""
        fitting = self._fitting(expected)
        claim = f"{expected.text} {_CLAIMS[expected.state]}"
        if expected.state == suite.NEVER:
            return [Side(claim, self._shown(fitting[0]) if fitting else "it never came", agrees=not fitting)]
        right = [each for each in fitting if each.state == expected.state]
        if right:
            return _nearest(self._compared(expected, claim, each) for each in right)
        if fitting:
            return [Side(claim, self._shown(fitting[0]), agrees=False)]
        there = [each for each in self._states if each.query == expected.answer.predicate]
        others = [each for each in there if each.change != suite.REJECTED] or there
        sides = [Side(claim, "it never came", agrees=False)]
        sides += [Side("", f"but {self._shown(each)}", agrees=False) for each in others[:MOST_OTHERS]]
        return sides

    def _shown(self, state: AnswerState) -> str:
        text = f"{self._texts.answer_of(state.query, state.row)} {_CLAIMS[state.state]}"
        if state.is_open:
            return text
        lost = ", lost from sight" if state.row.get("lost") else ""
        text = f"{text} since {self._texts.written(state.row['tick'])}{lost}"
        because = [self._texts.shown(each) for each in state.row.get("because") or ()]
        return f"{text}, because {', '.join(because)} did not come true" if because else text

    def _compared(self, expected: suite.ExpectedAnswer, claim: str, state: AnswerState) -> list[Side]:
        row, written = state.row, self._texts.written
        name = self._texts.answer_of(state.query, row)
        sides = [Side(claim, f"{name} {_CLAIMS[expected.state]}", agrees=True)]
        if expected.so_far is not None or expected.lists.keys() & _PLACES.keys():
            explanations = row.get("explanations") or [{}]
            sides += _nearest(self._explained(expected, each) for each in explanations)
        for each in [name for name in expected.lists if name not in _PLACES]:
            sides += self._listed(each, expected.lists[each], row.get(each) or ())
        if expected.if_silent is not None:
            silent = row.get("if_silent")
            found = silent and (silent["change"], silent["tick"])
            fates = expected.if_silent, found
            shown = (f"{fate[0]} at {written(fate[1])}" if fate else "open for ever" for fate in fates)
            sides.append(_detail("if_silent", *shown, agrees=found == expected.if_silent))
        if expected.decided_by is not None:
            by = row.get("decided_by")
            there = "no tick bounds it" if by is None else written(by)
            agrees = by == expected.decided_by
            sides.append(_detail("decided_by", written(expected.decided_by), there, agrees=agrees))
        if expected.chance is not None:
            sides.append(_chance(expected.chance, row.get("chance")))
        return sides

    def _explained(self, expected: suite.ExpectedAnswer, explanation: Mapping[str, Any]) -> list[Side]:
        sides = list[Side]()
        for name, each in expected.lists.items():
            if name in _PLACES:
                sides += self._listed(name, each, explanation.get(_PLACES[name]) or ())
        if expected.so_far is not None:
            values = amounts_so_far(explanation).values()
            found = ", ".join(map(amount_text, values)) or "it counts nothing"
            agrees = expected.so_far in values
            sides.append(_detail("so_far", amount_text(expected.so_far), found, agrees=agrees))
        return sides

    def _listed(self, name: str, expected: suite.LiteralList, found: Sequence[str]) -> Iterator[Side]:
        """Pairs expected literals with those found; if no others may be there, lists these too."""
        # In ticks, as lines have them, and as shown: `9 <= S+4` may be written with S alone.
        of_line, shown = self._texts.literal_of_line, self._texts.shown
        read = {text: (of_line(text), of_line(shown(text))) for text in found}
        free = list(found)
        missing: list[str] = []
        for written, literals in expected.literals:
            for text in free:
                if any(form is not None and alike(literals, form) for form in read[text]):
                    free.remove(text)
                    yield _detail(name, written, shown(text), agrees=True)
                    break
            else:
                missing.append(written)
        rest = [shown(each) for each in free]
        for text in missing:
            yield _detail(name, text, rest.pop(0) if rest else "nothing more", agrees=False)
        if expected.only and not missing:
            for text in rest:
                yield _detail(name, "nothing else", text, agrees=False)


_CLAIMS = dict(zip(suite.STATES, ("is open", "is confirmed", "is rejected", "never comes"), strict=True))


def _nearest(found: Iterable[list[Side]]) -> list[Side]:
    return min(found, key=lambda sides: sum(not side.agrees for side in sides))


def _detail(name: str, expected: str, found: str, *, agrees: bool) -> Side:
    return Side(f"  {name} {expected}", f"  {name} {found}", agrees)


def _chance(expected: suite.ExpectedChance, found: float | None) -> Side:
    if found is None:
        reason = "none: the program declares no `chance`, and there is no model"
        return _detail("chance", expected.text, reason, agrees=False)
    if expected.high is not None:
        agrees = expected.low <= found <= expected.high
    elif expected.sign == "=":
        agrees = abs(found - expected.low) <= _HALF_A_PERCENT
    else:
        agrees = bool(_COMPARES[expected.sign](found, expected.low))
    return _detail("chance", expected.text, percent(found), agrees=agrees)
