"""What the page says before all else: whether what it shows is of now, and what is missing.

    found = freshness(live, time.time())
    found.kind, found.text      "silent", "last fact 40 s ago": the sign in the bar
    found.band                  sentences across the page, such as "Temp has been silent for 40 s, …"
    found.covers(query, group)  whether a row rests on what does not come, and is shown in grey

All of it is made here, so that the first view has it, and one without a script.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass
from typing import Any

from antelog.forecast.reports.words import count
from antelog.watch.board.input_status import InputStatus, SlotStatus, seconds_of
from antelog.watch.web.live_board import LiveBoard, open_by_query
from antelog.watch.web.templating import share
from antelog.watch.web.views.context import TickClock

_GONE = 15.0
"""Seconds after which nothing comes any more: a run says something every five seconds."""
_FEW = 3
"""Silent slots that are named."""


@dataclass(frozen=True)
class Freshness:
    """How fresh the board is. `rests`: queries, or queries and groups, that rest on what does not come.

    `shows`: there is something to show; while a page catches up there is not.
    """

    kind: str
    text: str
    band: tuple[str, ...]
    heard: float | None
    shows: bool
    rests: Set[object] | None

    def covers(self, query: str, group: str) -> bool:
        """Whether an answer rests on what does not come."""
        return self.rests is None or query in self.rests or (query, group) in self.rests

    @property
    def state(self) -> dict[str, Any]:
        """The part that scripts show, as JSON has it."""
        return {"kind": self.kind, "text": self.text, "band": self.band, "heard": self.heard}


def freshness(live: LiveBoard, now: float) -> Freshness:
    """How fresh the board of a page is at a moment, in seconds since 1970."""
    board = live.board
    clock = TickClock(board.head.timescale, board.tick or 0)
    at = seconds_of(board.inputs.status.get("at"))
    heard = max((each.heard for each in board.inputs.each() if each.heard is not None), default=None)
    notes = tuple(_notes(live))
    since = f" of {clock.moment(at)}" if at is not None else ""
    if live.failure:
        words = f"The page cannot read on: {live.failure}. What is shown is{since or ' as it was then'}."
        return Freshness("lost", "cannot read on", (words, *notes), heard, shows=True, rests=None)
    if live.catching_up:
        words = f"{share(live.share)} of what was recorded is read. What is open is listed once all of it is."
        text = f"catching up: {share(live.share)}"
        return Freshness("behind", text, (words, *notes), heard, shows=False, rests=None)
    if at is not None and now > at + _GONE and not live.caught_up:
        words = f"The page is behind: {share(live.share)} of what was recorded is read. It shows what was{since}."
        return Freshness("behind", f"behind: {share(live.share)}", (words, *notes), heard, shows=True, rests=None)
    if at is not None and now > at + _GONE:
        words = (
            f"Nothing has come from antelog watch since {clock.moment(at)}: it has read all there was, or has "
            "ended. What is shown is as it was then."
        )
        text = f"nothing since {clock.moment(at)}"
        return Freshness("lost", text, (words, *notes), heard, shows=True, rests=None)
    silent = [each for each in board.inputs.each() if each.silent_for(now) is not None]
    names = {each.name for each in silent}
    slots = [
        (each, found)
        for each in board.inputs.each()
        if each.name not in names and (found := board.inputs.slots(each.name)) is not None and found.silent
    ]
    band = [_of_input(live, clock, each, now) for each in silent]
    band += [_of_slots(clock, each, found) for each, found in slots]
    rests: set[object] = {query for query, inputs in board.head.rests_on.items() if names & inputs}
    for each, found in slots:
        queries = [query for query, inputs in board.head.rests_on.items() if each.name in inputs]
        rests |= {(query, slot) for query in queries for slot in found.listed}
    text = f"last fact {span(now - heard)} ago" if heard is not None else "live"
    kind = "silent" if band else "live"
    return Freshness(kind, text, (*notes, *band), heard, shows=True, rests=rests)


def _notes(live: LiveBoard) -> Iterator[str]:
    """What the run says of itself, and lines that were skipped."""
    yield from live.board.inputs.status.get("notes", ())
    if live.damaged:
        are = "is not a record" if live.damaged == 1 else "are not records"
        yield f"{count(live.damaged, 'line')} of what was read {are} of antelog, and skipped."


def _of_input(live: LiveBoard, clock: TickClock, found: InputStatus, now: float) -> str:
    counts = open_by_query(live.board)
    rests_on = live.board.head.rests_on
    answers = sum(number for query, number in counts.items() if found.name in rests_on.get(query, ()))
    rest = "rests" if answers == 1 else "rest"
    heard, gap = found.heard or now, found.gap or 0.0
    return (
        f"{found.name} has been silent for {span(now - heard)}, since {clock.moment(heard)}; facts are expected "
        f"within {span(gap)}. {count(answers, 'open answer')} {rest} on it."
    )


def _of_slots(clock: TickClock, found: InputStatus, slots: SlotStatus) -> str:
    """A single device is named; of many it is said how many they are."""
    within = f"from each, facts are expected within {span(found.gap or 0.0)}."
    if slots.silent <= _FEW:
        named = ", ".join(f"{slot} (since {clock.moment(heard)})" for slot, heard in slots.listed.items())
        return f"No fact of {found.name} from {named}; {within}"
    such = ", ".join([*slots.listed][:_FEW])
    return f"No fact of {found.name} from {slots.silent:,} of {slots.known:,} {slots.noun}, such as {such}; {within}"


def span(seconds: float) -> str:
    """A duration as it is said: `40 s`, `5:20 min`, `2:05 h`."""
    whole = max(0, int(seconds))
    if whole < 60:
        return f"{whole} s"
    return f"{whole // 60}:{whole % 60:02} min" if whole < 3_600 else f"{whole // 3_600}:{whole // 60 % 60:02} h"
