"""The board: the state of the page, folded from the records of a feed; all but open answers is bounded."""

from __future__ import annotations

from collections import Counter, OrderedDict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any

from antelog.answers import CLOSED, OPEN, name_in, state_after
from antelog.engine.step.query import STILL_OPEN
from antelog.engine.step.wording import LOST, SEEN, meaning
from antelog.lines import LogLine, is_change, is_line
from antelog.run.store.feed import is_record, source_of
from antelog.watch.board.answer_table import AnswerTables
from antelog.watch.board.feed_program import FeedProgram
from antelog.watch.board.input_status import CountRates, Inputs, seconds_of
from antelog.watch.board.scoring import Trust
from antelog.watch.board.tracked_answer import TrackedAnswer, tracked

DECIDED, DECIDED_SIZE = 50_000, 64_000_000  # decided answers that are kept, the latest, and bytes of these
RECALLED = 50  # answers read again that are kept, the latest
PIECE_LINES, PIECE_RECORDS = 1_000, 2_000  # lines of answers, and records, in a piece of the feed, about
MOST_LINES = 2_500_000  # lines of answers whose places are known, at most, the latest
MOST_TOUCHED = 200_000  # answers that wait for the tables, at most: a page may have no reader for weeks
_ID = 8  # the bytes of the id of an answer


@dataclass(eq=False)
class FeedPiece:
    """A piece of a feed: the position before it, the number of its records, the ids of their answers."""

    position: int
    records: int = 0
    ids: bytearray = field(default_factory=bytearray)

    @property
    def lines(self) -> int:
        return len(self.ids) // _ID


class FeedPieces:
    """The pieces of a feed, by which the lines of an answer are found again: 20 MB for a feed of 1 GB."""

    def __init__(self, pieces: Iterable[FeedPiece] = (), at: int = 0) -> None:
        self.kept, self.at = deque(pieces), at
        self._lines = sum(each.lines for each in self.kept)

    def begin(self, position: int) -> None:
        if position < self.at:  # the feed was begun anew
            self.kept.clear()
            self._lines = 0
        self.at = position
        last = self.kept[-1] if self.kept else None
        if last is None or last.lines >= PIECE_LINES or last.records >= PIECE_RECORDS:
            self.kept.append(FeedPiece(position))
            while self._lines > MOST_LINES:
                self._lines -= self.kept.popleft().lines

    def add(self, name: str | None) -> None:
        """Notes a record, with the id of its answer if it is a line of one."""
        if not self.kept:
            return
        piece = self.kept[-1]
        piece.records += 1
        if name is not None:
            piece.ids += bytes.fromhex(name)
            self._lines += 1

    def of(self, name: str) -> Sequence[FeedPiece]:
        try:
            wanted = bytes.fromhex(name)
        except ValueError:
            return []
        return [each for each in self.kept if wanted in each.ids] if len(wanted) == _ID else []


@dataclass(eq=False)
class Board:
    """The state of the page; `version` grows with each record, `seen` with what views of answers show."""

    head: FeedProgram = field(default_factory=FeedProgram)
    tick: int | None = None  # None before the first fact
    version: int = 0
    open: dict[str, TrackedAnswer] = field(default_factory=dict)
    decided: OrderedDict[str, TrackedAnswer] = field(default_factory=OrderedDict)
    changes: Counter[tuple[str, str]] = field(default_factory=Counter)
    inputs: Inputs = field(default_factory=Inputs)
    trust: Trust = field(default_factory=Trust)

    def __post_init__(self) -> None:
        self.seen = 0
        self.damaged = 0  # invalid records
        self.decided_size = 0
        self.pieces = FeedPieces()
        self.flow = CountRates[tuple[str, str]]()
        self.touched: set[str] = set()  # the answers that have changed since the tables were updated
        self.recalled = OrderedDict[str, TrackedAnswer]()
        self.returned = deque[TrackedAnswer](maxlen=10_000)
        self.groups: Mapping[str, str] = {}  # the group of each device on the map, where a relation gives it
        self.sees = False  # the feed has a line when a lost answer is seen again: until then it stays open
        self.rules_changed: Mapping[str, Any] | None = None  # after which tick, and what of each query

    def take(self, records: Iterable[Mapping[str, Any]]) -> None:
        for record in records:
            self.version += 1
            name: str | None = None
            if not is_record(record):
                self.damaged += 1  # a line of another writer; the others are still shown
            elif is_change(record):
                self.seen += 1
                self._change(record, name := name_in(record))
            elif "status" in record:
                self.inputs.take(record["status"])
                self.flow.take(seconds_of(record["status"].get("at")), dict(self.changes))
                self._reach(record["status"].get("tick"))
            elif "reject" in record:
                self.inputs.rejects.append(record["reject"])
            elif "head" in record:
                self._begin(record["head"])
            self.pieces.add(name)
        if len(self.touched) > MOST_TOUCHED:
            self.tables.update()

    @cached_property
    def tables(self) -> AnswerTables:
        return AnswerTables(self.open, self.decided, self.touched, lambda: self.head)

    def find(self, name: str) -> TrackedAnswer | None:
        return self.open.get(name) or self.decided.get(name) or self.recalled.get(name)

    def recall(self, name: str, records: Iterable[Mapping[str, Any]]) -> None:
        """Keeps an answer for a while that the board had no longer, from its lines in the feed."""
        lines = (each for each in filter(is_change, records) if is_record(each) and name_in(each) == name)
        first = next(lines, None)
        if first is None:
            return
        found = self.recalled[name] = tracked(first, name)
        for line in lines:
            found.take(line)
        while len(self.recalled) > RECALLED:
            self.recalled.popitem(last=False)

    @property
    def seen_chances(self) -> bool:
        """Whether an answer has a chance, or had one."""
        every = chain(self.open.values(), self.decided.values())
        return any(chance is not None for answer in every for _, chance in answer.chances)

    @property
    def open_by_query(self) -> dict[str, int]:
        return dict.fromkeys(self.head.ticks, 0) | Counter(each.query for each in self.open.values())

    def rates(self, query: str) -> dict[str, float]:
        """Counts the changes of a query per second over the last minute, by kind."""
        return {kind: self.flow.rate((name, kind)) for name, kind in self.flow.names if name == query}

    def _begin(self, head: Mapping[str, Any]) -> None:
        """Replaces the open answers by those of a head, which has all of them, even where lines were lost."""
        self.seen += 1
        self.rules_changed, self.sees = head.get("rules_changed"), bool(head.get("sees"))
        self.groups = head.get("groups", {})
        if (source := source_of(head)) != self.head.source:
            self.head = FeedProgram(source)
            self.trust.ask(self.head.alerts)
        before = dict(self.open)
        self.open.clear()
        for name, line in {name_in(line): line for line in _lines_in(head)}.items():
            known = before.get(name)
            if known is None:
                known = tracked(_as_change(line), name)
            elif any(known.line.get(key) != line.get(key) for key in ("explanations", "chance", LOST)):
                known.take(_as_change(line, "revised"))
            self.open[name] = known
        self.touched |= {*before, *self.open}
        self._reach(head.get("tick"))

    def _change(self, line: LogLine, name: str) -> None:
        kind = line["change"]
        self.recalled.pop(name, None)
        self.changes[line["query"], kind if kind == SEEN else meaning(line)] += 1
        self._reach(line["tick"])
        answer = self.open.get(name)
        if kind == SEEN and answer is None:
            return  # somebody has ended it
        self.touched.add(name)
        if answer is None and (before := self.decided.pop(name, None)) is not None:
            # What was rejected has come back: it is the same answer; boards of the past show it as it was.
            self.decided_size -= before.size
            self.trust.drop(before)
            self.returned.append(before)
            answer = deepcopy(before)
        decided_by = None if answer is None else answer.now.decided_by
        if answer is None:
            answer = tracked(line, name)
        else:
            answer.take(line)
        if state_after(line, sees=self.sees) == OPEN:
            self.open[name] = answer
            return
        self.open.pop(name, None)
        self.decided[name] = answer
        self.decided_size += answer.size
        while len(self.decided) > DECIDED or self.decided_size > DECIDED_SIZE:
            forgotten, oldest = self.decided.popitem(last=False)
            self.decided_size -= oldest.size
            self.touched.add(forgotten)
        if kind in (CLOSED, SEEN) or line.get(LOST):  # nobody knows what became of it
            self.trust.drop(answer)
        else:
            self.trust.take(answer, decided_by)

    def _reach(self, tick: int | None) -> None:
        # A stream without facts is at tick -1: it has no time yet.
        if tick is not None and tick >= 0 and (self.tick is None or tick > self.tick):
            self.tick = tick
            self.seen += 1
            self.trust.reach(tick)


def _lines_in(head: Mapping[str, Any]) -> Iterator[LogLine]:
    """Yields the lines of open answers in a head, which has lines, or snapshots of several answers."""
    for given in head.get("open", ()):
        lines = [given]
        if "answers" in given:
            lines = [{"tick": given["tick"], "query": given["query"], **each} for each in given["answers"]]
        # What was confirmed at the very tick is listed with what is open; it has no deadline any more.
        yield from (line for line in lines if is_line(line) and ("decided_by" in line or line.get(LOST)))


def _as_change(line: LogLine, change: str = "possible") -> LogLine:
    """Makes a line of an open answer a change of the given kind, unless it has a kind already."""
    return line if line.get("change", STILL_OPEN) != STILL_OPEN else {**line, "change": change}
