"""Which negated atoms are certain by the rules alone: those that no rule makes true, whatever facts come.

`not Muted(X, T)` is, for all X but the sites, where `Muted(X, T) :- Mute(X, T), Site(X).` And `not Q(X, 0)`
is, where `Q(X, T+1) :- B(X, T).` is the only rule.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from antelog.compile.ordering import limits
from antelog.compile.plan import Literal, Negated, Pattern, StaticAtom, Term, Time, Var
from antelog.compile.subsume import variables_in
from antelog.compile.times import times_of

Patterns = Mapping[str, tuple[Pattern, ...]]

_START = Time(None, 0)


def is_foregone(negation: Negated, asker: Pattern, fails_by: int, patterns: Patterns) -> bool:
    """Whether a negated literal may be certain by the rules alone while facts for its pattern are awaited.

    Be it for some values, or at some ticks. They are awaited until `fails_by` after the answer's time.
    """
    asked, first = _first_tick(asker, negation.time), math.inf
    for pattern in patterns[negation.relation]:
        if may_hold(pattern, negation, asker, patterns, filled=True):
            first = min(first, _first_tick(pattern, pattern.time))
            if first <= asked:
                return False
    if negation.time.variable != asker.time.variable:
        return True
    last = first - 1 - negation.time.offset + asker.time.offset
    return last + fails_by > 0  # else no fact is awaited any more at tick 0


def _first_tick(pattern: Pattern, time: Time) -> int:
    """The first tick that a time of a pattern may be."""
    before = times_of(pattern).furthest(time, _START)
    return 0 if before is None else max(0, -before)


def may_hold(
    pattern: Pattern, negation: Negated, asker: Pattern, patterns: Patterns, *, filled: bool = False
) -> bool:
    """Whether a pattern of what is negated may come true for all values that the asker asks for.

    And at any tick but the first few. If background relations are `filled`, they have some values where
    none is asked for.
    """
    asked: dict[str, Term] = {}
    for term, wanted in zip(pattern.answer, negation.asked, strict=True):
        if not isinstance(term, Var):
            if term != wanted:
                return False
        elif asked.setdefault(term.name, wanted) != wanted:
            return False
    told = asked.keys() | {pattern.time.variable}
    statics = (s for s in pattern.statics if not filled or variables_in(s) & asked.keys())
    return (
        pattern.time.variable is not None
        and not any(variables_in(comparison) <= told for comparison in limits(pattern))
        and all(_in_terms_of(asked, static) in asker.statics for static in statics)
        and all(_needs_facts(each.relation, patterns) for each in pattern.negations)
    )


def _in_terms_of(asked: Mapping[str, Term], static: StaticAtom) -> StaticAtom:
    """A background fact about the values asked for."""
    terms = (asked.get(t.name, t) if isinstance(t, Var) else t for t in static.arguments)
    return StaticAtom(static.predicate, tuple(terms), static.negated)


def _needs_facts(name: str, patterns: Patterns) -> bool:
    """Whether no atom of a relation is true by the rules alone."""
    return all(any(is_tied(atom, pattern) for atom in pattern.atoms) for pattern in patterns[name])


def is_tied(literal: Literal, pattern: Pattern) -> bool:
    """Whether a literal is about a tick at a fixed distance from that of the answer."""
    return literal.time.variable == pattern.time.variable is not None
