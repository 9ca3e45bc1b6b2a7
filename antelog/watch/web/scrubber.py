"""The time machine: what was confirmed, averted and lost within a stretch of ticks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from antelog.answers import CLOSED
from antelog.run.store.inbox import Act
from antelog.watch.board.selection import Given, first
from antelog.watch.web.freshness import freshness
from antelog.watch.web.live_board import LiveBoard
from antelog.watch.web.templating import render
from antelog.watch.web.views.context import TickClock, ViewContext

SPANS = {"hour": 3_600, "day": 86_400, "7 days": 604_800}  # the stretches that are shown, in seconds
_TICKS = {"100 ticks": 100, "1,000 ticks": 1_000, "10,000 ticks": 10_000}  # of a program without a `tick`
_BINS = 480  # marks of a kind beside each other, at most


def scene_of(
    live: LiveBoard, given: Given, *, acts: Mapping[str, Sequence[Act]], root: str = "", kept: bool = False
) -> ViewContext:
    """Makes the context of a view of a board, now or in the past; `kept`: for a file."""
    then = None if live.then is None else live.present
    covers = freshness(live, live.present).covers
    return ViewContext(live.board, root, given, live=not kept, acts=acts, stale=covers, then=then)


def past_band(scene: ViewContext, then: LiveBoard, now: LiveBoard) -> Markup:
    """Says above a view which moment in the past it shows, and what did not come then."""
    ticks = (now.board.tick or 0) - (then.then or 0)
    shown = {"at": scene.clock.short(then.then or 0), "ago": scene.clock.brief(ticks)}
    return render("past.html", **shown, back=scene.link(at=None), band=freshness(then, then.present).band)


def of_moments(live: LiveBoard, given: Given) -> dict[str, Any]:
    """Returns what was decided within a stretch, or behind a tick of it; `marks` are decided in one bin."""
    board, past = live.board, live.past
    if past is None or board.tick is None or past.first is None:
        return {"first": None}
    clock = TickClock(board.head.timescale, board.tick)
    spans, kept = spans_of(clock), board.tick - past.first
    names = [name for name, before in zip(spans, (0, *spans.values()), strict=False) if kept > before]
    name = first(given, "span") if first(given, "span") in names else next(iter(spans))
    low = max(past.first, board.tick - spans[name])
    wide = -(-spans[name] // _BINS)
    after = first(given, "after")
    since = max(low, int(after) + 1 if after.isdecimal() else low)
    return {
        "first": past.first,
        "tick": board.tick,
        "low": low,
        "span": name,
        "spans": names or [name],
        "wide": wide,
        "ends": clock.milliseconds(board.tick),
        "length": None if clock.length is None else clock.length / 1_000,
        "zone": clock.zone or "UTC",
        "marks": _marks(live, since // wide * wide, wide),
    }


def spans_of(clock: TickClock) -> dict[str, int]:
    """Returns the stretches that may be shown, in ticks."""
    length = clock.length
    if length is None:
        return _TICKS
    return {name: max(10, seconds * 1_000_000 // length) for name, seconds in SPANS.items()}


def _marks(live: LiveBoard, since: int, wide: int) -> list[dict[str, Any]]:
    """Lists what became of answers that are not `good`: one mark for those alike in a bin."""
    head, found = live.board.head, dict[tuple[str, str, int], dict[str, Any]]()
    for answer in reversed(live.board.decided.values()):
        tick, kind, severity = answer.now.tick, answer.now.change, head.severity(answer.query)
        if tick < since:
            break
        if kind == CLOSED or severity == "good":
            continue
        new = {"kind": kind, "severity": severity, "tick": tick, "known": answer.open_for, "count": 0}
        mark = found.setdefault((kind, severity, tick // wide), new | {"name": head.key_of(answer)})
        mark["count"] += 1
        mark["known"] = max(mark["known"], answer.open_for)
    return [*found.values()]
