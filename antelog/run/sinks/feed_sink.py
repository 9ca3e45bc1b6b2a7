"""The feed of a run: a line for each change, reject and status of inputs; and answers lost from sight.

    tick 7    Hot(wt2, 5) is rejected, and lost: Temp(wt2, high, 6)
    tick 9    a fact of Temp about wt2 arrives     {"tick": 9, "change": "seen", …}, else as at 7

A lost answer stays open on the page, and its alerts fire, until all its unseen sources were heard.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.compute as pc

from antelog.answers import CLOSED, name_in
from antelog.compile.nodes.plan import Plan
from antelog.diagnostics import Source
from antelog.engine.step.lost import ExpectedSource, sources_of
from antelog.engine.step.wording import LOST, SEEN, meaning, plain
from antelog.files import ARRIVAL, Reject
from antelog.language.moments import TIME
from antelog.process import Engine
from antelog.run.clock import Slowest, input_of
from antelog.run.counting import OpenAnswers
from antelog.run.sinks.json_lines import Style, change_lines
from antelog.run.sinks.result import StepResult
from antelog.run.store.feed import StoredFeed, about, reject_line, status_line

MOST_LOST = 10_000  # lost answers that are kept, at most; of more the first count as seen again


class LostAnswers:
    """The lost answers of a run by name; `changed` are the lines that a store does not know yet."""

    def __init__(self, plan: Plan, lines: Iterable[str] = ()) -> None:
        self._plan = plan
        self._columns = {each.name: each.columns for each in plan.inputs}
        self._lost: dict[str, dict[str, Any]] = {}
        self._waits: dict[str, set[ExpectedSource]] = {}
        self.changed: dict[str, str | None] = {}
        self.closed: list[str] = []  # the lines of those whose queries are gone, or have other variables
        known = {each.name: {*each.answer.names} for each in plan.queries}
        for line in map(msgspec.json.decode, lines):
            if known.get(line["query"]) == line["answer"].keys():
                self._add(name_in(line), line)
            else:
                self.changed[name_in(line)] = None
                self.closed.append(msgspec.json.encode({**line, "change": CLOSED, LOST: None}).decode())

    @property
    def lines(self) -> list[str]:
        return [msgspec.json.encode(each).decode() for each in self._lost.values()]

    def take(self, lines: Sequence[str]) -> list[str]:
        """Adds the lines of a step; returns lines of answers beyond the limit, as seen again."""
        for text in lines if self._lost else [each for each in lines if f'"{LOST}": [' in each]:
            line = msgspec.json.decode(text)
            if meaning(line) == LOST:
                self._add(name_in(line), line)
                self.changed[name_in(line)] = text
            elif name_in(line) in self._lost:
                self._seen(name_in(line), line["tick"])
        beyond = [*self._lost][: max(0, len(self._lost) - MOST_LOST)]
        return [self._seen(name, self._lost[name]["tick"]) for name in beyond]

    def hear(self, facts: Mapping[str, pa.Table]) -> list[str]:
        """The lines of answers whose sources are all heard again, given the facts of a step."""
        waited = {source for each in self._lost for source in self._waits[each] if source.input in facts}
        arrived: dict[ExpectedSource, int] = {}
        for name, positions in {(source.input, source.positions) for source in waited}:
            columns = [self._columns[name][at] for at in positions]
            for row in facts[name].group_by(columns).aggregate([(ARRIVAL, "max")]).to_pylist():
                values = tuple(plain(row[each]) for each in columns)
                arrived[ExpectedSource(name, positions, values)] = row[f"{ARRIVAL}_max"]
        found: dict[str, int] = {}
        for name, line in self._lost.items() if arrived else ():
            waits = self._waits[name]
            heard = {each: at for each in waits if (at := arrived.get(each, -1)) > line["tick"]}
            waits -= heard.keys()
            if heard and not waits:
                found[name] = max(heard.values())
        return [self._seen(name, tick) for name, tick in found.items()]

    def end(self, name: str, tick: int, who: str) -> list[str]:
        """The line of a lost answer that somebody ends; empty if it is not lost any more."""
        return [self._seen(name, tick, who)] if name in self._lost else []

    def _seen(self, name: str, tick: int, who: str | None = None) -> str:
        line = {**self._lost.pop(name), "tick": tick, "change": SEEN}
        self.changed[name] = None
        del self._waits[name]
        scale = self._plan.timescale
        if TIME in line and scale is not None:
            line[TIME] = scale.time(tick).isoformat()
        if "decided_by" in line:
            del line[LOST]  # it is still open
        return msgspec.json.encode(line | ({} if who is None else {"by": who})).decode()

    def _add(self, name: str, line: dict[str, Any]) -> None:
        found = {each for text in line[LOST] for each in sources_of(self._plan, text)}
        anything = {ExpectedSource(each.name, (), ()) for each in self._plan.inputs if each.expected.of}
        self._lost[name], self._waits[name] = line, found or anything


BETWEEN = 0.25  # seconds between two statuses, at least
SILENT = 5.0  # seconds between two statuses if nothing has changed
MOST_REJECTS = 100  # rejects that are written between two statuses, at most
LISTED_AGAIN = 60.0  # seconds after which unchanged silent slots are listed again
MAPPED_AGAIN = 3_600.0  # and all slots


def holding(slow: Slowest | None) -> dict[str, Any]:
    """The input that holds time back, as a status has it; others are `ticks` ahead, or it has no fact yet."""
    if slow is None:
        return {"holding": None}
    held = {"source": slow.source, "ticks": slow.behind if slow.tick >= 0 else None}
    return {"holding": input_of(slow.source), "held": held}


def open_answers(engine: Engine) -> StepResult:
    """The newest changes of all answers that are open after the last step."""
    answers = {each.name: engine.answers(each.name) for each in engine.plan.queries}
    tables = {
        name: table.filter(pc.not_equal(table.column("change"), "confirmed"))
        for name, table in answers.items()
    }
    return StepResult(engine.now, tables)


class FeedSink:
    """Writes the feed of an engine; lines wait until `flush`."""

    def __init__(
        self, feed: StoredFeed, engine: Engine, program: Source, monotonic: Callable[[], float]
    ) -> None:
        self.feed = feed
        self._engine, self._program, self._monotonic = engine, program, monotonic
        self._relations = list(engine.plan.queries)
        self._lines: list[str] = []
        self._written = float("-inf")
        self._last = b""
        self._rejects = 0
        self._open = OpenAnswers(engine, monotonic)
        # The slots of each input that were listed last, the silent ones and all, and when.
        self._listed: dict[tuple[str, str], tuple[object, float]] = {}
        self.lost: LostAnswers | None = None  # answers that were lost from sight; None if none can be
        self.heard: Mapping[str, pa.Table] = {}  # the facts of the next step
        self.rules_changed: Mapping[str, Any] | None = None  # the latest change of the rules, for heads
        self.sources: Mapping[str, str] = {}  # where the facts of each input come from
        self.groups: Mapping[str, str] = {}  # the group of each device on the page's map
        self.notes: Mapping[str, str] = {}  # sentences that each status has, by what they are about

    def begin(self) -> None:
        """Writes a new head, with all that is open."""
        known = about(self._program, self._engine.plan.tick)
        known["tick"] = self._engine.now
        self._listed.clear()
        if self.rules_changed is not None:
            known["rules_changed"] = self.rules_changed
        if self.groups:
            known["groups"] = self.groups
        lines: list[str] = []
        if self._engine.now >= 0:
            step = open_answers(self._engine)
            lines = change_lines(self._relations, step, Style()).splitlines()
        if self.lost is not None:
            known["sees"] = True
            lines += self.lost.lines
            self._lines, self.lost.closed = [*self.lost.closed, *self._lines], []
        self.feed.begin(known, lines)

    def write(self, step: StepResult) -> None:
        lines = change_lines(self._relations, step, Style()).splitlines()
        self._lines += lines
        if self.lost is not None:
            self._lines += [*self.lost.take(lines), *self.lost.hear(self.heard)]
        self.heard = {}

    def end(self, answers: Mapping[str, str]) -> None:
        """Adds the lines of lost answers that somebody ends, given who ends each."""
        if self.lost is not None:
            for name, who in answers.items():
                self._lines += self.lost.end(name, self._engine.now, who)

    def rejects(self, found: Sequence[Reject]) -> None:
        few = found[: max(0, MOST_REJECTS - self._rejects)]
        self._rejects += len(few)
        tick = self._engine.now
        self._lines += [
            reject_line(
                {"input": r.predicate, "reason": r.reason, "row": r.row, "tick": tick, "detail": str(r)}
            )
            for r in few
        ]

    def status(self, inputs: Mapping[str, Any], slow: Slowest | None, *, at_once: bool = False) -> None:
        """Adds the line of the status, if it has changed and none was written just now."""
        now = self._monotonic()
        if not at_once and now < self._written + BETWEEN:
            return
        self._open.count()
        counted = {"open": self._open.by_query, "seen": self._open.seen_values}
        known = {"tick": self._engine.now, **counted, "inputs": inputs, **holding(slow)}
        if self.sources:
            known["sources"] = self.sources
        if self.notes:
            known["notes"] = list(self.notes.values())
        content = msgspec.json.encode(known)
        if not at_once and content == self._last and now < self._written + SILENT:
            return
        self._written, self._last, self._rejects = now, content, 0
        self._lines.append(status_line({**known, "inputs": self._brief(inputs, now)}))

    def _brief(self, inputs: Mapping[str, Any], now: float) -> dict[str, Any]:
        """Returns the inputs without the lists of slots that were written just before."""
        found = {}
        for name, each in inputs.items():
            slots = each.get("slots")
            if slots is not None:
                for key, after in (("listed", LISTED_AGAIN), ("again", MAPPED_AGAIN)):
                    before, at = self._listed.get((name, key), (None, 0.0))
                    if before == slots.get(key) and now < at + after:
                        slots = {each: value for each, value in slots.items() if each != key}
                    else:
                        self._listed[name, key] = slots.get(key), now
                each = {**each, "slots": slots}  # noqa: PLW2901 - the same input, in fewer words
            found[name] = each
        return found

    @property
    def pending(self) -> bool:
        return bool(self._lines)

    def flush(self) -> None:
        if self._lines:
            self.feed.append(self._lines)
            self._lines = []
