"""Trust: the calibration of this stream's chances so far, and the lead of alerts.

The charts are those of `antelog score --output scores.html`, for the answers settled on this page.
"""

from __future__ import annotations

from collections.abc import Iterator

from antelog.forecast.reports import words
from antelog.forecast.reports.figures import Figure, figures_of
from antelog.forecast.reports.words import NONE, percent
from antelog.forecast.scores.scores import ScoreResult, result
from antelog.forecast.scores.thresholds import THRESHOLDS
from antelog.markup import Child, Html, tag
from antelog.watch.web.views.common import ViewContext, empty, section, table, tile

_TILED = THRESHOLDS.index(0.8)


def trust(scene: ViewContext) -> Html:
    """Renders the view."""
    scores = scene.board.trust.scores()
    found = {query: result(each) for query, each in scores.items()}
    scored = {query: each for query, each in found.items() if each.counted.lines}
    return tag(
        "div",
        section(
            "head",
            tag("h1", "Trust"),
            tag(
                "p",
                "Whether the chances came true that this page has seen, of answers that are decided by now.",
                class_="note",
            ),
            class_="head",
        ),
        [
            section(f"query-{query}", *_query(scene, query, each), class_="scored")
            for query, each in scored.items()
        ],
        section("none", *_none(scene)) if not scored else None,
        class_="page trust",
    )


def _none(scene: ViewContext) -> Iterator[Child]:
    if scene.board.has_chances:
        yield empty("Nothing to judge yet", "No answer with a chance is decided.")
    else:
        yield empty("There are no chances", "Declare chances in the program, or give a model with --model.")


def _query(scene: ViewContext, query: str, found: ScoreResult) -> Iterator[Child]:
    length = scene.clock.length
    yield tag("h2", query)
    yield tag("p", words.verdict(found), class_=f"verdict {words.finding(found)}")
    yield tag("dl", *_tiles(found, length), class_="tiles")
    yield tag("div", [_figure(each) for each in figures_of(found, length)], class_="figures")
    told = table(
        ("alerted from", *words.ALERTS[1:]), [words.alert_row(each, length) for each in found.alerts]
    )
    yield tag(
        "details",
        tag("summary", "Alerts in numbers"),
        told,
        class_="card",
        data_name="alerts",
    )


def _tiles(found: ScoreResult, length: int | None) -> Iterator[Child]:
    alert = found.alerts[_TILED]
    at = percent(alert.threshold)
    yield tile("Lines scored", found.counted.lines, words.count(found.counted.answers, "answer"))
    yield tile("Brier score", words.loss(found.brier.mean), words.compared(found.brier))
    yield tile(
        f"Alerts from {at} that were right", percent(alert.precision), words.count(alert.alerts, "alert")
    )
    lead = NONE if alert.lead is None else words.lead(alert.lead[1], length)
    yield tile(f"Lead time of alerts from {at}", lead, "median of those that came true")


def _figure(found: Figure) -> Html:
    caption = tag("figcaption", found.caption)
    return tag("figure", tag("h3", found.title), found.picture, caption, class_="card")
