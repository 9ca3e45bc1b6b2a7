"""Proposals: rules that hold up on the half of the incidents that they were not found in.

The incidents are cut in halves by time. A rule that is found in one half is judged in the other, both ways,
and what it says there must be more than chance explains. Then the rule is searched in all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from antelog.compile.nodes.plan import Plan
from antelog.engine.columns.tables import Column, Numbers
from antelog.incidents.judging import Incidents, JudgedSpan, Lead
from antelog.incidents.suggest.conditions import Measure, measured, measures
from antelog.incidents.suggest.search import Outcome, Rule, Search, Target, by_chance, outcome, target_of
from antelog.incidents.suggest.streams import Moments, Stream

_SURE = 0.005  # what chance may explain
_FEWEST = 3  # the incidents that a rule catches at least, and its unseen halves together
_DAY = 86_400_000_000  # microseconds


@dataclass(frozen=True)
class Proposal:
    """A rule found in all incidents, and what the rules of the halves came to in the other halves."""

    rule: Rule
    unseen: Outcome
    incidents: int
    days: float


@dataclass(frozen=True, eq=False)
class Facts:
    """What proposals are made from."""

    plan: Plan
    streams: Sequence[Stream]
    moments: Moments
    numbers: Mapping[Measure, Numbers]

    @classmethod
    def of(cls, plan: Plan, streams: Sequence[Stream], lead: Lead) -> Facts:
        moments = Moments.of(streams)
        base = next(number for number, each in enumerate(streams) if each is moments.base)
        found = {
            each: measured(each, streams, moments, plan)
            for each in measures(streams, windows_of(lead), plan, base)
        }
        usable = {each: numbers for each, numbers in found.items() if not np.all(np.isnan(numbers))}
        return cls(plan, streams, moments, usable)

    @property
    def span(self) -> JudgedSpan:
        return JudgedSpan(int(self.moments.tick.min()), int(self.moments.tick.max()))

    def days(self, span: JudgedSpan) -> float:
        """The days of a span, of all keys together; thousands of ticks if these have no length."""
        ticks = span.last - span.first + 1
        return float(ticks * self.plan.tick / _DAY if self.plan.tick is not None else ticks / 1000)

    def holding(self, rule: Rule, rows: Column | None = None) -> Column:
        """The moments, among some rows of them, at which a rule holds."""
        rows = np.arange(self.moments.count) if rows is None else rows
        for each in rule.conditions:
            rows = rows[each.holds(self.numbers[each.measure][rows])]
        return rows

    def target(self, incidents: Incidents, lead: Lead, span: JudgedSpan) -> Target:
        return target_of(self.moments, incidents, lead, span, self.days(span))


def windows_of(lead: Lead) -> list[int]:
    """The ticks of ranges that are tried, up to the upper lead: 1, 2, 3, 6, 12, 24, …"""
    found = [1, 2, 3]
    while found[-1] * 2 <= lead.most:
        found.append(found[-1] * 2)
    return [each for each in found if each <= max(lead.most, 1)]


def proposals(
    facts: Facts, incidents: Incidents, lead: Lead, most: int, most_false: float
) -> Iterator[Proposal]:
    """At most so many rules, as long as each catches what none before did, by more than chance."""
    left = incidents
    for _ in range(most):
        found = _next(facts, left, lead, most_false)
        if found is None:
            return
        yield found
        whole = facts.target(left, lead, facts.span)
        counted = np.flatnonzero(
            (left.begin >= facts.span.first + lead.most) & (left.begin <= facts.span.last)
        )
        caught = counted[sorted(found.rule.outcome.caught)]
        kept = np.setdiff1d(np.arange(left.count), caught)
        if len(kept) == left.count or whole.incidents <= len(caught):
            return
        left = left.take(kept)


def _next(facts: Facts, incidents: Incidents, lead: Lead, most_false: float) -> Proposal | None:
    whole = Search(facts.target(incidents, lead, facts.span), facts.numbers, most_false).best()
    if whole is None or len(whole.outcome.caught) < _FEWEST:
        return None
    caught, right, false, alerts, chance, days, number = 0, 0, 0, 0, 0.0, 0.0, 0
    for train, test in _halves(facts, incidents, lead):
        found = Search(train, facts.numbers, most_false).best()
        number += test.incidents
        days += test.days
        if found is None:
            continue
        came = outcome(test, facts.holding(found, test.rows))
        caught += len(came.caught)
        right, false = right + came.right, false + came.false
        chance += test.chance * (came.right + came.false)
        alerts += came.right + came.false
    if caught < _FEWEST or by_chance(right, alerts, chance / max(alerts, 1)) > _SURE:
        return None
    return Proposal(whole, Outcome(frozenset(range(caught)), right, false), number, days)


def _halves(facts: Facts, incidents: Incidents, lead: Lead) -> Iterator[tuple[Target, Target]]:
    """Each half of the incidents by time to search in, with the other one to judge in."""
    cut = int(np.median(incidents.begin))
    span = facts.span
    early = facts.target(incidents, lead, JudgedSpan(span.first, cut - 1))
    late = facts.target(incidents, lead, JudgedSpan(cut, span.last))
    yield early, late
    yield late, early
