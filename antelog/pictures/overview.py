"""Many answers at once: how many were open, how many were decided, how long that took."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import altair as alt
import numpy as np
from numpy.typing import NDArray

from antelog.pictures import theme
from antelog.pictures.history import CONFIRMED, OPEN, OUTCOMES, REJECTED, History
from antelog.pictures.rows import COLOURS, Frame, kinds_in, marks_with_answers, row_chart

_BAR = 5
"""So many pixels wide a column is at least."""
_HEIGHT = 120
_BESIDE = 52
"""So many pixels there are for the numbers beside an axis."""
_LEVELS = 12
"""Into so many stretches at most waiting times are divided."""
_DETAIL = 30
"""So many rows the closer look has."""
_EXPLORED = 20_000
"""So many answers can be looked at closely."""

Ticks = NDArray[np.int64]


def overview(history: History, frame: Frame) -> alt.VConcatChart:
    """The numbers alone."""
    return _stacked(_panels(history, frame))


def explorable(history: History, frame: Frame) -> alt.VConcatChart:
    """The numbers, and the answers of a stretch of time that the reader marks."""
    brush = alt.selection_interval(
        name="stretch", encodings=["x"], value={"x": _stretch_to_begin_with(history, frame)},
        mark=alt.BrushConfig(fill=theme.MUTED, fillOpacity=0.15, stroke=theme.MUTED, cursor="ew-resize"),
    )  # fmt: skip
    first, *others = _panels(history, frame)
    near = (
        marks_with_answers()
        .transform_filter("!stretch.x || datum.since >= stretch.x[0] && datum.since <= stretch.x[1]")
        .transform_window(rank="dense_rank()", sort=[alt.SortField("row")])
        .transform_filter(f"datum.rank <= {_DETAIL}")
    )
    scale = alt.Scale(type="utc" if frame.clock.stamps else "linear", domain=brush, nice=False, zero=False)
    closer = row_chart(near, frame, _DETAIL, kinds_in(history), frame.x(scale, titled=False), y="rank")
    text = f"A closer look: the first {_DETAIL} answers of the marked stretch"
    return _stacked([first.add_params(brush), closer.properties(title=_title(text)), *others])


def explored(history: History) -> History:
    """The answers that can be looked at closely, in the order in which they began."""
    return replace(history, answers=tuple(sorted(history.answers, key=lambda a: (a.since, a.until))[:_EXPLORED]))


def _stretch_to_begin_with(history: History, frame: Frame) -> list[float]:
    """From the middle on as long as the first answers there take."""
    answers = explored(history).answers
    some = answers[len(answers) // 2 :][:_DETAIL]
    return [frame.clock.place(some[0].since - 0.5), frame.clock.place(max(a.until for a in some) + 1.5)]


def _stacked(panels: Sequence[alt.Chart | alt.LayerChart]) -> alt.VConcatChart:
    return alt.vconcat(*panels, spacing=26).resolve_scale(color="independent", shape="independent")


def _panels(history: History, frame: Frame) -> list[alt.Chart]:
    since = np.array([answer.since for answer in history.answers], np.int64)
    until = np.array([answer.until for answer in history.answers], np.int64)
    outcome = np.array([OUTCOMES.index(answer.outcome) for answer in history.answers])
    return [
        _open_panel(since, until[outcome != OUTCOMES.index(OPEN)], frame),
        _decided_panel(until, outcome, frame),
        _waiting_panel(since, until - since, frame),
    ]


def _open_panel(since: Ticks, decided: Ticks, frame: Frame) -> alt.Chart:
    ticks = np.arange(frame.first, frame.now + 1)
    number = np.searchsorted(np.sort(since), ticks, "right") - np.searchsorted(np.sort(decided), ticks, "right")
    changed = np.flatnonzero(np.append(True, np.diff(number) != 0))
    kept = np.unique(np.append(changed, len(ticks) - 1))
    values = [
        {"x": frame.clock.place(t), "open": n, "tip": {"tick": frame.clock.text(t), "open": n}}
        for t, n in zip(ticks[kept].tolist(), number[kept].tolist(), strict=True)
    ]
    area = {"interpolate": "step-after", "color": theme.BLUE, "fillOpacity": 0.28, "line": {"color": theme.BLUE}}
    return (
        alt.Chart(alt.Data(values=values), title=_title("Open answers"))
        .mark_area(**area)
        .encode(x=frame.x(titled=False), y=_count("open"))
        .properties(width=frame.width, height=_HEIGHT)
    )


def _decided_panel(until: Ticks, outcome: Ticks, frame: Frame) -> alt.Chart:
    size = _width(frame)
    values = []
    for name, sign in ((CONFIRMED, 1), (REJECTED, -1)):
        bins, counts = np.unique(until[outcome == OUTCOMES.index(name)] // size, return_counts=True)
        for start, number in zip((bins * size).tolist(), counts.tolist(), strict=True):
            tip = {"decided": _stretch(start, size, frame), name: number}
            values.append(_place(start, size, frame) | {"kind": name, "number": sign * number, "tip": tip})
    each = "tick" if size == 1 else f"{size} ticks"
    scale = alt.Scale(domain=[CONFIRMED, REJECTED], range=[COLOURS[CONFIRMED], COLOURS[REJECTED]])
    y = _count("number", labelExpr="format(abs(datum.value), ',')")
    return (
        alt.Chart(alt.Data(values=values), title=_title(f"Decided in each {each}: confirmed above, rejected below"))
        .mark_rect(opacity=0.85)
        .encode(x=frame.x(titled=False), x2="x2", y=y, y2=alt.datum(0), color=alt.Color("kind:N", scale=scale, title=None, legend=None))
        .encode(tooltip=alt.value(alt.ExprRef("datum.tip")))
        .properties(width=frame.width, height=_HEIGHT)
    )


def _waiting_panel(since: Ticks, waited: Ticks, frame: Frame) -> alt.Chart:
    size, level = _width(frame), _round(int(waited.max()) / _LEVELS)
    cells, counts = np.unique(np.stack([since // size * size, waited // level * level]), axis=1, return_counts=True)
    values = []
    for (start, low), number in zip(cells.T.tolist(), counts.tolist(), strict=True):
        tip = {"first evidence": _stretch(start, size, frame), "open for": _span(low, level), "answers": number}
        values.append(_place(start, size, frame) | {"low": low - 0.5, "high": low + level - 0.5, "number": number, "tip": tip})
    shade = alt.Scale(range=[0.12, 1], type="sqrt", domainMin=0)
    return (
        alt.Chart(alt.Data(values=values), title=_title("Ticks from first evidence to decision (strong: many answers)"))
        .mark_rect(fill=theme.PURPLE)
        .encode(x=frame.x(), x2="x2", y=_count("low", grid=False), y2="high")
        .encode(fillOpacity=alt.FillOpacity("number:Q", scale=shade, legend=None))
        .encode(tooltip=alt.value(alt.ExprRef("datum.tip")))
        .properties(width=frame.width, height=_HEIGHT)
    )


def _title(text: str) -> alt.TitleParams:
    return alt.TitleParams(text, fontSize=12, color=theme.INK, offset=8, frame="bounds")


def _count(field: str, **axis: Any) -> alt.Y:
    beside = alt.Axis(title=None, tickMinStep=1, tickCount=4, minExtent=_BESIDE, maxExtent=_BESIDE, **axis)
    return alt.Y(f"{field}:Q", axis=beside)


def _place(start: int, size: int, frame: Frame) -> dict[str, float]:
    return {"x": frame.clock.place(start - 0.5), "x2": frame.clock.place(start + size - 0.5)}


def _stretch(start: int, size: int, frame: Frame) -> str:
    end = start + size - 1
    return frame.clock.text(start) + ("" if size == 1 else f" to {frame.clock.text(end)}")


def _span(low: int, level: int) -> str:
    return f"{low} ticks" if level == 1 else f"{low} to {low + level - 1} ticks"


def _width(frame: Frame) -> int:
    """How many ticks a column is wide."""
    return _round((frame.last - frame.first + 1) * _BAR / frame.width)


def _round(number: float) -> int:
    """The next number that is easy to read: 1, 2, 5, 10, 20, …"""
    return next(n for power in range(20) for n in (10**power, 2 * 10**power, 5 * 10**power) if n >= number)
