"""The pictures of a page: calibration, where the chances lay, and how precise and early alerts are.

Each is 360 units wide, so that its text can be read on a telephone, and three are side by side on a desk.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import sqrt

from antelog.forecast.reports import svg, words
from antelog.forecast.reports.svg import Spot
from antelog.forecast.reports.words import percent, percents
from antelog.forecast.scores.calibration import Bin, CalibrationResult
from antelog.forecast.scores.scores import ScoreResult
from antelog.forecast.scores.thresholds import Alerted
from antelog.markup import Html, picture

_WIDE, _HIGH = 360, 326
_LEFT, _RIGHT, _TOP, _BOTTOM = 44, 346, 28, 284
_QUARTERS = (0, 0.25, 0.5, 0.75, 1)


@dataclass(frozen=True)
class Figure:
    """A picture with its title and its caption."""

    title: str
    picture: Html
    caption: str


def figures_of(found: ScoreResult, tick: int | None) -> tuple[Figure, ...]:
    """The pictures of the scores of a query."""
    explained = words.example(found.calibration)
    text = "" if explained is None else f"{words.sentence(explained)} "
    return (
        Figure(
            "Are the chances right?",
            reliability(found.calibration),
            f"{text}Marks within their band are as expected; larger ones have more lines.",
        ),
        Figure(
            "Do they distinguish answers?",
            histogram(found.calibration),
            "Where the chances of confirmed answers lay, and where those of the others. The less they "
            "overlap, the more the chances say.",
        ),
        Figure(
            "How early are alerts?",
            early(found.alerts, tick),
            "A mark for each threshold: how many of its alerts came true, and how long before the "
            "confirmation half of these rang; the bar holds the middle half.",
        ),
    )


@dataclass(frozen=True)
class _Plane:
    """The scales of a picture: from 0 to `widest` to the right, from `low` to `high` upwards."""

    widest: float = 1.0
    low: float = 0.0
    high: float = 1.0

    def x(self, number: float) -> float:
        return _LEFT + (_RIGHT - _LEFT) * number / self.widest

    def y(self, number: float) -> float:
        return _BOTTOM - (_BOTTOM - _TOP) * (number - self.low) / (self.high - self.low)

    def at(self, x: float, y: float) -> Spot:
        return Spot(self.x(x), self.y(y))

    def upwards(self, numbers: Sequence[float], title: str) -> Iterator[Html]:
        """Lines across, each with its share."""
        for number in numbers:
            yield svg.line(Spot(_LEFT, self.y(number)), Spot(_RIGHT, self.y(number)), "grid")
            yield svg.words(Spot(_LEFT - 6, self.y(number) + 4), percent(number), "tick", "end")
        yield svg.words(Spot(0, 12), title, "axis")

    def rightwards(self, numbers: Sequence[float], labels: Sequence[str], title: str) -> Iterator[Html]:
        for number, label in zip(numbers, labels, strict=True):
            yield svg.words(Spot(self.x(number), _BOTTOM + 16), label, "tick", "middle")
        yield svg.words(Spot((_LEFT + _RIGHT) / 2, _BOTTOM + 38), title, "axis", "middle")


def reliability(found: CalibrationResult) -> Html:
    """Chance against share confirmed, with what would be expected; larger marks have more lines."""
    plane = _Plane()
    shares = [percent(each) for each in _QUARTERS]
    most = max((each.lines for each in found.bins), default=1)
    parts = [
        *plane.upwards(_QUARTERS, "share confirmed"),
        *plane.rightwards(_QUARTERS, shares, "chance"),
        *(_band(each, plane) for each in found.bins),
        svg.line(plane.at(0, 0), plane.at(1, 1), "ideal"),
        svg.words(plane.at(0.03, 0.93), "chances too low", "note"),
        svg.words(plane.at(0.97, 0.04), "chances too high", "note", "end"),
        *(_mark(each, plane, most) for each in found.bins),
    ]
    return picture(_WIDE, _HIGH, "Calibration: " + words.calibrated(found), parts)


def _band(found: Bin, plane: _Plane) -> Html:
    low, high = found.expected
    # A band of no height is seen all the same.
    middle, half = (low + high) / 2, max((high - low) / 2, 0.004)
    return svg.box(plane.at(found.low, middle - half), plane.at(found.high, middle + half), "band")


def _mark(found: Bin, plane: _Plane, most: int) -> Html:
    at, radius = plane.at(found.chance, found.confirmed), 3 + 4 * sqrt(found.lines / most)
    title = f"{words.sentence(found)} {words.count(found.lines, 'line')}."
    if found.outside:
        return svg.diamond(at, radius + 1.5, "wrong", title)
    return svg.disc(at, radius, "right", title)


def histogram(found: CalibrationResult) -> Html:
    """Where the chances of lines lay: upwards of answers that were confirmed, downwards of the others."""
    ups = [(each, each.lines * each.confirmed) for each in found.bins]
    downs = [(each, each.lines * (1 - each.confirmed)) for each in found.bins]
    totals = [sum(lines for _, lines in part) for part in (ups, downs)]
    tops = [
        _top([lines for _, lines in part], total) for part, total in zip((ups, downs), totals, strict=True)
    ]
    plane = _Plane(low=-tops[1], high=tops[0])
    parts = [
        *_levels(plane, tops),
        *plane.rightwards(_QUARTERS, [percent(each) for each in _QUARTERS], "chance"),
        *_columns(ups, totals[0], 1, plane),
        *_columns(downs, totals[1], -1, plane),
        svg.line(plane.at(0, 0), plane.at(1, 0), "base"),
        svg.words(Spot(0, 12), "share of the lines of confirmed answers ↑", "yes"),
        svg.words(Spot(_RIGHT, _BOTTOM - 6), "and of the others ↓", "no", "end"),
    ]
    return picture(_WIDE, _HIGH, "The chances of confirmed answers, and of the others", parts)


def _top(lines: Sequence[float], total: float) -> float:
    """The largest share of a bin, with some room for words."""
    return 1.12 * max(lines, default=0) / total if total else 0.25


def _levels(plane: _Plane, tops: Sequence[float]) -> Iterator[Html]:
    step = words.steps(max(tops), 4)[1]
    numbers = [i * step for i in range(-8, 9) if plane.low <= i * step <= plane.high]
    for number in numbers:
        yield svg.line(Spot(_LEFT, plane.y(number)), Spot(_RIGHT, plane.y(number)), "grid")
        yield svg.words(Spot(_LEFT - 6, plane.y(number) + 4), percent(abs(number)), "tick", "end")


def _columns(part: Sequence[tuple[Bin, float]], total: float, way: int, plane: _Plane) -> Iterator[Html]:
    for found, lines in part:
        if lines:
            start, end = plane.at(found.low, 0), plane.at(found.high, way * lines / total)
            title = f"{words.count(round(lines), 'line')} with a chance of {percents(found.low, found.high)}"
            yield svg.box(
                Spot(start.x + 1, start.y), Spot(end.x - 1, end.y), "yes" if way > 0 else "no", title
            )


def early(found: Sequence[Alerted], tick: int | None) -> Html:
    """For each threshold how early its right alerts were, and how many were right."""
    shown = [(each, each.lead, each.precision) for each in found if each.lead is not None]
    most = max((lead[2] for _, lead, _ in shown), default=0)
    unit, size = words.unit_of(most, tick)
    marks = words.steps(most / size, 4)
    lowest = min((precision for _, _, precision in shown if precision is not None), default=0.0)
    low, shares = (0.5, (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)) if lowest >= 0.55 else (0.0, _QUARTERS)
    plane = _Plane(marks[-1] * size, low, 1.0)
    spots = [plane.at(lead[1], precision or 0.0) for _, lead, precision in shown]
    parts = [
        *plane.upwards(shares, "alerts that were right"),
        *plane.rightwards([n * size for n in marks], [words.short(n) for n in marks], f"lead time, {unit}"),
        *(
            svg.line(plane.at(lead[0], p or 0.0), plane.at(lead[2], p or 0.0), "spread")
            for _, lead, p in shown
        ),
        svg.trace(spots, "path")
        if spots
        else svg.words(Spot(197, 140), "no alert came true", "note", "middle"),
        *(_alert(each, spot, tick) for (each, _, _), spot in zip(shown, spots, strict=True)),
        *_labels([percent(each.threshold) for each, _, _ in shown], spots),
    ]
    return picture(_WIDE, _HIGH, "Alerts: how early they are, and how many of them are right", parts)


def _alert(found: Alerted, at: Spot, tick: int | None) -> Html:
    ahead = "" if found.lead is None else words.leads(*found.lead, tick)
    title = (
        f"Alerts from {percent(found.threshold)}: {words.count(found.alerts)}, of which "
        f"{percent(found.precision)} came true; lead time {ahead}"
    )
    return svg.disc(at, 5, "right", title)


def _labels(labels: Sequence[str], spots: Sequence[Spot]) -> Iterator[Html]:
    """A label beside each spot, where no other is; none, if there is no room."""
    taken = [Spot(spot.x, spot.y) for spot in spots]
    for label, spot in zip(labels, spots, strict=True):
        for dx, dy in ((0, -11), (24, -9), (-24, -9), (0, 19), (26, 4), (-26, 4)):
            middle = Spot(spot.x + dx, spot.y + dy - 4)
            others = [each for each in taken if each != spot]
            inside = _LEFT + 16 < middle.x < _RIGHT - 8 and _TOP - 10 < middle.y < _BOTTOM
            if inside and not any(
                abs(each.x - middle.x) < 26 and abs(each.y - middle.y) < 12 for each in others
            ):
                taken.append(middle)
                yield svg.words(Spot(middle.x, middle.y + 4), label, "value", "middle")
                break
