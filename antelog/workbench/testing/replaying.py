"""Runs a case as `antelog try` runs recorded facts, and keeps the log and the answers at some ticks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa

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
from antelog.process import Engine
from antelog.program import Program
from antelog.run.clock import Timing
from antelog.run.driver import ChangeView, Driver, Judged, speaks_by_the_clock
from antelog.run.reading import InputReader, InputSource, Listeners, ReadingMode, wanted_of
from antelog.run.replay import grounds_of, static_facts
from antelog.run.sinks.result import StepResult
from antelog.run.sources.recorded import RecordedFiles
from antelog.run.sources.source import FactSource, Mark, SourcePiece
from antelog.run.waiting import DueRows
from antelog.why import Detail, WhyAnswer, explained
from antelog.workbench.testing.suite import RuleCase
from antelog.workbench.testing.texts import Fact

Row = Mapping[str, Any]

MOST_TICKS = 20_000
"""The most ticks behind the last fact for which a case goes on, if there are answers at each."""
_DEPTH = 4
"""The levels of rules in a reason."""
_DECIDING = ("possible", "revised", "confirmed", "rejected", "closed")
"""The changes that decide the state of an answer."""


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
    """The outcome of a case: the lines of each query, answers at ticks, and facts that were set aside.

    `ended` is the last tick; `error` says why the case could not be run.
    """

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
    program = program or case.program
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
            raise DataError(
                f"tick {last} lies {last - engine.now:,} ticks behind the last fact, and there are answers "
                "at each of them. Expect something earlier, or give a fact about that time"
            )
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
        reader = _reader(case, case.program, name, rejects, lambda _: None)
        static = _static(case, case.program, rejects)
        return explained(grounds_of(case.program, reader, static, at), answer, Detail(_DEPTH))
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
    mode = ReadingMode(Timing(timescale=plan.timescale), recorded=True)
    return InputReader(plan, sources, mode, rejects, Listeners(rejects.notes.append, set_aside))
