"""How long things matter: delays and windows.

In come the patterns of all relations and the inputs with their delays, out go the bounds of each relation.
They follow from the offsets in the patterns and the declared delays: the longest stretch of time through
the relations counts. Negation that leads into the past only (see `stratify`) makes it finite.

    P(T) :- A(T+3), not B(T-1).    with delay 2 on both: decided by T+5, the facts of 7 ticks matter
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from antelog.compile.literals.fact import Atom
from antelog.compile.literals.terms import Time
from antelog.compile.conditions.differences import ZERO
from antelog.compile.conditions.differences import Times, times_of
from antelog.compile.nodes.patterns import Pattern
from antelog.compile.nodes.plan import Bounds, Input, Plan
from antelog.compile.plan.delays import Delays

Inputs = Mapping[str, Delays]
Patterns = Mapping[str, tuple[Pattern, ...]]


def bound(patterns: Patterns, inputs: Iterable[Input]) -> dict[str, Bounds]:
    """The bounds of all relations."""
    delays_of = {source.name: Delays(source) for source in inputs}
    views = {name: [_View.of(p, delays_of) for p in own] for name, own in patterns.items()}
    delays = _longest(views, lambda view: view.ahead)
    backs = _longest(views, lambda view: view.back)
    users: dict[str, list[str]] = {name: [] for name in views}
    kept: dict[str, int | None] = dict.fromkeys(views, 0)
    for name, own in views.items():
        for view in own:
            for target, distance in view.askers:
                users[target].append(name)
                kept[target] = _larger(kept[target], _sum(distance, delays[name]))
    bounds = {}
    for name, own in views.items():
        window = _sum(delays[name], _sum(backs[name], 1))
        reasons = (v.piling_up for v in own if v.piling_up)
        bounds[name] = Bounds(
            delays[name],
            None if window is None else max(window, 0),
            kept[name] if users[name] else None,
            tuple(dict.fromkeys(users[name])),
            next(reasons, None),
        )
    return bounds


def delays_of_others(plan: Plan) -> dict[str, int | None]:
    """For queries with unguarded variables, in how many ticks an answer about all others is settled."""
    patterns = {each.name: each.patterns for each in plan.relations}
    found = {}
    for query in plan.queries:
        unguarded = tuple(pattern for pattern in query.patterns if pattern.unguarded)
        if unguarded:
            found[query.name] = bound({**patterns, query.name: unguarded}, plan.inputs)[query.name].delay
    return found


Stretch = tuple[str | None, int | None]
"""A stretch of time, and the relation it leads to (None: it ends at an input fact)."""


@dataclass(frozen=True)
class _View:
    """A pattern and the stretches of time in it; None stands for one without bound.

    ahead, back   from the answer's time to when a literal is settled, and back to its evidence
    askers        for each negated relation, how long after its atom's time the answer's is
    """

    pattern: Pattern
    ahead: tuple[Stretch, ...]
    back: tuple[Stretch, ...]
    askers: tuple[tuple[str, int | None], ...]
    piling_up: str | None

    @staticmethod
    def of(pattern: Pattern, inputs: Inputs) -> _View:
        times = times_of(pattern)
        ahead: list[Stretch] = []
        back: list[Stretch] = []
        askers = []
        if not any(atom.time.variable == pattern.time.variable for atom in pattern.atoms):
            ahead.append((None, 0))  # no fact gives the answer its time: it is looked at when that has come
        for literal in pattern.literals:
            later = times.furthest(pattern.time, literal.time)
            before = times.furthest(literal.time, pattern.time)
            if isinstance(literal, Atom):
                source = inputs[literal.predicate]
                deadline = _sum(later, source.largest(literal))
                ahead.append((None, deadline))
                back.append((None, before))
            else:
                ahead.append((literal.relation, later))
                back.append((literal.relation, before))
                askers.append((literal.relation, before))
        return _View(
            pattern,
            tuple(ahead),
            tuple(back),
            tuple(askers),
            _piling_up(pattern, times),
        )


def _sum(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other


def _larger(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else max(one, other)


def _longest(
    views: Mapping[str, list[_View]], stretches: Callable[[_View], tuple[Stretch, ...]]
) -> dict[str, int | None]:
    """For each relation the longest of its stretches, each continued by that of the relation it leads to."""
    lowest = -(10**9)
    longest: dict[str, int | None] = dict.fromkeys(views, lowest)
    for number in range(2 * len(views) + 2):
        changed = False
        for name, own in views.items():
            best = longest[name]
            for view in own:
                for target, length in stretches(view):
                    best = _larger(best, length if target is None else _sum(length, longest[target]))
            if best != longest[name] and number > len(views):
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
    """The time variable that evidence may wait for without end, if there is one."""
    names = dict.fromkeys(literal.time.variable for literal in pattern.literals)
    zero = Time(ZERO, 0)
    free = [Time(v, 0) for v in names if v is not None and times.furthest(zero, Time(v, 0)) is None]
    for time in free[1:]:
        if times.furthest(free[0], time) is None:
            return time.variable
        if times.furthest(time, free[0]) is None:
            return free[0].variable
    return None
