"""Searches conjunctions of conditions whose alerts catch incidents, on a part of the moments.

The time is cut into stretches: those before incidents, and others as long as an alert is on. A rule is worth
its G statistic, how much more often it rings in the former than chance explains. Each further condition costs
`_COST`, about the log of how many are tried, and a mean or a change costs more than a plain value; so of
rules that ring at the same moments the simplest is worth most, and chance adds no condition.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from math import exp, lgamma, log, log1p

import numpy as np

from antelog.engine.columns.joins import spread
from antelog.engine.columns.tables import Column, Mask, Numbers
from antelog.incidents.alerts import Alerts
from antelog.incidents.judging import ALL_KEYS, FALSE, NEITHER, RIGHT, Incidents, JudgedSpan, Lead, judged
from antelog.incidents.suggest.conditions import CALENDAR, Condition, Measure, cost
from antelog.incidents.suggest.streams import APART, Moments

MOST_CONDITIONS = 3
_BEAM = 12
_COST = 7.0
_SHARES = (1.0, 0.85, 0.7, 0.55, 0.4)  # of the incidents: the limits of a measure that so many reach
_COMMON = 0.97  # a condition that holds more often says nothing


@dataclass(frozen=True, eq=False)
class Target:
    """What is searched for: the kinds that alerts would have, and the moments that catch each incident."""

    moments: Moments
    rows: Column  # the moments that are looked at
    kind: Column  # of each of all moments
    begin: Column  # of each incident
    first: Column  # of each incident of a key: the first row that catches it, and the one after the last
    end: Column
    number: Column  # which incident that is
    settle: int
    days: float  # in which a false alarm may come, of all keys
    only: Column | None = None  # moments outside which no rule holds

    @cached_property
    def incidents(self) -> int:
        return len(self.begin)

    def part(self, fits: Callable[[Column, int], Mask], lead: Lead) -> Target:
        """The moments whose ticks fit, and the incidents whose whole lead fits."""
        rows = self.rows[fits(self.moments.tick[self.rows], 0)]
        incidents = fits(self.begin, lead.most)
        at = np.flatnonzero(incidents[self.number])
        number = (np.cumsum(incidents) - 1)[self.number[at]]
        days = self.days * len(rows) / max(len(self.rows), 1)
        return replace(
            self, rows=rows, begin=self.begin[incidents], first=self.first[at], end=self.end[at],
            number=number, days=days,
        )  # fmt: skip

    @cached_property
    def held(self) -> Column:
        """The moments at which a rule may hold."""
        return self.rows if self.only is None else np.intersect1d(self.rows, self.only)

    @cached_property
    def chance(self) -> float:
        """The share of moments at which an alert is right, of those at which it is right or false."""
        kind, weight = self.kind[self.rows], self.moments.weight[self.rows]
        right, false = float(weight[kind == RIGHT].sum()), float(weight[kind == FALSE].sum())
        return right / max(right + false, 1.0)

    def worth(self, caught: Numbers | float, false: Numbers | float) -> Numbers:
        """The G statistic of alerts against incidents; less than all where they are no better than chance."""
        both, false = np.asarray(caught, np.float64), np.asarray(false, np.float64)
        incidents, alerts = np.full_like(both, self.incidents), both + false
        every = np.maximum(incidents / max(self.chance, 1e-9), incidents + alerts + 1.0)
        cells: tuple[Numbers, ...] = (both, false, incidents - both, every - incidents - false)
        sides: tuple[Numbers, ...] = (alerts, every - alerts, incidents, every - incidents)
        found = _times_log(every)
        for cell, side in zip(cells, sides, strict=True):
            found = found + _times_log(cell) - _times_log(side)
        better = (both > 0) & (both > self.chance * alerts)
        return np.where(better, 2 * found, -np.inf)


def _times_log(number: Numbers | float) -> Numbers:
    return number * np.log(np.maximum(number, 1e-300))


def target_of(
    moments: Moments, incidents: Incidents, lead: Lead, span: JudgedSpan, days: float, others: Incidents
) -> Target:
    """The target of a span of ticks; incidents without room for a lead do not count.

    Alerts about `others`, which some rule has caught before, are neither right nor false.
    """
    every = Alerts(np.zeros_like(moments.key), moments.key, moments.tick, moments.tick + 1)
    kind = judged(every, incidents, lead, span).kind
    kind[(kind == FALSE) & (judged(every, others, lead, span).kind != FALSE)] = NEITHER
    inside = (moments.tick >= span.first) & (moments.tick <= span.last)
    counted = (incidents.begin >= span.first + lead.most) & (incidents.begin <= span.last)
    first, end, number = list[Column](), list[Column](), list[Column]()
    at = np.flatnonzero(counted)
    keys = np.unique(moments.key)
    low, high = incidents.begin - lead.most, incidents.begin - lead.least
    if lead.within:
        high = np.maximum(high, incidents.end)
    low, high = np.maximum(low, span.first), np.minimum(high, span.last)
    for_all = at[incidents.key[at] == ALL_KEYS]
    own = at[incidents.key[at] != ALL_KEYS]
    for which, of in [(own, incidents.key[own]), *((for_all, np.full(len(for_all), key)) for key in keys)]:
        first.append(np.searchsorted(moments.code, of * APART + low[which]))
        end.append(np.searchsorted(moments.code, of * APART + high[which], "right"))
        number.append(which)
    numbers = np.concatenate(number)
    return Target(
        moments, np.flatnonzero(inside), kind, incidents.begin[at], np.concatenate(first),
        np.concatenate(end), np.searchsorted(at, numbers), lead.settle, days,
    )  # fmt: skip


@dataclass(frozen=True)
class Outcome:
    """What alerts at some moments come to."""

    caught: frozenset[int]
    right: int
    false: float  # of a sample of moments, for all of them


def outcome(target: Target, rows: Column) -> Outcome:
    """The outcome of alerts that are on at some moments, in order."""
    key, tick = target.moments.key[rows], target.moments.tick[rows]
    fresh = np.ones(len(rows), np.bool_)
    fresh[1:] = (key[1:] != key[:-1]) | (tick[1:] > tick[:-1] + target.settle)
    starts = rows[fresh]
    kind = target.kind[starts]
    hit = np.searchsorted(starts, target.first) < np.searchsorted(starts, target.end)
    caught = frozenset(target.number[hit].tolist())
    false = float(target.moments.weight[starts[kind == FALSE]].sum())
    return Outcome(caught, int((kind == RIGHT).sum()), false)


@dataclass(frozen=True)
class Rule:
    """Conditions, and what they come to on the moments that were searched."""

    conditions: tuple[Condition, ...]
    outcome: Outcome
    worth: float

    @property
    def measured(self) -> frozenset[tuple[Measure, bool]]:
        return frozenset((each.measure, each.above) for each in self.conditions)

    @property
    def order(self) -> tuple[float, int, int]:
        """The best come first: those that are worth most, then the shorter ones."""
        return -self.worth, len(self.conditions), sum(each.measure.reach for each in self.conditions)


def costs(conditions: Sequence[Condition]) -> float:
    return 2 * _COST * max(len(conditions) - 1, 0) + sum(map(cost, conditions))


@dataclass(eq=False)
class Search:
    """A search on a target; `numbers` has the measures of all moments."""

    target: Target
    numbers: Mapping[Measure, Numbers]
    most_false: float  # a day
    most_conditions: int = MOST_CONDITIONS

    def best(self) -> Rule | None:
        """The rule that is worth most; None if none is better than chance."""
        if not self.target.incidents or not len(self.target.rows):
            return None
        table = _Table.of(self.target, self.numbers, tuple(self._candidates()))
        beam, found = [(tuple[Condition, ...](), self.target.held)], list[Rule]()
        for _ in range(self.most_conditions):
            more = dict[frozenset[Condition], Rule]()
            for conditions, rows in beam:
                for condition in table.best_with(conditions, rows):
                    both = frozenset((*conditions, condition))
                    if both not in more:
                        kept = rows[condition.holds(self.numbers[condition.measure][rows])]
                        more[both] = self._rule((*conditions, condition), kept)
            likely = _varied(sorted(more.values(), key=lambda rule: rule.order))
            beam = [(rule.conditions, self._rows_of(rule.conditions)) for rule in likely]
            found += likely
        likely = _varied(sorted(found, key=lambda rule: rule.order))
        refined = [each for each in map(self._refined, likely) if self.allowed(each)]
        best = self._first(refined)
        while best is not None:
            better = self._first(self._exchanged(best, table))
            if better is None or better.order >= best.order:
                break
            best = better
        return best

    @staticmethod
    def _first(rules: Iterable[Rule]) -> Rule | None:
        return min(rules, key=lambda rule: rule.order, default=None)

    def _exchanged(self, rule: Rule, table: _Table) -> Iterator[Rule]:
        """The rule with another condition in place of each one."""
        for at in range(len(rule.conditions)):
            others = rule.conditions[:at] + rule.conditions[at + 1 :]
            rows = self._rows_of(others)
            for condition in islice(table.best_with(others, rows), _BEAM):
                found = self.refined((*others, condition))
                if self.allowed(found):
                    yield found

    def allowed(self, rule: Rule) -> bool:
        return rule.worth > 0 and rule.outcome.false <= self.most_false * self.target.days

    def rule(self, conditions: tuple[Condition, ...]) -> Rule:
        return self._rule(conditions, self._rows_of(conditions))

    def _rule(self, conditions: tuple[Condition, ...], rows: Column) -> Rule:
        found = outcome(self.target, rows)
        worth = self.target.worth(len(found.caught), found.false)
        return Rule(conditions, found, float(worth) - costs(conditions))

    def _rows_of(self, conditions: Sequence[Condition]) -> Column:
        rows = self.target.held
        for each in conditions:
            rows = rows[each.holds(self.numbers[each.measure][rows])]
        return rows

    def _candidates(self) -> Iterator[Condition]:
        """Each measure with some limits that incidents reach."""
        for measure, numbers in self.numbers.items():
            for above in (True, False):
                for limit in self._limits(measure, numbers, above):
                    yield Condition(measure, above, limit)

    def _limits(self, measure: Measure, numbers: Numbers, above: bool) -> list[float]:
        """Limits that shares of the incidents reach."""
        if measure.what in CALENDAR:
            limits = [float(each) for each in range(*((0, 24) if measure.what == "hour" else (1, 8)))]
            return limits[::-1] if above else limits  # of equals the tightest comes first
        if measure.what == "last":
            return [0.5] if above else []
        reached = self._reached(numbers, above)
        if not len(reached):
            return []
        at = {min(int(np.ceil(share * len(reached))), len(reached)) - 1 for share in _SHARES}
        return sorted({_beyond(float(reached[each]), measure, above) for each in at})

    def _reached(self, numbers: Numbers, above: bool, among: Column | None = None) -> Numbers:
        """The most that a measure reaches before each incident, the strongest first; `among` some rows."""
        before = self._before
        part = numbers[before.rows] if above else -numbers[before.rows]
        unknown = np.isnan(part)
        if among is not None:
            inside = np.zeros(len(numbers), np.bool_)
            inside[among] = True
            unknown |= ~inside[before.rows]
        part = np.where(unknown, -np.inf, part)
        found = np.full(self.target.incidents, -np.inf)
        if len(before.starts):
            np.maximum.at(found, before.number, np.maximum.reduceat(part, before.starts))
        found = np.sort(found[np.isfinite(found)])[::-1]
        return found if above else -found

    @cached_property
    def _before(self) -> _Before:
        return _Before.of(self.target)

    # ---- limits: better ones, and rounder ones that come to as much ----

    def refined(self, conditions: tuple[Condition, ...]) -> Rule:
        return self._refined(self.rule(conditions))

    def _refined(self, rule: Rule) -> Rule:
        """The rule with better limits, without what it does not need."""
        for _ in range(2):
            for at in range(len(rule.conditions)):
                if rule.conditions[at].measure.what not in (*CALENDAR, "last"):  # these have all limits
                    rule = self._with_best_limit(rule, at)
        rule = self._without_needless(rule)
        for at in range(len(rule.conditions)):
            rule = self._with_round_limit(rule, at)
        return rule

    def _with_best_limit(self, rule: Rule, at: int) -> Rule:
        condition = rule.conditions[at]
        numbers = self.numbers[condition.measure]
        others = self._rows_of(rule.conditions[:at] + rule.conditions[at + 1 :])
        reached = self._reached(numbers, condition.above, others)
        best = rule
        for each in reached[:: max(1, len(reached) // _TRIED)].tolist():
            limit = _beyond(each, condition.measure, condition.above)
            tried = self._tried(rule, at, limit, others, numbers)
            if tried.worth > best.worth:
                best = tried
        return best

    def _tried(self, rule: Rule, at: int, limit: float, others: Column, numbers: Numbers) -> Rule:
        condition = Condition(rule.conditions[at].measure, rule.conditions[at].above, limit)
        rows = others[condition.holds(numbers[others])]
        return self._rule((*rule.conditions[:at], condition, *rule.conditions[at + 1 :]), rows)

    def _with_round_limit(self, rule: Rule, at: int) -> Rule:
        """The roundest limit within the widest gap of the measure in which the rule is worth about as much.

        A cause that adds something leaves a gap; a limit in it is not moved by one incident more or less.
        """
        condition = rule.conditions[at]
        if condition.counted:
            return rule
        numbers = self.numbers[condition.measure]
        others = self._rows_of(rule.conditions[:at] + rule.conditions[at + 1 :])
        known = np.unique(numbers[others])
        known = known[~np.isnan(known)].astype(np.float64)
        # What is over the limit begins at the cut, what is under it ends before.
        cut = int(np.searchsorted(known, condition.limit, "right" if condition.above else "left"))
        cuts = np.arange(max(cut - _FAR, 1), min(cut + _FAR, len(known) - 1) + 1)
        for each in cuts[np.argsort(known[cuts - 1] - known[cuts], kind="stable")].tolist():
            limit = roundest(float(known[each - 1]), float(known[each]))
            tried = self._tried(rule, at, limit, others, numbers)
            if tried.worth >= rule.worth - _SLACK:
                return tried
        return rule

    def _without_needless(self, rule: Rule) -> Rule:
        for at in range(len(rule.conditions)):
            if len(rule.conditions) > 1:
                tried = self.rule(rule.conditions[:at] + rule.conditions[at + 1 :])
                if tried.worth >= rule.worth:
                    return self._without_needless(tried)
        return rule


_SLACK = 6.0  # of worth, which one or two incidents make
_FAR = 25  # neighbours of a limit that are tried
_TRIED = 24  # limits that are tried, about


@dataclass(frozen=True)
class _Before:
    """The rows before incidents: where those of each begin, and which incident that is."""

    rows: Column
    starts: Column
    number: Column

    @classmethod
    def of(cls, target: Target) -> _Before:
        at = np.flatnonzero(target.end > target.first)
        sizes = (target.end - target.first)[at]
        _, rows = spread(target.first[at], sizes)
        return cls(rows, np.append(0, np.cumsum(sizes))[:-1], target.number[at])


@dataclass(frozen=True, eq=False)
class _Table:
    """All candidates side by side: whether each holds at each row of a stretch; rows are by stretch.

    Stretches below the number of incidents are those before them, the others those with false alarms.
    """

    target: Target
    candidates: Sequence[Condition]
    costs: Numbers
    holds: Mask  # of each candidate at each row
    rows: Column  # the moments, by stretch
    place: Column  # of each of all moments: its row here, or -1
    stretch: Column  # of each row

    @classmethod
    def of(
        cls, target: Target, numbers: Mapping[Measure, Numbers], candidates: Sequence[Condition]
    ) -> _Table:
        moments, before = target.moments, _Before.of(target)
        stretch = np.full(moments.count, -1)
        false = target.rows[target.kind[target.rows] == FALSE]
        code = moments.code[false] // (target.settle + 1)
        stretch[false] = target.incidents + np.unique(code, return_inverse=True)[1]
        sizes = np.diff(np.append(before.starts, len(before.rows)))
        stretch[before.rows] = np.repeat(before.number, sizes)
        rows = np.flatnonzero(stretch >= 0)
        rows = rows[np.argsort(stretch[rows], kind="stable")]
        place = np.full(moments.count, -1)
        place[rows] = np.arange(len(rows))
        holds = np.empty((len(candidates), len(rows)), np.bool_)
        measure, part = None, np.zeros(0)
        for at, each in enumerate(candidates):
            if each.measure != measure:
                measure, part = each.measure, numbers[each.measure][rows]
            holds[at] = each.holds(part)
        usual = holds.mean(axis=1) < _COMMON if len(rows) else np.zeros(len(candidates), np.bool_)
        kept = [each for each, fits in zip(candidates, usual.tolist(), strict=True) if fits]
        own = np.array([cost(each) for each in kept])
        return cls(target, kept, own, holds[usual], rows, place, stretch[rows])

    def best_with(self, conditions: Sequence[Condition], rows: Column) -> Iterator[Condition]:
        """The candidates that add most to some conditions, which hold at rows; a few of each measure."""
        at = self.place[rows]
        at = np.sort(at[at >= 0])
        if not len(at) or not len(self.candidates):
            return
        of = self.stretch[at]
        starts = np.flatnonzero(np.append(True, of[1:] != of[:-1]))
        holds = self.holds if len(at) == self.holds.shape[1] else self.holds[:, at]
        hit = np.logical_or.reduceat(holds, starts, axis=1)
        number = of[starts]
        right = number < self.target.incidents
        weight = self.target.moments.weight[self.rows[at[starts]]][~right]
        caught, false = hit[:, right].sum(axis=1), hit[:, ~right] @ weight
        worth = self.target.worth(caught, false) - self.costs
        taken = {(each.measure, each.above) for each in conditions}
        times = dict[tuple[Measure, bool], int]()
        for number_ in np.argsort(-worth, kind="stable")[: 8 * _BEAM].tolist():
            each = self.candidates[number_]
            name = each.measure, each.above
            times[name] = times.get(name, 0) + 1
            if np.isfinite(worth[number_]) and name not in taken and times[name] <= 2:
                yield each


def _beyond(reached: float, measure: Measure, above: bool) -> float:
    """A limit that a number is just over, or under: for counts a half from it."""
    if measure.what == "count":
        return reached - 0.5 if above else reached + 0.5
    step = abs(reached) * 1e-9 + 1e-12
    return reached - step if above else reached + step


def _varied(rules: Sequence[Rule], each: int = 3) -> list[Rule]:
    """The best rules, at most so many of the same measures."""
    found, times = list[Rule](), dict[frozenset[Measure], int]()
    for rule in rules:
        of = frozenset(condition.measure for condition in rule.conditions)
        times[of] = times.get(of, 0) + 1
        if times[of] <= each and np.isfinite(rule.worth):
            found.append(rule)
        if len(found) == _BEAM:
            break
    return found


def roundest(low: float, high: float) -> float:
    """The number with the fewest digits between two: 47.5 rather than 47.4831."""
    if not low < high:
        return low
    middle = (low + high) / 2
    for digits in range(1, 16):
        for number in (float(f"{middle:.{digits}g}"), float(f"{middle:.{digits - 1}e}")):
            if low < number < high:
                return number
    return middle


def by_chance(right: int, alerts: int, chance: float) -> float:
    """The probability that so many or more of some alerts are right by chance."""
    if not alerts:
        return 1.0
    chance = min(max(chance, 1e-12), 1 - 1e-12)
    ways = lgamma(alerts + 1)
    return sum(
        exp(ways - lgamma(k + 1) - lgamma(alerts - k + 1) + k * log(chance) + (alerts - k) * log1p(-chance))
        for k in range(right, alerts + 1)
    )
