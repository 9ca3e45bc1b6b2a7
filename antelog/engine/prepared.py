"""The patterns of a plan, prepared: with their factors, and what is known of each before any facts."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

from msgspec.structs import replace

from antelog.compile.delays import Delays
from antelog.compile.factoring import factors
from antelog.compile.ordering import limits
from antelog.compile.plan import Comparison, Negated, Pattern, Plan, Relation, Time, Var
from antelog.compile.times import times_of
from antelog.engine.layout import Layout, compared, layout
from antelog.engine.rivals import rivals


@lru_cache(maxsize=64)
def layouts(plan: Plan) -> dict[str, tuple[Layout, ...]]:
    """The patterns of each relation, prepared."""
    first = max((len(relation.variables) for relation in plan.relations), default=0)
    prepared: dict[str, tuple[Layout, ...]] = {}
    for relation in plan.relations:
        own = []
        every = [*(_factored(relation) if relation.asked else map(layout, relation.patterns))]
        needless = rivals(every) if relation.asked else set()
        for number, each in enumerate(every):
            seeded = relation.asked and _seeded(each, plan)
            own.append(
                dataclasses.replace(
                    each,
                    seeded=seeded,
                    endless=seeded and _endless(each.pattern, plan),
                    rival=number in needless,
                    first_cell=first,
                    same=_same(relation, each.pattern),
                )
            )
            first += len(each.cells)
        prepared[relation.name] = tuple(own)
    return prepared


def _factored(relation: Relation) -> Iterator[Layout]:
    """The patterns, each with those of its factors that tell more where variables are open."""
    for number, pattern in enumerate(relation.patterns):
        whole = dataclasses.replace(layout(pattern), origin=number)
        yield whole
        for factor in islice(factors(pattern), 1, _FACTORS):
            given_up = factor.by.objects.keys() | factor.by.times.keys()
            if any(not given_up <= names for names in whole.known):
                # A time that facts have in the factor alone is no time for which any fact calls.
                yield dataclasses.replace(
                    layout(factor.pattern), by_clock=whole.by_clock, origin=number, by=factor.by
                )


def _same(relation: Relation, pattern: Pattern) -> tuple[Comparison, ...]:
    """The variables of a relation that are one in a pattern."""
    pairs = zip(relation.variables, pattern.answer, strict=True)
    return tuple(Comparison(t, "=", Var(name)) for name, t in pairs if isinstance(t, Var) and t.name != name)


_FACTORS = 100
"""More factors of a pattern than this are not looked at."""


def _seeded(own: Layout, plan: Plan) -> bool:
    if not own.places or own.by_clock:
        return False
    return any(_comes_first(own.pattern, negation, plan) for negation in own.negations)


def _endless(pattern: Pattern, plan: Plan) -> bool:
    """Whether the answer's time may be open while there is evidence.

    A negated atom may be certain by the rules alone, or by facts about other times, or there may be
    facts about other times than the answer's.
    """
    return not layout(pattern).sliced or any(
        negation.time.variable != pattern.time.variable or _by_rules(negation.relation, plan, set())
        for negation in pattern.negations
    )


def _by_rules(name: str, plan: Plan, seen: set[str]) -> bool:
    if name in seen:
        return False
    seen.add(name)
    if not plan.relation(name).patterns:
        return True
    for pattern in plan.relation(name).patterns:
        tied = any(atom.time.variable == pattern.time.variable for atom in pattern.atoms)
        loose = any(literal.time.variable != pattern.time.variable for literal in pattern.literals)
        plain = replace(pattern, literals=tuple(pattern.atoms), earliest=())
        if not tied or loose or not _fits_all(plain):
            return True
        if any(_by_rules(negation.relation, plan, seen) for negation in pattern.negations):
            return True
    return False


def _comes_first(pattern: Pattern, negation: Negated, plan: Plan) -> bool:
    """Whether a negated atom may be certain while the facts of the pattern are still awaited."""
    if pattern.fails_by is None or negation.time.variable != pattern.time.variable:
        return True
    # Only patterns that any values fit keep every atom undecided until they cannot hold any more.
    fitting = [p for p in plan.relation(negation.relation).patterns if _fits_all(p)]
    soonest = [_fails_first(each, plan) for each in fitting]
    if any(ticks is None for ticks in soonest):
        return False
    certain = max((ticks for ticks in soonest if ticks is not None), default=-math.inf)
    return negation.time.offset - pattern.time.offset + certain < pattern.fails_by


def _fits_all(pattern: Pattern) -> bool:
    """Whether every atom can be derived by the pattern, whatever has happened before."""
    names = {a.name for a in pattern.answer if isinstance(a, Var)}
    plain = len(names) == len(pattern.answer) and pattern.time.variable is not None
    known = names | {pattern.time.variable}
    free = not any(compared(c) <= known for c in limits(pattern))
    always = all(e.tick <= 0 for e in pattern.earliest if e.variable == pattern.time.variable)
    return plain and free and always and not pattern.statics and not any(pattern.negations)


def _fails_first(pattern: Pattern, plan: Plan) -> float | None:
    """How long after an atom's time the pattern cannot hold any more, at the soonest; None if it always can.

    A fact about a tick of its own is over for atoms of all times, however late these are.
    """
    delays = {source.name: Delays(source).smallest() for source in plan.inputs}
    times, soonest = times_of(pattern), list[float]()
    for atom in pattern.atoms:
        latest = times.soonest_end(pattern.time, atom.time)
        if times.furthest(_START, atom.time) is not None:
            soonest.append(-math.inf)
        elif latest is not None:
            soonest.append(latest + delays[atom.predicate])
    return min(soonest, default=None)


_START = Time(None, 0)
