"""Plan: the rules as a graph, from inputs at the top to queries at the bottom, with what flows on its edges.

    Temp   1,204 facts · 12/s ──▶ rule 24 ──▶ Flag ──▶ … ──▶ Malf   12 open · 3/s new · 1/min confirmed

An edge shows how many literals of its predicate are known and awaited in open answers. It is the wider, the
more flows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import log10

from markupsafe import Markup

from antelog.compile.nodes.plan import Relation
from antelog.diagnostics import Source
from antelog.escaping import shown_lines
from antelog.language.graph import Edge, Graph, Placement, graph_of, layout
from antelog.language.highlighting import html_lines
from antelog.program import Program
from antelog.watch.board.explanations import marks
from antelog.watch.web.templating import number, render
from antelog.watch.web.views.context import ViewContext

_LAYER, _HALF, _DOT, _GAP, _EDGE = 37.0, 21.0, 12.0, 22.0, 16.0
_LETTER, _SMALL = 8.2, 6.6
"""The widths of letters, of names and of notes."""
_ROOM, _QUERY = 8, 36
"""Letters by which boxes and labels grow; those for which the box of a query has room at least."""
_THIN, _THICK = 1.5, 3.5
"""The width of an edge along which nothing flows, and what a flow adds to it at most."""
_LOOKED_AT = 5_000
"""Open answers whose awaited facts are counted, at most."""


def plan(scene: ViewContext) -> Markup:
    """Renders the view."""
    program = scene.board.head.program
    return render(
        "plan.html",
        scene=scene,
        path=scene.board.head.path,
        changed=scene.board.rules_changed,
        graph=None if program is None else _graph(scene, program),
        files=[] if program is None else list(_files(program)),
    )


@dataclass(frozen=True)
class PlanDrawing:
    """The graph as it is drawn, in a box with its left end at `left`."""

    left: float
    wide: float
    high: float
    edges: Sequence[DrawnEdge]
    labels: Sequence[EdgeLabel]
    boxes: Sequence[Box]
    dots: Sequence[Dot]


@dataclass(frozen=True)
class DrawnEdge:
    """An edge; it is the wider, the more flows along it."""

    path: str
    arrow: str
    kind: str
    wide: float


@dataclass(frozen=True)
class EdgeLabel:
    text: str
    x: float
    y: float
    wide: float


@dataclass(frozen=True)
class Box:
    """A predicate with a note of its counts."""

    name: str
    kind: str
    note: str
    x: float
    y: float
    wide: float


@dataclass(frozen=True)
class Dot:
    """A rule, by the number of its line; `anchor` names that line in the page."""

    line: int
    text: str
    anchor: str
    x: float
    y: float


def _graph(scene: ViewContext, program: Program) -> PlanDrawing:
    graph = graph_of(program.document)
    notes = _notes(scene, program, graph)
    # Widths have some room, so that nothing moves while numbers change.
    widths = {
        node: max(_LETTER * len(node) + 28, _SMALL * _rounded(len(note), kind) + 24, 84.0)
        for node, (kind, note) in notes.items()
    }
    labels = _labels(scene, graph)
    wide = {edge: _SMALL * _rounded(len(words)) + 10 for edge, words in labels.items()}
    flows = _flows(scene, program, graph)
    placed = layout(graph, widths | dict.fromkeys(graph.rules, 2 * _DOT), _GAP, wide)
    room = widths | {placed.labels[edge]: each for edge, each in wide.items()}
    left = min((x - room.get(node, _DOT) / 2 for node, x in placed.x.items()), default=0.0) - _EDGE
    right = max((x + room.get(node, _DOT) / 2 for node, x in placed.x.items()), default=0.0) + _EDGE
    return PlanDrawing(
        left,
        right - left,
        max(placed.layer.values(), default=0) * _LAYER + 2 * _HALF + 2 * _EDGE,
        [replace(_edge(edge, graph, placed), wide=_stroke(flows.get(edge, 0.0))) for edge in graph.edges],
        [
            EdgeLabel(
                words, placed.x[at := placed.labels[edge]], _middle(at, placed), _SMALL * len(words) + 10
            )
            for edge, words in labels.items()
        ],
        [
            Box(node, kind, note, placed.x[node], _middle(node, placed), widths[node])
            for node, (kind, note) in notes.items()
        ],
        [_dot(node, program, graph, placed) for node in graph.rules],
    )


def _rounded(letters: int, kind: str = "") -> int:
    """A number of letters that changes seldom: notes of queries have rates, which come and go."""
    return -(-max(letters, _QUERY if kind == "query" else 0) // _ROOM) * _ROOM


def _flows(scene: ViewContext, program: Program, graph: Graph) -> dict[Edge, float]:
    """The facts or new answers a second along each edge, where these are known."""
    inputs = {each.name for each in program.plan.inputs}
    queries: dict[str, float] = {}
    for each in program.plan.queries:
        new = scene.board.rates(each.name).get("possible", 0.0)
        queries[each.predicate] = queries.get(each.predicate, 0.0) + new
    ways = Counter(edge.target for edge in graph.edges)
    found = {}
    for edge in graph.edges:
        if edge.source in inputs:
            found[edge] = scene.board.inputs.rates.rate(edge.source)
        elif edge.target in queries and ways[edge.target] == 1:  # of several rules it is not known which
            found[edge] = queries[edge.target]
    return found


def _stroke(rate: float) -> float:
    return _THIN + min(_THICK, log10(1 + 10 * rate))


def _rate(rate: float) -> str:
    """A rate in few letters: `12/s`, `3/min`."""
    for unit, seconds in (("s", 1), ("min", 60)):
        if rate * seconds >= 0.95:
            return f"{rate * seconds:,.0f}/{unit}"
    return "0/s"


def _notes(scene: ViewContext, program: Program, graph: Graph) -> dict[str, tuple[str, str]]:
    """The kind of each predicate, and a note of its counts."""
    facts = {each.name: each.facts for each in scene.board.inputs.each()}
    inputs = {each.name for each in program.plan.inputs}
    statics = {each.name for each in program.plan.statics}
    queries = {each.predicate: each for each in program.plan.queries}
    open_now = scene.board.open_by_query
    found = {}
    for node in graph.strata:
        if node in graph.rules:
            continue
        if node in inputs:
            flowing = _rate(scene.board.inputs.rates.rate(node))
            found[node] = ("input", f"{facts.get(node, 0):,} facts · {flowing}")
        elif node in queries:
            found[node] = ("query", _asked(scene, queries[node], open_now))
        else:
            found[node] = ("static", "background") if node in statics else ("derived", "derived")
    return found


def _asked(scene: ViewContext, query: Relation, open_now: Mapping[str, int]) -> str:
    rates = scene.board.rates(query.name)
    new, done = (_rate(rates.get(kind, 0.0)) for kind in ("possible", "confirmed"))
    return f"{open_now.get(query.name, 0):,} open · {new} new · {done} confirmed"


def _labels(scene: ViewContext, graph: Graph) -> dict[Edge, str]:
    """The labels of edges: known and awaited literals of a predicate."""
    there: Counter[tuple[str, bool]] = Counter()
    awaited: Counter[tuple[str, bool]] = Counter()
    for answer, _ in zip(scene.board.open.values(), range(_LOOKED_AT), strict=False):
        for mark in marks(answer.line, None):
            (there if mark.known else awaited)[mark.predicate, mark.negated] += 1
    labels = {}
    for edge in graph.edges:
        if edge.source not in graph.rules:
            seen = edge.source, edge.negated
            if there[seen] or awaited[seen]:
                labels[edge] = f"● {there[seen]:,}  {'◇' if edge.negated else '○'} {awaited[seen]:,}"
    return labels


def _middle(node: str, placed: Placement) -> float:
    return placed.layer[node] * _LAYER + _HALF + _EDGE


def _half(node: str, graph: Graph) -> float:
    return _DOT if node in graph.rules else _HALF if node in graph.strata else 0.0


def _edge(edge: Edge, graph: Graph, placed: Placement) -> DrawnEdge:
    """A smooth line through the places of an edge, which leaves and arrives straight up or down."""
    path = placed.paths[edge]
    down = placed.layer[path[1]] > placed.layer[path[0]]
    x, y = [placed.x[node] for node in path], [_middle(node, placed) for node in path]
    y[0] += _half(edge.source, graph) * (1 if down else -1)
    into = 1 if placed.layer[path[-1]] > placed.layer[path[-2]] else -1
    tip = y[-1] - _half(edge.target, graph) * into
    y[-1] = tip - 6 * into
    slopes = [0.0, *((after - before) / 6 for before, after in zip(x, x[2:], strict=False)), 0.0]
    pieces = [f"M{number(x[0])} {number(y[0])}"]
    for at in range(len(path) - 1):
        third = (y[at + 1] - y[at]) / (2 if at in (0, len(path) - 2) else 3)
        pieces.append(
            f"C{number(x[at] + slopes[at])} {number(y[at] + third)} "
            f"{number(x[at + 1] - slopes[at + 1])} {number(y[at + 1] - third)} "
            f"{number(x[at + 1])} {number(y[at + 1])}"
        )
    base = tip - 8 * into
    left, right = number(x[-1] - 4.5), number(x[-1] + 4.5)
    arrow = f"M{number(x[-1])} {number(tip)}L{left} {number(base)}L{right} {number(base)}Z"
    return DrawnEdge("".join(pieces), arrow, "edge negated" if edge.negated else "edge", _THIN)


def _dot(node: str, program: Program, graph: Graph, placed: Placement) -> Dot:
    span = graph.rules[node].span
    file, there = program.source.located(span)
    line = file.position(there.start)[0]
    anchor = _anchor(program, file, line)
    return Dot(line, program.source.excerpt(span), anchor, placed.x[node], _middle(node, placed))


# ---- the program ----


@dataclass(frozen=True)
class ListedFile:
    """A file of the program, line by line; the first has no title, which is in the heading."""

    title: str
    lines: Sequence[ListedLine]


@dataclass(frozen=True)
class ListedLine:
    anchor: str
    number: int
    code: Markup


def _files(program: Program) -> Iterator[ListedFile]:
    for start, file in program.source.files:
        lines = html_lines(shown_lines(file.text.rstrip()))
        yield ListedFile(
            file.name if start else "",
            [ListedLine(_anchor(program, file, at), at, Markup(line)) for at, line in enumerate(lines, 1)],
        )


def _anchor(program: Program, file: Source, line: int) -> str:
    """The name of a line in the page."""
    at = [each for _, each in program.source.files].index(file)
    return f"line-{at}-{line}" if at else f"line-{line}"
