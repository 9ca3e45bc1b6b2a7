"""Facts that came too late because time had gone on with the wall clock while nothing came.

Beat at 40; silence, in which 41 to 59 are finished; Beat at 41, 42, … ──▶ one warning about all of these
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from antelog.compile.nodes.plan import Plan
from antelog.engine.columns.tables import Column
from antelog.language.durations import duration_text
from antelog.language.moments import moment


@dataclass(frozen=True, eq=False)
class AfterSilence:
    """Rows of one input: their arrivals, and those they would have if time had waited for facts."""

    name: str
    time: Column
    arrival: Column
    waited: Column


@dataclass(frozen=True)
class _Late:
    """Late facts: those of each input, the first tick that passed without them, the delay they need."""

    counts: Counter[str]
    since: int
    delay: int


@dataclass(eq=False)
class Silence:
    """A stretch in which time went on without facts, and the facts about it that are late.

    remedy   what keeps time from going on
    since    the first tick that no fact has finished; None if facts have finished all
    """

    plan: Plan
    remedy: str
    since: int | None = None
    _late: _Late | None = None
    _seen: _Late | None = None
    _warned: bool = False

    def look(self, now: int, by_facts: int) -> None:
        """Compare the last finished tick with the one that facts alone have finished."""
        if now <= by_facts:
            self.since, self._warned = None, False
        elif self.since is None:
            self.since = by_facts + 1

    def add(self, rows: AfterSilence) -> None:
        """Count those that are late, and would not be."""
        assert self.since is not None
        delay = max(next(each.delays for each in self.plan.inputs if each.name == rows.name))
        late = (rows.arrival > rows.time + delay) & (rows.waited <= rows.time + delay)
        if late.any():
            known = self._late or _Late(Counter(), self.since, 0)
            needed = int((rows.arrival - rows.time)[late].max())
            counts = known.counts + Counter({rows.name: int(late.sum())})
            self._late = _Late(counts, known.since, max(known.delay, needed))

    def warning(self, *, at_end: bool = False) -> str | None:
        """A sentence about the late facts, once no more come: in most cases one for a stretch."""
        late, paused = self._late, self._late is self._seen and not self._warned
        self._seen = late
        if late is None or not (paused or at_end or self.since is None):
            return None
        self._late, self._warned = None, True
        return self._sentence(late)

    def _sentence(self, late: _Late) -> str:
        count, tick = sum(late.counts.values()), self.plan.tick
        facts, are, them = ("fact", "is", "it") if count == 1 else ("facts", "are", "them")
        delay = str(late.delay) if tick is None else duration_text(late.delay * tick)
        inputs = " and ".join(sorted(late.counts))
        return (
            f"{count:,} {facts} of {inputs} {are} late: nothing came, so time went on with the wall clock "
            f"from {moment(late.since, self.plan.timescale)} on. `delay {delay}` in the program "
            f"would have kept {them}, or {self.remedy}"
        )
