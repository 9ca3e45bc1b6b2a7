"""The status of the inputs: progress, lateness of facts, rejected rows; and rates of facts and changes."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import accumulate, pairwise
from typing import Any, Generic, TypeVar

from antelog.run.store.feed import HeldInput

RATES = 120  # moments that are kept, a second apart, for rates
REJECTS = 200  # rejected rows that are kept
_MB = 1_000_000
_UNREAD = frozenset({"unread", "unit", "behind"})

WINDOW, _PAUSE = 60.0, 1.0  # seconds over which a rate is taken, and between two moments of counts

K = TypeVar("K")


class CountRates(Generic[K]):
    """Counts of things by name at moments a second apart, and their rates per second."""

    def __init__(self, moments: Iterable[tuple[float, Mapping[K, int]]] = ()) -> None:
        self.moments = deque(moments, maxlen=RATES)

    def take(self, at: float | None, counts: Mapping[K, int]) -> None:
        """Adds the counts at a moment, in seconds since 1970; None stands for an unknown one."""
        last = self.moments[-1][0] if self.moments else float("-inf")
        if at is None or 0 <= at - last < _PAUSE:
            return
        if at < last:
            self.moments.clear()
        self.moments.append((at, counts))

    @property
    def names(self) -> Iterable[K]:
        return self.moments[-1][1] if len(self.moments) > 1 else ()

    def each(self, name: K) -> list[float]:
        return [
            max(0.0, (after.get(name, 0) - before.get(name, 0)) / (end - start))
            for (start, before), (end, after) in pairwise(self.moments)
        ]

    def rate(self, name: K) -> float:
        if len(self.moments) < 2:
            return 0.0
        end, after = self.moments[-1]
        start, before = next(each for each in self.moments if each[0] >= end - WINDOW or each[0] == end)
        return max(0.0, (after.get(name, 0) - before.get(name, 0)) / max(end - start, 1.0))


@dataclass(frozen=True)
class Pulse:
    """The time of the latest facts, the expected gap to the next in seconds, and what is unread."""

    heard: float | None  # in seconds since 1970
    gap: float | None
    unread: int = 0
    unit: str = ""  # rows or bytes; empty if it is unknown what is unread
    behind: float = 0.0  # the age of the oldest that is unread, in seconds

    def quiet_for(self, now: float) -> float | None:
        """Returns the seconds since facts came, if these are more than the gap."""
        if self.heard is None or self.gap is None or now <= self.heard + self.gap:
            return None
        return now - self.heard

    def silent_for(self, now: float) -> float | None:
        """Returns the seconds of silence: longer than the gap no fact came, and nothing is unread."""
        return None if self.unread else self.quiet_for(now)

    @property
    def amount(self) -> str:
        """The unread rows or bytes: `12.5 MB`."""
        if self.unit == "bytes" and self.unread >= _MB:
            return f"{self.unread / _MB:,.1f} MB"
        return f"{self.unread:,} {self.unit}"

    @property
    def backlog(self) -> str:
        """The unread rows or bytes and their age in words; empty if all are read."""
        if not self.unread:
            return ""
        return f"{self.amount}, {self.behind:,.0f} s behind" if self.behind >= 1 else self.amount


@dataclass(frozen=True)
class InputStatus:
    """An input: its facts, their newest tick, the declared delay, facts by ticks late, rejects by reason."""

    name: str
    facts: int
    newest: int | None
    delay: int
    late: Mapping[int, int]
    rejects: Mapping[str, int]
    pulse: Pulse

    @property
    def within(self) -> float | None:
        """The lateness of 99 of 100 facts as a share of the declared delay; None without facts or delay."""
        total, ticks = sum(self.late.values()), sorted(self.late)
        seen = zip(ticks, accumulate(self.late[each] for each in ticks), strict=True)
        used = next((each for each, facts in seen if facts >= 0.99 * total), None)
        return None if used is None or not self.delay else used / self.delay


@dataclass(frozen=True)
class SlotStatus:
    """The slots of an input, and how many of them are silent."""

    of: str  # the columns that name them
    known: int
    silent: int
    listed: Mapping[str, float]  # the latest silent ones, with their latest facts in seconds since 1970
    sure: bool = True  # each has had its time to be heard
    again: Sequence[str] = ()  # those that were heard again, in the order in which they came

    @property
    def noun(self) -> str:
        """A noun for them: `devices`; `slots` where several columns name them."""
        return "slots" if " " in self.of else f"{self.of}s"


@dataclass(eq=False)
class Inputs:
    """The latest status of all inputs, the rates of their facts, and the latest rejected rows."""

    status: Mapping[str, Any] = field(default_factory=dict)
    rates: CountRates[str] = field(default_factory=CountRates)
    rejects: deque[Mapping[str, Any]] = field(default_factory=lambda: deque(maxlen=REJECTS))

    def __post_init__(self) -> None:
        self._slots: dict[str, SlotStatus] = {}

    def take(self, status: Mapping[str, Any]) -> None:
        for name, each in status.get("inputs", {}).items():
            # Slots are listed only where they have changed.
            if "slots" in each:
                before = self.status.get("inputs", {}).get(name, {}).get("slots", {})
                each["slots"] = {"listed": before.get("listed", {}), "again": before.get("again", ())} | each[
                    "slots"
                ]
        self.status = status
        self._slots.clear()
        facts = {name: int(each.get("facts", 0)) for name, each in status.get("inputs", {}).items()}
        self.rates.take(seconds_of(status.get("at")), facts)

    @property
    def holding(self) -> str | None:
        """The input that holds time back."""
        found: str | None = self.status.get("holding")
        return found

    @property
    def held(self) -> HeldInput | None:
        """The source of that input, and by how much others are ahead of it."""
        found = self.status.get("held")
        return None if found is None else HeldInput(**found)

    def each(self) -> Iterator[InputStatus]:
        for name, given in self.status.get("inputs", {}).items():
            late = {int(ticks): int(count) for ticks, count in given.get("late", {}).items()}
            unread = {name: given[name] for name in _UNREAD & given.keys()}
            pulse = Pulse(seconds_of(given.get("heard")), given.get("gap"), **unread)
            facts, newest, delay = given.get("facts", 0), given.get("newest"), given.get("delay", 0)
            yield InputStatus(name, facts, newest, delay, late, given.get("rejects", {}), pulse)

    def slots(self, name: str) -> SlotStatus | None:
        """Returns the slots of an input; None if it has none, or does not declare how often facts come."""
        known = self.status.get("inputs", {}).get(name, {})
        given = known.get("slots")
        if given is None:
            return None
        if name not in self._slots:
            listed = {slot: seconds_of(heard) or 0.0 for slot, heard in given.get("listed", {}).items()}
            sure = not known.get("undecided")
            self._slots[name] = SlotStatus(
                given["of"], given["known"], given["silent"], listed, sure, given.get("again", ())
            )
        return self._slots[name]

    def silent(self, now: float) -> list[str]:
        """Says which inputs are silent at a moment: `Temp is silent`, `1 of 60 devices is silent`."""
        found = []
        for each in self.each():
            slots = self.slots(each.name)
            if each.pulse.silent_for(now) is not None:
                found.append(f"{each.name} is silent")
            elif slots is not None and slots.silent:
                are = "is" if slots.silent == 1 else "are"
                found.append(f"{slots.silent:,} of {slots.known:,} {slots.noun} {are} silent")
        return found

    @property
    def moments(self) -> list[tuple[float, str]]:
        return [(end, f"{datetime.fromtimestamp(end, UTC):%H:%M:%S}") for end, _ in [*self.rates.moments][1:]]


def seconds_of(at: str | None) -> float | None:
    """Parses a time in ISO 8601 to seconds since 1970; None if it is not one."""
    try:
        return None if at is None else datetime.fromisoformat(at).timestamp()
    except ValueError:
        return None
