"""The view of decided answers: what was confirmed and rejected, when, and why, the latest first.

    ?kind=confirmed&query=Malf&between=17..29

A stretch that is drawn in the histogram becomes `between`. Rows are loaded as they are scrolled to.
"""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from antelog.engine.step.wording import unseen_since
from antelog.forecast.reports.words import NONE, count
from antelog.watch.board.answer_table import OUTCOMES, SORTS
from antelog.watch.board.selection import AnswerFilter, decided_filter, first, selection_of
from antelog.watch.board.tracked_answer import TrackedAnswer, failed, marks, unseen
from antelog.watch.web.templating import render
from antelog.watch.web.views.charts import ChartRow, TimeChart, places
from antelog.watch.web.views.context import ViewContext, cut, facets

_BINS = 60


def decided(scene: ViewContext) -> Markup:
    """Renders the view, with the rows that the address asks for."""
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
        rows=listed(scene),
        text=given.text,
    )


def listed(scene: ViewContext) -> Markup:
    """Renders some rows, with their positions among all."""
    selection, table = selection_of(scene.given), scene.board.tables.decided
    where = table.where(decided_filter(scene.given).bad_only)
    return render(
        "decided_rows.html",
        scene=scene,
        clock=scene.clock,
        start=selection.start,
        total=table.count(where),
        any=bool(scene.board.decided),
        none_yet=NONE,
        rows=[
            (each, cut(scene.key(each)), because(scene, each))
            for each in table.answers(where, SORTS["decided"], selection.start, selection.count)
        ],
    )


def because(scene: ViewContext, answer: TrackedAnswer) -> str:
    """Writes the literal that nobody could see, else the first failed hypothesis, or the last evidence."""
    scale, short = scene.board.head.timescale, scene.clock.short
    if found := unseen(answer.line, scale):
        since = short(unseen_since(answer.line))
        return f"not seen since {since}: {scene.shorter(answer, found[0].literal.text(short))}"
    found = failed(answer.line, scale)
    if not found and answer.now.change == "confirmed":
        known = [each for each in marks(answer.line, scale) if each.known]
        found = sorted(known, key=lambda each: -1 if each.tick is None else each.tick, reverse=True)
    return scene.shorter(answer, found[0].literal.text(short)) if found else NONE


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
    """Draws how many were decided when; None if there are none."""
    bins = scene.board.tables.decided.histogram(wanted, _BINS)
    if not bins:
        return None
    kinds = [each for each in OUTCOMES if any(one.counts[each] for one in bins)]
    begins, zone = places(scene.clock, [each.ticks[0] for each in bins])
    rows = []
    for at, each in zip(begins, bins, strict=True):
        numbers = [each.counts[kind] for kind in kinds]
        texts = [f"{number:,}" for number in numbers]
        rows.append(ChartRow(at, scene.clock.at(each.ticks[0]), numbers, texts, each.ticks))
    return TimeChart("Decided over time", "counts", ("from", *kinds), rows, zone)


def _spans(scene: ViewContext) -> Sequence[tuple[str, str]]:
    """Lists round stretches of time up to now that do not have all answers, with their ticks."""
    clock, oldest = scene.clock, next(iter(scene.board.decided.values()), None)
    if clock.length is None or oldest is None:
        return []
    found = []
    for name, seconds in (("15 minutes", 900), ("hour", 3600), ("day", 86_400), ("week", 604_800)):
        back = seconds * 1_000_000 // clock.length
        if 0 < back < clock.now - oldest.now.tick:
            found.append((name, f"{max(0, clock.now - back)}..{clock.now}"))
    return found
