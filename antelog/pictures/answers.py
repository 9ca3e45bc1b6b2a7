"""The picture of a history: a row for each answer, or numbers if there are many."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import altair as alt

from antelog.compile.nodes.plan import Plan
from antelog.pictures import theme
from antelog.pictures import theme as look
from antelog.pictures.clock import clock
from antelog.pictures.columns import LabelColumns, Lanes, columns_of
from antelog.pictures.drawing import Data, Drawing, Theme
from antelog.pictures.history import OUTCOMES, History
from antelog.pictures.panels import panel_title, panels
from antelog.pictures.rows import (
    Frame,
    answer_rows,
    band_rows,
    font_size_of,
    frame,
    kinds_in,
    mark_rows,
    marks_with_answers,
    row_chart,
)

ROWS = 60
WIDTH = 800
_NOTHING = "Nothing to draw: there are no answers."


def draw_answers(
    history: History,
    plan: Plan | None = None,
    *,
    title: str = "Answers over time",
    width: int = WIDTH,
    theme: Theme = "auto",
    most: int = ROWS,
) -> Drawing:
    """`plan` says how long a tick is; more than `most` answers are counted instead of shown one by one."""
    shown = clock(plan.timescale if plan else None, history.first, history.last)
    lanes = Lanes(history, plan)
    if plan and shown.stamps:
        history = history.timed({query.name: query.answer.time or "" for query in plan.queries}, shown.text)
    history = history.with_distinct_words(lanes.shown)
    number, words = len(history.answers), _subtitle(history)
    if not number:
        return Drawing(_finished(_nothing(width), title, words), title, theme)
    listed = lanes.together(history) if number <= most else explored(history)
    labels = [lanes.row(answer) for answer in listed.answers]
    columns = columns_of(labels, width, font_size_of(min(number, DETAIL if number > most else number)))
    area = frame(history, shown, width, columns.margin)
    if number <= most:
        chart = row_chart(marks_with_answers(), area, number, kinds_in(history), columns)
        return Drawing(
            _finished(chart, title, words, area, columns), title, theme, _data(listed, area, columns)
        )
    # Numbers end where facts do, and have no labels.
    wide = replace(frame(history, shown, width), last=history.now)
    return Drawing(
        _finished(overview(history, wide), title, words, wide),
        title,
        theme,
        {},
        _finished(explorable(history, area, columns), title, words, area, columns),
        _data(listed, area, columns, every=True),
    )


def _data(history: History, area: Frame, columns: LabelColumns, *, every: bool = False) -> Data:
    """The data of rows: each with its lane, or only the first of a lane, and a band behind every other."""
    lanes = [row.lane for row in columns.rows]
    first = [every or number == 0 or lane != lanes[number - 1] for number, lane in enumerate(lanes)]
    answers = [
        row | columns.of_row(number, lane=lane)
        for number, (row, lane) in enumerate(zip(answer_rows(history, area.clock), first, strict=True))
    ]
    return {"answers": answers, "marks": [*([] if every else band_rows(lanes)), *mark_rows(history, area)]}


def _subtitle(history: History) -> str:
    count = len(history.answers)
    parts = [f"{history.count(outcome):,} {outcome}" for outcome in OUTCOMES if history.count(outcome)]
    return f"{count:,} answer{'' if count == 1 else 's'}" + (f": {', '.join(parts)}" if parts else "")


def _nothing(width: int) -> alt.LayerChart:
    """A sentence in place of rows."""
    said = alt.Chart({"values": [{}]}).mark_text(fontSize=14, color=look.MUTED)
    middle = {of: alt.value(alt.ExprRef(f"{size} / 2")) for of, size in (("x", "width"), ("y", "height"))}
    return alt.LayerChart(layer=[said.encode(text=alt.value(_NOTHING), **middle)]).properties(
        width=width - 36, height=120
    )


def _finished(
    chart: alt.LayerChart | alt.VConcatChart,
    title: str,
    subtitle: str,
    area: Frame | None = None,
    columns: LabelColumns | None = None,
) -> alt.TopLevelMixin:
    margin = area.margin if area else 0
    wide = {"columns": max(2, area.width // 92) if area else 0}
    found = chart.properties(
        title=alt.TitleParams(title, subtitle=subtitle),
        padding={"left": 12, "right": 24, "top": 12, "bottom": 12},
        config=look.CONFIG | {"legend": look.CONFIG["legend"] | wide},
        usermeta={"margin": margin, "widest": 1100},
    ).add_params(alt.param(name="margin", value=margin))
    return found.add_params(alt.param(name="width_of_labels", expr=columns.width)) if columns else found


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
