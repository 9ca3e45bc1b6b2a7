"""Proposals: rules that hold up on incidents that they were not found in.

The time is cut into stretches with as many incidents. What is found outside one of them is judged in it, and
what comes of that in all of them must be more than chance explains. The rule is the one found in all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import log, log1p

import numpy as np

from antelog.engine.columns.tables import NEVER, Column
from antelog.incidents.suggest.measures import Done, SearchedHistory
from antelog.incidents.suggest.search import best_rule
from antelog.incidents.suggest.searched_part import FoundRule, SearchedPart, costs, counted

_FOLDS = 3
_SURE = 0.005  # what chance may explain
_FEWEST = 3  # the incidents that a rule catches at least, and its folds together


def proposals(
    history: SearchedHistory, most: int, most_false: float, done: Done = lambda _: None
) -> Iterator[FoundRule]:
    """At most so many rules, as long as each catches what none before did, by more than chance."""
    left = history.incidents
    for _ in range(most):
        found = _next(SearchedPart.of(history, left, most_false))
        done(1 / most)
        if found is None:
            return
        yield found
        caught = counted(history, left)[sorted(found.caught)]
        left = left.take(np.setdiff1d(np.arange(left.count), caught))
        if not len(counted(history, left)):
            return


def _next(whole: SearchedPart) -> FoundRule | None:
    """The best rule for incidents that are left; None if chance explains what it comes to unseen."""
    best = best_rule(whole)
    if best is None or len(best.caught) < _FEWEST:
        return None
    rules, tests = zip(*((best_rule(train), test) for train, test in _folds(whole)), strict=True)
    unseen = _unseen(rules, tests)
    if len(unseen.caught) < _FEWEST or by_chance(unseen) > _SURE:
        return None
    return replace(best, unseen=unseen)


def _unseen(rules: Sequence[FoundRule | None], tests: Sequence[SearchedPart]) -> FoundRule:
    """The sum of how rules do in the folds that they were not found in."""
    found = [test.rule(own.conditions) for own, test in zip(rules, tests, strict=True) if own is not None]
    caught = frozenset(range(sum(len(each.caught) for each in found)))
    of_rules = {name: sum(getattr(each, name) for each in found) for name in ("right", "false", "chance")}
    of_tests = {name: sum(getattr(each, name) for each in tests) for name in ("incidents", "days")}
    return FoundRule(conditions=(), caught=caught, worth=0.0, **of_rules, **of_tests)


def by_chance(found: FoundRule) -> float:
    """The probability that so many or more of some alerts are right by chance."""
    alerts = round(found.right + found.false)
    if not alerts:
        return 1.0
    chance = min(max(found.chance / (found.right + found.false), 1e-12), 1 - 1e-12)
    k = np.arange(found.right, alerts + 1)
    logs = np.cumsum(np.log(np.maximum(np.arange(alerts + 1), 1)))  # of factorials
    ways = logs[-1] - logs[k] - logs[alerts - k]
    return float(np.exp(ways + k * log(chance) + (alerts - k) * log1p(-chance)).sum())


def _folds(whole: SearchedPart) -> Iterator[tuple[SearchedPart, SearchedPart]]:
    """For each of some stretches of time with as many incidents: the rest to search in, and the stretch.

    The rest ends a lead before the stretch, and begins a lead after it.
    """
    most = whole.history.lead.most
    begins = np.quantile(whole.begin, np.arange(1, _FOLDS) / _FOLDS, method="higher")
    cuts = (begins - most).tolist()
    for since, until in zip((-NEVER, *cuts), (*cuts, NEVER), strict=True):
        yield whole.part(since - most, until + most, outside=True), whole.part(since, until)


def better_with(history: SearchedHistory, rows: Column, most_false: float) -> FoundRule | None:
    """The condition that makes a rule better, which holds at some moments; None if none does, unseen, too."""
    whole = SearchedPart.of(history, history.incidents, most_false)
    whole = replace(whole, only=rows, most_conditions=1)
    alone, found = whole.rule(()), best_rule(whole)
    if found is None or found.worth <= alone.worth + costs(found.conditions * 2):
        return None
    trains, tests = zip(*_folds(whole), strict=True)
    with_it = _unseen([best_rule(train) for train in trains], tests)
    without = _unseen([alone] * len(tests), tests)
    worth = [float(whole.worth(len(each.caught), each.false)) for each in (with_it, without)]
    return None if worth[0] <= worth[1] else replace(found, unseen=with_it)
