"""The view of the trust in chances: their calibration in this stream so far, and the lead time of alerts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from antelog.forecast.reports import words
from antelog.forecast.reports.words import NONE, count, percent
from antelog.forecast.scores.calibration import Bin
from antelog.forecast.scores.scored_lines import Alerted, Loss
from antelog.forecast.scores.scores import ScoreResult, Scores, result
from antelog.watch.board.scoring import USUAL
from antelog.watch.board.selection import SEVERITIES
from antelog.watch.web.templating import render
from antelog.watch.web.views.context import ViewContext
from antelog.watch.web.views.incidents import judged_part


def trust(scene: ViewContext) -> Markup:
    known, length = scene.board.trust, scene.clock.length
    found = [
        _query(query, each, known.alerts(query), length) | {"learning": known.wait(query, length)}
        for query, each in sorted(known.results().items(), key=lambda each: _worst_first(scene, each[0]))
        if each.counted.lines
    ]
    judged = None if scene.judged is None else judged_part(scene.judged)
    return render(
        "trust.html", queries=found, whole=False, seen_chances=scene.board.seen_chances, judged=judged
    )


def _worst_first(scene: ViewContext, query: str) -> tuple[int, str]:
    return SEVERITIES.index(scene.severity(query)), query


def scores_page(by_query: Mapping[str, Scores], tick: int | None, title: str) -> str:
    """Writes the view of recorded facts as a file, for `antelog score`; `tick` is in microseconds."""
    results = {query: result(each) for query, each in by_query.items()}
    found = [
        _query(query, each, each.program_alert or next(a for a in each.alerts if a.threshold == USUAL), tick)
        for query, each in results.items()
        if each.counted.lines
    ]
    view = render("trust.html", queries=found, whole=True, seen_chances=bool(results), judged=None)
    return render("export.html", title=title, view=view)


def _query(query: str, found: ScoreResult, alert: Alerted, length: int | None) -> dict[str, object]:
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
    bins = [words.bin_row(each) for each in found.calibration.bins]
    thresholds = [words.alert_row(each, length) for each in found.alerts]
    return {
        "name": query,
        "counted": words.counted(found.counted),
        "verdict": words.verdict(found),
        "finding": words.finding(found),
        "tiles": [*scores, *alerts] if found.program_alert is None else [*alerts, *scores],
        "figures": figures_of(found, length),
        "tables": [
            ("Calibration", words.BINS, bins),
            ("Alerts", ("alerted from", *words.ALERTS[1:]), thresholds),
        ],
        "learning": "",
    }


def _compared(found: Loss) -> str:
    return f"{words.compared(found)} ({words.loss(found.base)})"


# ---- the pictures of scores, each 360 units wide: three are side by side on a desk ----

_LEFT, _RIGHT, _TOP, _BOTTOM = 44, 346, 28, 284
_QUARTERS = (0, 0.25, 0.5, 0.75, 1)


@dataclass(frozen=True)
class Plane:
    """The scales of a picture: from 0 to `widest` to the right, from `low` to `high` upwards."""

    beside: Sequence[tuple[float, str]]
    below: Sequence[tuple[float, str]]
    widest: float = 1.0
    low: float = 0.0
    high: float = 1.0

    def x(self, number: float) -> float:
        return _LEFT + (_RIGHT - _LEFT) * number / self.widest

    def y(self, number: float) -> float:
        return _BOTTOM - (_BOTTOM - _TOP) * (number - self.low) / (self.high - self.low)


def _shares(numbers: Iterable[float]) -> list[tuple[float, str]]:
    return [(each, percent(abs(each))) for each in numbers]


def figures_of(found: ScoreResult, tick: int | None) -> dict[str, object]:
    """Computes the values of `figures.html`; `tick` is the length of one in microseconds."""
    bins, shown = found.calibration.bins, [each for each in found.alerts if each.lead is not None]
    sentences, explained = [words.sentence(each) for each in bins], words.example(found.calibration)
    early = _early(shown, tick)
    return {
        "explained": "" if explained is None else words.sentence(explained),
        "calibrated": words.calibrated(found.calibration),
        "bins": [(e, f"{s} {count(e.lines, 'line')}.") for e, s in zip(bins, sentences, strict=True)],
        "most": max((each.lines for each in bins), default=1),
        "right": Plane(_shares(_QUARTERS), _shares(_QUARTERS)),
        **_spread(bins),
        "early": early,
        "unit": words.unit_of(_longest(shown), tick)[0],
        "alerts": [
            (each, f"Alerts from {at}: {number}, of which {right} came true; lead time {lead}")
            for each, (at, number, right, _, lead) in ((each, words.alert_row(each, tick)) for each in shown)
        ],
        "labels": list(_labels(early, shown)),
    }


def _spread(bins: Sequence[Bin]) -> dict[str, object]:
    """Draws the columns of confirmed answers upwards, and those of the others downwards."""
    yes = [each.lines * each.confirmed for each in bins]
    no = [each.lines * (1 - each.confirmed) for each in bins]
    # The largest share of a bin, with some room for words.
    up, down = (1.12 * max(part) / sum(part) if sum(part) else 0.25 for part in (yes, no))
    step = words.steps(max(up, down), 4)[1]
    levels = [i * step for i in range(-8, 9) if -down <= i * step <= up]
    columns = [
        (each, way * lines / sum(part), f"{count(round(lines), 'line')} with a chance of {chances}", kind)
        for part, way, kind in ((yes, 1, "yes"), (no, -1, "no"))
        for each, lines in zip(bins, part, strict=True)
        if lines and (chances := words.percents(each.low, each.high))
    ]
    return {"spread": Plane(_shares(levels), _shares(_QUARTERS), low=-down, high=up), "columns": columns}


def _longest(shown: Sequence[Alerted]) -> int:
    return max((each.lead[2] for each in shown if each.lead), default=0)


def _early(shown: Sequence[Alerted], tick: int | None) -> Plane:
    most = _longest(shown)
    size = words.unit_of(most, tick)[1]
    steps = words.steps(most / size, 4)
    lowest = min((each.precision or 0.0 for each in shown), default=0.0)
    low, shares = (0.5, (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)) if lowest >= 0.55 else (0.0, _QUARTERS)
    return Plane(_shares(shares), [(n * size, words.short(n)) for n in steps], steps[-1] * size, low)


def _labels(plane: Plane, shown: Sequence[Alerted]) -> Iterator[tuple[float, float, str]]:
    """Puts labels beside marks, away from other marks and labels; one without room is left out."""
    spots = [(plane.x(each.lead[1]), plane.y(each.precision or 0.0)) for each in shown if each.lead]
    taken = list(spots)
    for (x, y), alerted in zip(spots, shown, strict=True):
        for dx, dy in ((0, -15), (24, -13), (-24, -13), (0, 15), (26, 0), (-26, 0)):
            at = x + dx, y + dy
            inside = _LEFT + 16 < at[0] < _RIGHT - 8 and _TOP - 10 < at[1] < _BOTTOM
            others = (each for each in taken if each != (x, y))
            if inside and not any(abs(o[0] - at[0]) < 26 and abs(o[1] - at[1]) < 12 for o in others):
                taken.append(at)
                yield at[0], at[1] + 4, percent(alerted.threshold)
                break
