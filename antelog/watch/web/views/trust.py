"""Trust: the calibration of this stream's chances so far, and the lead of alerts.

The charts are those of `antelog score --output scores.html`, for the answers decided on this page.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from antelog.forecast.reports import words
from antelog.forecast.reports.figures import Figure, figures_of
from antelog.forecast.reports.words import NONE, percent
from antelog.forecast.scores.scores import ScoreResult
from antelog.watch.web.templating import render
from antelog.watch.web.views.context import ViewContext


def trust(scene: ViewContext) -> Markup:
    """Renders the view."""
    found = [
        _query(scene, query, each)
        for query, each in scene.board.trust.results().items()
        if each.counted.lines
    ]
    return render("trust.html", scene=scene, queries=found)


@dataclass(frozen=True)
class TrustedQuery:
    """The scores of a query, at the threshold of its alert."""

    name: str
    verdict: str
    finding: str
    learning: str
    tiles: Sequence[tuple[str, str, str]]
    figures: Sequence[Figure]
    heads: Sequence[str]
    alerts: Sequence[Sequence[str]]


def _of_confirmed(found: ScoreResult) -> str:
    return f"of {words.count(found.counted.confirmed)}"


def _query(scene: ViewContext, query: str, found: ScoreResult) -> TrustedQuery:
    length = scene.clock.length
    alert = scene.board.trust.alerts(query)
    others = [each for each in found.alerts if each.threshold != alert.threshold]
    found = replace(found, alerts=tuple(sorted([*others, alert], key=lambda each: each.threshold)))
    at = percent(alert.threshold)
    lead = NONE if alert.lead is None else words.lead(alert.lead[1], length)
    alerts = [
        (f"Alerts from {at} that were right", percent(alert.precision), words.count(alert.alerts, "alert")),
        ("Confirmed answers with such an alert", percent(alert.found), _of_confirmed(found)),
        (f"Lead time of alerts from {at}", lead, "median of those that came true"),
    ]
    scores = [
        ("Lines scored", words.count(found.counted.lines), words.count(found.counted.answers, "answer")),
        ("Brier score", words.loss(found.brier.mean), words.compared(found.brier)),
    ]
    if (error := found.calibration.error) is not None:
        scores.append(("Expected calibration error", words.points(error.mean), words.error_interval(error)))
    tiles = [*scores, *alerts] if found.program_alert is None else [*alerts, *scores]
    return TrustedQuery(
        query,
        words.verdict(found),
        words.finding(found),
        scene.board.trust.wait(query, length),
        tiles,
        figures_of(found, length),
        ("alerted from", *words.ALERTS[1:]),
        [words.alert_row(each, length) for each in found.alerts],
    )
