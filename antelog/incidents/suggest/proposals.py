"""Proposals: rules that hold up on incidents that they were not found in.

The time is cut into stretches with as many incidents. What is found outside one of them is judged in it, and
what comes of that in all of them must be more than chance explains. The rule is the one found in all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeAlias

import numpy as np

from antelog.compile.nodes.plan import Plan
from antelog.engine.columns.tables import NEVER, Column, Mask, Numbers, changed
from antelog.incidents.alerts import Alerts
from antelog.incidents.judging import FALSE, Incidents, JudgedSpan, Lead, judged
from antelog.incidents.suggest.conditions import Measure, measured, measures
from antelog.incidents.suggest.search import (
    Outcome,
    Rule,
    Search,
    Target,
    by_chance,
    costs,
    outcome,
    target_of,
)
from antelog.incidents.suggest.streams import Moments, Stream

_FOLDS = 3
_VOTE = 4.0  # of worth, for each fold in which a rule of the same measures was found
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
    facts: Facts, incidents: Incidents, lead: Lead, most: int, most_false: float, done: Done = lambda _: None
) -> Iterator[Proposal]:
    """At most so many rules, as long as each catches what none before did, by more than chance."""
    left = incidents
    for number in range(most):
        found = _next(facts, left, incidents, lead, most_false)
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


def _next(facts: Facts, left: Incidents, every: Incidents, lead: Lead, most_false: float) -> Proposal | None:
    """The best rule for incidents that are left; None if chance explains what it comes to unseen."""
    target = facts.target(left, lead, every)
    search = Search(target, facts.numbers, most_false)
    whole = search.best()
    if whole is None or len(whole.outcome.caught) < _FEWEST:
        return None
    folds = [
        (Search(train, facts.numbers, most_false).best(), train, test) for train, test in _folds(target, lead)
    ]
    unseen = Unseen.of(facts, [(found, test) for found, _, test in folds])
    if len(unseen.outcome.caught) < _FEWEST or unseen.chance > _SURE:
        return None
    chosen = _agreed(search, whole, [found for found, *_ in folds if found is not None])
    return Proposal(chosen, unseen.outcome, unseen.incidents, unseen.days)


@dataclass(frozen=True)
class Unseen:
    """What rules came to in the folds that they were not found in, and how likely chance does as well."""

    outcome: Outcome
    incidents: int
    days: float
    chance: float

    @classmethod
    def of(cls, facts: Facts, rules: Sequence[tuple[Rule | None, Target]]) -> Unseen:
        caught, right, false, chance = 0, 0, 0.0, 0.0
        for found, test in rules:
            if found is not None:
                came = outcome(test, facts.holding(found, test.held))
                caught += len(came.caught)
                right, false = right + came.right, false + came.false
                chance += test.chance * (came.right + came.false)
        alerts = right + false
        return cls(
            Outcome(frozenset(range(caught)), right, false),
            sum(test.incidents for _, test in rules),
            sum(test.days for _, test in rules),
            by_chance(right, round(alerts), chance / max(alerts, 1)),
        )


def _agreed(search: Search, whole: Rule, folds: Sequence[Rule]) -> Rule:
    """The rule found in all, or one found without a fold: each fold that finds its like speaks for it."""
    votes = Counter(each.measured for each in folds)
    rules = [whole, *(search.refined(each.conditions) for each in folds)]
    allowed = [each for each in rules if search.allowed(each)]
    return min(allowed, key=lambda each: (-each.worth - _VOTE * votes[each.measured], each.order))


def _folds(target: Target, lead: Lead) -> Iterator[tuple[Target, Target]]:
    """For each of some stretches of time with as many incidents: the rest to search in, and the stretch.

    The rest ends a lead before the stretch, and begins a lead after it.
    """
    begins = np.quantile(target.begin, np.arange(1, _FOLDS) / _FOLDS, method="higher")
    cuts = (begins - lead.most).tolist()
    for since, until in zip((-NEVER, *cuts), (*cuts, NEVER), strict=True):
        yield (
            target.part(partial(_outside, since - lead.most, until + lead.most), lead),
            target.part(partial(_inside, since, until), lead),
        )


def _inside(since: int, until: int, tick: Column, room: int) -> Mask:
    fits: Mask = (tick >= since + room) & (tick < until)
    return fits


def _outside(since: int, until: int, tick: Column, room: int) -> Mask:
    fits: Mask = (tick < since) | (tick >= until + room)
    return fits


def better_with(
    facts: Facts, rows: Column, incidents: Incidents, lead: Lead, most_false: float
) -> Proposal | None:
    """The condition that makes a rule better, which holds at some moments; None if none does, unseen, too."""
    target = replace(facts.target(incidents, lead, incidents), only=rows)
    search = Search(target, facts.numbers, most_false, most_conditions=1)
    alone, found = search.rule(()), search.best()
    if found is None or found.worth <= alone.worth + costs(found.conditions * 2):
        return None
    folds = list(_folds(target, lead))
    rules = [
        (Search(train, facts.numbers, most_false, most_conditions=1).best(), test) for train, test in folds
    ]
    nothing = Rule((), alone.outcome, alone.worth)
    with_it, without = Unseen.of(facts, rules), Unseen.of(facts, [(nothing, test) for _, test in folds])
    worth = [float(target.worth(len(each.outcome.caught), each.outcome.false)) for each in (with_it, without)]
    if worth[0] <= worth[1]:
        return None
    return Proposal(found, with_it.outcome, with_it.incidents, with_it.days)
