"""Parts of several views: the name of an answer, its chance, its time line, kinds of changes, tiles.

What is confirmed is filled and green, what is possible hollow or blue, what is rejected orange. Each has a
sign, too, so that colour is not needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import quote

from antelog.forecast.reports.words import NONE, lead, percent
from antelog.language.moments import Timescale, moment
from antelog.markup import Child, Html, number, picture, tag
from antelog.watch.board.board import Board
from antelog.watch.board.explanations import Mark, span
from antelog.watch.board.tracked_answer import TrackedAnswer, value_text

WIDE, HIGH = 240.0, 34.0
_EDGE, _MIDDLE = 9.0, 17.0


@dataclass(frozen=True)
class TickClock:
    """Formats ticks, given their times (if known) and the current tick.

    TickClock(Timescale(600_000_000), now=2856253).left(2856256)    30 minutes

    Without times, ticks are numbers: `tick 17`, `3 ticks`.
    """

    timescale: Timescale | None
    now: int

    @property
    def length(self) -> int | None:
        """The length of a tick in microseconds, if known."""
        return None if self.timescale is None else self.timescale.length

    def at(self, tick: int) -> str:
        """A tick as a time: `2024-04-21 20:30`, or `tick 17`."""
        text = moment(tick, self.timescale)
        return f"tick {text}" if text == str(tick) else text

    def ahead(self, ticks: int) -> str:
        """A number of ticks as a duration: `30 minutes`, or `3 ticks`."""
        return lead(ticks, self.length) if ticks else "no time"

    def left(self, tick: int) -> str:
        """The duration until the end of a tick."""
        return self.ahead(tick - self.now) if tick > self.now else "this tick"

    def milliseconds(self, tick: int) -> int | None:
        """The end of a tick in milliseconds of the wall clock, for a countdown in the browser."""
        if self.timescale is None or tick not in self.timescale.ticks:
            return None
        return self.timescale.begin(tick + 1) // 1_000


@dataclass(frozen=True, eq=False)
class ViewContext:
    """The board, and the path at which the page is mounted."""

    board: Board
    root: str = ""

    @cached_property
    def clock(self) -> TickClock:
        return TickClock(self.board.head.timescale, self.board.tick or 0)

    def address(self, answer: TrackedAnswer) -> str:
        return f"{self.root}/answer/{quote(answer.id)}"

    def label(self, answer: TrackedAnswer) -> Html:
        """The label of an answer: the query, then the values, the time last and quieter."""
        time = self.board.head.times.get(answer.query)
        values: list[Child] = []
        for key in answer.values:
            values += [", "] if values else []
            value = value_text(answer.values, key, time, self.board.head.timescale)
            values.append(tag("span", value, class_="time" if key == time else "value"))
        return tag("span", tag("b", answer.query), "(", values, ")", class_="label")


def chance_bar(chance: float | None, alert: float | None = None) -> Html:
    """A chance as a number and a bar, with a notch at the threshold of alerts."""
    if chance is None:
        return tag("span", tag("span", "no chance", class_="hidden"), class_="chance none")
    likely = alert is not None and chance >= alert
    picture = tag(
        "svg",
        tag("rect", y=1, width="100%", height=6, rx=3, class_="track"),
        tag(
            "rect",
            y=1,
            width=f"{max(2.0, 100 * chance):.1f}%",
            height=6,
            rx=3,
            class_="bar likely" if likely else "bar",
        ),
        None if alert is None else tag("rect", x=f"{100 * alert:.1f}%", width=1.5, height=8, class_="notch"),
        aria_hidden="true",
    )
    return tag("span", tag("span", _percent(chance), class_="number"), picture, class_="chance")


def time_line(marks: Sequence[Mark], answer: TrackedAnswer, clock: TickClock) -> Html:
    """A time line: filled marks for evidence, hollow ones for hypotheses, a line for now, the deadline."""
    first, last = span(list(marks), answer, clock.now)
    scale = (WIDE - 2 * _EDGE) / max(1, last - first)

    def x(tick: int) -> float:
        return _EDGE + (tick - first) * scale

    now = x(min(max(clock.now, first), last))
    parts = [
        tag("line", x1=_EDGE, x2=now, y1=_MIDDLE, y2=_MIDDLE, class_="past"),
        tag("line", x1=now, x2=WIDE - _EDGE, y1=_MIDDLE, y2=_MIDDLE, class_="future"),
        tag("line", x1=now, x2=now, y1=3, y2=HIGH - 3, class_="now"),
    ]
    if (end := answer.now.decided_by) is not None:
        parts.append(tag("line", x1=x(end), x2=x(end), y1=_MIDDLE - 7, y2=_MIDDLE + 7, class_="end"))
    taken: dict[int, int] = {}
    for mark in marks:
        if mark.tick is not None:
            level = taken[mark.tick] = taken.get(mark.tick, -1) + 1
            parts.append(_mark(mark, x(mark.tick), _MIDDLE + (0, -10, 10)[min(level, 2)]))
    known = sum(mark.known for mark in marks)
    return picture(WIDE, HIGH, f"{known} of {len(marks)} there", parts, class_="line")


def _mark(mark: Mark, x: float, y: float) -> Html:
    kind = "known" if mark.known else "awaited"
    title = tag("title", f"{'there' if mark.known else 'awaited'}: {mark.text}")
    if mark.negated:
        return tag("path", title, d=f"M{number(x)} {number(y - 6)}l6 6l-6 6l-6-6z", class_=kind)
    return tag("circle", title, cx=x, cy=y, r=4.6, class_=kind)


def literal(mark: Mark) -> Html:
    """A literal as a word with its mark in front."""
    kind, said = ("known", "there") if mark.known else ("awaited", "awaited")
    sign = "●" if mark.known else ("◇" if mark.negated else "○")
    return tag(
        "span",
        tag("span", sign, aria_hidden="true"),
        tag("span", f"{said}: ", class_="hidden"),
        tag("code", mark.text),
        class_=f"literal {kind}",
    )


_SIGNS = {"confirmed": "✓", "rejected": "✕", "likely": "▲", "unlikely": "▽", "revised": "↻"}


def kind(change: str) -> Html:
    """A kind of change with its sign, so that colour is not needed."""
    sign = tag("span", _SIGNS.get(change, "○"), aria_hidden="true")
    return tag("span", sign, " ", change, class_=f"kind {change}")


def tile(name: str, figure: Child, more: Child = None, *, class_: str = "") -> Html:
    return tag(
        "div",
        tag("dt", name),
        tag("dd", figure, class_="figure"),
        tag("dd", more, class_="more") if more else None,
        class_=f"tile {class_}".strip(),
    )


def section(name: str, *children: Child, class_: str | None = None, **attributes: str | None) -> Html:
    """A section of a view, which the browser replaces when it differs."""
    return tag("section", *children, data_part=name, class_=class_, **attributes)


def empty(title: str, *words: Child) -> Html:
    return tag("div", tag("p", title, class_="title"), tag("p", *words), class_="empty")


def table(head: Sequence[Child], rows: Iterable[Sequence[Child]], *, class_: str = "") -> Html:
    """A table that scrolls sideways; each cell has its column's name, for narrow screens."""
    names = [str(each) for each in head]
    body = [
        tag("tr", [tag("td", cell, data_name=name) for cell, name in zip(row, names, strict=True)])
        for row in rows
    ]
    heads = tag("thead", tag("tr", [tag("th", each, scope="col") for each in head]))
    return tag("div", tag("table", heads, tag("tbody", body)), class_=f"scroll {class_}".strip())


def share(found: float | None) -> str:
    return _percent(found) if found is not None else NONE


def _percent(share: float) -> str:
    if 0 < share < 0.0005:
        return "< 0.1\xa0%"
    return percent(share).replace(" ", "\xa0")
