"""What can be known of a plan before any fact has come: what may be certain, and how early."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from msgspec.structs import replace

from antelog.compile.delays import Delays
from antelog.compile.factoring import factors, leaves_some
from antelog.compile.plan import Comparison, Const, Literal, Negated, Pattern, Plan, Relation, Time, Var
from antelog.compile.times import times_of
from antelog.engine.ahead import Ahead, aheads
from antelog.engine.layout import Layout, compared, layout, limits


@dataclass(frozen=True)
class Foresight:
    """How early atoms may be certain; from tick `steady` on no tick differs from the next.

    `widest` is how far apart times are that rules tie to each other, along any way through them;
    `compared` how far apart comparisons between times put them.
    """

    ahead: Mapping[str, Ahead]
    steady: int
    widest: int
    compared: int

    def evidence(self, layout: Layout) -> float:
        """How many ticks ahead negated literals of a pattern may be certain.

        What is said of all ticks has exceptions where they are certainly false, too.
        """
        found = (self._of(negation, layout) for negation in layout.negations)
        return max(found, default=-math.inf)

    def _of(self, negation: Negated, layout: Layout) -> float:
        time, atom = layout.pattern.time, self.ahead[negation.relation]
        if negation.time.variable != time.variable:
            return 0
        soonest = max(atom.false, atom.true) if layout.endless else atom.false
        return soonest + time.offset - negation.time.offset

    def evidence_at(self, layout: Layout, time: str) -> float:
        """The same, where they are about another time than the answer."""
        tied = (negation for negation in layout.negations if negation.time.variable == time)
        found = (self.ahead[negation.relation].false - negation.time.offset for negation in tied)
        return max(found, default=-math.inf)


def cycles(plan: Plan) -> dict[str, frozenset[str]]:
    """The relations that rest on their own negation, each with all it shares that cycle with."""
    members: dict[int, set[str]] = {}
    for relation in plan.relations:
        members.setdefault(relation.level.component, set()).add(relation.name)
    return {
        relation.name: frozenset(members[relation.level.component])
        for relation in plan.relations
        if len(members[relation.level.component]) > 1 or relation.name in relation.bounds.asked_by
    }


@lru_cache(maxsize=64)
def layouts(plan: Plan) -> dict[str, tuple[Layout, ...]]:
    """The patterns of each relation, prepared."""
    first = max((len(relation.variables) for relation in plan.relations), default=0)
    prepared: dict[str, tuple[Layout, ...]] = {}
    for relation in plan.relations:
        own = []
        every = [*(_factored(relation) if relation.asked else map(layout, relation.patterns))]
        rivals = _rivals(every) if relation.asked else set()
        for number, each in enumerate(every):
            seeded = relation.asked and _seeded(each, plan)
            own.append(
                dataclasses.replace(
                    each,
                    seeded=seeded,
                    endless=seeded and _endless(each.pattern, plan),
                    rival=number in rivals,
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


def _rivals(every: Sequence[Layout]) -> set[int]:
    """The numbers of the patterns that may make another needless without any fact."""
    patterns = [each.pattern for each in every]
    return {
        number
        for number, others in rivals_among(patterns).items()
        if any(
            every[number].origin != every[other].origin or leaves_some(patterns[number], patterns[other])
            for other in others
        )
    }


def rivals_among(patterns: Sequence[Pattern]) -> dict[int, set[int]]:
    """For patterns those of which all their literals may be literals, with the right values; by number.

    Patterns that have something in the places of a pattern's constants are found at once, for of
    hundreds of patterns not every one shall be compared with every other.
    """
    having: dict[tuple[object, ...], set[int]] = {}
    for number, pattern in enumerate(patterns):
        for literal in pattern.literals:
            having.setdefault(_sort(literal), set()).add(number)
            for place, term in enumerate(literal.arguments):
                value = term if isinstance(term, Const) else None
                having.setdefault((*_sort(literal), place, value), set()).add(number)

    def fitting(literal: Literal) -> Iterator[set[int]]:
        yield having[_sort(literal)]
        for place, term in enumerate(literal.arguments):
            if isinstance(term, Const):
                same = (*_sort(literal), place)
                yield having.get((*same, term), set()) | having.get((*same, None), set())

    rivals = {}
    for number, pattern in enumerate(patterns):
        some = [found for literal in pattern.literals for found in fitting(literal)]
        others = set.intersection(*some) if some else set()
        found = {other for other in others if within(pattern, patterns[other])}
        if found:
            rivals[number] = found
    return rivals


def _sort(literal: Literal) -> tuple[object, ...]:
    return type(literal), literal.predicate


def within(pattern: Pattern, other: Pattern) -> bool:
    """Whether with the right values a pattern's literals may all be literals of another."""
    if pattern is other or len(pattern.literals) > len(other.literals) or not any(pattern.atoms):
        return False
    return all(any(_alike(one, pattern, two, other) for two in other.literals) for one in pattern.literals)


def _alike(one: Literal, pattern: Pattern, two: Literal, other: Pattern) -> bool:
    if type(one) is not type(two) or one.predicate != two.predicate:
        return False
    tied = one.time.variable == pattern.time.variable and two.time.variable == other.time.variable
    if tied and one.time.offset - pattern.time.offset != two.time.offset - other.time.offset:
        return False
    terms = zip(one.arguments, two.arguments, strict=True)
    return not any(isinstance(a, Const) and isinstance(b, Const) and a != b for a, b in terms)


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


def foresee(plan: Plan) -> Foresight:
    return Foresight(aheads(plan), *_steady(plan))


def _steady(plan: Plan) -> tuple[int, int, int]:
    """From which tick on no rule tells one tick from another; how far apart times are, tied and compared."""
    limits, shifts, compared_ = [0], 0, 0
    for relation in plan.relations:
        for pattern in relation.patterns:
            offsets = [abs(literal.time.offset - pattern.time.offset) for literal in pattern.literals]
            shifts += max(offsets, default=0)
            limits += [abs(e.tick) for e in pattern.earliest]
            limits += [li.time.offset for li in pattern.literals if li.time.variable is None]
            limits += [abs(pattern.time.offset)]
            for comparison in pattern.comparisons:
                fixed = [s.offset for s in (comparison.left, comparison.right) if isinstance(s, Time)]
                limits += [abs(tick) for tick in fixed]
                if all(isinstance(s, Time) and s.variable for s in (comparison.left, comparison.right)):
                    compared_ += abs(fixed[0] - fixed[1])
    return max(limits) + 2 * shifts + 1, shifts, compared_
