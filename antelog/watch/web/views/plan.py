"""The view of the plan: the rules as a graph, from inputs to queries, with what flows along its edges."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from math import copysign, log10

from markupsafe import Markup

from antelog.diagnostics import Source
from antelog.escaping import shown_lines
from antelog.language.graph import Edge, Graph, graph_of
from antelog.language.highlighting import html_lines
from antelog.pictures import marks as pictures
from antelog.program import Program
from antelog.watch.board.tracked_answer import marks
from antelog.watch.web.templating import number, render
from antelog.watch.web.views.context import ViewContext

_SIZES = pictures.PlanSizes(layer=37.0, half=21.0, dot=12.0, gap=22.0, around=16.0)
_BESIDE = 10.0  # between an edge and its label
_LETTER, _SMALL = 8.2, 6.6  # the widths of letters, of names and of notes
_ROOM, _QUERY = 8, 36  # letters by which boxes and labels grow; the least room for letters of a query
_THIN, _THICK = 1.5, 3.5  # the width of an edge along which nothing flows, and what a flow adds to it at most
_LOOKED_AT = 1_000  # open answers whose awaited facts are counted; of more, some are counted for all


def plan(scene: ViewContext) -> Markup:
    program = scene.board.head.program
    return render(
        "plan.html",
        scene=scene,
        path=scene.board.head.source.name,
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
    edges: Sequence[dict[str, object]]
    marks: pictures.PlanMarks

    @property
    def label_ends(self) -> dict[str, float]:
        """Where each label begins, or ends at the left of its edge, away from the source; by its node."""
        x, found = self.marks.placed.x, {}
        for edge, node in self.marks.placed.labels.items():
            ends = x[node], x[edge.target]
            found[node] = min(ends) - _BESIDE if x[edge.source] > x[node] else max(ends) + _BESIDE
        return found


def _graph(scene: ViewContext, program: Program) -> PlanDrawing:
    graph = graph_of(program.document)
    flows = _flows(scene, program, graph)
    nodes = []
    for node, kind in pictures.kinds_of(program, graph).items():
        note = _note(scene, node, kind, program)
        # Widths have some room, so that nothing moves while numbers change.
        wide = max(_LETTER * len(node) + 28, _SMALL * _rounded(len(note), kind) + 24, 84.0)
        nodes.append(pictures.PlanMark(kind, node, wide, note=note, node=node))
    for node, rule in graph.rules.items():
        file, there = program.source.located(rule.span)
        line = file.position(there.start)[0]
        anchor = _anchor(program, file, line)
        title = f"line {line}: {program.source.excerpt(rule.span)}"
        nodes.append(
            pictures.PlanMark(pictures.RULE, str(line), 2 * _SIZES.dot, note=title, node=node, anchor=anchor)
        )
    marks = pictures.placed_marks(graph, _SIZES, nodes, _labels(scene, graph))
    left, right = marks.ends
    return PlanDrawing(
        left - _SIZES.around,
        right - left + 2 * _SIZES.around,
        max(marks.placed.layer.values(), default=0) * _SIZES.layer + 2 * (_SIZES.half + _SIZES.around),
        [_edge(edge, marks, flows.get(edge, 0.0)) for edge in graph.edges],
        marks,
    )


def _rounded(letters: int, kind: str = "") -> int:
    """Rounds a number of letters, so that it changes seldom: notes of queries have rates that come and go."""
    return -(-max(letters, _QUERY if kind == "query" else 0) // _ROOM) * _ROOM


def _flows(scene: ViewContext, program: Program, graph: Graph) -> dict[Edge, float]:
    """Returns the facts or new answers per second along each edge, where these are known."""
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


def _rate(rate: float) -> str:
    """Writes a rate in few letters: `12/s`, `3/min`."""
    for unit, seconds in (("s", 1), ("min", 60)):
        if rate * seconds >= 0.95:
            return f"{rate * seconds:,.0f}/{unit}"
    return "0/s"


def _note(scene: ViewContext, node: str, kind: str, program: Program) -> str:
    if kind == pictures.INPUT:
        facts = sum(each.facts for each in scene.board.inputs.each() if each.name == node)
        return f"{facts:,} facts · {_rate(scene.board.inputs.rates.rate(node))}"
    if kind == pictures.QUERY:
        name = next(each.name for each in program.plan.queries if each.predicate == node)
        rates = scene.board.rates(name)
        new, done = (_rate(rates.get(change, 0.0)) for change in ("possible", "confirmed"))
        return f"{scene.board.open_by_query.get(name, 0):,} open · {new} new · {done} confirmed"
    return "background" if kind == pictures.STATIC else kind


def _labels(scene: ViewContext, graph: Graph) -> dict[Edge, pictures.PlanMark]:
    """Labels edges with the known and awaited literals of their predicates."""
    there: Counter[tuple[str, bool]] = Counter()
    awaited: Counter[tuple[str, bool]] = Counter()
    every = -(-len(scene.board.open) // _LOOKED_AT) or 1
    about = "" if every == 1 else "≈ "
    for answer in islice(scene.board.open.values(), 0, None, every):
        for mark in marks(answer.line, None):
            (there if mark.known else awaited)[mark.predicate, mark.negated] += every
    labels = {}
    for edge in graph.edges:
        if edge.source not in graph.rules:
            seen = edge.source, edge.negated
            if there[seen] or awaited[seen]:
                text = f"{about}● {there[seen]:,}  {'◇' if edge.negated else '○'} {awaited[seen]:,}"
                room = 2 * _SMALL * _rounded(len(text)) + 16  # it stands at the right of the edge
                labels[edge] = pictures.PlanMark(pictures.LABEL, text, _SMALL * len(text) + 10, room=room)
    return labels


def _edge(edge: Edge, marks: pictures.PlanMarks, flow: float) -> dict[str, object]:
    """Draws a smooth line through the places of an edge, which leaves and arrives straight up or down."""
    placed = marks.placed
    path = placed.paths[edge]
    down = placed.layer[path[1]] > placed.layer[path[0]]
    x, y = [placed.x[node] for node in path], [marks.middle(node) for node in path]
    y[0] += marks.half(edge.source) * (1 if down else -1)
    into = 1 if placed.layer[path[-1]] > placed.layer[path[-2]] else -1
    tip = y[-1] - marks.half(edge.target) * into
    y[-1] = tip - 6 * into
    steps = [after - before for before, after in pairwise(x)]
    # No steeper than to the next place: it would swing out.
    slopes = [
        0.0 if one * other <= 0 else copysign(min(abs(one + other) / 6, abs(one), abs(other)), one)
        for one, other in pairwise(steps)
    ]
    slopes = [0.0, *slopes, 0.0]
    pieces = [f"M{number(x[0])} {number(y[0])}"]
    for at in range(len(path) - 1):
        third = (y[at + 1] - y[at]) / (2 if at in (0, len(path) - 2) else 3)
        pieces.append(
            f"C{number(x[at] + slopes[at])} {number(y[at] + third)} "
            f"{number(x[at + 1] - slopes[at + 1])} {number(y[at + 1] - third)} "
            f"{number(x[at + 1])} {number(y[at + 1])}"
        )
    base, wide = tip - 8 * into, _THIN + min(_THICK, log10(1 + 10 * flow))
    left, right = number(x[-1] - 4.5), number(x[-1] + 4.5)
    arrow = f"M{number(x[-1])} {number(tip)}L{left} {number(base)}L{right} {number(base)}Z"
    kind = "edge negated" if edge.negated else "edge"
    return {"path": "".join(pieces), "arrow": arrow, "kind": kind, "wide": wide}


# ---- the program ----


def _files(program: Program) -> Iterator[tuple[str, Sequence[tuple[str, Markup]]]]:
    """Yields the files of a program, each with its lines and their anchors; the first has no title."""
    for start, file in program.source.files:
        lines = enumerate(html_lines(shown_lines(file.text.rstrip())), 1)
        listed = [(_anchor(program, file, at), Markup(line)) for at, line in lines]
        yield file.name if start else "", listed


def _anchor(program: Program, file: Source, line: int) -> str:
    at = [each for _, each in program.source.files].index(file)
    return f"line-{at}-{line}" if at else f"line-{line}"
