"""The board: the state of the page, folded from the records of a feed.

    board = Board()
    board.take(reader.read(1000))
    board.open                      the open answers by their ids

It has the open answers, the latest decided ones, the status of inputs, and the scores of chances. All but the
open answers is bounded, so memory does not grow with the length of a run. `version` grows with each record.
Answers that it holds no more are read again from the feed, and put into `recalled`.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from antelog.compile.plan.partition import group_variables
from antelog.diagnostics import Source
from antelog.engine.step.query import STILL_OPEN
from antelog.engine.step.wording import LOST, SEEN, meaning
from antelog.errors import AntelogError
from antelog.language import read
from antelog.language.graph import graph_of
from antelog.language.moments import Timescale
from antelog.program import Program, compiled
from antelog.run.sinks.result import CLOSED, ENDS
from antelog.run.store import is_line, is_record, name_of, source_of
from antelog.watch.board.answer_positions import AnswerPositions
from antelog.watch.board.flow import Flow
from antelog.watch.board.grouping import group_name
from antelog.watch.board.input_status import Inputs, seconds_of
from antelog.watch.board.scoring import Trust
from antelog.watch.board.tracked_answer import Line, TrackedAnswer, label, tracked

DECIDED, DECIDED_SIZE = 50_000, 64_000_000
"""Decided answers that are kept, the latest: how many at most, and how many bytes they hold, about."""
RECALLED = 50
"""Answers read again that are kept, the latest."""


@dataclass(frozen=True)
class FeedProgram:
    """The program of a feed, and where it was read from."""

    source: Source = field(default_factory=lambda: Source("", ""))

    @cached_property
    def program(self) -> Program | None:
        """The parsed program; None if there is no text or it has errors."""
        try:
            return compiled(read(self.source)) if self.source.text else None
        except AntelogError:
            return None

    @property
    def path(self) -> str:
        """The name of its file."""
        return self.source.name

    @property
    def length(self) -> int | None:
        """How long a tick is, in microseconds."""
        return self.program.plan.tick if self.program else None

    @property
    def timescale(self) -> Timescale | None:
        """The times of ticks."""
        return self.program.plan.timescale if self.program else None

    @cached_property
    def ticks(self) -> Mapping[str, Mapping[str, str]]:
        """The variables of each query that have ticks, with their types."""
        queries = self.program.plan.queries if self.program else ()
        return {query.name: query.answer.ticks for query in queries}

    @cached_property
    def alerts(self) -> Mapping[str, float | None]:
        """The threshold of alerts of each query."""
        queries = self.program.plan.queries if self.program else ()
        return {query.name: query.alert for query in queries}

    @cached_property
    def severities(self) -> Mapping[str, str]:
        """The severity of each query."""
        queries = self.program.plan.queries if self.program else ()
        return {query.name: query.severity for query in queries}

    @cached_property
    def rests_on(self) -> Mapping[str, frozenset[str]]:
        """The inputs that each query depends on."""
        if self.program is None:
            return {}
        below: dict[str, set[str]] = {}
        for edge in graph_of(self.program.document).edges:
            below.setdefault(edge.target, set()).add(edge.source)
        names = {each.name for each in self.program.plan.inputs}
        return {
            query.name: frozenset(names & reachable(below, query.predicate))
            for query in self.program.plan.queries
        }

    @cached_property
    def keys(self) -> Mapping[str, str]:
        """The variable of each query by which its answers are grouped."""
        return {} if self.program is None else group_variables(self.program.plan)

    def severity(self, query: str) -> str:
        """How bad a confirmed answer of a query is: critical, warning, info or good."""
        return self.severities.get(query, "info")

    def key_of(self, answer: TrackedAnswer) -> str:
        """The group of an answer."""
        values, ticks = answer.values, self.ticks.get(answer.query, {})
        name = self.keys.get(answer.query) or next((each for each in values if each not in ticks), None)
        return group_name(answer.query, values, name)

    def label(self, answer: TrackedAnswer) -> str:
        """The text of an answer, its times as times."""
        return label(answer.query, answer.values, self.ticks.get(answer.query, {}), self.timescale)


@dataclass(eq=False)
class Board:
    """The state of the page; `damaged` counts invalid records."""

    head: FeedProgram = field(default_factory=FeedProgram)
    tick: int | None = None
    version: int = 0
    open: dict[str, TrackedAnswer] = field(default_factory=dict)
    decided: OrderedDict[str, TrackedAnswer] = field(default_factory=OrderedDict)
    changes: Counter[tuple[str, str]] = field(default_factory=Counter)
    inputs: Inputs = field(default_factory=Inputs)
    trust: Trust = field(default_factory=Trust)

    def __post_init__(self) -> None:
        self.damaged = 0
        self.decided_size = 0
        self.positions = AnswerPositions()
        self.flow = Flow()
        self.recalled = OrderedDict[str, TrackedAnswer]()
        self.sees = False
        """Whether the feed says when facts come again of what was lost: so long such an answer stays open."""
        self.rules_changed: Mapping[str, Any] | None = None
        """The latest change of the rules: after which tick, and what became of each query."""

    def take(self, records: Iterable[Mapping[str, Any]]) -> None:
        """Folds records into the board."""
        for record in records:
            self.version += 1
            name: str | None = None
            if is_record(record):
                name = _name(record) if "change" in record else None
                self._take(record, name)
            else:
                self.damaged += 1  # a line of another writer; the others are still shown
            self.positions.add(name)

    def _take(self, record: Mapping[str, Any], name: str | None) -> None:
        if name is not None:
            self._change(record, name)
        elif "status" in record:
            self.inputs.take(record["status"])
            self.flow.take(seconds_of(record["status"].get("at")), self.changes)
            self._reach(record["status"].get("tick"))
        elif "reject" in record:
            self.inputs.rejects.append(record["reject"])
        elif "head" in record:
            self._begin(record["head"])

    def find(self, name: str) -> TrackedAnswer | None:
        """An answer that is open, was lately decided, or was read again."""
        return self.open.get(name) or self.decided.get(name) or self.recalled.get(name)

    def recall(self, name: str, records: Iterable[Mapping[str, Any]]) -> None:
        """Keeps an answer for a while, from its records among some of the feed."""
        found: TrackedAnswer | None = None
        for record in records:
            if "change" not in record or not is_record(record) or _name(record) != name:
                continue
            if found is None:
                found = tracked(record, name)
            else:
                found.take(record)
        if found is not None:
            self.recalled[name] = found
            while len(self.recalled) > RECALLED:
                self.recalled.popitem(last=False)

    @property
    def has_chances(self) -> bool:
        """Whether an open answer has a chance."""
        return any(answer.now.chance is not None for answer in self.open.values())

    @property
    def seen_chances(self) -> bool:
        """Whether an answer has a chance, or had one."""
        return self.has_chances or any(
            chance is not None for answer in self.decided.values() for _, chance in answer.chances
        )

    @property
    def started(self) -> bool:
        """Whether time has begun: before the first fact there is none."""
        return self.tick is not None

    def _begin(self, head: Mapping[str, Any]) -> None:
        """Replaces the open answers by those of a head, which has them all, also where lines were lost."""
        self.rules_changed, self.sees = head.get("rules_changed"), bool(head.get("sees"))
        if (source := source_of(head)) != self.head.source:
            self.head = FeedProgram(source)
            self.trust.ask(self.head.alerts)
        before, self.open = self.open, {}
        for name, line in {_name(line): line for line in _lines_in(head)}.items():
            self.open[name] = _brought_up_to(before.get(name), line) or tracked(_as_change(line), name)
        self._reach(head.get("tick"))

    def _change(self, line: Line, name: str) -> None:
        kind = line["change"]
        self.recalled.pop(name, None)
        self.changes[line["query"], kind if kind == SEEN else meaning(line)] += 1
        self._reach(line["tick"])
        before = self.open.get(name)
        if kind == SEEN and before is None:
            return  # somebody has ended it
        lost = meaning(line) == LOST
        if not (lost if kind == SEEN else kind in ENDS and not (lost and self.sees)):
            # What was rejected may come back: it is the same answer.
            answer = before or self._reopened(name)
            if answer is None:
                answer = tracked(line, name)
            else:
                answer.take(line)
            self.open[name] = answer
            return
        answer = self.open.pop(name, None) or self._reopened(name)
        decided_by = None if answer is None else answer.now.decided_by
        if answer is None:
            answer = tracked(line, name)
        else:
            answer.take(line)
        self.decided[name] = answer
        self.decided_size += answer.size
        while len(self.decided) > DECIDED or self.decided_size > DECIDED_SIZE:
            self.decided_size -= self.decided.popitem(last=False)[1].size
        if kind in (CLOSED, SEEN) or line.get(LOST):  # nobody knows what became of it
            self.trust.drop(answer)
        else:
            self.trust.take(answer, decided_by)

    def _reopened(self, name: str) -> TrackedAnswer | None:
        """An answer that is decided no more."""
        answer = self.decided.pop(name, None)
        if answer is not None:
            self.decided_size -= answer.size
        return answer

    def _reach(self, tick: int | None) -> None:
        # A stream without facts is at tick -1: it has no time yet.
        if tick is not None and tick >= 0 and (self.tick is None or tick > self.tick):
            self.tick = tick
            self.trust.reach(tick)


def reachable(edges: Mapping[str, Iterable[str]], start: str) -> set[str]:
    """The nodes that edges lead to from one, and that one."""
    found, waiting = {start}, [start]
    while waiting:
        new = set(edges.get(waiting.pop(), ())) - found
        found |= new
        waiting += new
    return found


def _name(line: Line) -> str:
    others = line.get("others") or ()
    return name_of(line["query"], line["answer"], [others] if isinstance(others, str) else others)


def _lines_in(head: Mapping[str, Any]) -> Iterator[Line]:
    """The lines of open answers in a head: lines of answers, or snapshots with several."""
    for given in head.get("open", ()):
        lines = [given]
        if "answers" in given:
            lines = [{"tick": given["tick"], "query": given["query"], **each} for each in given["answers"]]
        # What was confirmed at the very tick is listed with what is open; it has no deadline any more.
        yield from (line for line in lines if is_line(line) and ("decided_by" in line or line.get(LOST)))


def _brought_up_to(known: TrackedAnswer | None, line: Line) -> TrackedAnswer | None:
    """A known answer, with the line of a head added if it has news; None for an unknown answer."""
    if known is not None and any(
        known.line.get(key) != line.get(key) for key in ("explanations", "chance", LOST)
    ):
        known.take(_as_change(line, "revised"))
    return known


def _as_change(line: Line, change: str = "possible") -> Line:
    """A line of an open answer as a change of the given kind, if it has no kind of its own."""
    return line if line.get("change", STILL_OPEN) != STILL_OPEN else {**line, "change": change}
