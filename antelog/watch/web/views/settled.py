"""Lately decided answers: confirmed or rejected, with the lead of their first line and their alert.

The latest come first; `?kind=confirmed` shows one kind only, `?query=` one query. A bar shows the
time from the first line to certainty, and a notch in it the alert.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import median

from antelog.forecast.reports.words import NONE, count
from antelog.markup import Child, Html, tag
from antelog.watch.board.tracked_answer import TrackedAnswer
from antelog.watch.web.views.common import ViewContext, empty, kind, section, table, tile

_SHOWN = 300
KINDS = ("confirmed", "rejected")


def settled(scene: ViewContext, given: Mapping[str, str]) -> Html:
    """Renders the view."""
    found = chosen(scene, given)
    return tag(
        "div",
        section("head", tag("h1", "Lately decided"), tag("p", _said(scene), class_="note"), class_="head"),
        section("tiles", _tiles(scene, found)),
        section("kinds", _kinds(scene, given), class_="filters"),
        section("table", _table(scene, found[:_SHOWN]), _more(found), class_="card"),
        class_="page",
    )


def chosen(scene: ViewContext, given: Mapping[str, str]) -> list[TrackedAnswer]:
    """The decided answers that the parameters select, the latest first."""
    wanted, query = given.get("kind", ""), given.get("query", "")
    return [
        answer
        for answer in reversed(scene.board.settled.values())
        if wanted in ("", answer.now.change) and query in ("", answer.query)
    ]


def ticks_open(answer: TrackedAnswer) -> int:
    """The ticks from its first line to its end."""
    return max(0, answer.now.tick - answer.since)


def ticks_alerted(answer: TrackedAnswer) -> int | None:
    """The ticks from its alert to its end, if it had one."""
    return None if answer.alerted is None else max(0, answer.now.tick - answer.alerted)


def _said(scene: ViewContext) -> str:
    number = len(scene.board.settled)
    return f"The latest {count(number, 'answer')} decided, and how long each was open." if number else ""


def _tiles(scene: ViewContext, found: Sequence[TrackedAnswer]) -> Html:
    confirmed = [each for each in found if each.now.change == "confirmed"]
    alerted = [before for each in confirmed if (before := ticks_alerted(each)) is not None]
    early = [ticks_open(each) for each in confirmed]
    rejected = sum(each.now.change == "rejected" for each in found)
    ahead = scene.clock.ahead
    return tag(
        "dl",
        tile("Confirmed", len(confirmed), "of those shown here", class_="certain"),
        tile("Rejected", rejected, "of those shown here", class_="against"),
        tile("Open before confirmed", ahead(round(median(early))) if early else NONE, "half of them longer"),
        tile(
            "Alerted before confirmed",
            ahead(round(median(alerted))) if alerted else NONE,
            f"{count(len(alerted), 'alert')} that came true",
        ),
        class_="tiles",
    )


def _kinds(scene: ViewContext, given: Mapping[str, str]) -> Html:
    counts = Counter(answer.now.change for answer in scene.board.settled.values())
    wanted = given.get("kind", "")
    links: list[Child] = [_link(scene, "all", "", wanted)]
    links += [_link(scene, f"{each} {counts[each]:,}", each, wanted) for each in KINDS if counts[each]]
    return tag("div", links, class_="segments links")


def _link(scene: ViewContext, title: str, value: str, wanted: str) -> Html:
    address = f"{scene.root}/settled" + (f"?kind={value}" if value else "")
    return tag("a", title, href=address, aria_current="true" if value == wanted else None)


def _table(scene: ViewContext, found: Sequence[TrackedAnswer]) -> Html:
    if not found:
        return empty("Nothing is decided yet", "What is confirmed or rejected stays here for a while.")
    longest = max(map(ticks_open, found)) or 1
    head = ("answer", "became", "at", "open for", "", "alerted before", "because")
    return table(head, [_row(scene, answer, longest) for answer in found], class_="settled")


def _row(scene: ViewContext, answer: TrackedAnswer, longest: int) -> list[Child]:
    clock, told, alerted = scene.clock, ticks_open(answer), ticks_alerted(answer)
    because = answer.line.get("because") or ()
    return [
        tag("a", scene.label(answer), href=scene.address(answer)),
        kind(answer.now.change),
        tag("span", clock.at(answer.now.tick), class_="time"),
        clock.ahead(told),
        _lead(told, alerted, longest),
        NONE if alerted is None else clock.ahead(alerted),
        tag("code", scene.written(because[0])) if because else NONE,
    ]


def _lead(told: int, alerted: int | None, longest: int) -> Html:
    """The bar of an answer: time runs to the right, to certainty."""
    wide = 100 * told / longest
    return tag(
        "svg",
        tag(
            "rect", x=f"{100 - wide:.1f}%", y=4, width=f"{max(1.0, wide):.1f}%", height=6, rx=3, class_="bar"
        ),
        None
        if alerted is None
        else tag(
            "circle",
            cx=f"{min(96.0, max(4.0, 100 - 100 * alerted / longest)):.1f}%",
            cy=7,
            r=4.5,
            class_="alerted",
        ),
        class_="lead",
        aria_hidden="true",
    )


def _more(found: Sequence[TrackedAnswer]) -> Html | None:
    more = len(found) - _SHOWN
    return (
        tag("p", f"and {more:,} more; a snapshot as CSV has them all", class_="note more")
        if more > 0
        else None
    )
