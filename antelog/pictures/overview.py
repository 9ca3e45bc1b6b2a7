"""Numbers of many answers: open ones, decided ones, and how long decisions took."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import altair as alt

from antelog.pictures import theme
from antelog.pictures.columns import LabelColumns
from antelog.pictures.history import History
from antelog.pictures.panels import panel_title, panels
from antelog.pictures.rows import Frame, kinds_in, marks_with_answers, row_chart

DETAIL = 30
"""The rows of the closer look."""
_EXPLORED = 20_000
"""The most answers that can be looked at closely."""


def overview(history: History, frame: Frame) -> alt.VConcatChart:
    """The numbers alone."""
    return _stacked(panels(history, frame))


def explorable(history: History, frame: Frame, columns: LabelColumns) -> alt.VConcatChart:
    """The numbers, and the answers of a stretch of time that the reader marks."""
    brush = alt.selection_interval(
        name="stretch", encodings=["x"], value={"x": _stretch_to_begin_with(history, frame)},
        mark=alt.BrushConfig(fill=theme.MUTED, fillOpacity=0.15, stroke=theme.MUTED, cursor="ew-resize"),
    )  # fmt: skip
    first, *others = panels(history, frame)
    near = (
        marks_with_answers()
        .transform_filter("!stretch.x || datum.since >= stretch.x[0] && datum.since <= stretch.x[1]")
        .transform_window(rank="dense_rank()", sort=[alt.SortField("row")])
        .transform_filter(f"datum.rank <= {DETAIL}")
    )
    scale = alt.Scale(type="utc" if frame.clock.stamps else "linear", domain=brush, nice=False, zero=False)
    closer = row_chart(near, frame, DETAIL, kinds_in(history), columns, y="rank", scale=scale)
    text = f"A closer look: the first {DETAIL} answers of the marked stretch"
    return _stacked([first.add_params(brush), closer.properties(title=panel_title(text)), *others])


def explored(history: History) -> History:
    """The answers that can be looked at closely, in the order in which they began."""
    return replace(
        history, answers=tuple(sorted(history.answers, key=lambda a: (a.since, a.until))[:_EXPLORED])
    )


def _stretch_to_begin_with(history: History, frame: Frame) -> list[float]:
    """From the middle on as long as the first answers there take."""
    answers = explored(history).answers
    some = answers[len(answers) // 2 :][:DETAIL]
    first, last = some[0].since, max(answer.until for answer in some)
    beside = max(0.5, 0.03 * (last - first))  # for the marks at the ends
    return [frame.clock.axis_value(first - beside), frame.clock.axis_value(last + 1 + beside)]


def _stacked(charts: Sequence[alt.Chart | alt.LayerChart]) -> alt.VConcatChart:
    stacked: alt.VConcatChart = alt.VConcatChart(vconcat=[*charts], spacing=26).resolve_scale(
        color="independent", shape="independent"
    )
    return stacked
