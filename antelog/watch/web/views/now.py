"""Now: what is open, the most urgent first, a row for each device; facets, and what is due next.

The view has the rows in sight; others are loaded as they are scrolled to (`listed`), so that 100,000 open
answers scroll as ten do. Answers that say that all is well are folded unless the address asks for them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from markupsafe import Markup

from antelog.engine.columns.tables import NEVER
from antelog.engine.step.wording import LOST, unseen_since
from antelog.forecast.reports.words import count
from antelog.lines import awaited
from antelog.watch.board.answer_index import Due, ListRow, RowList, most_common
from antelog.watch.board.explanations import Mark, marks
from antelog.watch.board.selection import GROUPS, SEVERITIES, STATES, AnswerFilter, Selection, selection_of
from antelog.watch.board.tracked_answer import TrackedAnswer
from antelog.watch.web.templating import render
from antelog.watch.web.views.acts import ShownGroup, shown_group
from antelog.watch.web.views.context import ViewContext
from antelog.watch.web.views.facets import Facet, facet
from antelog.watch.web.views.lanes import Lane, TimeAxis, lane
from antelog.watch.web.views.names import CutName, cut, key_name, shorter

_JUST = 6
_PREFIXES = 8
_STRIP, _BARS, _FEWEST = 120_000_000, 24, 6
"""Microseconds of the strip of what is due; its bars at most; its ticks at least."""
_SORTS = {"urgent": "Urgency", "deadline": "Next deadline", "new": "Newest", "name": "Name"}
_GROUPS = {"key": "Device", "query": "Query", "none": "Answer"}


def now(scene: ViewContext) -> Markup:
    """Renders the view, with the rows that the address asks for."""
    selection = folded(selection_of(scene.given))
    wanted = selection.filter
    due = replace(wanted, due=None)
    seen = scene.index.listing(selection)
    counts = scene.index.facets(wanted)
    has_key = bool(scene.board.head.keys) or scene.board.head.program is None
    just = [each for each in reversed(scene.board.decided.values()) if scene.severity(each.query) != "good"]
    return render(
        "now.html",
        scene=scene,
        clock=scene.clock,
        selection=selection,
        facets=list(_facets(scene, counts)),
        strip=strip(scene, scene.index.due(due)),
        rows=rows(scene, selection, seen),
        seen=seen,
        axis=axis_of(scene, wanted),
        good=0 if scene.given.get("severity") else counts["severity"]["good"],
        sorts=_SORTS,
        groups=[each for each in GROUPS if each != "key" or has_key],
        group_names=_GROUPS | {"key": key_name(scene)},
        just=just[:_JUST],
    )


def listed(scene: ViewContext) -> Markup:
    """Renders some rows of the list, with their positions in it."""
    selection = folded(selection_of(scene.given))
    return rows(scene, selection, scene.index.listing(selection))


def folded(selection: Selection) -> Selection:
    """The selection without what is good, unless it asks for severities."""
    if selection.filter.severities:
        return selection
    bad = [each for each in SEVERITIES if each != "good"]
    return replace(selection, filter=replace(selection.filter, severities=bad))


def rows(scene: ViewContext, selection: Selection, seen: RowList) -> Markup:
    """Renders rows of the list."""
    axis = axis_of(scene, selection.filter)
    return render(
        "rows.html",
        scene=scene,
        selection=selection,
        seen=seen,
        rows=[_row(scene, axis, each, selection) for each in seen.rows],
        nothing=() if seen.total else _nothing(scene),
    )


def axis_of(scene: ViewContext, wanted: AnswerFilter) -> TimeAxis:
    """The axis of all rows: from when most of them are open to when most are decided."""
    due, at = scene.index.due(wanted), scene.clock.now
    first, last = at - 1.0, at + 1.0
    if len(due.since):
        first = min(first, float(np.percentile(due.since, 3)))
    ends = due.deadline[due.deadline != NEVER]
    if len(ends):
        last = max(last, float(np.percentile(ends, 97)))
    wall = scene.clock.wall
    return TimeAxis(scene.clock, first, last if wall is None else max(last, wall))


# ---- rows ----


@dataclass(frozen=True)
class ShownRow:
    """A row as it is shown.

    `name` is that of the row, `why` says what is there and what is awaited, `alert` is the threshold of
    alerts, and `verdict` a remark on the chance. A row of a query has no `group`.
    """

    row: ListRow
    name: CutName
    why: Sequence[str]
    lane: Lane
    alert: float | None
    verdict: str
    toggle: str
    group: ShownGroup | None

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
        cut(found.key if selection.group != "none" else scene.board.head.key_of(answer)),
        list(_why(scene, answer, marked)),
        lane(axis, marked, answer),
        scene.board.head.alerts.get(answer.query),
        scene.board.trust.verdict(answer.query, answer.now.chance),
        scene.link(open=opened),
        None if selection.group == "query" else shown_group(scene, answer),
    )


def _why(scene: ViewContext, answer: TrackedAnswer, found: Sequence[Mark]) -> Iterator[str]:
    """The number of known literals and the first awaited one, in few words."""
    line = answer.line
    for name in scene.board.head.rests_on.get(answer.query, ()):
        slots = scene.board.inputs.slots(name)
        heard = slots.listed.get(scene.board.head.key_of(answer)) if slots is not None else None
        if heard is not None:
            yield f"no {name} since {scene.clock.hour(heard)}"
    if line.get(LOST):
        yield f"lost from sight since {scene.clock.short(unseen_since(line))}"
        return
    if not found:
        yield "nothing is needed"
        return
    yield f"{sum(each.known for each in found)} of {len(found)} there"
    first: Mapping[str, Any] = next(iter(line.get("explanations") or ()), {})
    waits = [shorter(scene, answer, each.text(scene.clock.short)) for each in awaited(first)]
    if waits:
        yield f"awaits {waits[0]}" + (f" and {len(waits) - 1} more" if waits[1:] else "")
    if len(several := line.get("explanations") or ()) > 1:
        yield f"{len(several)} explanations"


def _nothing(scene: ViewContext) -> Sequence[str]:
    """Why there are no rows: a title and a sentence."""
    if not scene.board.started:
        return "Waiting for the first facts", "As soon as a fact supports an answer, it is listed here."
    good = sum(scene.severity(each.query) == "good" for each in scene.board.open.values())
    if scene.board.open and good == len(scene.board.open):
        return "All is well", f"{count(good, 'answer')} that say so are folded."
    if scene.board.open:
        return "No open answer fits", "Other words or fewer filters may."
    return "Nothing is open", f"At {scene.clock.at(scene.clock.now)} no answer is possible."


# ---- facets ----


def _facets(scene: ViewContext, counts: Mapping[str, Mapping[str, int]]) -> Iterator[Facet]:
    """The filters of which there is something to choose."""
    chosen = {name: set(scene.given.get(name, ())) for name in counts}
    prefixes = {*most_common(counts["prefix"], _PREFIXES), *chosen["prefix"]}
    names = {
        "severity": [each for each in SEVERITIES if counts["severity"][each] or each in chosen["severity"]],
        "query": sorted({*scene.board.head.ticks, *counts["query"]}),
        "prefix": sorted(prefixes) if len(counts["prefix"]) <= 4 * _PREFIXES else [],
        "state": [each for each in STATES if counts["state"][each] or each in chosen["state"]],
    }
    titles = {"severity": "Severity", "query": "Query", "prefix": key_name(scene), "state": "Chance"}
    for name, values in names.items():
        if len(values) > 1 or chosen[name]:
            yield facet(name, titles[name], values, counts[name], chosen[name])


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


@dataclass(frozen=True)
class DueStrip:
    """Bars for what is decided next; `more` are decided later or without a deadline."""

    reach: str
    bars: Sequence[DueBar]
    more: int


def strip(scene: ViewContext, due: Due) -> DueStrip:
    """The answers decided in the next two minutes, or few ticks, and how many are expected to come true."""
    if not scene.board.started:
        return DueStrip("", [], 0)
    clock = scene.clock
    ticks = _FEWEST if clock.length is None else max(_FEWEST, -(-_STRIP // clock.length))
    wide = -(-ticks // _BARS)
    bars = -(-ticks // wide)
    place = np.clip(-((clock.now - due.deadline) // wide), 0, bars + 1)
    place[due.deadline == NEVER] = bars + 1
    counts = np.bincount(place, minlength=bars + 2)
    expected = np.bincount(
        place * len(SEVERITIES) + due.severity,
        np.nan_to_num(due.chance),
        minlength=(bars + 2) * len(SEVERITIES),
    ).reshape(-1, len(SEVERITIES))
    most = max(1, int(counts[: bars + 1].max()))
    chosen = next(iter(scene.given.get("due", ())), "")
    found = []
    for at in range(0 if counts[0] else 1, bars + 1):
        low, high = clock.now + (at - 1) * wide + 1, clock.now + at * wide
        ticks_of = f"{low}..{high}" if at else f"0..{clock.now}"
        within = clock.brief(at * wide) if at else "now"
        number, sums = int(counts[at]), expected[at].tolist()
        parts = {name: 100 * each / most for name, each in zip(SEVERITIES, sums, strict=True) if each > 0}
        title = f"{count(number, 'answer')} decided by {clock.at(high if at else clock.now)}"
        if scene.chances:
            total = sum(sums)
            title += f"; {total:{'.0f' if total >= 10 else '.1f'}} of them expected to come true"
        found.append(DueBar(title, within, number, parts, ticks_of, ticks_of == chosen, 100 * number / most))
    return DueStrip(clock.ahead(bars * wide).removeprefix("1 "), found, int(counts[-1]))
