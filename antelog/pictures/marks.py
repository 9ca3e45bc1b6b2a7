"""The marks of a program's graph and their places: Altair draws files with them, and templates the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from antelog.language.graph import Edge, Graph, Placement, layout
from antelog.program import Program

INPUT, STATIC, DERIVED, QUERY = "input", "static", "derived", "query"  # the kinds of boxes
RULE, LABEL = "rule", "label"


@dataclass(frozen=True)
class PlanSizes:
    """The height of a layer, half those of a box and of a dot, the gap between boxes, and the room around."""

    layer: float
    half: float
    dot: float
    gap: float
    around: float = 0.0


@dataclass(frozen=True)
class PlanMark:
    """A box with its note, the dot of a rule, which leads to `anchor`, or an edge's label in its `room`."""

    kind: str
    text: str
    wide: float
    x: float = 0.0
    y: float = 0.0
    note: str = ""
    node: str = ""
    anchor: str = ""
    room: float = 0.0


@dataclass(frozen=True)
class PlanMarks:
    """The marks of a program's graph, with their places; `rooms` are the widths of nodes."""

    graph: Graph
    placed: Placement
    sizes: PlanSizes
    marks: Sequence[PlanMark]
    rooms: Mapping[str, float]

    def of(self, *kinds: str) -> list[PlanMark]:
        """The marks of some kinds; by default the boxes."""
        return [each for each in self.marks if each.kind in (kinds or (INPUT, STATIC, DERIVED, QUERY))]

    @property
    def ends(self) -> tuple[float, float]:
        """The left end of the leftmost node, and the right end of the rightmost."""
        halves = [(x, self.rooms.get(node, self.sizes.dot) / 2) for node, x in self.placed.x.items()]
        halves = halves or [(0.0, 0.0)]
        return min(x - half for x, half in halves), max(x + half for x, half in halves)

    def middle(self, node: str) -> float:
        return self.placed.layer[node] * self.sizes.layer + self.sizes.half + self.sizes.around

    def half(self, node: str) -> float:
        """Half the height of a node; bends of edges have none."""
        sizes = self.sizes
        return sizes.dot if node in self.graph.rules else sizes.half if node in self.graph.strata else 0.0


def kinds_of(program: Program, graph: Graph) -> dict[str, str]:
    kinds = {each.name: STATIC for each in program.plan.statics}
    kinds |= {each.predicate: QUERY for each in program.plan.queries}
    kinds |= {each.name: INPUT for each in program.plan.inputs}
    return {node: kinds.get(node, DERIVED) for node in graph.strata if node not in graph.rules}


def placed_marks(
    graph: Graph, sizes: PlanSizes, nodes: Sequence[PlanMark], labels: Mapping[Edge, PlanMark] | None = None
) -> PlanMarks:
    """Places the marks of each predicate and rule, and of some edges."""
    widths = {each.node: each.wide for each in nodes}
    rooms = {edge: each.room for edge, each in (labels or {}).items()}
    placed = layout(graph, widths, sizes.gap, rooms)
    rooms_of_nodes = widths | {placed.labels[edge]: room for edge, room in rooms.items()}
    found = PlanMarks(graph, placed, sizes, (), rooms_of_nodes)
    marks = [replace(each, x=placed.x[each.node], y=found.middle(each.node)) for each in nodes]
    for edge, label in (labels or {}).items():
        node = placed.labels[edge]
        marks.append(replace(label, x=placed.x[node], y=found.middle(node), node=node))
    return replace(found, marks=marks)
