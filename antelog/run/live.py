"""Inputs that are live, in a run that nobody gave a clock: while they are, the wall clock alone moves time.

    read to its end, the newest fact is of a second ago       live: time goes by the wall clock
    read to its end, the newest fact is of yesterday          not live: time goes by facts
    its broker cannot be reached                              time waits for it, for five minutes

A tick is over a *grace* after it has ended: the longest by which one of the last facts came after its
deadline. All times are microseconds.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from antelog.arrow.ticks import tick_at
from antelog.engine.columns.tables import Column
from antelog.language.durations import long_duration_text
from antelog.language.moments import Timescale, tick_in_words
from antelog.run.sources.source import FactSource

SECOND = 1_000_000

LEAST_GRACE = SECOND

SAMPLES = 100
"""The last facts of each input from which the grace follows."""

LATEST_SAMPLE = 10 * SECOND
"""A fact later than this, and than a tick, does not count: its source was not there."""

NEAR = 60 * SECOND
"""A fact that is no older is about the present, whatever the program says of its input."""

QUIET = 10 * SECOND
"""Silence after which an input that cannot tell its end has been read.

A run that does not look at its inputs for longer has paused.
"""

PATIENCE = 300 * SECOND
"""How long time waits for an input that cannot be reached."""


@dataclass(eq=False)
class _LiveInput:
    """One input: whether it is live, or was; when rows of it came; since when it cannot be reached."""

    rhythm: int
    known: bool
    live: bool = False
    heard: int = 0
    lost: int | None = None
    late: deque[int] = field(default_factory=lambda: deque(maxlen=SAMPLES))

    def is_waited_for(self, wall: int) -> bool:
        """Whether time has to wait for it: it was live, and may be again."""
        return self.known and not self.live and (self.lost is None or wall - self.lost < PATIENCE)


class LiveInputs:
    """The live inputs of a run, of which those `known` were live in an earlier one.

    A rhythm says for how long no fact of an input may come, its delay included.

    notes       sentences for the user: what moves time from now on
    by_clock    whether the wall clock alone moves time
    waiting     whether time waits for an input that cannot be reached
    looked      when they were looked at last
    """

    def __init__(self, rhythms: Mapping[str, int], timescale: Timescale, known: Iterable[str] = ()) -> None:
        before = set(known)
        self._timescale = timescale
        self._inputs = {name: _LiveInput(rhythm, name in before) for name, rhythm in rhythms.items()}
        self.looked: int | None = None
        self.notes: list[str] = []
        self.by_clock = self.waiting = False

    @property
    def known(self) -> list[str]:
        """The names of the inputs that are or were live."""
        return [name for name, each in self._inputs.items() if each.known]

    @property
    def grace(self) -> int:
        """How long after its end a tick is over."""
        return max([LEAST_GRACE, *(max(each.late, default=0) for each in self._inputs.values())])

    def finished(self, wall: int) -> int:
        """The last tick that is over by the wall clock."""
        return self.tick(wall - self.grace) - 1

    def tick(self, wall: int) -> int:
        """The tick in which a moment lies."""
        return tick_at(wall, self._timescale)

    def hear(self, name: str, deadlines: Column, wall: int) -> None:
        """Notes that facts of an input came, given the ticks up to which they may come."""
        each, longest = self._inputs[name], max(LATEST_SAMPLE, self._timescale.length)
        each.heard = wall
        if each.live:
            found = (wall - self._timescale.begin(tick + 1) for tick in deadlines[-SAMPLES:].tolist())
            each.late.extend(late for late in found if late <= longest)

    def look(self, wall: int, newest: Mapping[str, int], sources: Mapping[str, FactSource]) -> None:
        """Finds out which inputs are live, once all were polled; `newest` are their highest ticks."""
        if self.looked is None or wall - self.looked > QUIET:
            for each in self._inputs.values():
                each.live, each.heard = False, wall
        self.looked = wall
        for name, each in self._inputs.items():
            self._look_at(name, each, sources[name], wall, newest.get(name))
        live = [name for name, each in self._inputs.items() if each.live]
        gone = [each for each in self._inputs.values() if each.known and not each.live]
        self.waiting = any(each.lost is not None and each.is_waited_for(wall) for each in gone)
        by_clock = bool(live or gone) and not any(each.is_waited_for(wall) for each in gone)
        if by_clock != self.by_clock:
            self.notes.append(self._by_clock_now(live, newest) if by_clock else _BY_FACTS_NOW)
        self.by_clock = by_clock

    def _look_at(
        self, name: str, each: _LiveInput, source: FactSource, wall: int, newest: int | None
    ) -> None:
        if not source.reachable:
            if each.lost is None and each.known:
                waits = f"time waits for it, for {long_duration_text(PATIENCE)} at most"
                self.notes.append(f"{name} cannot be reached: {waits}")
            each.lost, each.live = wall if each.lost is None else each.lost, False
            return
        each.lost = None
        read = source.ended or not source.behind
        if each.live or not read or not (source.tells_end or wall - each.heard >= QUIET):
            return
        about_now = max(each.rhythm + self.grace, NEAR)
        if each.known or (newest is not None and wall - self._timescale.begin(newest + 1) <= about_now):
            each.live = each.known = True

    def _by_clock_now(self, live: list[str], newest: Mapping[str, int]) -> str:
        if not live:
            return "time goes on with the clock of this machine, without the inputs that cannot be reached"
        facts = [
            f"{each}, its newest fact of {tick_in_words(newest[each], self._timescale)}"
            if each in newest
            else each
            for each in live
        ]
        return (
            f"time goes by the clock of this machine now: facts are about the present ({'; '.join(facts)}). "
            f"A tick is over {self.grace / SECOND:.3g} s after it has ended"
        )


_BY_FACTS_NOW = "time goes by facts again, until the inputs have been read to their ends"
