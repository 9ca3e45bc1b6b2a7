"""Searches conjunctions of conditions whose alerts catch incidents, on a part of the moments.

A rule is worth what its alerts say: with r right ones of n, where a share p of all moments is right by
chance, twice the log likelihood ratio of r of n against p. Each further condition must be worth `_COST` more,
about the log of how many are tried. So neither rare nor frequent alerts win, and chance adds no condition.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import exp, lgamma, log, log1p

import numpy as np

from antelog.engine.columns.joins import spread
from antelog.engine.columns.tables import Column, Mask, Numbers
from antelog.incidents.alerts import Alerts
from antelog.incidents.judging import ALL_KEYS, FALSE, RIGHT, Incidents, JudgedSpan, Lead, judged
from antelog.incidents.suggest.conditions import Condition, Measure
from antelog.incidents.suggest.streams import Moments

CALENDAR = ("hour", "weekday")
MOST_CONDITIONS = 3
_BEAM = 12
_FINALISTS = 12
_PARTS = 4  # of the time, to compare finalists
_COST = 7.0
_SHARES = (1.0, 0.8, 0.6, 0.4)  # of the incidents: the limits of a measure that so many reach
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

    @cached_property
    def incidents(self) -> int:
        return len(self.begin)

    def parts(self, count: int) -> Iterator[tuple[Target, Target]]:
        """For each of several stretches of time with as many incidents: the rest, and the stretch itself."""
        cuts = np.quantile(self.begin, np.arange(1, count) / count, method="higher")
        of_row, of_incident = (
            np.searchsorted(cuts, each, "right") for each in (self.moments.tick[self.rows], self.begin)
        )
        for number in range(count):
            yield (
                self._part(of_row != number, of_incident != number),
                self._part(of_row == number, of_incident == number),
            )

    def _part(self, rows: Mask, incidents: Mask) -> Target:
        at = np.flatnonzero(incidents[self.number])
        number = np.append(0, np.cumsum(incidents))[self.number[at]]
        kept = self.rows[rows]
        return replace(
            self, rows=kept, begin=self.begin[incidents], first=self.first[at], end=self.end[at],
            number=number, days=self.days * len(kept) / max(len(self.rows), 1),
        )  # fmt: skip

    @cached_property
    def chance(self) -> float:
        """The share of moments at which an alert is right, of those at which it is right or false."""
        kind = self.kind[self.rows]
        right, false = int((kind == RIGHT).sum()), int((kind == FALSE).sum())
        return right / max(right + false, 1)


def target_of(moments: Moments, incidents: Incidents, lead: Lead, span: JudgedSpan, days: float) -> Target:
    """The target of a span of ticks; incidents without room for a lead do not count."""
    every = Alerts(np.zeros_like(moments.key), moments.key, moments.tick, moments.tick + 1)
    kind = judged(every, incidents, lead, span).kind
    inside = (moments.tick >= span.first) & (moments.tick <= span.last)
    counted = (incidents.begin >= span.first + lead.most) & (incidents.begin <= span.last)
    code = moments.key * _APART + moments.tick
    first, end, number = list[Column](), list[Column](), list[Column]()
    at = np.flatnonzero(counted)
    keys = np.unique(moments.key)
    low, high = incidents.begin - lead.most, incidents.begin - lead.least
    if lead.within:
        high = np.maximum(high, incidents.end)
    low = np.maximum(low, span.first)
    for_all = at[incidents.key[at] == ALL_KEYS]
    own = at[incidents.key[at] != ALL_KEYS]
    for which, of in [(own, incidents.key[own]), *((for_all, np.full(len(for_all), key)) for key in keys)]:
        first.append(np.searchsorted(code, of * _APART + low[which]))
        end.append(np.searchsorted(code, of * _APART + high[which], "right"))
        number.append(which)
    numbers = np.concatenate(number)
    return Target(
        moments, np.flatnonzero(inside), kind, incidents.begin[at], np.concatenate(first),
        np.concatenate(end), np.searchsorted(at, numbers), lead.settle, days,
    )  # fmt: skip


_APART = 1 << 40


@dataclass(frozen=True)
class Outcome:
    """What alerts at some moments come to."""

    caught: frozenset[int]
    right: int
    false: int

    def worth(self, target: Target, conditions: int = 1) -> float:
        """The G statistic of alerts against incidents, less the cost of conditions.

        As if the time were cut into stretches as long as a lead: those with an incident, with an alert, with
        both, with neither.
        """
        both, false, missed = len(self.caught), self.false, target.incidents - len(self.caught)
        alerts = both + false
        every = max(target.incidents / max(target.chance, 1e-9), target.incidents + alerts + 1.0)
        if not both or both / alerts <= target.chance:
            return -np.inf
        neither = every - target.incidents - false
        found = 0.0
        for seen, of_alerts, of_incidents in (
            (both, alerts, target.incidents),
            (false, alerts, every - target.incidents),
            (missed, every - alerts, target.incidents),
            (neither, every - alerts, every - target.incidents),
        ):
            if seen > 0:
                found += seen * log(seen * every / (of_alerts * of_incidents))
        return 2 * (found - _COST * (conditions - 1))


def outcome(target: Target, rows: Column) -> Outcome:
    """The outcome of alerts that are on at some moments, in order."""
    key, tick = target.moments.key[rows], target.moments.tick[rows]
    fresh = np.ones(len(rows), np.bool_)
    fresh[1:] = (key[1:] != key[:-1]) | (tick[1:] > tick[:-1] + target.settle + 1)
    starts = rows[fresh]
    kind = target.kind[starts]
    hit = np.searchsorted(starts, target.first) < np.searchsorted(starts, target.end)
    caught = frozenset(target.number[hit].tolist())
    return Outcome(caught, int((kind == RIGHT).sum()), int((kind == FALSE).sum()))


@dataclass(frozen=True)
class Rule:
    """Conditions, and what they come to on the moments that were searched."""

    conditions: tuple[Condition, ...]
    outcome: Outcome
    worth: float


@dataclass(eq=False)
class Search:
    """A search on a target; `numbers` has the measures of all moments."""

    target: Target
    numbers: Mapping[Measure, Numbers]
    most_false: float  # a day
    _masks: list[tuple[Condition, Mask]] = field(default_factory=list)

    def best(self) -> Rule | None:
        """The rule that is worth most; None if none is better than chance."""
        if not self.target.incidents or not len(self.target.rows):
            return None
        self._masks = list(self._candidates())
        beam = sorted((self._rule((each,), self._rows(mask)) for each, mask in self._masks), key=_by_worth)
        beam = _varied(beam)
        found = [*beam]
        for _ in range(MOST_CONDITIONS - 1):
            more = dict[frozenset[Condition], Rule]()
            for rule in beam:
                rows = self._rows_of(rule.conditions)
                taken = {(each.measure, each.above) for each in rule.conditions}
                for condition, mask in self._masks:
                    both = frozenset((*rule.conditions, condition))
                    if (condition.measure, condition.above) in taken or both in more:
                        continue
                    kept = rows[mask[rows]]
                    if 0 < len(kept) < len(rows):
                        more[both] = self._rule((*rule.conditions, condition), kept)
            beam = _varied(sorted(more.values(), key=_by_worth))
            found += beam
        refined = sorted(
            (self._refined(each) for each in _varied(sorted(found, key=_by_worth))), key=_by_worth
        )
        fitting = _varied([each for each in refined if self._allowed(each)], each=1)[:_FINALISTS]
        return max(fitting, key=self._unseen, default=None)

    def _unseen(self, rule: Rule) -> tuple[float, tuple[float, int, int]]:
        """What the rule is worth in parts of the time whose incidents had no say in its limits."""
        caught, false = 0, 0
        for rest, part in self.target.parts(_PARTS):
            search = Search(rest, self.numbers, self.most_false)
            fitted = search.with_best_limits(search._rule(rule.conditions, search._rows_of(rule.conditions)))
            came = outcome(part, Search(part, self.numbers, self.most_false)._rows_of(fitted.conditions))
            caught, false = caught + len(came.caught), false + came.false
        found = Outcome(frozenset(range(caught)), caught, false)
        order = _by_worth(rule)
        worth = found.worth(self.target, len(rule.conditions))
        return worth + rule.worth, (-order[0], -order[1], -order[2])

    def _allowed(self, rule: Rule) -> bool:
        return rule.worth > 0 and rule.outcome.false <= self.most_false * self.target.days

    def _rule(self, conditions: tuple[Condition, ...], rows: Column) -> Rule:
        found = outcome(self.target, rows)
        return Rule(conditions, found, found.worth(self.target, len(conditions)))

    def _rows(self, mask: Mask) -> Column:
        return self.target.rows[mask[self.target.rows]]

    def _rows_of(self, conditions: Sequence[Condition]) -> Column:
        rows = self.target.rows
        for each in conditions:
            rows = rows[each.holds(self.numbers[each.measure][rows])]
        return rows

    def _candidates(self) -> Iterator[tuple[Condition, Mask]]:
        """Each measure with some limits that incidents reach, unless it nearly always holds."""
        for measure, numbers in self.numbers.items():
            for above in (True, False):
                for limit in self._limits(measure, numbers, above):
                    condition = Condition(measure, above, limit)
                    mask = condition.holds(numbers)
                    share = np.count_nonzero(mask[self.target.rows]) / len(self.target.rows)
                    if 0 < share < _COMMON:
                        yield condition, mask

    def _limits(self, measure: Measure, numbers: Numbers, above: bool) -> list[float]:
        """Limits that shares of the incidents reach."""
        if measure.what in CALENDAR:
            return [float(each) for each in range(*((0, 24) if measure.what == "hour" else (1, 8)))]
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
        """The rows before each incident, side by side."""
        target = self.target
        at = np.flatnonzero(target.end > target.first)
        sizes = (target.end - target.first)[at]
        _, rows = spread(target.first[at], sizes)
        return _Before(rows, np.append(0, np.cumsum(sizes))[:-1], target.number[at])

    # ---- limits: better ones, and rounder ones that come to as much ----

    def with_best_limits(self, rule: Rule) -> Rule:
        for _ in range(2):
            for at, condition in enumerate(rule.conditions):
                if not condition.counted or condition.measure.what == "count":  # the others have all limits
                    rule = self._with_best_limit(rule, at)
        return rule

    def _refined(self, rule: Rule) -> Rule:
        rule = self._without_needless(self.with_best_limits(rule))
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
                rest = rule.conditions[:at] + rule.conditions[at + 1 :]
                tried = self._rule(rest, self._rows_of(rest))
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


def _beyond(reached: float, measure: Measure, above: bool) -> float:
    """A limit that a number is just over, or under: for counts a half from it."""
    if measure.what == "count":
        return reached - 0.5 if above else reached + 0.5
    step = abs(reached) * 1e-9 + 1e-12
    return reached - step if above else reached + step


def _by_worth(rule: Rule) -> tuple[float, int, int]:
    return -rule.worth, len(rule.conditions), sum(each.measure.ticks for each in rule.conditions)


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
