"""The view of open answers, the most urgent first, a row for each device; facets, and what is due next.

It has the rows in sight; others are loaded as they are scrolled to (`listed`), so that 100,000 open answers
scroll as ten do. Answers that are `good` are folded unless the address asks for them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from markupsafe import Markup

from antelog.engine.step.wording import LOST, unseen_since
from antelog.forecast.reports.words import count
from antelog.lines import awaited
from antelog.watch.board.answer_table import ListRow, RowList
from antelog.watch.board.selection import GROUPS, SEVERITIES, AnswerFilter, Selection, first, selection_of
from antelog.watch.board.tracked_answer import Mark, TrackedAnswer, marks
from antelog.watch.web.templating import render
from antelog.watch.web.views.charts import Lane, TimeAxis, lane
from antelog.watch.web.views.context import ViewContext, cut, facets

_JUST = 6
# The strip of what is due: its microseconds, most bars, and fewest ticks.
_STRIP, _BARS, _FEWEST = 120_000_000, 24, 6
_EDGE = 0.03  # the share of answers that begin before the axis of all rows, and of those that end after it
_SORTS = {"urgent": "Urgency", "deadline": "Next deadline", "new": "Newest", "name": "Name"}


def now(scene: ViewContext) -> Markup:
    """Renders the view, with the rows that the address asks for."""
    selection, tables, head = _selection(scene), scene.board.tables, scene.board.head
    seen, axis = tables.listing(selection), _axis(scene, selection.filter)
    counts = tables.open.facets(selection.filter)
    counts["query"] = dict.fromkeys(head.ticks, 0) | counts["query"]
    just = (each for each in reversed(scene.board.decided.values()) if scene.severity(each.query) != "good")
    return render(
        "now.html",
        scene=scene,
        clock=scene.clock,
        selection=selection,
        facets=facets(scene, counts),
        strip=_strip(scene, replace(selection.filter, due=None)),
        rows=_rows(scene, selection, seen, axis),
        seen=seen,
        axis=axis,
        good=0 if scene.given.get("severity") else counts["severity"].get("good", 0),
        sorts=_SORTS,
        groups=[each for each in GROUPS if each != "key" or head.keys or head.program is None],
        group_names={"key": scene.key_name, "query": "Query", "none": "Answer"},
        just=islice(just, _JUST),
    )


def listed(scene: ViewContext) -> Markup:
    """Renders some rows of the list, with their positions in it."""
    selection = _selection(scene)
    axis = _axis(scene, selection.filter)
    return _rows(scene, selection, scene.board.tables.listing(selection), axis)


def _selection(scene: ViewContext) -> Selection:
    """Parses the selection, without `good` answers unless the address asks for severities."""
    found = selection_of(scene.given)
    return replace(found, filter=found.filter.bad_only)


def _rows(scene: ViewContext, selection: Selection, seen: RowList, axis: TimeAxis) -> Markup:
    return render(
        "rows.html",
        scene=scene,
        selection=selection,
        seen=seen,
        rows=[_row(scene, axis, each, selection) for each in seen.rows],
        nothing=() if seen.total else _nothing(scene),
    )


def _axis(scene: ViewContext, wanted: AnswerFilter) -> TimeAxis:
    """Makes the axis of all rows: from when most of them are open to when most are decided."""
    table, at, wall = scene.board.tables.open, scene.clock.now, scene.clock.wall
    where = table.where(wanted)
    begin, end = table.quantile("since", _EDGE, where), table.quantile("deadline", 1 - _EDGE, where)
    ends = (each for each in (end, wall) if each is not None)
    return TimeAxis(scene.clock, at - 1.0 if begin is None else min(at - 1.0, begin), max([at + 1.0, *ends]))


# ---- rows ----


@dataclass(frozen=True)
class ShownRow:
    """A row as it is shown, its name in two parts, and `toggle`, the address that opens or closes it.

    A row of a query has no `group`.
    """

    row: ListRow
    name: tuple[str, str]
    why: Sequence[str]
    lane: Lane
    toggle: str
    group: str | None

    @property
    def id(self) -> str:
        return f"row-{self.row.answer.id}" if self.row.count < 2 else f"group-{self.row.answer.id}"


def _row(scene: ViewContext, axis: TimeAxis, found: ListRow, selection: Selection) -> ShownRow:
    answer = found.answer
    marked = marks(answer.line, scene.board.head.timescale)
    opened = [each for each in selection.opened if each != found.key]
    if not found.opened:
        opened.append(found.key)
    return ShownRow(
        found,
        cut(found.key if selection.group != "none" else scene.key(answer)),
        list(_why(scene, answer, marked)),
        lane(axis, marked, answer),
        scene.link(open=opened),
        None if selection.group == "query" else scene.key(answer),
    )


def _why(scene: ViewContext, answer: TrackedAnswer, found: Sequence[Mark]) -> Iterator[str]:
    """Writes silent inputs, the number of known literals and the first awaited one, in few words."""
    line = answer.line
    for name in scene.board.head.rests_on.get(answer.query, ()):
        slots = scene.board.inputs.slots(name)
        heard = slots.listed.get(scene.key(answer)) if slots is not None else None
        if heard is not None:
            yield f"no {name} since {scene.clock.hour(heard)}"
    if line.get(LOST):
        yield f"lost from sight since {scene.clock.short(unseen_since(line))}"
        return
    if not found:
        yield "nothing is needed"
        return
    yield f"{sum(each.known for each in found)} of {len(found)} there"
    several: Sequence[Mapping[str, Any]] = line.get("explanations") or ({},)
    waits = [scene.shorter(answer, each.text(scene.clock.short)) for each in awaited(several[0])]
    if waits:
        yield f"awaits {waits[0]}" + (f" and {len(waits) - 1} more" if waits[1:] else "")
    if len(several) > 1:
        yield f"{len(several)} explanations"


def _nothing(scene: ViewContext) -> Sequence[str]:
    """Explains why there are no rows, by a title and a sentence."""
    if not scene.board.started:
        return "Waiting for the first facts", "As soon as a fact supports an answer, it is listed here."
    good = sum(scene.severity(each.query) == "good" for each in scene.board.open.values())
    if scene.board.open and good == len(scene.board.open):
        return "All is well", f"{count(good, 'answer')} that say so are folded."
    if scene.board.open:
        return "No open answer fits", "Other words or fewer filters may."
    return "Nothing is open", f"At {scene.clock.at(scene.clock.now)} no answer is possible."


# ---- what is due ----


@dataclass(frozen=True)
class DueBar:
    """The answers that are decided within some ticks, and how many of them are expected to come true."""

    title: str
    text: str
    count: int
    expected: Mapping[str, float]
    ticks: str
    chosen: bool
    high: float


def _strip(scene: ViewContext, wanted: AnswerFilter) -> dict[str, object]:
    """Counts the answers decided in the next two minutes, or few ticks, and those expected to come true."""
    if not scene.board.started:
        return {"bars": []}
    clock = scene.clock
    ticks = _FEWEST if clock.length is None else max(_FEWEST, -(-_STRIP // clock.length))
    wide = -(-ticks // _BARS)
    steps = -(-ticks // wide)
    counts, expected = [0] * (steps + 2), [dict.fromkeys(SEVERITIES, 0.0) for _ in range(steps + 2)]
    for step, severity, number, confirmed in scene.board.tables.open.due(wanted, clock.now, wide, steps):
        counts[step] += number
        expected[step][severity] += confirmed
    most, chosen = max(1, *counts[:-1]), first(scene.given, "due")
    bars = []
    for at in range(0 if counts[0] else 1, steps + 1):
        low, high = clock.now + (at - 1) * wide + 1, clock.now + at * wide
        ticks_of = f"{low}..{high}" if at else f"0..{clock.now}"
        title = f"{count(counts[at], 'answer')} decided by {clock.at(high if at else clock.now)}"
        if scene.chances:
            total = sum(expected[at].values())
            title += f"; {total:{'.0f' if total >= 10 else '.1f'}} of them expected to come true"
        parts = {name: 100 * each / most for name, each in expected[at].items() if each > 0}
        within = clock.brief(at * wide) if at else "now"
        bars.append(
            DueBar(title, within, counts[at], parts, ticks_of, ticks_of == chosen, 100 * counts[at] / most)
        )
    return {"reach": clock.ahead(steps * wide).removeprefix("1 "), "bars": bars, "more": counts[-1]}
