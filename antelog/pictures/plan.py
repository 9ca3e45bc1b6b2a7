"""The picture of a program: predicates, rules, and the strata in which they are evaluated."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import altair as alt

from antelog.language.graph import Edge, Graph, Placement, graph_of
from antelog.language.printer import to_text
from antelog.language.syntax import Rule
from antelog.pictures import marks, theme
from antelog.pictures.drawing import Drawing, Theme
from antelog.program import Program

Row = dict[str, Any]
_COLOURS = {marks.INPUT: theme.INK, marks.QUERY: theme.BLUE}  # the others are grey
_SIZES = marks.PlanSizes(layer=58, half=18, dot=9, gap=26, around=11)
_LETTER = 7.6
_STEPS = 16
_LINE = 18
_BESIDE, _EDGE, _SWING = 60, 14, 34


def draw_plan(
    program: Program, *, title: str | None = None, width: int = 800, theme: Theme = "auto"
) -> Drawing:
    """Draws the graph as wide as it has to be; the text of the rules is beside it, or below."""
    graph = graph_of(program.document)
    nodes = []
    for node, kind in marks.kinds_of(program, graph).items():
        note = kind
        if kind == marks.INPUT:
            delays = sorted(next(each for each in program.plan.inputs if each.name == node).delays)
            note = f"input, delay {' to '.join(map(str, dict.fromkeys((delays[0], delays[-1]))))}"
        wide = max(_LETTER * len(node), 0.7 * _LETTER * len(note)) + 20
        nodes.append(marks.PlanMark(kind, node, wide, note=note, node=node))
    for node, rule in graph.rules.items():
        line, wide = str(_line(rule, program)), 2 * _SIZES.dot
        nodes.append(marks.PlanMark(marks.RULE, line, wide, note=to_text(rule), node=node))
    chart, texts = _chart(marks.placed_marks(graph, _SIZES, nodes)), _texts(graph, program, width)
    beside = chart.width + texts.width + 60 <= width
    both = alt.hconcat(chart, texts, spacing=30) if beside else alt.vconcat(chart, texts, spacing=10)
    title = title or f"Rules of {program.source.name}"
    return Drawing(_finished(both, title), title, theme)


def _chart(shown: marks.PlanMarks) -> alt.LayerChart:
    graph, placed = shown.graph, shown.placed
    left, right = shown.ends[0] - _BESIDE, shown.ends[1] + _EDGE
    height = (max(placed.layer.values(), default=0) + 1) * _SIZES.layer
    across = alt.Scale(domain=[left, right], nice=False, zero=False)
    down = alt.Scale(domain=[height, 0], nice=False, zero=False)

    def of(rows: list[Row], x: str = "x", y: str = "y") -> alt.Chart:
        at_x, at_y = alt.X(f"{x}:Q", scale=across, axis=None), alt.Y(f"{y}:Q", scale=down, axis=None)
        return alt.Chart({"values": rows}).encode(x=at_x, y=at_y)

    tip, ends = alt.value(alt.ExprRef("datum.tip")), {"x2": alt.X2(field="x2"), "y2": alt.Y2(field="y2")}
    stroke, fill = alt.Stroke("colour:N", scale=None), alt.Fill("colour:N", scale=None)
    dash = alt.StrokeDash("dash:N", scale=None)
    bands = _bands(graph, placed, left, right)
    curves = [_curve(number, edge, shown) for number, edge in enumerate(graph.edges)]
    ends_of = zip((rows[-1] for rows in curves), graph.edges, strict=True)
    arrows = [end for end, edge in ends_of if edge.target not in graph.rules or end["up"]]
    boxes = [_box(each) for each in shown.of()]
    dots = [
        {"x": each.x, "y": each.y, "line": int(each.text), "tip": {f"line {each.text}": each.note}}
        for each in shown.of(marks.RULE)
    ]
    numbered: dict[str, Any] = {"align": "left", "baseline": "top", "dx": 8, "dy": 6, "fontSize": 11}
    arrow: dict[str, Any] = {"size": 45, "filled": True, "opacity": 1}
    dot: dict[str, Any] = {"size": 340, "filled": True, "fill": theme.PAPER, "opacity": 1, "strokeWidth": 1}
    layers = [
        of(bands).mark_rect(color=theme.BAND).encode(**ends),
        of(bands).mark_text(color=theme.MUTED, **numbered).encode(text="text:N"),
        of([row for rows in curves for row in rows]).mark_line(strokeWidth=1.4)
        .encode(detail="edge:N", order="at:Q", stroke=stroke, strokeDash=dash),
        of([row for row in arrows if not row["up"]]).mark_point(shape="triangle-down", yOffset=-3, **arrow)
        .encode(fill=fill),
        of([row for row in arrows if row["up"]]).mark_point(shape="triangle-up", yOffset=3, **arrow)
        .encode(fill=fill),
        of(boxes).mark_rect(cornerRadius=6, fill=theme.PAPER, strokeWidth=1.6)
        .encode(stroke=stroke, tooltip=tip, **ends),
        of(boxes, "middle", "name_y").mark_text(fontWeight="bold", color=theme.INK, fontSize=12)
        .encode(text="name:N"),
        of(boxes, "middle", "note_y").mark_text(color=theme.MUTED, fontSize=10).encode(text="note:N"),
        of(dots).mark_point(stroke=theme.MUTED, **dot).encode(tooltip=tip),
        of(dots).mark_text(fontSize=10, color=theme.MUTED).encode(text="line:N"),
    ]  # fmt: skip
    return alt.LayerChart(layer=layers).properties(width=right - left, height=height)


def _bands(graph: Graph, placed: Placement, left: float, right: float) -> list[Row]:
    """Every other stratum has a band behind it; all have their number."""
    found = []
    for stratum in sorted({*graph.strata.values()}):
        layers = [placed.layer[node] for node, own in graph.strata.items() if own == stratum]
        top, bottom = min(layers) * _SIZES.layer, (max(layers) + 1) * _SIZES.layer
        found.append({"x": left, "x2": right, "y": top + 2, "y2": bottom - 2, "text": f"stratum {stratum}"})
    return found


def _box(mark: marks.PlanMark) -> Row:
    x, y, half = mark.x, mark.y, _SIZES.half
    return {
        "x": x - mark.wide / 2, "x2": x + mark.wide / 2, "y": y - half, "y2": y + half,
        "middle": x, "name_y": y - 5, "note_y": y + 9, "name": mark.text, "note": mark.note,
        "colour": _COLOURS.get(mark.kind, theme.GREY), "tip": {mark.kind: mark.text, "": mark.note},
    }  # fmt: skip


def _line(rule: Rule, program: Program) -> int:
    return program.source.position(rule.span.start)[0]


def _curve(number: int, edge: Edge, shown: marks.PlanMarks) -> list[Row]:
    """The points of an edge, which leaves and enters its nodes straight up or down."""
    placed = shown.placed
    path = placed.paths[edge]
    ends = {edge.source: shown.half(edge.source), edge.target: -shown.half(edge.target)}
    down = 1 if placed.layer[edge.target] > placed.layer[edge.source] else -1
    # What leads upwards swings out to the side, for there may be an edge downwards between the same two.
    swing, beside = (0, 0) if down > 0 else (_SWING, 0.7 * _SIZES.dot)
    stops = [(placed.x[node] + beside, shown.middle(node) + down * ends.get(node, 0)) for node in path]
    colour, dash = (theme.ORANGE, [4, 3]) if edge.negated else (theme.MUTED, [1, 0])
    points = [stops[0]]
    for (x0, y0), (x1, y1) in pairwise(stops):
        for step in range(1, _STEPS + 1):
            t = step / _STEPS
            aside = swing * 4 * t * (1 - t)
            points.append((x0 + (x1 - x0) * t * t * (3 - 2 * t) + aside, y0 + (y1 - y0) * t))
    return [
        {"edge": number, "at": at, "x": x, "y": y, "colour": colour, "dash": dash, "up": down < 0}
        for at, (x, y) in enumerate(points)
    ]


def _texts(graph: Graph, program: Program, width: int) -> alt.LayerChart:
    """The rules as they are written, each with the number of its line."""
    rules = enumerate(graph.rules.values())
    lines = [{"y": at, "line": _line(rule, program), "text": to_text(rule)} for at, rule in rules]
    longest = max((len(to_text(rule)) for rule in graph.rules.values()), default=0)
    widest = min(longest * 6.8 + 40, width - 24)
    scale = alt.Scale(domain=[len(lines) - 0.5, -0.5], nice=False, zero=False)
    every = alt.Chart({"values": lines}).encode(y=alt.Y("y:Q", axis=None, scale=scale))
    number = every.mark_text(align="right", fontSize=11, color=theme.MUTED)
    text = every.mark_text(align="left", fontSize=11, color=theme.INK, limit=widest - 34, font=theme.MONO)
    layers = [number.encode(x=alt.value(22), text="line:N"), text.encode(x=alt.value(34), text="text:N")]
    return alt.LayerChart(layer=layers).properties(width=widest, height=max(len(lines), 1) * _LINE)


def _finished(chart: alt.HConcatChart | alt.VConcatChart, title: str) -> alt.TopLevelMixin:
    subtitle = "The numbers are lines of the program; a dashed line is a negation."
    return chart.properties(
        title=alt.TitleParams(title, subtitle=subtitle),
        padding={"left": 12, "right": 12, "top": 12, "bottom": 12},
        config=theme.CONFIG,
        usermeta={"fixed": True},
    )
