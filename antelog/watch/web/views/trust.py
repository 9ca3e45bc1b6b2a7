"""Trust: the calibration of this stream's chances so far, and the lead of alerts.

`antelog score --output scores.html` writes the same view of recorded facts to a file, with all numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from antelog.forecast.reports import words
from antelog.forecast.reports.words import NONE, percent
from antelog.forecast.scores.scored_lines import Alerted, Loss
from antelog.forecast.scores.scores import ScoreResult, Scores, result
from antelog.watch.web.templating import render
from antelog.watch.web.views.context import ViewContext
from antelog.watch.web.views.figures import figures_of


def trust(scene: ViewContext) -> Markup:
    """Renders the view."""
    known, length = scene.board.trust, scene.clock.length
    found = [
        replace(_query(query, each, known.alerts(query), length), learning=known.wait(query, length))
        for query, each in known.results().items()
        if each.counted.lines
    ]
    return render("trust.html", queries=found, whole=False, seen_chances=scene.board.seen_chances)


def scores_page(by_query: Mapping[str, Scores], tick: int | None, title: str) -> str:
    """The view as a file that needs nothing else; `tick` is the length of one in microseconds, or None."""
    results = {query: result(each) for query, each in by_query.items()}
    found = [
        _query(query, each, each.program_alert or next(a for a in each.alerts if a.threshold == _USUAL), tick)
        for query, each in results.items()
        if each.counted.lines
    ]
    view = render("trust.html", queries=found, whole=True, seen_chances=bool(results))
    return render("export.html", title=title, view=view)


_USUAL = 0.8
"""The threshold of the tiles for a query that has none."""


@dataclass(frozen=True)
class TrustedQuery:
    """The scores of a query, at the threshold of its alert."""

    name: str
    counted: str
    verdict: str
    finding: str
    tiles: Sequence[tuple[str, str, str]]
    figures: Mapping[str, object]
    tables: Sequence[tuple[str, Sequence[str], Sequence[Sequence[str]]]]
    learning: str = ""


def _query(query: str, found: ScoreResult, alert: Alerted, length: int | None) -> TrustedQuery:
    others = [each for each in found.alerts if each.threshold != alert.threshold]
    found = replace(found, alerts=tuple(sorted([*others, alert], key=lambda each: each.threshold)))
    at = percent(alert.threshold)
    lead = NONE if alert.lead is None else words.lead(alert.lead[1], length)
    confirmed = f"of {words.count(found.counted.confirmed)}"
    alerts = [
        (f"Alerts from {at} that were right", percent(alert.precision), words.count(alert.alerts, "alert")),
        ("Confirmed answers with such an alert", percent(alert.found), confirmed),
        (f"Lead time of alerts from {at}", lead, "median of those that came true"),
    ]
    scores = [
        ("Lines scored", words.count(found.counted.lines), words.count(found.counted.answers, "answer")),
        ("Brier score", words.loss(found.brier.mean), _compared(found.brier)),
        ("Log loss", words.loss(found.log_loss.mean), _compared(found.log_loss)),
    ]
    if (error := found.calibration.error) is not None:
        interval = words.error_interval(found.calibration)
        scores.append(("Expected calibration error", words.points(error), interval))
    return TrustedQuery(
        query,
        words.counted(found.counted),
        words.verdict(found),
        words.finding(found),
        [*scores, *alerts] if found.program_alert is None else [*alerts, *scores],
        figures_of(found, length),
        [
            ("Calibration", words.BINS, [words.bin_row(each) for each in found.calibration.bins]),
            (
                "Alerts",
                ("alerted from", *words.ALERTS[1:]),
                [words.alert_row(each, length) for each in found.alerts],
            ),
        ],
    )


def _compared(found: Loss) -> str:
    return f"{words.compared(found)} ({words.loss(found.base)})"
