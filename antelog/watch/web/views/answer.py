"""An answer: its chance over time, its evidence and hypotheses, the rules behind it, and its history.

All is from its change lines: the latest has the status, those before it the history.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import PurePath

from antelog.forecast.reports.words import count
from antelog.language.moments import Timescale
from antelog.markup import Child, Html, number, picture, tag
from antelog.watch.board.explanations import Mark, failed, marks, rules_behind
from antelog.watch.board.tracked_answer import Line, TrackedAnswer
from antelog.watch.web.views.common import (
    ViewContext,
    empty,
    kind,
    literal,
    section,
    share,
    tile,
    time_line,
)

_EXPLANATIONS = 8
_WIDE, _HIGH = 720.0, 230.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 46.0, 700.0, 14.0, 196.0


def answer(scene: ViewContext, name: str) -> Html | None:
    """Renders the view; None if the answer is not known (any more)."""
    found = scene.board.find(name)
    if found is None:
        return None
    line = found.line
    left = [
        section("chance", *_chance(scene, found), class_="card") if _has_chances(found) else None,
        section("because", *_explanations(scene, found, line), class_="card"),
        section("rules", *_rules(scene, found, line), class_="card"),
    ]
    right = [
        section("next", *_next(scene, found, line), class_="card"),
        section("history", *_history(scene, found), class_="card"),
    ]
    return tag(
        "div",
        section("head", *_head(scene, found), class_="head"),
        section("tiles", tag("dl", *_tiles(scene, found), class_="tiles")),
        tag("div", tag("div", left), tag("div", right), class_="columns two"),
        class_="page answer",
    )


def _head(scene: ViewContext, found: TrackedAnswer) -> Iterator[Child]:
    yield tag("a", "← what is open now", href=f"{scene.root}/", class_="back")
    yield tag("h1", scene.label(found))


def _tiles(scene: ViewContext, found: TrackedAnswer) -> Iterator[Child]:
    clock, now, is_open = scene.clock, found.now, found.id in scene.board.open
    ended = {"confirmed": "confirmed", "rejected": "against"}.get(now.change, "")
    state = tag("span", kind("possible" if is_open else now.change), class_="state")
    yield tile(
        "It is",
        state,
        f"since {clock.at(found.since if is_open else now.tick)}",
        class_="possible" if is_open else ended,
    )
    if _has_chances(found):
        last = next((chance for _, chance in reversed(found.chances) if chance is not None), None)
        alert = scene.board.head.alerts.get(found.query)
        more = (
            "alerted as likely"
            if found.alerted is not None
            else f"likely from {share(alert)}"
            if alert
            else None
        )
        yield tile("Chance" if is_open else "Last chance", share(last), more, class_="possible")
    if is_open:
        end = now.decided_by
        left = "no deadline" if end is None else clock.left(end)
        milliseconds = None if end is None else clock.milliseconds(end)
        until = None if milliseconds is None else str(milliseconds)
        yield tile(
            "Decided within",
            tag("span", left, data_until=until),
            "" if end is None else f"by {clock.at(end)}",
        )
    else:
        yield tile(
            "Open for", clock.ahead(max(0, now.tick - found.since)), f"first at {clock.at(found.since)}"
        )
    yield tile("Lines so far", len(found.lines), "changes of it")


# ---- the chance over time ----


def _has_chances(found: TrackedAnswer) -> bool:
    return any(chance is not None for _, chance in found.chances)


def _chance(scene: ViewContext, found: TrackedAnswer) -> Iterator[Child]:
    yield tag(
        "header", tag("h2", "Chance over time"), tag("span", "dashed: confirmed by then", class_="note")
    )
    so_far = [(tick, chance) for tick, chance in found.chances if chance is not None]
    ahead: list[tuple[int, float]] = [
        (int(tick), float(chance)) for tick, chance in found.line.get("forecast") or ()
    ]
    is_open = found.id in scene.board.open
    ends: list[int] = [tick for tick, _ in (*so_far, *(ahead if is_open else ()))]
    now = scene.clock.now if is_open else found.now.tick
    first, last = min(ends), max([*ends, now, min(ends) + 1])

    def x(tick: float) -> float:
        return _LEFT + (_RIGHT - _LEFT) * (tick - first) / (last - first)

    def y(chance: float) -> float:
        return _BOTTOM - (_BOTTOM - _TOP) * chance

    parts = [*_grid(y), *_ticks(scene, first, last, x)]
    if (alert := scene.board.head.alerts.get(found.query)) is not None:
        parts += [
            tag("line", x1=_LEFT, x2=_RIGHT, y1=y(alert), y2=y(alert), class_="alert"),
            tag(
                "text", "likely", x=(_LEFT + _RIGHT) / 2, y=y(alert) - 5, class_="note", text_anchor="middle"
            ),
        ]
    steps = f"M{number(x(so_far[0][0]))} {number(y(so_far[0][1]))}" + "".join(
        f"H{number(x(tick))}V{number(y(chance))}" for tick, chance in so_far[1:]
    )
    parts.append(tag("path", d=f"{steps}H{number(x(now))}", class_="trace"))
    parts += [
        _spot(x(tick), y(chance), "spot", f"{share(chance)} at {scene.clock.at(tick)}")
        for tick, chance in so_far
    ]
    if is_open and ahead:
        # What is to come adds up: by then it is confirmed with so much.
        path = f"M{number(x(now))} {number(y(0))}" + "".join(
            f"L{number(x(t))} {number(y(c))}" for t, c in ahead
        )
        parts.append(tag("path", d=path, class_="ahead"))
        parts += [
            _spot(x(tick), y(c), "awaited", f"confirmed by {scene.clock.at(tick)} with {share(c)}")
            for tick, c in ahead
        ]
    parts.append(tag("line", x1=x(now), x2=x(now), y1=_TOP, y2=_BOTTOM, class_="present"))
    if not is_open:
        confirmed = found.now.change == "confirmed"
        parts.append(
            tag(
                "circle",
                cx=x(now),
                cy=y(1.0 if confirmed else 0.0),
                r=6,
                class_="known" if confirmed else "wrong",
            )
        )
    label = ", ".join(f"{share(c)} at {scene.clock.at(t)}" for t, c in so_far[-5:])
    yield picture(_WIDE, _HIGH, f"Chance over time: {label}", parts, class_="chart wide")


def _spot(x: float, y: float, kind: str, said: str) -> Html:
    """A point of the picture with its tooltip."""
    return tag("circle", tag("title", said), cx=x, cy=y, r=4, class_=kind)


def _grid(y: Callable[[float], float]) -> Iterator[Html]:
    for at in (0, 0.25, 0.5, 0.75, 1):
        yield tag("line", x1=_LEFT, x2=_RIGHT, y1=y(at), y2=y(at), class_="grid")
        yield tag("text", f"{100 * at:.0f}\xa0%", x=_LEFT - 8, y=y(at) + 4, class_="tick", text_anchor="end")


def _ticks(scene: ViewContext, first: int, last: int, x: Callable[[float], float]) -> Iterator[Html]:
    for at, anchor in ((first, "start"), (last, "end")):
        yield tag("text", scene.clock.at(at), x=x(at), y=_BOTTOM + 22, class_="tick", text_anchor=anchor)


# ---- why ----


def _explanations(scene: ViewContext, found: TrackedAnswer, line: Line) -> Iterator[Child]:
    given = line.get("explanations") or ()
    more = len(given) - _EXPLANATIONS + int(line.get("more") or 0)
    yield tag(
        "header",
        tag("h2", "Explanations" if len(given) != 1 else "Explanation"),
        tag("span", count(len(given), "way"), class_="note"),
    )
    if not given:
        yield empty("Nothing is left that explains it")
    for at in range(min(len(given), _EXPLANATIONS)):
        marked = marks(line, scene.board.head.timescale, at)
        literals = tag("ul", [tag("li", literal(mark)) for mark in marked], class_="literals")
        yield tag("div", time_line(marked, found, scene.clock), literals, class_="explanation")
    if more > 0:
        yield tag("p", f"and {more:,} more", class_="note inset")


def _rules(scene: ViewContext, found: TrackedAnswer, line: Line) -> Iterator[Child]:
    program = scene.board.head.program
    yield tag("header", tag("h2", "Rules behind it"), tag("a", "plan", href=f"{scene.root}/plan"))
    if program is None:
        yield empty("The program is not known here")
        return
    given = line.get("explanations") or ()
    predicates = {mark.predicate for at in range(len(given)) for mark in marks(line, None, at)}
    items = [
        tag(
            "li",
            tag("span", f"{PurePath(each.file).name}:{each.line}", class_="place"),
            tag("code", each.text),
        )
        for each in rules_behind(program, found.query, predicates)
    ]
    yield tag("ol", items, class_="rules")


# ---- what comes next, and what was ----


def _next(scene: ViewContext, found: TrackedAnswer, line: Line) -> Iterator[Child]:
    clock = scene.clock
    if found.id not in scene.board.open:
        yield tag("header", tag("h2", "What became of it"))
        yield tag("p", kind(found.now.change), f" at {clock.at(found.now.tick)}", class_="inset")
        if because := failed(line, scene.board.head.timescale):
            yield tag("p", "because this can no longer hold: ", list(map(literal, because)), class_="inset")
        return
    yield tag("header", tag("h2", "What comes next"))
    if found.now.silent is not None:
        change, tick = found.now.silent
        yield tag("p", "If nothing comes, it is ", kind(change), f" at {clock.at(tick)}.", class_="inset")
    else:
        yield tag("p", "If nothing comes, it stays open.", class_="inset")
    ways = [
        [mark for mark in marks(line, scene.board.head.timescale, at) if not mark.known]
        for at in range(min(3, len(line.get("explanations") or ())))
    ]
    yield tag(
        "h3",
        "It is confirmed by all of" if len(ways) < 2 else "It is confirmed by all of one of these",
        class_="inset",
    )
    for way in ways:
        yield tag("ul", [tag("li", literal(mark)) for mark in way], class_="literals inset")


def _history(scene: ViewContext, found: TrackedAnswer) -> Iterator[Child]:
    yield tag("header", tag("h2", "History"), tag("span", "latest first", class_="note"))
    lines = found.all_lines
    items = [_step(scene, line, lines[at - 1] if at else None) for at, line in enumerate(lines)]
    yield tag("ol", reversed(items), class_="history")


def _step(scene: ViewContext, line: Line, before: Line | None) -> Html:
    """A line of the history: the change, and the evidence new since the line before."""
    timescale = scene.board.head.timescale
    seen = set() if before is None else {mark.text for mark in _known(before, timescale)}
    came = [mark for mark in _known(line, timescale) if mark.text not in seen]
    distinct = list({mark.text: mark for mark in came}.values())[:4]
    chance = line.get("chance")
    return tag(
        "li",
        tag("span", scene.clock.at(line["tick"]), class_="time"),
        tag("span", kind(line["change"]), tag("b", f" {share(chance)}") if chance is not None else None),
        [tag("span", literal(mark)) for mark in distinct],
        class_=line["change"],
    )


def _known(line: Line, timescale: Timescale | None) -> Sequence[Mark]:
    given = line.get("explanations") or ()
    return [mark for at in range(len(given)) for mark in marks(line, timescale, at) if mark.known]
