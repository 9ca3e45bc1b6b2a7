"""Now: open answers, by chance or deadline, and those that were decided just now.

The view has the frame of the list; its rows are loaded as they scroll into sight (`rows`), so that 100,000
open answers scroll as ten do. Settled answers have a list of their own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from antelog.forecast.reports.words import NONE, count
from antelog.markup import Child, Html, tag, text
from antelog.watch.board.explanations import Mark, marks
from antelog.watch.board.selection import SORTS, Selected, Selection
from antelog.watch.board.tracked_answer import Line, TrackedAnswer
from antelog.watch.web.views.common import (
    ViewContext,
    chance_bar,
    empty,
    kind,
    section,
    tile,
    time_line,
)

_JUST = 30
_SORTS = {"likely": "Likeliest", "deadline": "Next deadline", "new": "Newest", "name": "Name"}
_LEAST = (0.0, 0.1, 0.5, 0.8, 0.9)


def now(scene: ViewContext, selection: Selection) -> Html:
    """Renders the view; the list is empty until its rows are loaded."""
    chances = scene.board.has_chances
    kinds = "answers" if chances else "answers plain"
    head = tag(
        "div",
        [tag("span", "chance", class_="h-chance")] if chances else None,
        tag("span", "possible answer", class_="h-what"),
        tag("span", _key(), class_="h-line"),
        tag("span", "decided within", class_="h-left"),
        class_="row heads",
        aria_hidden="true",
    )
    listed = tag(
        "div",
        tag("div", head, class_=kinds),
        tag(
            "div", class_=f"{kinds} list", id="list", role="list", tabindex="0", aria_label="Possible answers"
        ),
        class_="card possible",
    )
    return tag(
        "div",
        section("tiles", _tiles(scene)),
        tag("div", text(_filters(scene, selection), listed), class_="main"),
        section("just", _just(scene), class_="card aside", aria_label="Just confirmed or rejected"),
        class_="now",
    )


def rows(scene: ViewContext, seen: Selected, selection: Selection) -> Html:
    """Renders some rows of the list, with their positions in it."""
    if not seen.total:
        return tag("div", _nothing(scene), data_total="0", data_from="0")
    shown = [_row(scene, answer, selection.start + at, seen.total) for at, answer in enumerate(seen.answers)]
    return tag("div", shown, data_total=str(seen.total), data_from=str(selection.start))


def _row(scene: ViewContext, answer: TrackedAnswer, at: int, total: int) -> Html:
    clock, line = scene.clock, answer.line
    found = marks(line, scene.board.head.timescale)
    chance = (
        chance_bar(answer.now.chance, scene.board.head.alerts.get(answer.query))
        if scene.board.has_chances
        else None
    )
    row = tag(
        "a",
        chance,
        tag("span", scene.label(answer), tag("span", _summary(found, line), class_="summary"), class_="what"),
        time_line(found, answer, clock),
        tag("span", *_left(scene, answer), class_="left"),
        href=scene.address(answer),
        class_="row",
    )
    place = {"aria_posinset": str(at + 1), "aria_setsize": str(total)}
    return tag("div", row, role="listitem", class_="item", data_id=answer.id, **place)


def _summary(found: Sequence[Mark], line: Line) -> list[Child]:
    """The known literals, the awaited ones, and the number of explanations."""
    known, awaited = sum(each.known for each in found), [each.text for each in found if not each.known]
    several = len(line.get("explanations") or ())
    parts: list[Child] = [f"{known} of {len(found)} there" if found else "nothing is needed"]
    if awaited:
        parts += [
            " · awaits ",
            tag("code", awaited[0]),
            f" and {len(awaited) - 1} more" if awaited[1:] else None,
        ]
    if several > 1:
        parts.append(f" · {several} explanations")
    return parts


def _left(scene: ViewContext, answer: TrackedAnswer) -> list[Child]:
    """The time left, and the change if no facts come."""
    clock, end, silent = scene.clock, answer.now.settled_by, answer.now.silent
    if end is None:
        left = tag("b", "no deadline")
    else:
        milliseconds = clock.milliseconds(end)
        left = tag("b", clock.left(end), data_until=None if milliseconds is None else str(milliseconds))
    if silent is None:
        return [left, tag("span", "open without bound")]
    change, tick = silent
    if tick == end or tick <= clock.now:
        said = f"else {change}" if tick == end else f"{change} this tick"
    else:
        said = f"{change} in {clock.left(tick)}"
    return [left, tag("span", said, class_=f"else {change}", title="if nothing comes")]


def _key() -> Html:
    return tag(
        "span",
        tag("span", "●", class_="known"),
        " there  ",
        tag("span", "○", class_="awaited"),
        " awaited  ",
        tag("span", "◇", class_="awaited"),
        " must not come",
        class_="key",
    )


def _tiles(scene: ViewContext) -> Html:
    board, clock = scene.board, scene.clock
    queries = Counter(answer.query for answer in board.open.values())
    ends = [each.now.settled_by for each in board.open.values() if each.now.settled_by is not None]
    likely = [each for each in board.open.values() if _is_likely(scene, each)]
    split = " · ".join(f"{name} {number:,}" for name, number in queries.most_common(3))
    confirmed = sum(number for (_, change), number in board.changes.items() if change == "confirmed")
    rejected = sum(number for (_, change), number in board.changes.items() if change == "rejected")
    found = [tile("Possible now", len(board.open), split or "nothing is open", class_="possible")]
    if board.has_chances:
        about = f"from {_thresholds(scene)} on"
        found.append(tile("Likely", len(likely), about, class_="possible"))
    soon = min(ends, default=None)
    found.append(tile("Next decided within", NONE if soon is None else clock.left(soon), _soon(ends, soon)))
    found.append(tile("Confirmed so far", confirmed, f"and {rejected:,} rejected", class_="certain"))
    return tag("dl", found, class_="tiles")


def _soon(ends: Sequence[int], soon: int | None) -> str:
    return "no deadline" if soon is None else count(sum(end == soon for end in ends), "answer") + " by then"


def _is_likely(scene: ViewContext, answer: TrackedAnswer) -> bool:
    alert = scene.board.head.alerts.get(answer.query)
    return answer.now.chance is not None and answer.now.chance >= (0.8 if alert is None else alert)


def _thresholds(scene: ViewContext) -> str:
    found = sorted({0.8 if each is None else each for each in scene.board.head.alerts.values()}) or [0.8]
    return " or ".join(f"{100 * each:.0f}\xa0%" for each in found)


def _filters(scene: ViewContext, selection: Selection) -> Html:
    """The filters of the list; the browser turns them into the address."""
    queries = [*scene.board.head.times] or sorted({each.query for each in scene.board.open.values()})
    options = [tag("option", "All queries", value="")] + [
        tag("option", name, value=name, selected=name == selection.query) for name in queries
    ]
    sort = selection.sort or ("likely" if scene.board.has_chances else "deadline")
    sorts = [
        tag(
            "label",
            tag("input", type="radio", name="sort", value=each, checked=each == sort),
            tag("span", _SORTS[each]),
        )
        for each in SORTS
        if each != "likely" or scene.board.has_chances
    ]
    least = [
        tag(
            "option",
            "Any chance" if not each else f"{100 * each:.0f}\xa0% or more",
            value=f"{each:g}",
            selected=each == selection.least,
        )
        for each in _LEAST
    ]
    return tag(
        "form",
        tag(
            "input",
            type="search",
            name="text",
            value=selection.text,
            placeholder="Find an answer, such as wt2",
            aria_label="Find answers",
            autocomplete="off",
            spellcheck="false",
        ),
        tag("select", options, name="query", aria_label="Query") if len(queries) > 1 else None,
        tag("select", least, name="least", aria_label="Least chance") if scene.board.has_chances else None,
        tag("fieldset", tag("legend", "Order", class_="hidden"), sorts, class_="segments"),
        tag("output", class_="found", id="found", role="status"),
        class_="filters",
        id="filters",
        role="search",
    )


def _just(scene: ViewContext) -> Html:
    """The list of answers settled lately, the latest first."""
    latest = list(reversed(scene.board.settled.values()))[:_JUST]
    head = tag(
        "header", tag("h2", "Just confirmed or rejected"), tag("a", "all", href=f"{scene.root}/settled")
    )
    if not latest:
        return text(head, empty("Nothing yet", "What is confirmed or rejected will be listed here."))
    items = [
        tag(
            "li",
            tag(
                "a",
                kind(each.now.change),
                scene.label(each),
                tag("span", scene.clock.at(each.now.tick), class_="time"),
                href=scene.address(each),
            ),
        )
        for each in latest
    ]
    return text(head, tag("ol", items))


def _nothing(scene: ViewContext) -> Html:
    if scene.board.open:
        return empty("No open answer fits", "Other words, another query or a lower chance may.")
    if scene.board.tick is None:
        return empty(
            "Waiting for the first facts", "As soon as a fact supports an answer, it is listed here."
        )
    return empty("Nothing is open", f"At {scene.clock.at(scene.board.tick)} no answer is possible.")
