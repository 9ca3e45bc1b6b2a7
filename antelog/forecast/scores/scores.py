"""Scores of chances against outcomes: sums of a fixed size, the same however a run is cut or divided."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, is_dataclass, replace
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa

from antelog.engine.columns.tables import Column
from antelog.errors import StateError
from antelog.escaping import json_text
from antelog.forecast.scores import scored_lines
from antelog.forecast.scores.calibration import Calibration, CalibrationResult, calibration, judged
from antelog.forecast.scores.scored_lines import Alerted, AlertSums, Loss, Losses, ScoredLines, no_alerts


@dataclass(frozen=True)
class LineCounts:
    """Lines with a chance, lines without, which are not scored, answers with a chance, and confirmed ones."""

    lines: int
    without: int
    answers: int
    confirmed: int
    base_rate: float | None  # the share of scored lines that are of confirmed answers


@dataclass(frozen=True)
class ScoreResult:
    """All results of a query; `program_alert` is that at the program's own threshold, if it has one."""

    counted: LineCounts
    brier: Loss
    log_loss: Loss
    calibration: CalibrationResult
    alerts: tuple[Alerted, ...]
    program_alert: Alerted | None = None


@dataclass(frozen=True, eq=False)
class Scores:
    """Sums over a query's answers: lines `without` a chance, `program` alerts at its own `threshold`."""

    without: int = 0
    losses: Losses = field(default_factory=Losses)
    calibration: Calibration = field(default_factory=Calibration)
    alerts: AlertSums = field(default_factory=AlertSums)
    threshold: float | None = None
    program: AlertSums = field(default_factory=lambda: no_alerts(1))

    def __add__(self, other: Scores) -> Scores:
        """Adds the sums; both have the same threshold, or one has none."""
        threshold = self.threshold if other.threshold is None else other.threshold
        sums = {name: own + vars(other)[name] for name, own in vars(self).items() if name != "threshold"}
        return Scores(**sums, threshold=threshold)

    def with_threshold(self, threshold: float | None) -> Scores:
        """Forgets the program's alerts so far if they had another threshold."""
        if threshold == self.threshold:
            return self
        return replace(self, threshold=threshold, program=no_alerts(1))


def scored(scores: Scores, decided: ScoredLines) -> Scores:
    """Adds decided answers, of each of which all lines are given."""
    if decided.count == 0:
        return scores
    lines = scored_lines.with_chance(decided)
    losses, alerts = scored_lines.losses(lines), scored_lines.alerts(lines)
    return scores + Scores(decided.count - lines.count, losses, calibration(lines), alerts)


def at_threshold(lines: ScoredLines, rang: ScoredLines, threshold: float) -> Scores:
    """Scores the program's alerts: an answer is alerted at a line, or rings between two of them."""
    every = scored_lines.with_chance(lines.and_then(rang))
    return Scores(threshold=threshold, program=scored_lines.alerts(every, (threshold,)))


def result(scores: Scores) -> ScoreResult:
    losses, alerts = scores.losses, scores.alerts
    rate, by_threshold = scored_lines.base_rate(losses), scored_lines.by_threshold
    counted = LineCounts(losses.lines, scores.without, alerts.answers, alerts.confirmed, rate)
    brier, log_loss = scored_lines.mean_losses(losses)
    program = None
    if scores.threshold is not None:
        (program,) = by_threshold(scores.program, (scores.threshold,))
    return ScoreResult(counted, brier, log_loss, judged(scores.calibration), by_threshold(alerts), program)


# ---- sums as plain values ----

# Most numbers of a column are 0. So a column is its shape, and each other number with its place.


def to_dict(scores: Scores) -> dict[str, Any]:
    """The sums as plain values, for JSON."""
    plain: dict[str, Any] = msgspec.to_builtins(scores, enc_hook=_placed)
    return plain


def _placed(column: Any) -> list[Any]:
    flat = column.ravel()
    at = np.flatnonzero(flat)
    return [column.shape, np.stack([at, flat.take(at)], axis=1).tolist()]


def from_dict(given: Any) -> Scores:
    """Back from plain values; raises StateError if they are no scores."""
    try:
        found = msgspec.convert(given, Scores, dec_hook=_column)
        if _shapes(found) != _shapes(Scores()):
            raise ValueError("a column is too short or too long")
    except (ValueError, IndexError) as error:
        raise StateError(f"these are not scores: {error}") from error
    return found


def _column(_kind: Any, given: Any) -> Column:
    shape, numbers = msgspec.convert(given, tuple[tuple[int, ...], list[tuple[int, int]]])
    column = np.zeros(shape, np.int64)
    for place, number in numbers:
        column.flat[place] = number
    return column


def _shapes(sums: Any) -> Any:
    return {n: _shapes(v) for n, v in vars(sums).items()} if is_dataclass(sums) else np.shape(sums)


# ---- a table ----

_REAL, _COUNT = pa.float64(), pa.int64()
_BIN = pa.struct(
    {
        "low": _REAL, "high": _REAL, "lines": _COUNT, "chance": _REAL, "confirmed": _REAL,
        "expected_low": _REAL, "expected_high": _REAL,
    }
)  # fmt: skip
_LEADS = ("lead_quarter", "lead_half", "lead_three_quarters")
_ALERT = pa.struct(
    {
        "threshold": _REAL, "alerts": _COUNT, "precision": _REAL, "found": _REAL,
        **dict.fromkeys(_LEADS, _COUNT),
    }
)  # fmt: skip
SCHEMA = pa.schema(
    {
        "query": pa.string(), "lines": _COUNT, "without": _COUNT, "answers": _COUNT, "confirmed": _COUNT,
        "base_rate": _REAL, "program_alert": _ALERT, "brier": _REAL, "brier_base": _REAL,
        "brier_skill": _REAL, "log_loss": _REAL, "log_loss_base": _REAL, "log_loss_skill": _REAL,
        "refuted": pa.bool_(), "visible_error": _REAL,
        "calibration_error": _REAL, "calibration_error_low": _REAL, "calibration_error_high": _REAL,
        "bins": pa.list_(_BIN), "alerts": pa.list_(_ALERT),
    }
)  # fmt: skip
"""A row for each query. Lead times are in ticks; what cannot be said is null."""


def table(by_query: Mapping[str, Scores]) -> pa.Table:
    return pa.Table.from_pylist([_row(query, result(each)) for query, each in by_query.items()], SCHEMA)


def _row(query: str, found: ScoreResult) -> dict[str, Any]:
    program, (low, high) = found.program_alert, found.calibration.interval or (None, None)
    row = {
        "query": query,
        **vars(found.counted),
        "program_alert": None if program is None else _alert(program),
        "refuted": found.calibration.refuted,
        "visible_error": found.calibration.visible,
        "calibration_error": found.calibration.error,
        "calibration_error_low": low,
        "calibration_error_high": high,
        "bins": [
            {**vars(each), "expected_low": each.expected[0], "expected_high": each.expected[1]}
            for each in found.calibration.bins
        ],
        "alerts": [_alert(each) for each in found.alerts],
    }
    for name, loss in (("brier", found.brier), ("log_loss", found.log_loss)):
        row |= {name: loss.mean, f"{name}_base": loss.base, f"{name}_skill": loss.skill}
    return row


def _alert(found: Alerted) -> dict[str, Any]:
    return {**vars(found), **dict(zip(_LEADS, found.lead or (None,) * 3, strict=True))}


def report_json(by_query: Mapping[str, Scores], tick: int | None = None) -> str:
    """The scores of each query. Lead times are in ticks; `tick` is its length in microseconds, if known."""
    return json_text({"tick_microseconds": tick, "queries": table(by_query).to_pylist()}) + "\n"
