"""Decided: what was confirmed and rejected, when, and why, the latest first.

    ?kind=confirmed&query=Malf&between=17..29

The histogram shows when; a stretch of it that is drawn becomes `between`. Rows are loaded as they are
scrolled to.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup

from antelog.engine.step.wording import unseen_since
from antelog.forecast.reports.words import NONE, count
from antelog.watch.board.answer_index import most_common
from antelog.watch.board.decided_answers import KINDS, OUTCOMES, ChosenAnswers, ticks_alerted, ticks_open
from antelog.watch.board.explanations import failed, marks, unseen
from antelog.watch.board.selection import SEVERITIES, Given, first, selection_of
from antelog.watch.board.tracked_answer import TrackedAnswer
from antelog.watch.web.templating import render
from antelog.watch.web.views.charts import ChartRow, TimeChart
from antelog.watch.web.views.context import ViewContext
from antelog.watch.web.views.facets import Facet, facet
from antelog.watch.web.views.names import CutName, cut, key_name, shorter

_BINS = 60
_PREFIXES = 8


def decided(scene: ViewContext) -> Markup:
    """Renders the view, with the rows that the address asks for."""
    given = folded(scene.given)
    found, counts = scene.decided.chosen(given), scene.decided.facets(given)
    return render(
        "decided.html",
        scene=scene,
        clock=scene.clock,
        facets=list(_facets(scene, counts)),
        number=len(found),
        chart=_chart(scene, given),
        spans=_spans(scene),
        between=first(scene.given, "between"),
        said=_said(scene, found),
        good=counts["severity"].get("good", 0) if given is not scene.given else 0,
        rows=rows(scene, found),
        text=selection_of(scene.given).filter.text,
    )


def listed(scene: ViewContext) -> Markup:
    """Renders some rows, with their positions among all."""
    return rows(scene, scene.decided.chosen(folded(scene.given)))


def folded(given: Given) -> Given:
    """The parameters without what is good, unless they ask for severities."""
    if given.get("severity"):
        return given
    return {**given, "severity": [each for each in SEVERITIES if each != "good"]}


@dataclass(frozen=True)
class DecidedRow:
    """A row as it is shown; `because` is what failed or what completed it."""

    answer: TrackedAnswer
    name: CutName
    because: str
    open_for: str
    alerted: str


def rows(scene: ViewContext, found: ChosenAnswers) -> Markup:
    """Renders rows of the list."""
    selection = selection_of(scene.given)
    shown = found.part(selection.start, selection.count)
    return render(
        "decided_rows.html",
        scene=scene,
        clock=scene.clock,
        start=selection.start,
        total=len(found),
        any=bool(scene.board.decided),
        rows=[_row(scene, each) for each in shown],
    )


def _row(scene: ViewContext, answer: TrackedAnswer) -> DecidedRow:
    alerted = ticks_alerted(answer)
    return DecidedRow(
        answer,
        cut(scene.board.head.key_of(answer)),
        because(scene, answer),
        scene.clock.ahead(ticks_open(answer)),
        NONE if alerted is None else scene.clock.ahead(alerted),
    )


def because(scene: ViewContext, answer: TrackedAnswer) -> str:
    """The literal that nobody could see, else the first hypothesis that failed, or the last evidence."""
    if found := unseen(answer.line, scene.board.head.timescale):
        text = shorter(scene, answer, found[0].literal.text(scene.clock.short))
        return f"not seen since {scene.clock.short(unseen_since(answer.line))}: {text}"
    if found := failed(answer.line, scene.board.head.timescale):
        return shorter(scene, answer, found[0].literal.text(scene.clock.short))
    known = [each for each in marks(answer.line, scene.board.head.timescale) if each.known]
    last = max(known, key=lambda each: -1 if each.tick is None else each.tick, default=None)
    if last is None or answer.now.change != "confirmed":
        return NONE
    return shorter(scene, answer, last.literal.text(scene.clock.short))


def _said(scene: ViewContext, found: ChosenAnswers) -> str:
    """How early those that were confirmed were known."""
    confirmed, alerted = len(found.waited), found.alerted[found.alerted >= 0]
    if not confirmed:
        return f"{count(len(found), 'answer')}, none of them confirmed." if len(found) else ""
    early = scene.clock.ahead(round(float(np.median(found.waited))))
    said = f"{confirmed:,} of {count(len(found), 'answer')} confirmed, open for {early} before (median)"
    if len(alerted):
        ahead = scene.clock.ahead(round(float(np.median(alerted))))
        said += f"; {count(len(alerted), 'alert')} that came true, {ahead} before"
    return f"{said}."


def _facets(scene: ViewContext, counts: Mapping[str, Mapping[str, int]]) -> Iterator[Facet]:
    titles = {"kind": "Became", "severity": "Severity", "query": "Query", "prefix": key_name(scene)}
    orders: Mapping[str, Sequence[str]] = {"kind": KINDS, "severity": SEVERITIES}
    for name, title in titles.items():
        wanted = set(scene.given.get(name, ())) - {""}
        known = {*counts[name], *wanted}
        if name == "prefix":
            known = {*most_common(counts[name], _PREFIXES), *wanted}
            if len(counts[name]) > 4 * _PREFIXES and not wanted:
                continue
        values = [each for each in orders.get(name, sorted(known)) if each in known]
        if len(values) > 1 or wanted:
            yield facet(name, title, values, counts[name], wanted)


def _chart(scene: ViewContext, given: Given) -> TimeChart | None:
    """How many were decided when; None if there are none."""
    bins = scene.decided.histogram(given, _BINS)
    if not bins:
        return None
    kinds = [each for each in OUTCOMES if any(one.counts[each] for one in bins)]
    timed = scene.clock.milliseconds(bins[0].ticks[0]) is not None
    rows = []
    for each in bins:
        tick, numbers = each.ticks[0], [each.counts[kind] for kind in kinds]
        begin = scene.clock.milliseconds(tick - 1) if timed else None
        at, texts = float(tick if begin is None else begin), [f"{number:,}" for number in numbers]
        rows.append(ChartRow(at, scene.clock.at(tick), numbers, texts, each.ticks))
    return TimeChart("Decided over time", "counts", ("from", *kinds), rows, scene.clock.zone if timed else "")


@dataclass(frozen=True)
class TimeSpan:
    """A stretch of time up to now, to choose."""

    text: str
    between: str


def _spans(scene: ViewContext) -> Sequence[TimeSpan]:
    """Round stretches of time that some of the answers lie in, and some do not."""
    clock, oldest = scene.clock, next(iter(scene.board.decided.values()), None)
    if clock.length is None or oldest is None:
        return []
    found = []
    for name, seconds in (("15 minutes", 900), ("hour", 3600), ("day", 86_400), ("week", 604_800)):
        back = seconds * 1_000_000 // clock.length
        if 0 < back < clock.now - oldest.now.tick:
            found.append(TimeSpan(name, f"{max(0, clock.now - back)}..{clock.now}"))
    return found
