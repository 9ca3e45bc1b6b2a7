"""`not P(X, _, T..T+5)`: true once the atom is false at each tick in it, false once it is true at one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

from antelog.language import syntax
from tests.specification.literals.comparison import Comparison
from tests.specification.literals.literal import NEVER, START, Around, Below, Body, Facts, Lowering, Ticks
from tests.specification.terms import Atom, Term, Variable, text, variables_in


@dataclass(frozen=True)
class Absence(Body):
    predicate: str
    arguments: tuple[Term, ...]
    first: Term
    last: Term

    @classmethod
    def lowered(cls, literal: syntax.Literal, lowering: Lowering) -> tuple[Body, ...] | None:
        if not isinstance(literal, syntax.Negation) or literal.atom.range is None:
            return None
        *arguments, _ = literal.atom.terms
        ends = map(lowering.term, literal.atom.range.ends)
        return (cls(literal.atom.predicate, tuple(map(lowering.gap, arguments)), *ends),)

    @property
    def operands(self) -> tuple[Term, ...]:
        return (*self.arguments, self.first, self.last)

    def mapped(self, new: Callable[[Term], Term]) -> Self:
        return type(self)(self.predicate, tuple(map(new, self.arguments)), new(self.first), new(self.last))

    def __str__(self) -> str:
        arguments = "".join(f"{text(each)}, " for each in self.arguments)
        return f"not {self.predicate}({arguments}{text(self.first)}..{text(self.last)})"

    @property
    def key(self) -> tuple[object, ...]:
        return Absence, self.predicate

    @property
    def asked(self) -> tuple[Atom, ...]:
        """One for each tick of the range; if that is open, one about a tick within it."""
        if isinstance(self.first, int) and isinstance(self.last, int):
            ticks = range(max(self.first, 0), self.last + 1)
            return tuple(map(self.atom_at, ticks))
        return (self.atom_at(self._within),)

    def atom_at(self, tick: Term) -> Atom:
        return Atom(self.predicate, (*self.arguments, tick))

    @property
    def bounds(self) -> tuple[Comparison, ...]:
        if isinstance(self.first, int) and isinstance(self.last, int):
            return ()
        ends = ((self.first, self._within), (self._within, self.last), (0, self._within))
        return tuple(Comparison(one, "<=", other) for one, other in ends)

    @property
    def _within(self) -> Variable:
        return Variable(f"{text(self.first)}..{text(self.last)}")

    @property
    def time(self) -> Term:
        return self.last

    @property
    def times(self) -> tuple[Term, ...]:
        return self.first, self.last

    @property
    def natural(self) -> tuple[Term, ...]:
        return ()

    @property
    def open_end(self) -> Variable | None:
        """The upper end, if that alone is open."""
        end = self.last
        alone = isinstance(end, Variable) and not variables_in((*self.arguments, self.first))
        return end if alone and isinstance(end, Variable) else None

    def ticks(self, world: Facts, _around: Around) -> Ticks:
        if self.variables:
            return Ticks(NEVER, NEVER)
        of_each = [world.truth(atom) for atom in self.asked]
        return Ticks(
            max((each.false_at for each in of_each), default=START),
            min((each.true_at for each in of_each), default=NEVER),
        )

    def rest(self, below: Below) -> None:
        for atom in self.asked:
            below.asked(atom)
