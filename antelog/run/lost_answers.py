"""Answers that were lost from sight, until facts of the unseen sources come again.

    tick 7    Hot(wt2, 5) is rejected, and lost: Temp(wt2, high, 6)
    tick 9    a fact of Temp about wt2 arrives     {"tick": 9, "change": "seen", …}, else as at 7

Such an answer has no outcome yet: it stays open on the page, and its alerts fire, until all its unseen
sources were heard. If it is only unlikely, it is open again then.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
import pyarrow as pa

from antelog.answers import CLOSED, name_in
from antelog.compile.nodes.plan import Plan
from antelog.engine.step.plain_values import plain
from antelog.engine.step.sources import ExpectedSource, sources_of
from antelog.engine.step.wording import LOST, SEEN, meaning
from antelog.files import ARRIVAL
from antelog.language.moments import TIME

MOST = 10_000
"""Lost answers that are kept, at most; of more the first count as seen again."""


class LostAnswers:
    """The lost answers of a run by name; `changed` are the lines that a store does not know yet."""

    def __init__(self, plan: Plan, lines: Iterable[str] = ()) -> None:
        self._plan = plan
        self._columns = {each.name: each.columns for each in plan.inputs}
        self._lost: dict[str, dict[str, Any]] = {}
        self._waits: dict[str, set[ExpectedSource]] = {}
        self.changed: dict[str, str | None] = {}
        self.closed: list[str] = []
        """The lines of those whose queries are gone, or have other variables."""
        known = {each.name: {*each.answer.names} for each in plan.queries}
        for line in map(msgspec.json.decode, lines):
            if known.get(line["query"]) == line["answer"].keys():
                self._add(name_in(line), line)
            else:
                self.changed[name_in(line)] = None
                self.closed.append(msgspec.json.encode({**line, "change": CLOSED, LOST: None}).decode())

    @property
    def lines(self) -> list[str]:
        """The lines of all that is lost now."""
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
        beyond = [*self._lost][: max(0, len(self._lost) - MOST)]
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
