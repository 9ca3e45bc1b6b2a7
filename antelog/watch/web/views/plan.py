"""Plan: the rules as a graph, from inputs at the top to queries at the bottom, with live counts on its edges.

    Temp ── 1,204 facts ──▶ rule 24 ──▶ Flag ──▶ … ──▶ Malf   12 open, 3 confirmed

An edge shows how many literals of its predicate are known and awaited in open answers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import pairwise

from antelog.compile.nodes.plan import Relation
from antelog.diagnostics import Source
from antelog.language.graph import Edge, Graph, Placement, graph_of, layout
from antelog.markup import Child, Html, number, ready, tag
from antelog.program import Program
from antelog.watch.board.explanations import marks
from antelog.watch.web.views.common import ViewContext, empty, section

_LAYER, _HALF, _DOT, _GAP, _EDGE = 74.0, 21.0, 12.0, 30.0, 16.0
_LETTER = 8.2
_LOOKED_AT = 5_000
"""Open answers whose awaited facts are counted, at most."""


def plan(scene: ViewContext) -> Html:
    """Renders the view."""
    program = scene.board.head.program
    head = section(
        "head",
        tag("h1", "Plan"),
        tag("p", "From inputs at the top to queries at the bottom. Dashed: what is negated.", class_="note"),
        class_="head",
    )
    if program is None:
        return tag(
            "div", head, section("none", empty("The program is not known here", "Its feed does not say it."))
        )
    return tag(
        "div",
        head,
        tag(
            "div",
            section("graph", tag("div", _graph(scene, program), class_="scroll inset"), class_="card"),
            section(
                "text",
                tag("header", tag("h2", "Program"), tag("span", scene.board.head.path, class_="note")),
                tag("div", _listing(program), class_="scroll"),
                class_="card",
            ),
            class_="columns plan",
        ),
        class_="page",
    )


def _graph(scene: ViewContext, program: Program) -> Html:
    graph = graph_of(program.document)
    notes = _notes(scene, program, graph)
    widths = {
        node: max(_LETTER * len(node) + 28, 6.6 * len(note) + 24, 84.0) for node, (_, note) in notes.items()
    }
    placed = layout(graph, widths | dict.fromkeys(graph.rules, 2 * _DOT), _GAP)
    left = min((x - widths.get(node, _DOT) / 2 for node, x in placed.x.items()), default=0.0) - _EDGE
    right = max((x + widths.get(node, _DOT) / 2 for node, x in placed.x.items()), default=0.0) + _EDGE
    high = (max(placed.layer.values(), default=0) + 1) * _LAYER
    labels = _labels(scene, program, graph)
    parts: list[Child] = [_edge(edge, graph, placed) for edge in graph.edges]
    parts += [_label(edge, words, placed) for edge, words in labels.items()]
    parts += [_box(node, *notes[node], widths[node], placed) for node in notes]
    parts += [_dot(node, program, graph, placed) for node in graph.rules]
    return tag(
        "svg",
        parts,
        viewbox=f"{number(left)} 0 {number(right - left)} {number(high)}",
        width=right - left,
        height=high,
        class_="graph",
        role="img",
        aria_label="The rules as a graph",
    )


def _notes(scene: ViewContext, program: Program, graph: Graph) -> dict[str, tuple[str, str]]:
    """The kind of each predicate, and a note of its counts."""
    facts = {each.name: each.facts for each in scene.board.inputs.each()}
    inputs = {each.name for each in program.plan.inputs}
    statics = {each.name for each in program.plan.statics}
    queries = {each.predicate: each for each in program.plan.queries}
    open_now = Counter(answer.query for answer in scene.board.open.values())
    found = {}
    for node in graph.strata:
        if node in graph.rules:
            continue
        if node in inputs:
            found[node] = ("input", f"{facts.get(node, 0):,} facts")
        elif node in queries:
            found[node] = ("query", _asked(scene, queries[node], open_now))
        else:
            found[node] = ("static", "background") if node in statics else ("derived", "derived")
    return found


def _asked(scene: ViewContext, query: Relation, open_now: Mapping[str, int]) -> str:
    confirmed = scene.board.changes[query.name, "confirmed"]
    return f"{open_now.get(query.name, 0):,} open · {confirmed:,} confirmed"


def _labels(scene: ViewContext, program: Program, graph: Graph) -> dict[Edge, str]:
    """The labels of edges: known and awaited literals of a predicate, open answers of a query."""
    there: Counter[tuple[str, bool]] = Counter()
    awaited: Counter[tuple[str, bool]] = Counter()
    for answer, _ in zip(scene.board.open.values(), range(_LOOKED_AT), strict=False):
        for mark in marks(answer.line, None):
            (there if mark.known else awaited)[mark.predicate, mark.negated] += 1
    asked = {each.predicate for each in program.plan.queries}
    labels = {}
    for edge in graph.edges:
        if edge.source not in graph.rules:
            seen = edge.source, edge.negated
            if there[seen] or awaited[seen]:
                labels[edge] = f"● {there[seen]:,}  {'◇' if edge.negated else '○'} {awaited[seen]:,}"
        elif edge.target in asked:
            names = [each.name for each in program.plan.queries if each.predicate == edge.target]
            labels[edge] = f"{sum(answer.query in names for answer in scene.board.open.values()):,} open"
    return labels


def _middle(node: str, placed: Placement) -> float:
    return (placed.layer[node] + 0.5) * _LAYER


def _half(node: str, graph: Graph) -> float:
    return _DOT if node in graph.rules else _HALF if node in graph.strata else 0.0


def _edge(edge: Edge, graph: Graph, placed: Placement) -> Html:
    path = placed.paths[edge]
    pieces = []
    for one, other in pairwise(path):
        down = placed.layer[other] > placed.layer[one]
        start = _middle(one, placed) + _half(one, graph) * (1 if down else -1)
        end = _middle(other, placed) - (_half(other, graph) + (6 if other == path[-1] else 0)) * (
            1 if down else -1
        )
        bend = (end - start) / 2
        x1, x2 = number(placed.x[one]), number(placed.x[other])
        lead = f"M{x1} {number(start)}" if one == path[0] else f"L{x1} {number(start)}"
        pieces.append(f"{lead}C{x1} {number(start + bend)} {x2} {number(end - bend)} {x2} {number(end)}")
    x, y = placed.x[path[-1]], _middle(path[-1], placed)
    up = placed.layer[path[-1]] < placed.layer[path[-2]]
    tip = y + (_half(edge.target, graph)) * (1 if up else -1)
    base = tip + (8 if up else -8)
    arrow = f"M{number(x)} {number(tip)}L{number(x - 4.5)} {number(base)}L{number(x + 4.5)} {number(base)}Z"
    kind = "edge negated" if edge.negated else "edge"
    return tag("g", tag("path", d="".join(pieces), class_=kind), tag("path", d=arrow, class_="tip"))


def _label(edge: Edge, words: str, placed: Placement) -> Html:
    path = placed.paths[edge]
    one, other = path[-2], path[-1]
    x = (placed.x[one] + placed.x[other]) / 2
    y = (_middle(one, placed) + _middle(other, placed)) / 2 + 4
    wide = 6.6 * len(words) + 10
    return tag(
        "g",
        tag("rect", x=x - wide / 2, y=y - 13, width=wide, height=18, rx=9, class_="plate"),
        tag("text", words, x=x, y=y, class_="on-edge", text_anchor="middle"),
    )


def _box(node: str, kind: str, note: str, wide: float, placed: Placement) -> Html:
    x, y = placed.x[node], _middle(node, placed)
    return tag(
        "g",
        tag("rect", x=x - wide / 2, y=y - _HALF, width=wide, height=2 * _HALF, rx=10, class_="box"),
        tag("text", node, x=x, y=y - 3, class_="name", text_anchor="middle"),
        tag("text", note, x=x, y=y + 12, class_="note", text_anchor="middle"),
        class_=f"node {kind}",
    )


def _dot(node: str, program: Program, graph: Graph, placed: Placement) -> Html:
    span = graph.rules[node].span
    file, there = program.source.located(span)
    line = file.position(there.start)[0]
    text = program.source.excerpt(span)
    return tag(
        "a",
        tag("title", f"line {line}: {text}"),
        tag("circle", cx=placed.x[node], cy=_middle(node, placed), r=_DOT, class_="dot"),
        tag(
            "text",
            str(line),
            x=placed.x[node],
            y=_middle(node, placed) + 3.5,
            class_="number",
            text_anchor="middle",
        ),
        href=f"#{_anchor(program, file, line)}",
    )


def _listing(program: Program) -> Html:
    """The files, line by line; the path of the first one is in the heading."""
    parts: list[Child] = []
    for start, file in program.source.files:
        parts += [tag("h3", file.name)] if start else []
        rows: Iterator[Html] = (
            tag(
                "li",
                tag("code", line) if line else ready("&nbsp;"),
                id=_anchor(program, file, number),
                value=str(number),
            )
            for number, line in enumerate(file.text.rstrip().split("\n"), 1)
        )
        parts.append(tag("ol", list(rows), class_="listing"))
    return tag("div", parts)


def _anchor(program: Program, file: Source, line: int) -> str:
    """The name of a line in the page."""
    number = [each for _, each in program.source.files].index(file)
    return f"line-{number}-{line}" if number else f"line-{line}"
