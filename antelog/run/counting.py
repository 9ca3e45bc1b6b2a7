"""Counts of each input: facts, how late they are, rows set aside, when facts came last; and of each slot."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antelog.compile.nodes.plan import Plan
from antelog.engine.columns.tables import Column
from antelog.files import ARRIVAL, Reject
from antelog.process import Engine
from antelog.run.sources.source import SourceExtent
from antelog.run.store.feed import wall_time

_MOST = 2_000  # looks that are kept, at most; of more, every other one


@dataclass(eq=False)
class Backlog:
    """The unread rows or bytes of one source, and for how many microseconds they have been there."""

    unread: int = 0
    unit: str = ""
    behind: int = 0
    _looks: deque[tuple[int, int]] = field(default_factory=deque)  # microseconds, and how much was there

    def look(self, extent: SourceExtent, wall: int) -> None:
        looks = self._looks
        looks.append((wall, extent.there))
        while len(looks) > 1 and looks[1][1] <= extent.read:
            looks.popleft()
        if len(looks) > _MOST:
            self._looks = deque([*looks][::2])
        self.unread, self.unit = max(0, extent.there - extent.read), extent.unit
        self.behind = max(1, wall - looks[0][0]) if self.unread else 0

    def status(self) -> dict[str, Any]:
        """As the feed has it, in seconds; empty before the first look."""
        if not self.unit:
            return {}
        return {"unread": self.unread, "unit": self.unit, "behind": round(self.behind / 1e6, 1)}


_BINS = 60  # parts into which a long delay is divided for counts
_GAPS = 100  # gaps between facts of which the median is taken
_FEW_GAPS = 5  # of fewer gaps nothing is learned
_LEAST_GRACE = 2_000_000  # microseconds that must pass beyond the expected gap; a tick if it is longer
_TIMES_MEDIAN = 3
_LEAST_GAP = 5_000_000  # a learned gap is three times the median, and at least five seconds, in microseconds


class Count(msgspec.Struct):
    """The counts of one input: `late` by ticks; `gaps` are the latest between facts, in microseconds."""

    facts: int = 0
    newest: int | None = None
    late: dict[int, int] = {}
    rejects: dict[str, int] = {}
    heard: int | None = None
    gaps: list[int] = []

    def hear(self, wall: int) -> None:
        if self.heard is not None and wall > self.heard:
            self.gaps = [*self.gaps[1 - _GAPS :], wall - self.heard]
        self.heard = wall


_SHARE = 20  # counting open answers takes at most a twentieth of the time


@dataclass(eq=False)
class OpenAnswers:
    """Counts the open answers of an engine, and its seen values; seldom if that takes long."""

    engine: Engine
    monotonic: Callable[[], float]
    by_query: Mapping[str, int] = field(default_factory=dict)
    seen_values: int = 0
    _due: float = float("-inf")

    def count(self) -> None:
        began = self.monotonic()
        if began < self._due:
            return
        status = self.engine.status
        self.by_query, self.seen_values = dict(status.open_answers), status.seen_values
        ended = self.monotonic()
        self._due = ended + _SHARE * (ended - began)


LISTED = 200  # silent slots that are listed, at most: those that fell silent last
FORGOTTEN = 7 * 24 * 3600 * 1_000_000  # microseconds of silence after which a slot is forgotten
MAPPED = 5_000  # slots that a map of the page has, at most: those that were heard again
MOST = 1_000_000  # slots that are known, at most; others are ignored


class KnownSlots(msgspec.Struct):
    """The names of slots, and when facts of each came last, as a store keeps them."""

    names: list[str] = []
    heard: list[int] = []


@dataclass(eq=False)
class SlotTimes:
    """The slots of an input, by the columns that name them."""

    columns: Sequence[str]

    def __post_init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._names: list[str] = []
        self._heard: Column = np.zeros(64, np.int64)
        self._again: Mapping[str, None] = {}  # those that were heard again, while they are few

    def __len__(self) -> int:
        return len(self._names)

    def hear(self, table: pa.Table, wall: int) -> None:
        texts = [pc.cast(table.column(name), pa.string()) for name in self.columns]
        names = texts[0] if len(texts) == 1 else pc.binary_join_element_wise(*texts, ", ")
        counts = {each["values"]: each["counts"] for each in pc.value_counts(names).to_pylist()}
        heard = [name for name in counts if name is not None]
        if len(self) <= MAPPED:
            again = dict.fromkeys(name for name in heard if name in self._numbers or counts[name] > 1)
            self._again = self._again if again.keys() <= self._again.keys() else {**self._again, **again}
        fresh = [name for name in heard if name not in self._numbers][: max(0, MOST - len(self))]
        self._numbers.update(zip(fresh, range(len(self), len(self) + len(fresh)), strict=True))
        self._names += fresh
        if len(self) > len(self._heard):
            self._heard = np.concatenate([self._heard, np.zeros(len(self), np.int64)])
        numbers = [number for number in map(self._numbers.get, heard) if number is not None]
        self._heard[numbers] = wall

    def silent(self, before: int) -> tuple[int, dict[str, int]]:
        """The number of slots without a fact since a moment, and the latest of them; forgets old ones."""
        heard = self._heard[: len(self)]
        found = np.flatnonzero(heard < before)
        if not len(found):
            return 0, {}
        if heard[found].min() < before - FORGOTTEN:
            kept = np.flatnonzero(heard >= before - FORGOTTEN).tolist()
            self.restore(KnownSlots([self._names[at] for at in kept], heard[kept].tolist()))
            return self.silent(before)
        latest = found[np.argsort(-heard[found], kind="stable")][:LISTED].tolist()
        return len(found), {self._names[at]: int(heard[at]) for at in latest}

    @property
    def again(self) -> Sequence[str]:
        """The slots that were heard again, for a map; none where there are too many."""
        return [*self._again] if len(self) <= MAPPED else ()

    def saved(self) -> KnownSlots:
        return KnownSlots(list(self._names), self._heard[: len(self)].tolist())

    def restore(self, known: KnownSlots) -> None:
        self._numbers = {name: number for number, name in enumerate(known.names)}
        self._names = list(known.names)
        self._heard = np.array([*known.heard, *[0] * 64], np.int64)
        self._again = dict.fromkeys(known.names) if len(self) <= MAPPED else {}


class InputCounts:
    """Counts by input, from the start or from a state on."""

    def __init__(self, plan: Plan, known: dict[str, Count] | None = None) -> None:
        self._inputs, self._tick = {source.name: source for source in plan.inputs}, plan.tick
        self.each = {name: (known or {}).get(name) or Count() for name in self._inputs}
        self.slots = {
            source.name: SlotTimes([source.columns[at] for at in source.expected.of])
            for source in plan.inputs
            if source.expected.of and plan.tick is not None
        }
        self._backlogs = {name: Backlog() for name in self._inputs}
        self._wall = self._began = 0
        self._since: dict[str, int] = {}

    def look(self, wall: int, extents: Mapping[str, SourceExtent] = {}) -> None:
        """Sets the time as of which slots are silent, and what is unread then."""
        self._began = self._began or wall
        self._wall = wall
        for name, extent in extents.items():
            self._backlogs[name].look(extent, wall)

    def restore(self, slots: bytes) -> None:
        for name, known in msgspec.json.decode(slots, type=dict[str, KnownSlots]).items():
            if name in self.slots:
                self.slots[name].restore(known)

    def hear(self, name: str, table: pa.Table, wall: int) -> None:
        count, gap = self.each[name], self._gap(name)
        if name in self.slots:
            if count.heard is None or (gap is not None and wall > count.heard + gap):
                self._since[name] = wall  # after a silence each slot has its time to be heard
            self.slots[name].hear(table, wall)
        count.hear(wall)

    def add(self, name: str, table: pa.Table) -> None:
        """Counts rows that have arrivals."""
        if not table.num_rows:
            return
        count, source = self.each[name], self._inputs[name]
        time: Column = table.column(source.columns[-1]).to_numpy()
        count.facts += table.num_rows
        count.newest = max(count.newest or 0, int(time.max()))
        bound = max(source.delays)
        width = -(-(bound + 1) // _BINS)
        late = np.clip(table.column(ARRIVAL).to_numpy() - time, 0, bound + 1) // width
        for at, more in enumerate(np.bincount(late).tolist()):
            if more:
                count.late[at * width] = count.late.get(at * width, 0) + more

    def add_rejects(self, rejects: Iterable[Reject]) -> None:
        for (name, reason), more in Counter((each.predicate, each.reason) for each in rejects).items():
            if name in self.each:  # else it is a function
                known = self.each[name].rejects
                known[reason] = known.get(reason, 0) + more

    def _gap(self, name: str) -> int | None:
        """How long nothing may come before an input is silent: its gap with a tolerance, and a grace."""
        declared, tick, gaps = self._inputs[name].expected.gap, self._tick or 0, self.each[name].gaps
        if declared is not None and tick:
            expected = declared * tick * 3 // 2
        elif len(gaps) >= _FEW_GAPS:
            expected = max(int(_TIMES_MEDIAN * median(gaps)), _LEAST_GAP)
        else:
            return None
        return expected + max(tick, _LEAST_GRACE)

    def status(self) -> dict[str, Any]:
        """As the feed has it: `heard` is when facts came last, `gap` the seconds to the next at most."""
        return {
            name: {
                "facts": count.facts,
                "newest": count.newest,
                "delay": max(self._inputs[name].delays),
                "late": count.late,
                "rejects": count.rejects,
                "heard": None if count.heard is None else wall_time(count.heard),
                "gap": None if (gap := self._gap(name)) is None else gap / 1_000_000,
                **self._backlogs[name].status(),
                **self._slots(name),
            }
            for name, count in self.each.items()
        }

    def _slots(self, name: str) -> dict[str, Any]:
        """The counts of slots, and when silent ones were heard; `undecided` before their time is up."""
        slots, gap = self.slots.get(name), self._gap(name)
        if slots is None or gap is None:
            return {}
        since = max(self._began, self._since.get(name, 0))
        read_to = self._wall - self._backlogs[name].behind  # what is unread may be of any slot
        sure = read_to > since + gap
        silent, latest = slots.silent(read_to - gap) if sure else (0, {})
        listed = {slot: wall_time(heard) for slot, heard in latest.items()}
        of = " and ".join(slots.columns)
        known = {"of": of, "known": len(slots), "silent": silent, "listed": listed, "again": slots.again}
        return {"slots": known, **({} if sure else {"undecided": True})}
