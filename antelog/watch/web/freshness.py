"""Whether the page shows the present, and what is missing, in words: the first view has them, too."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, replace
from typing import Any

from antelog.forecast.reports.words import count
from antelog.watch.board.input_status import InputStatus, SlotStatus, seconds_of
from antelog.watch.web.live_board import LiveBoard, skipped
from antelog.watch.web.templating import share
from antelog.watch.web.views.context import TickClock, ViewContext

_GONE = 15.0  # seconds without a status after which a run is gone: it writes one every five seconds
_LATE = 5.0  # age in seconds of rows that the band calls unread
_FEW = 3  # silent slots that are named


@dataclass(frozen=True)
class Freshness:
    """How fresh the board is: a sign in the bar, and sentences across the page."""

    kind: str
    text: str
    band: tuple[str, ...]
    heard: float | None = None
    rests: Set[object] | None = None

    def covers(self, query: str, group: str) -> bool:
        return self.rests is None or query in self.rests or (query, group) in self.rests

    @property
    def state(self) -> dict[str, Any]:
        """The part that scripts show, as JSON."""
        return {"kind": self.kind, "text": self.text, "band": self.band, "heard": self.heard}


def freshness(live: LiveBoard, now: float) -> Freshness:
    """Finds how fresh the board of a page is at a moment, in seconds since 1970."""
    notes, stopped = tuple(live.board.inputs.status.get("notes", ())), _stopped(live, now)
    if live.damaged:
        notes += (f"{skipped(live.damaged)}.",)
    if stopped is not None:
        return replace(stopped, band=(*stopped.band, *notes))
    inputs, head = live.board.inputs, live.board.head
    silent = {each.name: each for each in inputs.each() if each.pulse.silent_for(now) is not None}
    slots = [
        (each, found)
        for each in inputs.each()
        if each.name not in silent and (found := inputs.slots(each.name)) is not None and found.silent
    ]
    clock = ViewContext(live.board).clock
    band = [
        f"{each.name} is read {span(each.pulse.behind)} late: {each.pulse.amount} are unread."
        for each in inputs.each()
        if each.pulse.behind >= _LATE
    ]
    band += [_of_input(live, clock, each, now) for each in silent.values()]
    band += [_of_slots(clock, each, found) for each, found in slots]
    rests: set[object] = {query for query, names in head.rests_on.items() if not names.isdisjoint(silent)}
    for each, found in slots:
        queries = [query for query, names in head.rests_on.items() if each.name in names]
        rests |= {(query, slot) for query in queries for slot in found.listed}
    heard = max((each.pulse.heard for each in inputs.each() if each.pulse.heard is not None), default=None)
    text = "live" if heard is None else f"last fact {span(now - heard)} ago"
    return Freshness("silent" if silent or slots else "live", text, (*notes, *band), heard, rests)


def _stopped(live: LiveBoard, now: float) -> Freshness | None:
    """Explains why the board is not of now; None if it is."""
    at = seconds_of(live.board.inputs.status.get("at"))
    since = "" if at is None else ViewContext(live.board).clock.moment(at)
    read = f"{share(live.reader.share())} of what was recorded is read"
    if live.failure:
        then = f"of {since}" if since else "as it was then"
        words = f"The page cannot read on: {live.failure}. What is shown is {then}."
        return Freshness("lost", "cannot read on", (words,))
    if live.catching_up:
        return Freshness("behind", f"catching up: {share(live.reader.share())}", (), rests=frozenset())
    if at is None or now <= at + _GONE:
        return None
    if not live.caught_up:
        words = f"The page is behind: {read}. What is shown is of {since}."
        return Freshness("behind", f"behind: {share(live.reader.share())} is read", (words,))
    if any(each.pulse.behind >= _LATE for each in live.board.inputs.each()):
        words = f"antelog watch is at work on what was unread at {since}, or has ended."
    else:
        words = f"Nothing has come from antelog watch since {since}: it has read all there was, or has ended."
    return Freshness("lost", f"nothing since {since}", (f"{words} What is shown is as it was then.",))


def _of_input(live: LiveBoard, clock: TickClock, found: InputStatus, now: float) -> str:
    counts = live.board.open_by_query
    rests_on = live.board.head.rests_on
    answers = sum(number for query, number in counts.items() if found.name in rests_on.get(query, ()))
    rest = "rests" if answers == 1 else "rest"
    heard, gap = found.pulse.heard or now, found.pulse.gap or 0.0
    return (
        f"{found.name} has been silent for {span(now - heard)}, since {clock.moment(heard)}; facts are "
        f"expected within {span(gap)}. {count(answers, 'open answer')} {rest} on it."
    )


def _of_slots(clock: TickClock, found: InputStatus, slots: SlotStatus) -> str:
    """Names a few silent slots, or counts many."""
    within = f"from each, facts are expected within {span(found.pulse.gap or 0.0)}."
    if slots.silent <= _FEW:
        named = ", ".join(f"{slot} (since {clock.moment(heard)})" for slot, heard in slots.listed.items())
        return f"No fact of {found.name} from {named}; {within}"
    such = f"such as {', '.join([*slots.listed][:_FEW])}"
    return f"No fact of {found.name} from {slots.silent:,} of {slots.known:,} {slots.noun}, {such}; {within}"


def span(seconds: float) -> str:
    """Writes a duration: `40 s`, `5:20 min`, `2:05 h`."""
    whole = max(0, int(seconds))
    if whole < 60:
        return f"{whole} s"
    return (
        f"{whole // 60}:{whole % 60:02} min" if whole < 3_600 else f"{whole // 3_600}:{whole // 60 % 60:02} h"
    )
