"""Scores beside the base rate's, and what became of chances, as pictures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import altair as alt

from antelog.pictures import theme
from antelog.pictures.answers import panel_title
from antelog.pictures.drawing import Drawing
from benchmarks.forecast.results import BASE, BOOSTING, CHANCE, LOGISTIC, Found

SHOWN = {CHANCE: theme.BLUE, BOOSTING: theme.PURPLE, LOGISTIC: theme.ORANGE}
"""The colours of the judges that are drawn. With more of them a line could not be read."""
_ACROSS = 3


def scores_drawing(streams: Mapping[str, Found]) -> Drawing:
    """For each stream the log losses as shares of the base rate's: less is better."""
    rows = [
        {"stream": name, "judge": judge, "share": score["log"] / found["scores"][BASE]["log"]}
        for name, found in streams.items()
        for judge, score in found["scores"].items()
        if judge in SHOWN
    ]
    judges = [*SHOWN]
    colour = alt.Scale(domain=judges, range=[*SHOWN.values()])
    chart = alt.Chart({"values": rows}, width=560, height=24 * len(streams))
    marks = chart.mark_point(filled=True, size=70, opacity=0.9).encode(
        x=alt.X("share:Q", title="log loss, that of the base rate being 1", scale=alt.Scale(zero=False)),
        y=alt.Y("stream:N", sort=list(streams), title=None),
        color=alt.Color("judge:N", scale=colour, legend=alt.Legend(title=None)),
        shape=alt.Shape("judge:N", scale=alt.Scale(domain=judges), legend=None),
    )
    line = alt.Chart({"values": [{"x": 1}]}).mark_rule(color=theme.MUTED, strokeDash=[5, 4]).encode(x="x:Q")
    layers = alt.layer(line, marks).properties(config=theme.CONFIG)
    return Drawing(layers, "Log loss of forecasts on recorded streams")


def calibration_drawing(streams: Mapping[str, Found]) -> Drawing:
    """For each stream what was said against what came true, with bands."""
    panels = [_panel(name, found["bins"]) for name, found in streams.items()]
    rows = [alt.hconcat(*panels[i : i + _ACROSS], spacing=24) for i in range(0, len(panels), _ACROSS)]
    chart = alt.vconcat(*rows, spacing=24).properties(config=theme.CONFIG)
    return Drawing(chart, "Chances and what came true")


def _panel(name: str, bins: list[dict[str, Any]]) -> alt.LayerChart | alt.FacetChart:
    bins = [
        {**each, "expected_low": each["expected"][0], "expected_high": each["expected"][1]} for each in bins
    ]
    chart = alt.Chart({"values": bins}, width=190, height=190)
    unit = alt.Scale(domain=[0, 1])
    x, y = alt.X("chance:Q", scale=unit, title=None), alt.Y("confirmed:Q", scale=unit, title=None)
    ends = [{"chance": end, "confirmed": end} for end in (0, 1)]
    even = alt.Chart({"values": ends}).mark_line(color=theme.MUTED, strokeDash=[5, 4], strokeWidth=1)
    low = alt.Y("expected_low:Q", scale=unit, title=None)
    bands = chart.mark_rule(color=theme.LINE, strokeWidth=5).encode(x=x, y=low, y2="expected_high:Q")
    points = chart.mark_point(filled=True, size=50, color=theme.BLUE).encode(x=x, y=y)
    return alt.layer(even.encode(x=x, y=y), bands, points, title=panel_title(name))
