"""Proposals: rules that hold up on incidents that they were not found in.

The time is cut into stretches with as many incidents. What is found outside one of them is judged in it, and
what comes of that in all of them must be more than chance explains. The rule is the one found in all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from antelog.compile.nodes.plan import Plan
from antelog.engine.columns.tables import NEVER, Column, Numbers, changed
from antelog.incidents.alerts import Alerts
from antelog.incidents.judging import FALSE, Incidents, JudgedSpan, Lead, judged
from antelog.incidents.suggest.conditions import Condition, Measure, measured, measures
from antelog.incidents.suggest.search import Outcome, Rule, Search, Target, by_chance, outcome, target_of
from antelog.incidents.suggest.streams import Moments, Stream

_FOLDS = 3
_SURE = 0.005  # what chance may explain
_FEWEST = 3  # the incidents that a rule catches at least, and its folds together
MOST_MOMENTS = 120_000  # more are not looked at, but a sample
_STRETCH = 4  # times as long as an alert is on are stretches of a sample
_DAY = 86_400_000_000  # microseconds
Done: TypeAlias = Callable[[float], None]


@dataclass(frozen=True)
class Proposal:
    """A rule found in all incidents, and what rules found without a fold came to in it, for all folds."""

    rule: Rule
    unseen: Outcome
    incidents: int
    days: float


@dataclass(frozen=True, eq=False)
class Facts:
    """What proposals are made from: measures of moments, or of a sample of them."""

    plan: Plan
    streams: Sequence[Stream]
    moments: Moments
    numbers: Mapping[Measure, Numbers]
    span: JudgedSpan

    @classmethod
    def of(
        cls,
        plan: Plan,
        streams: Sequence[Stream],
        incidents: Incidents,
        lead: Lead,
        done: Done = lambda _: None,
    ) -> Facts:
        """Measures all; `done` is told how much of it is done, as it goes."""
        every = Moments.of(streams)
        base = next(number for number, each in enumerate(streams) if each is every.base)
        span = JudgedSpan(int(every.tick.min()), int(every.tick.max()))
        moments = _sample(every, incidents, lead, span)
        wanted = list(measures(streams, windows_of(lead), plan, base))
        found = dict[Measure, Numbers]()
        for number, each in enumerate(wanted):
            numbers = measured(each, streams, moments, plan)
            if not np.all(np.isnan(numbers)):
                found[each] = numbers
            done((number + 1) / len(wanted))
        return cls(plan, streams, moments, found, span)

    @property
    def days(self) -> float:
        """The days that facts are about; thousands of ticks if these have no length."""
        ticks = self.span.last - self.span.first + 1
        return float(ticks * self.plan.tick / _DAY if self.plan.tick is not None else ticks / 1000)

    def holding(self, rule: Rule, rows: Column | None = None) -> Column:
        """The moments, among some rows of them, at which a rule holds."""
        rows = np.arange(self.moments.count) if rows is None else rows
        for each in rule.conditions:
            rows = rows[each.holds(self.numbers[each.measure][rows])]
        return rows

    def target(self, incidents: Incidents, lead: Lead, others: Incidents) -> Target:
        return target_of(self.moments, incidents, lead, self.span, self.days, others)


def _sample(every: Moments, incidents: Incidents, lead: Lead, span: JudgedSpan) -> Moments:
    """All moments near incidents, and of the others stretches of time by chance, if they are too many."""
    if every.count <= MOST_MOMENTS:
        return every
    alerts = Alerts(np.zeros_like(every.key), every.key, every.tick, every.tick)
    near = judged(alerts, incidents, lead, span).kind != FALSE
    stretch = np.cumsum(changed(every.code // (_STRETCH * (lead.settle + 1)))) - 1
    kept = np.bincount(stretch, near) > 0
    share = max(MOST_MOMENTS - int(kept[stretch].sum()), MOST_MOMENTS // 4) / every.count
    chosen = np.random.default_rng(0).random(len(kept)) < share
    rows = np.flatnonzero((kept | chosen)[stretch])
    return every.take(rows, np.where(kept[stretch[rows]], 1.0, 1 / share))


def windows_of(lead: Lead) -> list[int]:
    """The ticks of ranges that are tried, up to the upper lead: 1, 2, 3, 6, 12, 24, …"""
    found = [1, 2, 3]
    while found[-1] * 2 <= lead.most:
        found.append(found[-1] * 2)
    return [each for each in found if each <= max(lead.most, 1)]


def proposals(
    facts: Facts,
    incidents: Incidents,
    lead: Lead,
    most: int,
    most_false: float,
    done: Done = lambda _: None,
    start: Sequence[Condition] = (),
) -> Iterator[Proposal]:
    """At most so many rules, as long as each catches what none before did, by more than chance."""
    left = incidents
    for number in range(most):
        found = _next(facts, left, incidents, lead, most_false, start)
        done((number + 1) / most)
        if found is None:
            return
        yield found
        counted = np.flatnonzero(
            (left.begin >= facts.span.first + lead.most) & (left.begin <= facts.span.last)
        )
        caught = counted[sorted(found.rule.outcome.caught)]
        if len(caught) == len(counted):
            return
        left = left.take(np.setdiff1d(np.arange(left.count), caught))


def _next(
    facts: Facts, left: Incidents, every: Incidents, lead: Lead, most_false: float, start: Sequence[Condition]
) -> Proposal | None:
    """The best rule for incidents that are left; None if chance explains what it comes to unseen."""
    target = facts.target(left, lead, every)
    whole = Search(target, facts.numbers, most_false).best(start)
    if whole is None or len(whole.outcome.caught) < _FEWEST:
        return None
    caught, right, false, chance, days, number = 0, 0, 0.0, 0.0, 0.0, 0
    for train, test in _folds(target, lead):
        found = Search(train, facts.numbers, most_false).best(start)
        number += test.incidents
        days += test.days
        if found is None:
            continue
        came = outcome(test, facts.holding(found, test.rows))
        caught += len(came.caught)
        right, false = right + came.right, false + came.false
        chance += test.chance * (came.right + came.false)
    alerts = right + false
    if caught < _FEWEST or by_chance(right, round(alerts), chance / max(alerts, 1)) > _SURE:
        return None
    return Proposal(whole, Outcome(frozenset(range(caught)), right, false), number, days)


def _folds(target: Target, lead: Lead) -> Iterator[tuple[Target, Target]]:
    """For each of some stretches of time with as many incidents: the rest to search in, and the stretch.

    The rest ends a lead before the stretch, and begins a lead after it.
    """
    begins = np.quantile(target.begin, np.arange(1, _FOLDS) / _FOLDS, method="higher")
    cuts = (begins - lead.most).tolist()
    for since, until in zip((-NEVER, *cuts), (*cuts, NEVER), strict=True):
        yield (
            target.part(
                lambda tick, room: ~((tick >= since - lead.most) & (tick < until + lead.most + room)), lead
            ),  # noqa: B023
            target.part(lambda tick, room: (tick >= since + room) & (tick < until), lead),  # noqa: B023
        )
