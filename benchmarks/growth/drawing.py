"""Curves and latencies as pictures, with logarithmic axes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil, floor, log10, sqrt
from typing import Any

import altair as alt

from antelog.pictures import theme
from antelog.pictures.answers import panel_title
from antelog.pictures.drawing import Drawing
from benchmarks.growth.curves import Curve
from benchmarks.growth.fitting import fitted
from benchmarks.growth.latency import Latency
from benchmarks.growth.results import Point

_WIDTH, _HEIGHT = 310, 190
MB = 1e6

Row = dict[str, Any]


def cost_of(curve: Curve) -> Callable[[Point], float]:
    """The CPU seconds a curve is about."""
    if curve.cost == "batch":
        return lambda point: point.middle(lambda run: run.batch)
    return lambda point: point.middle(lambda run: run.seconds)


def compile_of(point: Point) -> float:
    return point.middle(lambda run: run.compile)


def memory_of(point: Point) -> float:
    return point.memory / MB


def curve_drawing(curve: Curve, points: Sequence[Point]) -> Drawing:
    """Seconds at the left and memory at the right, each with the line whose slope is the exponent."""
    series = [("run", cost_of(curve), theme.BLUE)]
    if curve.compiles:
        series.append(("compile", compile_of, theme.ORANGE))
    left = _panel("CPU seconds", curve.axis, points, series)
    right = _panel("Memory in MB", curve.axis, points, [("memory", memory_of, theme.GREEN)])
    return _beside(f"{curve.title}: what it costs", [left, right])


def _panel(
    title: str,
    axis: str,
    points: Sequence[Point],
    series: Sequence[tuple[str, Callable[[Point], float], str]],
) -> alt.LayerChart | alt.FacetChart:
    measured: list[Row] = []
    lines: list[Row] = []
    for kind, cost, _ in series:
        values = [(point.size, cost(point)) for point in points]
        measured += [{"x": x, "y": y, "kind": kind} for x, y in values if x > 0 and y > 0]
        line = fitted(*zip(*values, strict=True))
        if line is not None:
            lines += [{"x": x, "y": line.at(x), "kind": kind} for x in line.sizes]
    colour = _colours([(kind, colour) for kind, _, colour in series])
    return alt.layer(
        _marked(measured, axis, colour).mark_line(point={"filled": True, "size": 45}),
        _marked(lines, axis, colour).mark_line(strokeDash=[5, 4], stroke=theme.INK),
        title=panel_title(title),
    )


def latency_drawing(title: str, found: Sequence[Latency]) -> Drawing:
    """The median and the 99th percentile at each rate."""
    panels = [("Measured", [(each.rate, each.waited) for each in found if each.lag != 0])]
    alone = [(each.rate, each.alone) for each in found if each.alone is not None]
    if alone:
        panels.append(("By CPU seconds, as if alone on the core", alone))
    drawn = []
    colour = _colours([("median", theme.BLUE), ("99th percentile", theme.PURPLE)])
    for name, values in panels:
        rows = [
            {"x": rate, "y": 1000 * value, "kind": kind}
            for rate, each in values
            for kind, value in (("median", each.median), ("99th percentile", each.p99))
        ]
        lines = _marked(rows, "facts a second", colour).mark_line(point={"filled": True, "size": 45})
        drawn.append(alt.layer(lines, title=panel_title(f"{name}: milliseconds")))
    return _beside(title, drawn)


def _marked(rows: Sequence[Row], axis: str, colour: alt.Color) -> alt.Chart:
    log = alt.Scale(type="log", nice=False, padding=8)
    chart = alt.Chart({"values": list(rows)}, width=_WIDTH, height=_HEIGHT)
    span = _span([row["y"] for row in rows])
    across, up = _marks([row["x"] for row in rows]), _marks(span)
    x = alt.X("x:Q", scale=log, axis=alt.Axis(title=axis, format="~s", values=across))
    upwards = alt.Scale(type="log", nice=False, padding=8, domain=span)
    y = alt.Y("y:Q", scale=upwards, axis=alt.Axis(title=None, format="~g", values=up))
    found: alt.Chart = chart.encode(x=x, y=y, color=colour)
    return found


def _span(values: Sequence[float]) -> list[float]:
    """The least and the largest value, at least ten times as large, so that what is flat looks flat."""
    low, high = min(values), max(values)
    if high < 10 * low:
        middle = sqrt(low * high)
        low, high = middle / sqrt(10), middle * sqrt(10)
    return [low, high]


def _marks(values: Sequence[float]) -> list[float]:
    """Powers of ten that an axis shows; between them 2 and 5, if there are few."""
    low, high = floor(log10(min(values))), ceil(log10(max(values)))
    steps = (1,) if high - low > 2 else (1, 2, 5)
    return [step * 10.0**power for power in range(low, high + 1) for step in steps]


def _colours(kinds: Sequence[tuple[str, str]]) -> alt.Color:
    names, colours = zip(*kinds, strict=True)
    legend = alt.Legend(title=None) if len(names) > 1 else None
    return alt.Color("kind:N", scale=alt.Scale(domain=names, range=colours), legend=legend)


def _beside(title: str, panels: Sequence[alt.LayerChart | alt.FacetChart]) -> Drawing:
    chart = (
        alt.hconcat(*panels, spacing=40).resolve_scale(color="independent").properties(config=theme.CONFIG)
    )
    return Drawing(chart, title)
