"""Literals of a pattern that can change places.

Two literals are alike if exchanging the variables that only they have leaves the pattern as it is. What is
tried with one of them need not be tried with another.

    P(I, T), P(J, U), P(K, U), I != J, I != K, J != K, U > T    the second and the third are alike
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence

from antelog.compile.literals import AnyLiteral, Comparison
from antelog.compile.literals.terms import variables_in
from antelog.compile.nodes.patterns import Pattern
from antelog.compile.patterns.renaming import Called

_MOST_KINDS = 8
"""The most literals of the same shape that a literal is compared with."""


def alike(pattern: Pattern) -> Sequence[int]:
    """For each fact and asked literal, the number of the first that it can change places with."""
    own = _own(pattern)
    conditions = _by_variable(pattern)
    first = {each.variable: each.tick for each in pattern.earliest}
    found = list(range(len(pattern.stated)))
    shapes: dict[Hashable, list[int]] = {}
    for number, literal in enumerate(pattern.stated):
        if not own[number]:
            continue
        shape = literal.replaced(Called({name: f"<{place}" for place, name in enumerate(own[number])}))
        known = shapes.setdefault(shape, [])
        for other in known[:_MOST_KINDS]:
            pairs = list(zip(own[number], own[other], strict=True))
            names = dict(pairs) | {there: here for here, there in pairs}
            if all(first.get(a) == first.get(b) for a, b in pairs) and _unchanged(conditions, names):
                found[number] = other
                break
        else:
            known.append(number)
    return found


def _own(pattern: Pattern) -> list[tuple[str, ...]]:
    """For each literal the variables that no other literal and no answer has, in their order."""
    uses = Counter(name for each in pattern.stated for name in each.variables)
    return [
        tuple(
            name
            for operand in dict.fromkeys(each.operands)
            for name in sorted(variables_in([operand]))
            if uses[name] == 1 and name not in pattern.answered
        )
        for each in pattern.stated
    ]


def _by_variable(pattern: Pattern) -> Mapping[str, list[AnyLiteral]]:
    found: dict[str, list[AnyLiteral]] = {}
    for each in pattern.conditions:
        for name in each.variables:
            found.setdefault(name, []).append(each)
    return found


def _unchanged(conditions: Mapping[str, list[AnyLiteral]], names: Mapping[str, str]) -> bool:
    """Whether the conditions say the same after an exchange of names."""
    touched = {each for name in names for each in conditions.get(name, ())}
    exchanged = Called(names)
    return {_said(each) for each in touched} == {_said(each.replaced(exchanged)) for each in touched}


def _said(condition: AnyLiteral) -> Hashable:
    """A condition; a comparison without the order of its sides."""
    if isinstance(condition, Comparison):
        return frozenset((condition, condition.mirrored))
    return condition
