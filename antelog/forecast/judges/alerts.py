"""Alerts: when the chance of an answer reaches what its query asks for, and when it falls well below.

    query Malf(X, T) alert 80%.
    chances 0.64, 0.85, 0.78, 0.69    likely at the second, unlikely at the fourth

In come the chances of answers tick by tick, also where only time has passed, out go the changes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from antelog.engine.columns.joins import find
from antelog.engine.columns.tables import Column, Mask, Numbers, in_order

FALL = 0.1
"""An answer is unlikely once its chance is so much below what made it likely."""

ROUNDED = 1e-9
"""By so little a chance may fall short: how it is rounded depends on what it is worked out together with."""


@dataclass(frozen=True, eq=False)
class Alerts:
    """The numbers of the answers that are likely at present."""

    likely: Column


NO_ALERTS = Alerts(np.zeros(0, np.int64))


@dataclass(frozen=True, eq=False)
class AlertChanges:
    """At which of the chances an answer becomes likely, or unlikely again."""

    row: Column
    likely: Mask


def alert_changes(
    before: Alerts, number: Column, tick: Column, chance: Numbers, threshold: float
) -> tuple[Alerts, AlertChanges]:
    """Which answers are likely after some chances, and at which that changes; NaN changes none."""
    if len(number) == 0:
        return before, AlertChanges(number, number > 0)
    order = in_order([number - number.min(), tick - tick.min()])
    own, level = number.take(order), chance.take(order)
    says = np.zeros(len(own), np.int64)
    says[level >= threshold - ROUNDED] = 1
    says[level < threshold - FALL - ROUNDED] = -1
    first = np.append([True], own[1:] != own[:-1])
    says[first & (says == 0)] = np.where(find(own, before.likely) >= 0, 1, -1)[first & (says == 0)]
    # What says nothing goes on as before; every answer's first one says something.
    at = np.maximum.accumulate(np.where(says != 0, np.arange(len(says)), 0))
    now = says.take(at)
    was = np.where(first, np.where(find(own, before.likely) >= 0, 1, -1), np.append([0], now[:-1]))
    changed = np.flatnonzero(now != was)
    last = np.append(first[1:], [True])
    likely = own[last & (now > 0)]
    others = before.likely[find(before.likely, own[last]) < 0]
    after = Alerts(np.sort(np.concatenate([others, likely])))
    return after, AlertChanges(order.take(changed), now.take(changed) > 0)


def without(alerts: Alerts, number: Column) -> Alerts:
    """The alerts without those of answers that are settled."""
    return Alerts(alerts.likely[find(alerts.likely, number) < 0])
