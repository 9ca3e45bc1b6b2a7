"""The lists of answers: open ones, most urgent first, and decided ones, latest first, some rows at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from markupsafe import Markup

from antelog.answers import CLOSED
from antelog.engine.step.wording import LOST, unseen_since
from antelog.forecast.reports.words import NONE, count
from antelog.lines import awaited
from antelog.watch.board.answer_table import OUTCOMES, SORTS, ListRow, RowList
from antelog.watch.board.selection import GROUPS, AnswerFilter, Selection, decided_filter, first, selection_of
from antelog.watch.board.tracked_answer import Mark, TrackedAnswer, failed, marks, unseen
from antelog.watch.web.templating import render
from antelog.watch.web.views.charts import ChartRow, TimeAxis, TimeChart, lane, places
from antelog.watch.web.views.context import ViewContext, facets, names_of

_LINES, _DENSE = (
    (240, 145),
    (150, 100),
)  # pixels of a name on its two lines, and of what is above or before it
_EDGE = 0.03  # the share of answers that begin before the axis of all rows, and of those that end after it
_SORTS = {"urgent": "Urgency", "deadline": "Next deadline", "new": "Newest", "name": "Name"}
_BINS = 60  # of the histogram of decided answers, at most


def listing(scene: ViewContext) -> Markup:
    selection, tables, head = _selection(scene), scene.board.tables, scene.board.head
    care = tables.care(selection.filter)  # the order and the filter know then who cares
    seen, axis = tables.listing(selection), _axis(scene, selection.filter)
    counts = tables.open.facets(selection.filter)
    counts["query"] = dict.fromkeys(head.ticks, 0) | counts["query"]
    counts["care"] = care
    return render(
        "list.html",
        scene=scene,
        clock=scene.clock,
        selection=selection,
        facets=facets(scene, counts),
        rows=_rows(scene, selection, seen, axis),
        seen=seen,
        axis=axis,
        good=0 if scene.given.get("severity") else counts["severity"].get("good", 0),
        sorts=_SORTS,
        groups=[each for each in GROUPS if each != "key" or head.keys or head.program is None],
        group_names={"key": scene.key_name, "query": "Query", "none": "Answer"},
    )


def open_rows(scene: ViewContext) -> Markup:
    selection = _selection(scene)
    axis = _axis(scene, selection.filter)
    return _rows(scene, selection, scene.board.tables.listing(selection), axis)


def _selection(scene: ViewContext) -> Selection:
    """Parses the selection, without `good` answers unless the address asks for severities."""
    found = selection_of(scene.given)
    return replace(found, filter=found.filter.bad_only)


def _rows(scene: ViewContext, selection: Selection, seen: RowList, axis: TimeAxis) -> Markup:
    keys = [scene.key(each.answer) if selection.group == "none" else each.key for each in seen.rows]
    names = names_of(keys, *(_DENSE if scene.given.get("dense") else _LINES))
    return render(
        "rows.html",
        scene=scene,
        selection=selection,
        seen=seen,
        rows=[
            _row(scene, axis, each, selection) | {"name": names[key], "key": key}
            for each, key in zip(seen.rows, keys, strict=True)
        ],
        nothing=() if seen.total else _nothing(scene),
    )


def _axis(scene: ViewContext, wanted: AnswerFilter) -> TimeAxis:
    """Makes the axis of all rows: from when most of them are open to when most are decided."""
    table, at, wall = scene.board.tables.open, scene.clock.now, scene.clock.wall
    where = table.where(wanted)
    begin, end = table.quantile("since", _EDGE, where), table.quantile("deadline", 1 - _EDGE, where)
    ends = (each for each in (end, wall) if each is not None)
    return TimeAxis(scene.clock, at - (at if begin is None else begin), max([at, *ends]) - at)


# ---- rows of open answers ----


def _row(scene: ViewContext, axis: TimeAxis, found: ListRow, selection: Selection) -> dict[str, object]:
    """Prepares a row; `toggle` is the address that opens or closes it, and one of a query has no `group`."""
    answer = found.answer
    marked = marks(answer.line, scene.board.head.timescale)
    opened = [each for each in selection.opened if each != found.key]
    if not found.opened:
        opened.append(found.key)
    return {
        "row": found,
        "id": f"{'row' if found.count < 2 else 'group'}-{answer.id}",
        "why": list(_why(scene, answer, marked)),
        "lane": lane(axis, marked, answer),
        "toggle": scene.link(open=opened),
        "group": None if selection.group == "query" else scene.key(answer),
    }


def _why(scene: ViewContext, answer: TrackedAnswer, found: Sequence[Mark]) -> Iterator[str]:
    """Writes silent inputs, the number of known literals and the first awaited one, in few words."""
    line = answer.line
    yield from scene.unheard(answer)
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
    if scene.board.tick is None:
        return "Waiting for the first facts", "As soon as a fact supports an answer, it is listed here."
    good = sum(scene.severity(each.query) == "good" for each in scene.board.open.values())
    if scene.board.open and good == len(scene.board.open):
        return "All is well", f"{count(good, 'answer')} that say so are folded."
    if scene.board.open:
        return "No open answer fits", "Other words or fewer filters may."
    return "Nothing is open", f"At {scene.clock.at(scene.clock.now)} no answer is possible."


# ---- decided answers ----


def decided(scene: ViewContext) -> Markup:
    given = decided_filter(scene.given)
    wanted, table = given.bad_only, scene.board.tables.decided
    counts = {
        name: {value: number for value, number in counted.items() if number}
        for name, counted in table.facets(wanted).items()
    }
    return render(
        "decided.html",
        scene=scene,
        clock=scene.clock,
        facets=facets(scene, counts),
        number=table.count(table.where(wanted)),
        chart=_chart(scene, wanted),
        spans=_spans(scene),
        between=first(scene.given, "between"),
        said=_early(scene, wanted),
        good=counts["severity"].get("good", 0) if wanted is not given else 0,
        rows=decided_rows(scene),
        text=given.text,
    )


def decided_rows(scene: ViewContext) -> Markup:
    selection, table = selection_of(scene.given), scene.board.tables.decided
    where = table.where(decided_filter(scene.given).bad_only)
    shown = table.answers(where, SORTS["decided"], selection.start, selection.count)
    names = names_of(map(scene.key, shown), *_LINES)
    return render(
        "decided_rows.html",
        scene=scene,
        clock=scene.clock,
        start=selection.start,
        total=table.count(where),
        any=bool(scene.board.decided),
        none_yet=NONE,
        rows=[(each, names[scene.key(each)], because(scene, each)) for each in shown],
    )


def because(scene: ViewContext, answer: TrackedAnswer) -> str:
    """Writes what decided an answer: the fact that completed it or spoke against it, or what did not come."""
    line, scale, short = answer.line, scene.board.head.timescale, scene.clock.short

    def named(mark: Mark) -> str:
        return scene.shorter(answer, mark.literal.text(short))

    if found := unseen(line, scale):
        since = short(unseen_since(line))
        return f"lost for want of a fact, not seen since {since}: {named(found[0])}"
    if found := failed(line, scale):
        text = named(found[0])
        return f"averted by {text.removeprefix('not ')}" if found[0].negated else f"averted: no {text}"
    known = [each for each in marks(line, scale) if each.known]
    if answer.now.change == "confirmed" and known:
        return f"confirmed by {named(max(known, key=lambda each: -1 if each.tick is None else each.tick))}"
    return "the rules were changed" if answer.now.change == CLOSED else ""


def _early(scene: ViewContext, wanted: AnswerFilter) -> str:
    """Writes how long before they were decided confirmed answers were open, or likely."""
    table = scene.board.tables.decided
    every = table.where(wanted)
    total, confirmed = table.count(every), every.and_("kind = 'confirmed'")
    waited = table.quantile("waited", 0.5, confirmed)
    if waited is None:
        return f"{count(total, 'answer')}, none of them confirmed." if total else ""
    said = (
        f"{table.count(confirmed):,} of {count(total, 'answer')} confirmed, open for "
        f"{scene.clock.ahead(round(waited))} before (median)"
    )
    alerted = table.quantile("alerted", 0.5, confirmed)
    if alerted is not None:
        alerts = table.count(confirmed.and_("alerted IS NOT NULL"))
        said += f"; {count(alerts, 'alert')} that came true, {scene.clock.ahead(round(alerted))} before"
    return f"{said}."


def _chart(scene: ViewContext, wanted: AnswerFilter) -> TimeChart | None:
    bins = scene.board.tables.decided.histogram(wanted, _BINS)
    if not bins:
        return None
    kinds = [each for each in OUTCOMES if any(counts[each] for counts in bins.values())]
    begins, zone = places(scene.clock, [ticks[0] for ticks in bins])
    rows = []
    for at, (ticks, counts) in zip(begins, bins.items(), strict=True):
        numbers = [counts[kind] for kind in kinds]
        texts = [f"{number:,}" for number in numbers]
        rows.append(ChartRow(at, scene.clock.at(ticks[0]), numbers, texts, ticks))
    return TimeChart("Decided over time", "counts", ("from", *kinds), rows, zone)


def _spans(scene: ViewContext) -> Sequence[tuple[str, str]]:
    clock, oldest = scene.clock, next(iter(scene.board.decided.values()), None)
    if clock.length is None or oldest is None:
        return []
    found = []
    for name, seconds in (("15 minutes", 900), ("hour", 3600), ("day", 86_400), ("week", 604_800)):
        back = seconds * 1_000_000 // clock.length
        if 0 < back < clock.now - oldest.now.tick:
            found.append((name, f"{max(0, clock.now - back)}..{clock.now}"))
    return found
