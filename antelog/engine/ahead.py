"""How early the atoms of a relation may be certain, by the rules alone: before the ticks they are about.

An atom about a tick yet to come may be certain already: `not Alarm(X, T-1)` is, once no alarm
about T-1 can arrive, while the fact about T is still awaited.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from antelog.compile.foregone import Patterns, is_tied, may_hold
from antelog.compile.plan import Negated, Pattern, Plan
from antelog.compile.times import times_of


@dataclass(frozen=True)
class Ahead:
    """An atom about T may be true, or false, from T - `true` (`false`) on at the soonest.

    Not counted is what holds of all ticks alike, nor what holds of the first few ticks.
    """

    true: float
    false: float


@dataclass(frozen=True)
class _Tied:
    """A literal about a tick at least `before` that of the answer; `relation` if it is negated.

    It is `fixed` if that is where it always is. It `waits` if it is, and cannot hold at all ticks
    alike, whatever values it is asked for.
    """

    before: int
    fixed: bool
    relation: str | None
    waits: bool


def aheads(plan: Plan) -> Mapping[str, Ahead]:
    """How early the atoms of each relation may be certain; infinitely early if nothing bounds it."""
    patterns = {relation.name: relation.patterns for relation in plan.relations}
    relations = {name: [tuple(_tied(each, patterns)) for each in own] for name, own in patterns.items()}
    ahead = {name: Ahead(-math.inf, -math.inf) for name in relations}
    for round_ in range(_ROUNDS):
        new = {name: _once(patterns, ahead) for name, patterns in relations.items()}
        if new == ahead:
            break
        if round_ > _ROUNDS // 2:  # what still grows now grows for ever
            new = {
                name: Ahead(_up(a.true, ahead[name].true), _up(a.false, ahead[name].false))
                for name, a in new.items()
            }
        ahead = new
    return ahead


_ROUNDS = 400


def _up(new: float, old: float) -> float:
    return math.inf if math.inf in (old, new) or new > old else new


def _once(patterns: Sequence[Sequence[_Tied]], ahead: Mapping[str, Ahead]) -> Ahead:
    true, false = -math.inf, -math.inf
    for literals in patterns:
        # For some values any of the others may hold at all ticks alike.
        waiting = [_true(each, ahead) for each in literals if each.waits]
        others = (_true(each, ahead) for each in literals if each.fixed)
        true = max(true, min(waiting) if waiting else max(others, default=-math.inf))
        false = max(false, *(_false(each, ahead) for each in literals), -math.inf)
    return Ahead(true, false)


def _true(literal: _Tied, ahead: Mapping[str, Ahead]) -> float:
    return literal.before + (0 if literal.relation is None else ahead[literal.relation].false)


def _false(literal: _Tied, ahead: Mapping[str, Ahead]) -> float:
    return literal.before + (0 if literal.relation is None else max(ahead[literal.relation].true, 0))


def _tied(pattern: Pattern, patterns: Patterns) -> Iterator[_Tied]:
    times = times_of(pattern)
    for literal in pattern.literals:
        latest = times.soonest_end(pattern.time, literal.time)
        if latest is None or None in (pattern.time.variable, literal.time.variable):
            continue
        fixed = is_tied(literal, pattern)
        if isinstance(literal, Negated):
            yield _Tied(-latest, fixed, literal.relation, fixed and _waits(literal, pattern, patterns))
        else:
            yield _Tied(-latest, fixed, None, fixed)


def _waits(negation: Negated, asker: Pattern, patterns: Patterns) -> bool:
    """Whether what is negated may come true at any tick, for all values that the pattern asks for."""
    return any(may_hold(each, negation, asker, patterns) for each in patterns[negation.relation])
