"""A part of a history in which rules are searched or judged, and how they do there.

The time is cut into stretches: those before incidents, and others as long as an alert is on. A rule is worth
its G statistic, how much more often it rings in the former than chance explains. Each further condition costs
`_COST`, about the log of how many are tried, and a mean or a change costs more than a plain value; so of
rules that ring at the same moments the simplest is worth most, and chance adds no condition.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from antelog.engine.columns.joins import spread
from antelog.engine.columns.tables import Column, Mask, Numbers
from antelog.incidents.alerts import Alerts
from antelog.incidents.judging import ALL_KEYS, FALSE, NEITHER, RIGHT, Incidents, judged
from antelog.incidents.suggest.conditions import RuleCondition
from antelog.incidents.suggest.input_columns import APART
from antelog.incidents.suggest.measures import Measure, SearchedHistory

_COST = 7.0


@dataclass(frozen=True)
class FoundRule:
    """Conditions, and what alerts come to that are on where they hold, in a part of a history."""

    conditions: tuple[RuleCondition, ...]
    caught: frozenset[int]  # the numbers of incidents
    right: int
    false: float  # of a sample of moments, for all of them
    worth: float
    incidents: int
    days: float  # in which a false alarm may come, of all keys
    chance: float  # the right alerts of as many at random
    unseen: FoundRule | None = None  # what rules found without a fold came to in it, in all folds

    @property
    def order(self) -> tuple[float, int, int]:
        """The best come first: those that are worth most, then the shorter ones."""
        return -self.worth, len(self.conditions), sum(each.measure.ticks for each in self.conditions)


def costs(conditions: Sequence[RuleCondition]) -> float:
    return 2 * _COST * max(len(conditions) - 1, 0) + sum(float(each.form["cost"]) for each in conditions)


@dataclass(frozen=True, eq=False)
class SearchedPart:
    """The moments that are looked at, what alerts there would be, and those that catch incidents."""

    history: SearchedHistory
    rows: Column
    kind: Column  # of each of all moments
    begin: Column  # of each incident
    first: Column  # of each incident of a key: the first row that catches it, and the one after the last
    end: Column
    number: Column  # which incident that is
    days: float
    most_false: float  # a day
    most_conditions: int = 3
    only: Column | None = None  # moments outside which no rule holds

    @classmethod
    def of(cls, history: SearchedHistory, incidents: Incidents, most_false: float) -> SearchedPart:
        """The whole history, and some of its incidents: those without room for a lead do not count.

        Alerts about the other ones, which some rule has caught before, are neither right nor false.
        """
        key, tick, lead, span = history.key, history.tick, history.lead, history.span
        every = Alerts(np.zeros_like(key), key, tick, tick + 1)
        kind = judged(every, incidents, lead, span).kind
        kind[(kind == FALSE) & (judged(every, history.incidents, lead, span).kind != FALSE)] = NEITHER
        at = counted(history, incidents)
        own = incidents.take(at)
        high = np.maximum(own.begin - lead.least, own.end if lead.within else -APART)
        low, high = np.maximum(own.begin - lead.most, span.first), np.minimum(high, span.last)
        # An incident of all keys may be caught by each of them.
        keys = np.unique(key)
        times = np.where(own.key == ALL_KEYS, len(keys), 1)
        number, which = spread(np.zeros_like(times), times)
        of = np.where(own.key[number] == ALL_KEYS, keys[which] if len(keys) else 0, own.key[number])
        first = np.searchsorted(history.code, of * APART + low[number])
        end = np.searchsorted(history.code, of * APART + high[number], "right")
        some = end > first
        found = number[some]
        return cls(
            history,
            np.arange(len(key)),
            kind,
            own.begin,
            first[some],
            end[some],
            found,
            history.days,
            most_false,
        )

    @property
    def incidents(self) -> int:
        return len(self.begin)

    def part(self, since: int, until: int, *, outside: bool = False) -> SearchedPart:
        """The moments from a tick to before another one, or outside; and incidents whose whole lead is so."""

        def fits(tick: Column, room: int) -> Mask:
            late = tick >= (until if outside else since) + room
            early = tick < (since if outside else until)
            return late | early if outside else late & early

        rows = self.rows[fits(self.history.tick[self.rows], 0)]
        days = self.days * len(rows) / max(len(self.rows), 1)
        return replace(self.with_incidents(fits(self.begin, self.history.lead.most)), rows=rows, days=days)

    def with_incidents(self, chosen: Mask) -> SearchedPart:
        at = np.flatnonzero(chosen[self.number])
        number = (np.cumsum(chosen) - 1)[self.number[at]]
        return replace(self, begin=self.begin[chosen], first=self.first[at], end=self.end[at], number=number)

    @cached_property
    def held(self) -> Column:
        """The moments at which a rule may hold."""
        return self.rows if self.only is None else np.intersect1d(self.rows, self.only)

    @cached_property
    def chance(self) -> float:
        """The share of moments at which an alert is right, of those at which it is right or false."""
        kind, weight = self.kind[self.rows], self.history.weight[self.rows]
        right, false = float(weight[kind == RIGHT].sum()), float(weight[kind == FALSE].sum())
        return right / max(right + false, 1.0)

    @cached_property
    def before(self) -> Column:
        """The moments before incidents, side by side for each."""
        return spread(self.first, self.end - self.first)[1]

    def reached(self, measure: Measure, above: bool, among: Column | None = None) -> Numbers:
        """The most that a measure reaches before each incident, the strongest first; `among` some rows."""
        numbers = self.history.numbers[measure]
        part = numbers[self.before] if above else -numbers[self.before]
        inside = np.zeros(len(numbers), np.bool_)
        inside[slice(None) if among is None else among] = True
        unknown = np.isnan(part) | ~inside[self.before]
        found = np.full(self.incidents, -np.inf)
        if len(part):
            starts = np.append(0, np.cumsum(self.end - self.first))[:-1]
            np.maximum.at(found, self.number, np.maximum.reduceat(np.where(unknown, -np.inf, part), starts))
        found = np.sort(found[np.isfinite(found)])[::-1]
        return found if above else -found

    # ---- what rules come to ----

    def worth(self, caught: Numbers | float, false: Numbers | float) -> Numbers:
        """The G statistic of alerts against incidents; less than all where they are no better than chance."""
        both, alerts, incidents = np.asarray(caught, np.float64), np.add(caught, false), float(self.incidents)
        every = np.maximum(incidents / max(self.chance, 1e-9), incidents + alerts + 1.0)
        cells = np.stack([both, alerts - both, incidents - both, every - incidents - alerts + both, every])
        sides = np.stack([alerts, every - alerts, np.full_like(both, incidents), every - incidents])
        found = _times_log(cells).sum(axis=0) - _times_log(sides).sum(axis=0)
        better = (both > 0) & (both > self.chance * alerts)
        return np.where(better, 2 * found, -np.inf)

    def holding(self, conditions: Sequence[RuleCondition], rows: Column | None = None) -> Column:
        """The moments, among some, at which conditions hold."""
        return holding(self.history, conditions, self.held if rows is None else rows)

    def rule(self, conditions: tuple[RuleCondition, ...], rows: Column | None = None) -> FoundRule:
        """The rule of these conditions, which hold at these moments, with what it comes to."""
        rows = self.holding(conditions) if rows is None else rows
        key, tick = self.history.key[rows], self.history.tick[rows]
        fresh = np.ones(len(rows), np.bool_)
        fresh[1:] = (key[1:] != key[:-1]) | (tick[1:] > tick[:-1] + self.history.lead.settle)
        starts = rows[fresh]
        kind = self.kind[starts]
        caught = self.number[np.searchsorted(starts, self.first) < np.searchsorted(starts, self.end)]
        right, false = int((kind == RIGHT).sum()), float(self.history.weight[starts[kind == FALSE]].sum())
        numbers = frozenset(caught.tolist())
        worth = float(self.worth(len(numbers), false)) - costs(conditions)
        chance = self.chance * (right + false)
        return FoundRule(conditions, numbers, right, false, worth, self.incidents, self.days, chance)

    def allowed(self, rule: FoundRule) -> bool:
        return rule.worth > 0 and rule.false <= self.most_false * self.days


def holding(history: SearchedHistory, conditions: Sequence[RuleCondition], rows: Column) -> Column:
    for each in conditions:
        rows = rows[each.holds(history.numbers[each.measure][rows])]
    return rows


def counted(history: SearchedHistory, incidents: Incidents) -> Column:
    """The incidents with room for a lead before them."""
    begin, span = incidents.begin, history.span
    return np.flatnonzero((begin >= span.first + history.lead.most) & (begin <= span.last))


def _times_log(number: Numbers) -> Numbers:
    return number * np.log(np.maximum(number, 1e-300))
