"""Sums as plain values for JSON, and back: nothing that is read is taken for right before it was looked at.

Of lead times only the places that are in use are written: `[[3, 12], [4, 7]]`, 12 of 3 ticks and 7 of 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import msgspec
import numpy as np

from antelog.arrow.ticks import LAST
from antelog.engine.columns.tables import Column
from antelog.errors import StateError
from antelog.forecast.scores.calibration import BINS, MOST, Blocks, Calibration
from antelog.forecast.scores.scored_lines import Losses
from antelog.forecast.scores.thresholds import PLACES, THRESHOLDS, AlertSums, ProgramAlerts

_Count = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
_Sum = Annotated[int, msgspec.Meta(ge=0, le=2**62)]
_Surplus = Annotated[int, msgspec.Meta(ge=-(2**62), le=2**62)]
_Counts = Annotated[list[_Count], msgspec.Meta(min_length=BINS, max_length=BINS)]
_Sums = Annotated[list[_Sum], msgspec.Meta(min_length=BINS, max_length=BINS)]
_Row = Annotated[list[_Surplus], msgspec.Meta(min_length=MOST, max_length=MOST)]
_Rows = Annotated[list[_Row], msgspec.Meta(min_length=BINS, max_length=BINS)]
_Lead = tuple[Annotated[int, msgspec.Meta(ge=0, lt=PLACES)], _Count]


class _Losses(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    lines: _Count
    confirmed: _Count
    brier: _Sum
    log: _Sum


class _Calibration(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    lines: _Counts
    confirmed: _Counts
    chance: _Sums
    pairs: _Sums
    surplus: _Rows
    first: Annotated[int, msgspec.Meta(ge=0, le=LAST)]
    last: Annotated[int, msgspec.Meta(ge=-1, le=LAST)]
    waited: _Sum


class _Threshold(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    chance: float
    alerted: _Count
    leads: list[_Lead]


class _Alerts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    answers: _Count
    confirmed: _Count
    thresholds: Annotated[
        list[_Threshold], msgspec.Meta(min_length=len(THRESHOLDS), max_length=len(THRESHOLDS))
    ]


class _ProgramAlerts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    answers: _Count
    confirmed: _Count
    threshold: _Threshold


class SavedScores(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    without: _Count
    losses: _Losses
    calibration: _Calibration
    alerts: _Alerts
    program: _ProgramAlerts | None = None


def _thresholds(sums: AlertSums, thresholds: Sequence[float]) -> list[_Threshold]:
    return [
        _Threshold(chance, int(count), [(int(at), int(row[at])) for at in np.flatnonzero(row)])
        for chance, count, row in zip(thresholds, sums.alerted, sums.leads, strict=True)
    ]


def saved(
    losses: Losses, calibration: Calibration, alerts: AlertSums, program: ProgramAlerts, without: int
) -> SavedScores:
    surplus = calibration.surplus
    return SavedScores(
        without,
        _Losses(losses.lines, losses.confirmed, losses.brier, losses.log),
        _Calibration(
            calibration.lines.tolist(),
            calibration.confirmed.tolist(),
            calibration.chance.tolist(),
            calibration.pairs.tolist(),
            surplus.sums.tolist(),
            surplus.first,
            surplus.last,
            calibration.waited,
        ),
        _Alerts(alerts.answers, alerts.confirmed, _thresholds(alerts, THRESHOLDS)),
        _saved_program(program),
    )


def _saved_program(program: ProgramAlerts) -> _ProgramAlerts | None:
    if program.threshold is None:
        return None
    (own,) = _thresholds(program.sums, (program.threshold,))
    return _ProgramAlerts(program.sums.answers, program.sums.confirmed, own)


def read(given: Any) -> SavedScores:
    """Plain values as saved sums. Raises StateError if they are no sums of any scores."""
    try:
        found = msgspec.convert(given, SavedScores)
    except msgspec.ValidationError as error:
        raise StateError(f"these are no scores: {error}") from error
    return found


def losses(found: SavedScores) -> Losses:
    own = found.losses
    return Losses(own.lines, own.confirmed, own.brier, own.log)


def calibration(found: SavedScores) -> Calibration:
    own = found.calibration
    surplus = Blocks(np.array(own.surplus, np.int64), own.first, own.last)
    lines, confirmed, chance, pairs = map(_column, (own.lines, own.confirmed, own.chance, own.pairs))
    return Calibration(lines, confirmed, chance, pairs, surplus, own.waited)


def alerts(found: SavedScores) -> AlertSums:
    own = found.alerts
    return _alert_sums(own.answers, own.confirmed, own.thresholds)


def program_alerts(found: SavedScores) -> ProgramAlerts:
    own = found.program
    if own is None:
        return ProgramAlerts()
    return ProgramAlerts(own.threshold.chance, _alert_sums(own.answers, own.confirmed, [own.threshold]))


def _alert_sums(answers: int, confirmed: int, thresholds: Sequence[_Threshold]) -> AlertSums:
    leads = np.zeros((len(thresholds), PLACES), np.int64)
    for number, threshold in enumerate(thresholds):
        for place, count in threshold.leads:
            leads[number, place] = count
    return AlertSums(answers, confirmed, _column([each.alerted for each in thresholds]), leads)


def _column(values: list[int]) -> Column:
    return np.array(values, np.int64)
