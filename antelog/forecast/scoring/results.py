"""What the sums of a query say: everything that its table, its text and its page show."""

from __future__ import annotations

from dataclasses import dataclass

from antelog.forecast.scoring.alerts import Alerted, Alerts, by_threshold
from antelog.forecast.scoring.bands import Judged, judged
from antelog.forecast.scoring.calibration import Calibration
from antelog.forecast.scoring.losses import Loss, Losses, base_rate, brier, log_loss


@dataclass(frozen=True)
class Counted:
    """Lines told with a chance and lines told without, which are not scored; answers told with a chance,
    and how many of these were confirmed; the share of scored lines that are of confirmed answers."""

    lines: int
    without: int
    answers: int
    confirmed: int
    base_rate: float | None


@dataclass(frozen=True)
class Result:
    counted: Counted
    brier: Loss
    log_loss: Loss
    calibration: Judged
    alerts: tuple[Alerted, ...]


def result(losses: Losses, calibration: Calibration, alerts: Alerts, without: int) -> Result:
    counted = Counted(losses.lines, without, alerts.answers, alerts.confirmed, base_rate(losses))
    return Result(counted, brier(losses), log_loss(losses), judged(calibration), by_threshold(alerts))
