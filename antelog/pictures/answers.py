"""The picture of a history: a row for each answer, or numbers if there are many."""

from __future__ import annotations

from dataclasses import replace

import altair as alt

from antelog.compile.nodes.plan import Plan
from antelog.pictures import theme
from antelog.pictures.clock import clock
from antelog.pictures.drawing import Drawing, Theme
from antelog.pictures.history import OUTCOMES, History
from antelog.pictures.overview import explorable, explored, overview
from antelog.pictures.rows import (
    Frame,
    Row,
    answer_rows,
    frame,
    kinds_in,
    mark_rows,
    marks_with_answers,
    row_chart,
)

ROWS = 60
WIDTH = 800


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
    if plan and shown.stamps:
        history = history.timed({query.name: query.answer.time or "" for query in plan.queries}, shown.text)
    history = history.with_distinct_words()
    area = frame(history, shown, width)

    def finished(chart: alt.LayerChart | alt.VConcatChart, area: Frame = area) -> alt.TopLevelMixin:
        return _finished(chart, history, title, area)

    if len(history.answers) <= most:
        x = area.x(marks=True)
        chart = row_chart(marks_with_answers(), area, len(history.answers), kinds_in(history), x)
        return Drawing(finished(chart), title, theme, _data(history, area))
    closer = finished(explorable(history, area)), _data(explored(history), area)
    # Numbers end where facts do, and have no labels.
    wide = replace(frame(history, shown, width, labelled=False), last=history.now)
    return Drawing(finished(overview(history, wide), wide), title, theme, {}, *closer)


def _data(history: History, area: Frame) -> dict[str, list[Row]]:
    return {"answers": answer_rows(history, area.clock), "marks": mark_rows(history, area)}


def _finished(
    chart: alt.LayerChart | alt.VConcatChart, history: History, title: str, area: Frame
) -> alt.TopLevelMixin:
    count = len(history.answers)
    parts = [f"{history.count(outcome):,} {outcome}" for outcome in OUTCOMES if history.count(outcome)]
    subtitle = f"{count:,} answer{'' if count == 1 else 's'}" + (f": {', '.join(parts)}" if parts else "")
    return chart.properties(
        title=alt.TitleParams(title, subtitle=subtitle),
        padding={"left": 12, "right": 24, "top": 12, "bottom": 12},
        config=theme.CONFIG | {"legend": theme.CONFIG["legend"] | {"columns": 3 if area.width < 450 else 0}},
        usermeta={"margin": area.margin, "widest": 1100},
    ).add_params(alt.param(name="margin", value=area.margin))
