"""What derivations have in common of which the same literals are true: their shape.

What some derivations need to make others needless follows from the shapes of both (`covering`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain
from typing import TypeAlias

from antelog.compile.plan import Comparison, Const, Literal, Operand, StaticAtom, Time, Var
from antelog.compile.subsume import variables_in
from antelog.engine.layout import Layout, variable_of, variables_of

AnyTerm: TypeAlias = Var | Const | Time
Condition: TypeAlias = Comparison | StaticAtom
"""A comparison, or a background fact that must not be there."""
Place: TypeAlias = tuple[type[Literal], str, int]
"""A position in the literals of a predicate."""


@dataclass(frozen=True, eq=False)
class Shape:
    """What derivations have in common: their pattern, the variables they bind, the literals that are true.

    There is one for the same (see `shape_of`), which remembers what has been worked out.

    What negated literals leave open has exceptions, so it becomes something else only if it is `valued`:
    one value in each row, for which one can look whether it is an exception.
    """

    layout: Layout
    bound: frozenset[str]
    evidence: tuple[int, ...]
    hypotheses: tuple[int, ...]
    valued: bool = False

    @cached_property
    def conditions(self) -> tuple[tuple[Condition, frozenset[str]], ...]:
        """What is still asked of open variables, and which variables it is about."""
        every: Iterator[Condition] = chain(self.layout.conditions, self.layout.absent)
        named = ((condition, variables_in(condition)) for condition in every)
        return tuple((condition, names) for condition, names in named if not names <= self.bound)

    @cached_property
    def open(self) -> frozenset[str]:
        """The variables of the literals that the derivations do not bind."""
        return frozenset().union(*map(variables_of, self.layout.literals)) - self.bound

    @cached_property
    def free(self) -> frozenset[str]:
        """The open variables that may become something that meets the conditions.

        Those of the answer become what is answered by others.
        """
        free = self.open - (self._compared if self.valued else self.layout.denied)
        while tied := {
            name for _, about in self.conditions for name in about & free if not about - self.bound <= free
        }:
            free -= tied
        return frozenset(free)

    @cached_property
    def unnamed(self) -> frozenset[str]:
        """The open variables of negated literals that are not the answer's.

        They are what such variables of another pattern are if whatever is said of them is said of those:
        then what is an exception here is one there.
        """
        return (self.open & self.layout.denied) - self.layout.answered

    @cached_property
    def _compared(self) -> frozenset[str]:
        """Of what negated literals leave open, what conditions compare with other open variables."""
        together = [names - self.bound for _, names in self.conditions if len(names - self.bound) > 1]
        return self.layout.denied & frozenset[str]().union(*together)

    def part(self, hypotheses: bool) -> tuple[int, ...]:
        return self.hypotheses if hypotheses else self.evidence

    def variables(self, number: int) -> frozenset[str]:
        """The variables of a literal."""
        return variables_of(self.layout.literals[number])

    @cached_property
    def _places(self) -> tuple[frozenset[Place], frozenset[Place]]:
        """Where hypotheses leave open what has exceptions, and where they do not."""
        open_, others = set[Place](), set[Place]()
        for i in self.hypotheses:
            literal = self.layout.literals[i]
            for place, term in enumerate((*literal.arguments, literal.time)):
                unbound = term is None or self.is_open(term)
                if not unbound:
                    others.add((type(literal), literal.predicate, place))
                elif term is not None and variable_of(term) in self.layout.denied:
                    open_.add((type(literal), literal.predicate, place))
        return frozenset(open_), frozenset(others)

    def may_be_given_values(self, other: Shape) -> bool:
        """Whether hypotheses of the other have values where this leaves open what has exceptions."""
        return not self._places[0].isdisjoint(other._places[1])

    def is_open(self, term: Operand) -> bool:
        name = variable_of(term)
        return name is not None and name not in self.bound


@lru_cache(maxsize=4096)
def shape_of(
    layout: Layout,
    bound: frozenset[str],
    evidence: tuple[int, ...],
    hypotheses: tuple[int, ...],
    valued: bool = False,
) -> Shape:
    return Shape(layout, bound, evidence, hypotheses, valued)


def valued(shape: Shape) -> Shape:
    """The shape whose open variables of negated literals become values, too."""
    return shape_of(shape.layout, shape.bound, shape.evidence, shape.hypotheses, valued=True)
