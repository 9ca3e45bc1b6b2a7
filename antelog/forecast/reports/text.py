"""Scores as text for a terminal of 80 columns, and notes on streams that are too short to learn from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import ceil, floor, log10

from antelog.escaping import shown
from antelog.forecast.reports import words
from antelog.forecast.reports.words import percent, wrapped
from antelog.forecast.scores.scored_lines import Loss
from antelog.forecast.scores.scores import ScoreResult, Scores, result

_WIDTH = 78


def report_text(by_query: Mapping[str, Scores], tick: int | None = None) -> str:
    """How good the chances of each query were. `tick`: how long one is, in microseconds, if that is known."""
    parts = ["\n".join(_query(query, result(each), tick)) for query, each in by_query.items()]
    return "\n\n".join(parts or ["No query has chances."]) + "\n"


def _query(query: str, found: ScoreResult, tick: int | None) -> Iterator[str]:
    name, counted = shown(query), found.counted
    yield name
    yield "=" * len(name)
    if not counted.lines:
        yield from wrapped("No answer with a chance is decided yet: there is nothing to score.", _WIDTH)
        return
    yield from wrapped(words.counted(counted), _WIDTH)
    yield ""
    if found.program_alert is not None:
        yield from wrapped(words.program_alert(found.program_alert, tick), _WIDTH)
        yield ""
    yield _loss("Brier score", found.brier)
    yield _loss("Log loss", found.log_loss)
    yield from wrapped(
        f"The base rate is {percent(counted.base_rate)}: the share of these lines whose answers were "
        "confirmed, the same for every line. It is known only afterwards.",
        _WIDTH,
    )
    yield ""
    yield from _calibration(found)
    yield ""
    yield from wrapped("Had you been alerted as soon as the chance reached a threshold:", _WIDTH)
    yield from _table([words.ALERTS, *(words.alert_row(each, tick) for each in found.alerts)])


def _loss(name: str, found: Loss) -> str:
    return f"{name:<11}  {words.loss(found.mean)}  {words.compared(found)} ({words.loss(found.base)})"


def _calibration(found: ScoreResult) -> Iterator[str]:
    yield from wrapped(words.verdict(found), _WIDTH)
    calibration = found.calibration
    if calibration.error is not None:
        yield from wrapped(words.error(calibration.error), _WIDTH)
    yield from _table([words.BINS, *map(words.bin_row, calibration.bins)])
    if (bin_ := words.example(calibration)) is not None:
        yield from wrapped(words.sentence(bin_) + " An answer counts once for each line.", _WIDTH)


def _table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """All columns to the right, the last one to the left."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for *numbers, last in rows:
        cells = [f"{cell:>{width}}" for cell, width in zip(numbers, widths, strict=False)]
        yield f"  {'   '.join([*cells, last])}".rstrip()


ENOUGH = 75
"""From so many decided answers on learned chances mostly beat the base rate.

Measured on the nineteen recorded streams of `docs/forecast-results.md`, by log loss: on 11 to 12 of them with
20 to 75 answers decided, on 15 to 16 with 75 to 150.
"""


def short_streams(decided: Mapping[str, int], ticks: int, tick: int | None) -> Iterator[str]:
    """Notes on queries with too few decided answers, given how many each has after some `ticks`.

    `tick` is the length of one in microseconds, or None.
    """
    for query, answers in decided.items():
        if answers < ENOUGH:
            enough = f"learned chances are of use from some {ENOUGH} on"
            are = "is" if answers <= 1 else "are"
            so_far = f"{words.count(answers, 'answer') if answers else 'no answer'} {are} decided"
            yield f"{query}: {so_far}; {enough}{ahead(answers, ENOUGH, ticks, tick)}"


def ahead(answers: int, enough: int, ticks: int, tick: int | None) -> str:
    """The time until enough answers are decided, if they go on at this pace: so many after some `ticks`."""
    if not answers:
        return ""
    more = ceil(ticks * (enough - answers) / answers)
    two_digits = int(round(more, -max(floor(log10(max(more, 1))) - 1, 0)))
    return f", about {words.lead(two_digits, tick)} more at this pace"
