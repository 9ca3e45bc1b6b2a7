"""Delays and windows: how late facts are, and how long facts and atoms matter.

A bound is the longest stretch of time through what a relation rests on; `stratify` sees to it that it ends.

    P(T) :- A(T+3), not B(T-1).    with delay 2 on both: decided by T+5, the facts of 7 ticks matter
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import add
from typing import NamedTuple

from antelog.compile.comparisons import ZERO, Times, reaches_of, times_of
from antelog.compile.literals.literal import ReferenceReach
from antelog.compile.literals.terms import Const, Term, Time, Var
from antelog.compile.nodes.patterns import Pattern
from antelog.compile.nodes.plan import Bounds, Input, Plan, Relation

# ---- how late facts are ----


Value = str | int | float
_Value = Value | Var  # a value, or a variable in the place of one that no declaration names


class DelayTable:
    """The delays of an input's facts: the papers' δ, for atoms with variables too.

    input Temp(d, level, time) delay 1.    delay Temp(wt4, _, _) = 3.
    Temp(wt2, high, T): 1      Temp(X, high, T): 3
    """

    def __init__(self, source: Input) -> None:
        self._default = source.delay
        # Of those with equally many constants that fit the same fact all agree, or the program is refused.
        tables: dict[tuple[int, ...], dict[tuple[Value, ...], int]] = {}
        for each in source.refinements:
            positions = tuple(i for i, value in enumerate(each.pattern) if value is not None)
            values = tuple(value for value in each.pattern if value is not None)
            tables.setdefault(positions, {})[values] = each.delay
        # By the constants at some positions; those with more constants come first, for they decide.
        self.tables = {at: tables[at] for at in sorted(tables, key=len, reverse=True)}

    def largest(self, arguments: Sequence[Term | None]) -> int:
        """Returns the maximum of δ over the instances of an atom with these arguments (None: any)."""
        # There are always values that no declaration names, so the constants of each that fits are enough.
        values = [
            a.value if isinstance(a, Const) else a or Var(f"_{place}") for place, a in enumerate(arguments)
        ]
        largest = self._decide(values)
        for positions, delays in self.tables.items():
            for row in delays:
                instance = _instance(values, positions, row)
                if instance is not None:
                    largest = max(largest, self._decide([instance.get(v, v) for v in values]))
        return largest

    def _decide(self, values: Sequence[_Value]) -> int:
        """Returns δ of an instance: that of the declaration with the most constants that fits it."""
        for positions, delays in self.tables.items():
            # A variable is never declared: without it, the row is too short to be there.
            there = (values[i] for i in positions)
            delay = delays.get(tuple(value for value in there if not isinstance(value, Var)))
            if delay is not None:
                return delay
        return self._default


def _instance(
    values: Sequence[_Value], positions: tuple[int, ...], row: tuple[_Value, ...]
) -> dict[_Value, _Value] | None:
    """Returns the bindings that give these values at these positions; None if there are none."""
    bound: dict[_Value, _Value] = {}
    for i, wanted in zip(positions, row, strict=True):
        have = values[i]
        if bound.setdefault(have, wanted) != wanted if isinstance(have, Var) else have != wanted:
            return None
    return bound


# ---- how long facts and atoms matter ----


class Stretch(NamedTuple):
    """A stretch of time (None: without bound), and the relation it leads to (None: it ends at facts)."""

    relation: str | None
    ticks: int | None


def bound(patterns: Mapping[str, tuple[Pattern, ...]], inputs: Iterable[Input]) -> dict[str, Bounds]:
    delays_of = {source.name: DelayTable(source) for source in inputs}
    # From the answer's time to when a literal is decided, and back to its evidence.
    ahead: dict[str, list[Stretch]] = {name: [] for name in patterns}
    back: dict[str, list[Stretch]] = {name: [] for name in patterns}
    reasons: dict[str, str | None] = dict.fromkeys(patterns)
    for name, pattern in ((name, pattern) for name, own in patterns.items() for pattern in own):
        times = times_of(pattern)
        if not any(fact.time.variable == pattern.time.variable for fact in pattern.facts):
            # No fact gives the answer its time: it is looked at when that has come.
            ahead[name].append(Stretch(None, 0))
        for each in (reach for literal in pattern.stated for reach in times.reaches(literal, pattern.time)):
            reference, late, relation = each.reference, 0, None
            if reference.of_input:
                late = delays_of[reference.name].largest(reference.untimed)
            else:
                relation = reference.name
            ahead[name].append(Stretch(relation, _sum(each.ahead, late)))
            back[name].append(Stretch(relation, each.kept))
        reasons[name] = reasons[name] or _piling_up(pattern, times)
    delays, backs = _longest(ahead), _longest(back)
    users: dict[str, list[str]] = {name: [] for name in patterns}
    kept: dict[str, int | None] = dict.fromkeys(patterns, 0)
    for name, target, distance in ((name, *each) for name, own in back.items() for each in own):
        if target is not None:
            users[target].append(name)
            kept[target] = _larger(kept[target], _sum(distance, delays[name]))
    bounds = {}
    for name in patterns:
        window = _sum(delays[name], _sum(backs[name], 1))
        bounds[name] = Bounds(
            delays[name],
            None if window is None else max(window, 0),
            kept[name] if users[name] else None,
            tuple(dict.fromkeys(users[name])),
            reasons[name],
        )
    return bounds


def delays_of_others(plan: Plan) -> dict[str, int | None]:
    """Returns for queries with unguarded variables when answers about all other values are decided."""
    patterns = {each.name: each.patterns for each in plan.relations}
    found = {}
    for query in plan.queries:
        unguarded = tuple(pattern for pattern in query.patterns if pattern.unguarded)
        if unguarded:
            found[query.name] = bound({**patterns, query.name: unguarded}, plan.inputs)[query.name].delay
    return found


def _both(how: Callable[[int, int], int], one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else how(one, other)


_sum, _larger, _earlier = (partial(_both, how) for how in (add, max, min))


def _longest(stretches: Mapping[str, list[Stretch]]) -> dict[str, int | None]:
    """Returns each relation's longest stretch, continued by that of the relation it leads to."""
    lowest = -(10**9)
    longest: dict[str, int | None] = dict.fromkeys(stretches, lowest)
    for number in range(2 * len(stretches) + 2):
        changed = False
        for name, own in stretches.items():
            best = longest[name]
            for target, length in own:
                best = _larger(best, length if target is None else _sum(length, longest[target]))
            if best != longest[name] and number > len(stretches):
                # It still grows after a round for each relation: it rests on itself, ever earlier.
                best = None
            if best != longest[name]:
                longest[name], changed = best, True
        if not changed:
            break
    return {
        name: 0 if length is not None and length < lowest // 2 else length for name, length in longest.items()
    }


def _piling_up(pattern: Pattern, times: Times) -> str | None:
    """Returns the time variable that evidence may wait for without end, if there is one."""
    names = dict.fromkeys(time.variable for literal in pattern.stated for time in literal.times)
    zero = Time(ZERO, 0)
    free = [Time(v, 0) for v in names if v is not None and times.furthest(zero, Time(v, 0)) is None]
    for time in free[1:]:
        if times.furthest(free[0], time) is None:
            return time.variable
        if times.furthest(time, free[0]) is None:
            return free[0].variable
    return None


# ---- how far back the facts lie that may still matter ----


def needed(plan: Plan, cycles: Mapping[str, frozenset[str]]) -> dict[str, int | None]:
    """Returns for each input the first tick, counted from now, whose facts may still matter; None: all do."""
    # A fact matters as long as another may claim its slot, or as it shows that a source was seen.
    first: dict[str, int | None] = {
        source.name: 1 if source.slot is None else -max(source.delays) for source in plan.inputs
    }
    for each, own in _looked_at(plan, cycles):
        if each.reference.of_input:
            name = each.reference.name
            first[name] = _earlier(first[name], _sum(own, None if each.kept is None else -each.kept))
    sight = {source.name: max(source.expected.sight - 1, 0) for source in plan.inputs if source.expected.of}
    return {name: _sum(tick, -sight.get(name, 0)) for name, tick in first.items()}


def remembered(plan: Plan, cycles: Mapping[str, frozenset[str]]) -> dict[str, int | None]:
    """Returns the first tick that may matter of inputs of which the latest fact of each slot is kept."""
    first: dict[str, int | None] = {}
    for each, own in _looked_at(plan, cycles):
        if each.reference.remembered:
            tick = _sum(own, None if each.behind is None else -each.behind)
            first[each.reference.predicate] = _earlier(first.get(each.reference.predicate, tick), tick)
    return first


def _looked_at(
    plan: Plan, cycles: Mapping[str, frozenset[str]]
) -> Iterator[tuple[ReferenceReach, int | None]]:
    """Yields what literals look at, with the first tick of the atom that is derived, counted from now."""
    wanted: dict[str, int | None] = {}
    for relation in sorted(plan.relations, key=lambda r: -r.level.component):
        own = wanted.get(relation.name, 0)
        if relation.is_query or relation.name in cycles or relation.name not in wanted:
            delay, late = relation.bounds.delay, lag(plan) if relation.name in cycles else 0
            own = _earlier(own, None if delay is None else -delay - late - 1)
        for pattern in relation.patterns:
            for each in reaches_of(pattern):
                yield each, own
                name = each.reference.name
                if each.reference.of_input or plan.relation(name).level.component == relation.level.component:
                    continue
                tick = _sum(own, None if each.kept is None else -each.kept)
                wanted[name] = _earlier(wanted.get(name, 0), tick)


@dataclass(frozen=True)
class BaseReach:
    """How far before an answer the facts, the latest facts, or the remembered atoms lie that it rests on."""

    name: str
    ticks: int | None  # at most; None: no bound
    of_input: bool
    is_latest: bool = False


def base_reaches(plan: Plan, name: str, cycles: Mapping[str, frozenset[str]]) -> frozenset[BaseReach]:
    relations = {relation.name: relation for relation in plan.relations}
    return frozenset(_bases(relations[name], relations, cycles))


def _bases(
    relation: Relation, relations: Mapping[str, Relation], cycles: Mapping[str, frozenset[str]]
) -> Iterator[BaseReach]:
    for each in (reach for pattern in relation.patterns for reach in reaches_of(pattern)):
        reference = each.reference
        if reference.of_input:
            yield BaseReach(reference.name, each.behind, of_input=True)
        elif reference.remembered:
            yield BaseReach(reference.predicate, each.kept, of_input=True)
            yield BaseReach(reference.predicate, each.behind, of_input=True, is_latest=True)
        elif reference.name in cycles:
            yield BaseReach(reference.name, each.behind, of_input=False)
        else:
            for below in _bases(relations[reference.name], relations, cycles):
                yield replace(below, ticks=_sum(each.behind, below.ticks))


def lag(plan: Plan) -> int:
    """Returns for how many ticks decided atoms are still computed from facts instead of remembered."""
    # It is not remembered since when they are true, which matters to answers that are still open.
    return max([0, *(query.bounds.delay or 0 for query in plan.queries)]) + widest(plan) + 1


def widest(plan: Plan) -> int:
    """Returns the largest distance of two times that rules tie to each other, over all rules together."""
    return sum(
        max((tied for pattern in each.patterns for tied in _tied(pattern)), default=0)
        for each in plan.relations
    )


def _tied(pattern: Pattern) -> Iterator[int]:
    """Yields how far times lie from the answer's, or at most after it if only comparisons tie them to it."""
    times = times_of(pattern)
    for time in pattern.times:
        yield abs(time.offset - pattern.time.offset)
        yield times.furthest(pattern.time, time) or 0


def reaches(plan: Plan) -> dict[str, int | None]:
    """Returns for each relation how far before its own time an atom's facts lie at most; None: no bound."""
    # Through negation too, so that what is known of the ticks from there on decides the atom.
    relations = {relation.name: relation for relation in plan.relations}
    return {name: _reach(relation, relations, frozenset()) for name, relation in relations.items()}


def _reach(relation: Relation, relations: Mapping[str, Relation], above: frozenset[str]) -> int | None:
    if relation.name in above:
        return None
    furthest = -(10**9)
    for each in (reach for pattern in relation.patterns for reach in reaches_of(pattern)):
        further: int | None = 0
        if not each.reference.of_input:
            further = _reach(relations[each.reference.name], relations, above | {relation.name})
        if each.kept is None or further is None:
            return None
        furthest = max(furthest, each.kept + further)
    return furthest
