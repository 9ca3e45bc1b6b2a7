"""θ-subsumption drops patterns that say nothing another does not say with less.

One subsumes another if replacing its variables gives the same head, literals of the other, and comparisons
that follow from the other's. A clock-driven pattern never counts against a fact-driven one, which may be
reported earlier. Literals that others of a pattern make needless go: `A(X, T), A(_, T)` is `A(X, T)`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from enum import Enum

from tests.specification.constraints import follows
from tests.specification.literals import Body, Comparison
from tests.specification.patterns import Pattern
from tests.specification.terms import (
    Inner,
    Substitution,
    Term,
    Variable,
    put_in_once,
    renamed,
    shifted,
    variables_in,
)


def minimal(patterns: Sequence[Pattern]) -> list[Pattern]:
    """The patterns that no other makes needless; of those that subsume each other, the first."""
    kept: list[Pattern] = []
    for pattern in map(condensed, patterns):
        if not any(makes_needless(other, pattern) for other in kept):
            kept = [other for other in kept if not makes_needless(pattern, other)] + [pattern]
    return kept


def condensed(pattern: Pattern) -> Pattern:
    """The pattern without literals that others of it make needless."""
    for literal in pattern.stated:
        smaller = _without(literal, pattern)
        if subsumes(pattern, smaller):
            return condensed(smaller)
    return pattern


def _without(literal: Body, pattern: Pattern) -> Pattern:
    """The pattern without a literal, and without what is said of variables that only this one has."""
    stated = [each for each in pattern.stated if each is not literal]
    rest = variables_in(pattern.head).union(*(each.variables for each in stated))
    gone = literal.variables - rest
    kept = (each for each in pattern.literals if each not in pattern.stated and not each.variables & gone)
    first = {name: tick for name, tick in pattern.first.items() if name not in gone}
    return replace(pattern, literals=(*stated, *kept), first=first)


def makes_needless(one: Pattern, other: Pattern) -> bool:
    return bool(one.facts or not other.facts) and subsumes(one, other)


def subsumes(one: Pattern, other: Pattern) -> bool:
    start = _matched(one.head, other.head, {})
    if start is None:
        return False
    pairs = [
        (each, [candidate for candidate in other.literals if candidate.key == each.key])
        for each in one.literals
        if each.key is not None
    ]
    return any(_is_implied(one, other, known) for known in _embeddings(pairs, start))


def _embeddings(pairs: Sequence[tuple[Body, list[Body]]], known: Substitution) -> Iterator[Substitution]:
    if not pairs:
        yield known
        return
    (literal, candidates), *rest = pairs
    for candidate in candidates:
        found = _matched(literal.operands, candidate.operands, known)
        if found is not None:
            yield from _embeddings(rest, found)


def _matched(here: Sequence[Term], there: Sequence[Term], known: Substitution) -> dict[str, Term] | None:
    """What the variables of the first stand for in the second, where these are constants."""
    found = dict(known)
    for one, other in zip(here, there, strict=True):
        if isinstance(one, Variable) and one.name not in found and not isinstance(other, Enum | Inner):
            found[one.name] = shifted(other, -one.shift)
        elif put_in_once(one, found) != other:
            return None
    return found


def _is_implied(one: Pattern, other: Pattern, known: Substitution) -> bool:
    wanted = [renamed(c, known) for c in one.comparisons]
    # A variable of one pattern stands for terms of the other; one of neither is in no literal.
    wanted += [Comparison(put_in_once(Variable(name), known), ">=", tick) for name, tick in one.first.items()]
    return all(follows(each, other.comparisons, other.first) for each in wanted)
