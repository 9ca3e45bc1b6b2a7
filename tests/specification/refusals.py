"""Refusals of what unfolding brings together: semantics.md, "Patterns and derivations"."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from tests.specification.constraints import is_bounded
from tests.specification.literals import Last
from tests.specification.patterns import Pattern
from tests.specification.terms import ANY, Atom, Variable, variables_in


class RefusedError(Exception):
    """A program that the specification has no meaning for."""


def refuse(queries: Iterable[Pattern], patterns_of: Callable[[Atom], Iterable[Pattern]]) -> None:
    """Raises RefusedError with the reason, if the patterns of queries and negated atoms give one."""
    seen: set[tuple[str, tuple[bool, ...], frozenset[int]]] = set()
    waiting = [(pattern, pattern.unguarded_values(), "") for pattern in queries]
    while waiting:
        pattern, ranging, predicate = waiting.pop()
        for reason in _reasons(pattern, ranging):
            raise RefusedError(reason)
        values = (each for each in pattern.takings if each.takes)
        for each in values:
            if _rests_on(each.asked[0], predicate, patterns_of):
                raise RefusedError(f"{each} is about atoms that rest on {predicate}, and so on its value")
        for atom in pattern.asked:
            asked = [t for t in atom.arguments if t is not ANY]
            places = frozenset(
                i for i, t in enumerate(asked[:-1]) if isinstance(t, Variable) and t.name in ranging
            )
            key = (atom.predicate, tuple(t is ANY for t in atom.arguments), places)
            if key not in seen:
                seen.add(key)
                waiting += [
                    (p, p.unguarded_values() | _at(p, places), atom.predicate) for p in patterns_of(atom)
                ]


def _rests_on(atom: Atom, predicate: str, patterns_of: Callable[[Atom], Iterable[Pattern]]) -> bool:
    """Whether a predicate is asked for, that of an atom or one that this rests on."""
    waiting, seen = [atom], set[tuple[str, tuple[bool, ...]]]()
    while waiting:
        each = waiting.pop()
        key = (each.predicate, tuple(term is ANY for term in each.arguments))
        if key not in seen:
            seen.add(key)
            waiting += (one for pattern in patterns_of(each) for one in pattern.asked)
    return any(name == predicate for name, _ in seen)


def _at(pattern: Pattern, places: frozenset[int]) -> frozenset[str]:
    """The variables of a pattern that are asked for with an unguarded one."""
    return variables_in(pattern.head[i] for i in places)


def _reasons(pattern: Pattern, ranging: frozenset[str]) -> Iterator[str]:
    """`ranging` are the variables that may stand for all others."""
    head, guarded = variables_in(pattern.head), pattern.guarded()
    negated = frozenset[str]().union(*(each.variables for each in pattern.literals if each.asked))
    if lost := negated - head - guarded:
        yield f"{', '.join(sorted(lost))} in negations only, and not in the head"
    if lost := head - guarded - negated:
        yield f"{', '.join(sorted(lost))} in no literal"
    taken: set[str] = set()
    if lost := pattern.unfounded:
        yield f"nothing gives {', '.join(sorted(lost))} a value that another needs"
    for last in (each for each in pattern.takings if isinstance(each, Last)):
        if lost := last.needs & ranging if last.own else frozenset():
            yield f"{last} gives values, and its slot has no value of {', '.join(sorted(lost))}"
        if lost := (last.variables - last.needs) & taken:
            yield f"{last} and another give {', '.join(sorted(lost))} values"
        if lost := last.takes & pattern.first.keys():
            yield f"{last} gives times: {', '.join(sorted(lost))}"
        taken |= last.takes
    if len(pattern.unguarded_values()) > 1:
        yield "more than one unguarded variable"
    if pattern.unguarded_values() & pattern.first.keys():
        yield "a time in a column takes every tick"
    time = pattern.unguarded_time()
    known = pattern.first.keys() & guarded
    if time and pattern.facts and not is_bounded(time, pattern.comparisons, pattern.first, known):
        yield f"the time {time} is unguarded and has no upper bound"
    for literal in pattern.literals:
        if literal.compared & ranging:
            yield f"{literal}: an unguarded variable"
