"""Which patterns may make another needless: those whose literals may all be literals of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from antelog.compile.factoring import leaves_some
from antelog.compile.plan import Const, Literal, Pattern
from antelog.engine.layout import Layout


def rivals(every: Sequence[Layout]) -> set[int]:
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
