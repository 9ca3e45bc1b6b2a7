"""Numbers over time: open answers, decided ones, and how long decisions took."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import altair as alt
import numpy as np
from numpy.typing import NDArray

from antelog.pictures import theme
from antelog.pictures.history import CONFIRMED, OPEN, OUTCOMES, REJECTED, Answer, History
from antelog.pictures.rows import LOOKS, NUMBERS, Frame, Row, look_of

_BAR = 5
"""The least width of a column, in pixels."""
_HEIGHT = 120
_DECIDED = [OPEN, *LOOKS]
_LEVELS = 12
"""Waiting times are divided into at most this many classes."""

Ticks = NDArray[np.int64]


def panels(history: History, frame: Frame) -> list[alt.Chart]:
    """A chart for each question, all with the same axis of time."""
    since = np.array([answer.since for answer in history.answers], np.int64)
    until = np.array([answer.until for answer in history.answers], np.int64)
    outcome = np.array([OUTCOMES.index(answer.outcome) for answer in history.answers], np.int64)
    return [
        _open_ones(since, until[outcome != OUTCOMES.index(OPEN)], frame),
        _decided_ones(
            until, np.array([_DECIDED.index(_decided_as(each)) for each in history.answers]), frame
        ),
        _waiting_times(since, until - since, frame),
    ]


def panel_title(text: str) -> alt.TitleParams:
    """A title above the left end of the axis, which all panels share; their labels are of many widths."""
    return alt.TitleParams(text, fontSize=12, color=theme.INK, offset=8, frame="group")


def _open_ones(since: Ticks, decided: Ticks, frame: Frame) -> alt.Chart:
    ticks = np.unique(np.concatenate([since, decided, [frame.now]]))
    begun, ended = (np.searchsorted(np.sort(each), ticks, "right") for each in (since, decided))
    lines = [
        {
            "x": frame.clock.axis_value(tick),
            "open": number,
            "tip": {"tick": frame.clock.text(tick), "open": number},
        }
        for tick, number in zip(ticks.tolist(), (begun - ended).tolist(), strict=True)
    ]
    line: dict[str, Any] = {"line": {"color": theme.BLUE}, "color": theme.BLUE, "fillOpacity": 0.28}
    chart = _panel(lines, "Open answers", frame).mark_area(interpolate="step-after", clip=True, **line)
    most = max(line["open"] for line in lines)
    y = _count("open", 0, most).scale(nice=False, domainMax=1.03 * max(most, 1))  # the line has a width
    found: alt.Chart = chart.encode(x=frame.x(titled=False), y=y)
    return found


def _decided_as(answer: Answer) -> str:
    return OPEN if answer.outcome == OPEN else look_of(answer)


def _decided_ones(until: Ticks, looks: Ticks, frame: Frame) -> alt.Chart:
    """Confirmed ones stand on each other, the most severe at the bottom; rejected ones hang below."""
    size = _columns(frame)
    lines: list[Row] = []
    heights: Counter[int] = Counter()
    for look in LOOKS:
        name, sign = (REJECTED, -1) if look == REJECTED else (CONFIRMED, 1)
        columns, counts = np.unique(until[looks == _DECIDED.index(look)] // size, return_counts=True)
        for start, number in zip((columns * size).tolist(), counts.tolist(), strict=True):
            tip = {"decided": _stretch(start, size, frame), name: number, "severity": look}
            begin = heights[start] if sign > 0 else 0
            heights[start] += number if sign > 0 else 0
            place = {"from": begin, "number": begin + sign * number}
            lines.append(_place(start, size, frame) | place | {"kind": name, "look": look, "tip": tip})
    each = "tick" if size == 1 else f"{size:,} ticks"
    chart = _panel(lines, f"Decided in each {each}: confirmed above, rejected below", frame)
    scale = alt.Scale(domain=[*LOOKS], range=[*LOOKS.values()])
    colour = alt.Color("look:N", scale=scale, legend=None)
    numbers = [0, *(line["number"] for line in lines)]
    y = _count("number", min(numbers), max(numbers), labelExpr="format(abs(datum.value), ',')").scale(
        nice=False
    )
    x = frame.x(titled=False)
    found: alt.Chart = chart.mark_rect(opacity=0.85, clip=True).encode(
        x=x, x2=alt.X2(field="x2"), y=y, y2=alt.Y2(field="from"), color=colour
    )
    return found


def _waiting_times(since: Ticks, waited: Ticks, frame: Frame) -> alt.Chart:
    size, level = _columns(frame), easy(int(waited.max()) / _LEVELS)
    places = np.stack([since // size * size, waited // level * level])
    cells, counts = np.unique(places, axis=1, return_counts=True)
    lines = []
    for (start, low), number in zip(cells.T.tolist(), counts.tolist(), strict=True):
        span = f"{low:,} ticks" if level == 1 else f"{low:,} to {low + level - 1:,} ticks"
        tip = {"first evidence": _stretch(start, size, frame), "open for": span, "answers": number}
        height = {"low": low - 0.5, "high": low + level - 0.5}
        lines.append(_place(start, size, frame) | height | {"number": number, "tip": tip})
    shade = alt.Scale(range=[0.12, 1], type="sqrt", domainMin=0)
    chart = _panel(lines, "Ticks from first evidence to decision (strong: many answers)", frame)
    opacity = alt.FillOpacity("number:Q", scale=shade, legend=None)
    y = _count("low", 0, int(waited.max()), grid=False).scale(nice=False)
    found: alt.Chart = chart.mark_rect(fill=theme.PURPLE, clip=True).encode(
        x=frame.x(), x2=alt.X2(field="x2"), y=y, y2=alt.Y2(field="high"), fillOpacity=opacity
    )
    return found


def easy(number: float) -> int:
    """The next number that is easy to read: 1, 2, 5, 10, 20, …"""
    steps = (first * 10**power for power in range(20) for first in (1, 2, 5))
    return next(int(step) for step in steps if step >= number)


def _panel(lines: Sequence[Row], title: str, frame: Frame) -> alt.Chart:
    chart = alt.Chart({"values": lines}, title=panel_title(title), width=frame.width, height=_HEIGHT)
    return chart.encode(tooltip=alt.value(alt.ExprRef("datum.tip")))


def _count(field: str, lowest: int, highest: int, **given: Any) -> alt.Y:
    """An axis of whole numbers, few and easy to read; Vega's own would have halves between 0, 1 and 2."""
    step = easy((highest - lowest) / 4)
    values = list(range(-(-lowest // step) * step, highest + 1, step))
    axis: dict[str, Any] = {"format": ",d", "values": values, "minExtent": NUMBERS, "maxExtent": NUMBERS}
    return alt.Y(f"{field}:Q", axis=alt.Axis(title=None, **axis | given))


def _columns(frame: Frame) -> int:
    """The width of a column in ticks."""
    return easy((frame.last - frame.first + 1) * _BAR / frame.width)


def _place(start: int, size: int, frame: Frame) -> Row:
    return {"x": frame.clock.axis_value(start - 0.5), "x2": frame.clock.axis_value(start + size - 0.5)}


def _stretch(start: int, size: int, frame: Frame) -> str:
    first, last = frame.clock.text(start), frame.clock.text(start + size - 1)
    return first if size == 1 else f"{first} to {last}"
