"""Searches the conjunction of conditions that is worth most in a part of a history.

A beam of conjunctions grows by a condition at a time; the best get better and rounder limits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import TypeAlias

import numpy as np

from antelog.engine.columns.tables import Column
from antelog.incidents.judging import FALSE
from antelog.incidents.suggest.conditions import RuleCondition
from antelog.incidents.suggest.measures import CALENDAR, Measure
from antelog.incidents.suggest.searched_part import FoundRule, SearchedPart

_BEAM = 12
_SHARES = (1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4)  # of the incidents: the limits of a measure that so many reach
_COMMON = 0.97  # a condition that holds more often says nothing
_SLACK = 9.0  # of worth, which two or three incidents make; and at most a seventh of it
_FAR = 25  # neighbours of a limit that are tried
_TRIED = 24  # limits that are tried, about

# The conditions that add most to some conditions, which hold at rows.
Adding: TypeAlias = Callable[[Sequence[RuleCondition], Column], Iterator[RuleCondition]]


def best_rule(part: SearchedPart) -> FoundRule | None:
    """The rule that is worth most; None if none is better than chance."""
    if not part.incidents or not len(part.rows):
        return None
    adding = _adding(part)
    beam, found = [(tuple[RuleCondition, ...](), part.held)], list[FoundRule]()
    for _ in range(part.most_conditions):
        more = dict[frozenset[RuleCondition], FoundRule]()
        for conditions, rows in beam:
            for condition in adding(conditions, rows):
                both = frozenset((*conditions, condition))
                if both not in more:
                    more[both] = part.rule((*conditions, condition), part.holding([condition], rows))
        likely = _varied(more.values())
        beam = [(rule.conditions, part.holding(rule.conditions)) for rule in likely]
        found += likely
    allowed = [
        each for each in (refined(part, rule.conditions) for rule in _varied(found)) if part.allowed(each)
    ]
    return min(allowed, key=lambda rule: rule.order, default=None)


def _varied(rules: Iterable[FoundRule], most: int = 3) -> list[FoundRule]:
    """Sorts rules, the best first, and keeps at most `most` of those with the same measures."""
    found, times = list[FoundRule](), dict[frozenset[Measure], int]()
    for rule in sorted(rules, key=lambda rule: rule.order):
        measures = frozenset(each.measure for each in rule.conditions)
        times[measures] = times.get(measures, 0) + 1
        if times[measures] <= most and np.isfinite(rule.worth) and len(found) < _BEAM:
            found.append(rule)
    return found


# ---- candidates ----


def _candidates(part: SearchedPart) -> Iterator[RuleCondition]:
    """Each measure with some limits that incidents reach."""
    for measure in part.history.numbers:
        for above in (True, False):
            for limit in _limits(part, measure, above):
                yield RuleCondition(measure, above, limit)


def _limits(part: SearchedPart, measure: Measure, above: bool) -> list[float]:
    """Limits that shares of the incidents reach."""
    if measure.what in CALENDAR:
        limits = [float(each) for each in range(*((0, 24) if measure.what == "hour" else (1, 8)))]
        return limits[::-1] if above else limits  # of equals the tightest comes first
    if measure.what == "last":
        return [0.5] if above else []
    reached = part.reached(measure, above)
    at = {min(int(np.ceil(share * len(reached))), len(reached)) - 1 for share in _SHARES}
    return sorted({_beyond(float(reached[each]), measure, above) for each in at if len(reached)})


def _beyond(reached: float, measure: Measure, above: bool) -> float:
    """A limit that a number is just over, or under: for counts a half from it."""
    step = 0.5 if measure.what == "count" else abs(reached) * 1e-9 + 1e-12
    return reached - step if above else reached + step


def _adding(part: SearchedPart) -> Adding:
    """A function that looks at all candidates side by side, at the moments of stretches.

    Stretches below the number of incidents are those before them, the others those with false alarms.
    """
    history, candidates = part.history, list(_candidates(part))
    stretch = np.full(history.count, -1)
    false = part.rows[part.kind[part.rows] == FALSE]
    code = history.code[false] // (history.lead.settle + 1)
    stretch[false] = part.incidents + np.unique(code, return_inverse=True)[1]
    stretch[part.before] = np.repeat(part.number, part.end - part.first)
    looked_at = np.flatnonzero(stretch >= 0)
    looked_at = looked_at[np.argsort(stretch[looked_at], kind="stable")]
    place = np.full(history.count, -1)
    place[looked_at] = np.arange(len(looked_at))
    holds = np.empty((len(candidates), len(looked_at)), np.bool_)
    for measure, group in groupby(enumerate(candidates), lambda each: each[1].measure):
        numbers = history.numbers[measure][looked_at]
        for at, each in group:
            holds[at] = each.holds(numbers)
    usual = holds.mean(axis=1) < _COMMON if len(looked_at) else np.zeros(len(candidates), np.bool_)
    candidates, holds = [candidates[at] for at in np.flatnonzero(usual)], holds[usual]
    costs = np.array([each.form["cost"] for each in candidates])

    def adding(conditions: Sequence[RuleCondition], rows: Column) -> Iterator[RuleCondition]:
        at = place[rows]
        at = np.sort(at[at >= 0])
        if not len(at) or not candidates:
            return
        of = stretch[looked_at[at]]
        starts = np.flatnonzero(np.append(True, of[1:] != of[:-1]))
        own = holds if len(at) == holds.shape[1] else holds[:, at]
        hit = np.logical_or.reduceat(own, starts, axis=1)
        right = of[starts] < part.incidents
        weight = history.weight[looked_at[at[starts]]][~right]
        worth = part.worth(hit[:, right].sum(axis=1), hit[:, ~right] @ weight) - costs
        taken = {(each.measure, each.above) for each in conditions}
        times = dict[tuple[Measure, bool], int]()
        for number in np.argsort(-worth, kind="stable")[: 4 * _BEAM].tolist():
            each = candidates[number]
            side = each.measure, each.above
            times[side] = times.get(side, 0) + 1
            if np.isfinite(worth[number]) and side not in taken and times[side] <= 2:
                yield each

    return adding


# ---- limits: better ones, and rounder ones that come to as much ----


def refined(part: SearchedPart, conditions: tuple[RuleCondition, ...]) -> FoundRule:
    """The rule with better and rounder limits."""
    rule = part.rule(conditions)
    for at in [*range(len(conditions))] * 2:
        if rule.conditions[at].measure.what not in (*CALENDAR, "last"):  # these have all limits
            rule = _with_best_limit(part, rule, at)
    for at in range(len(rule.conditions)):
        rule = _with_round_limit(part, rule, at)
    return rule


def _with_limits(
    part: SearchedPart, rule: FoundRule, at: int, limits: Iterable[float]
) -> Iterator[FoundRule]:
    """The rule with other limits of one of its conditions."""
    before, own, after = rule.conditions[:at], rule.conditions[at], rule.conditions[at + 1 :]
    others = part.holding(before + after)
    for limit in limits:
        condition = RuleCondition(own.measure, own.above, limit)
        yield part.rule((*before, condition, *after), part.holding([condition], others))


def _with_best_limit(part: SearchedPart, rule: FoundRule, at: int) -> FoundRule:
    own = rule.conditions[at]
    others = part.holding(rule.conditions[:at] + rule.conditions[at + 1 :])
    reached = part.reached(own.measure, own.above, others)
    tried = reached[:: max(1, len(reached) // _TRIED)].tolist()
    limits = (_beyond(each, own.measure, own.above) for each in tried)
    return max([rule, *_with_limits(part, rule, at, limits)], key=lambda each: each.worth)


def _with_round_limit(part: SearchedPart, rule: FoundRule, at: int) -> FoundRule:
    """The roundest limit within the widest gap of the measure in which the rule is worth about as much.

    A cause that adds something leaves a gap; a limit in it is not moved by one incident more or less.
    """
    own = rule.conditions[at]
    if own.counted:
        return rule
    others = part.holding(rule.conditions[:at] + rule.conditions[at + 1 :])
    known = np.unique(part.history.numbers[own.measure][others])
    known = known[~np.isnan(known)]
    # What is over the limit begins at the cut, what is under it ends before.
    cut = int(np.searchsorted(known, own.limit, "right" if own.above else "left"))
    cuts = np.arange(max(cut - _FAR, 1), min(cut + _FAR, len(known) - 1) + 1)
    widest = cuts[np.argsort(known[cuts - 1] - known[cuts], kind="stable")].tolist()
    limits = (roundest(float(known[each - 1]), float(known[each])) for each in widest)
    enough = rule.worth - min(_SLACK, rule.worth / 7)
    return next((each for each in _with_limits(part, rule, at, limits) if each.worth >= enough), rule)


def roundest(low: float, high: float) -> float:
    """The number with the fewest digits in the middle half between two: 47.5 rather than 47.4831."""
    middle = (low + high) / 2
    for digits in range(1, 16) if low < high else ():
        number = float(f"{middle:.{digits}g}")
        if abs(number - middle) < (high - low) / 4:
            return number
    return middle
