"""Fact literals such as `Reading(D, V, T+1)`: each fact that fits makes a derivation and is its evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

from antelog.compile.literals.conditions import Comparison
from antelog.compile.literals.literal import Literal, Lowering, Reference
from antelog.compile.literals.terms import (
    AnswerTerm,
    Const,
    Operand,
    Part,
    Replacement,
    Term,
    Time,
    Var,
    call_parts,
    variables_in,
)
from antelog.language import syntax


class Atom(Literal, frozen=True, tag=True):
    """A fact of an input; in clauses a head or a goal, too, whose arguments may be times."""

    predicate: str
    arguments: tuple[AnswerTerm, ...]
    time: Time

    @classmethod
    def lowered(cls, literal: syntax.Literal, lowering: Lowering) -> Sequence[Atom | Comparison] | None:
        if not isinstance(literal, syntax.Atom) or lowering.is_static(literal):
            return None
        if literal.range is None:
            return (cls.of(literal, lowering),)
        # It is about some tick in its range, which has no name.
        first, last = map(lowering.time, literal.range.ends)
        atom = cls.of(replace(literal, terms=(*literal.terms[:-1], syntax.Anonymous())), lowering)
        return atom, Comparison(first, "<=", atom.time), Comparison(atom.time, "<=", last)

    @classmethod
    def of(cls, atom: syntax.Atom, lowering: Lowering) -> Atom:
        *arguments, time = atom.terms
        times = lowering.vocabulary.times_of(atom.predicate)
        terms = (
            lowering.time(each) if place in times else lowering.term(each)
            for place, each in enumerate(arguments)
        )
        return cls(atom.predicate, tuple(terms), lowering.time(time))

    @property
    def key(self) -> tuple[str, str]:
        return "fact", self.predicate

    @property
    def operands(self) -> tuple[Operand, ...]:
        return (*self.arguments, self.time)

    @property
    def terms(self) -> tuple[Term, ...]:
        return tuple(each for each in self.arguments if not isinstance(each, Time))

    @property
    def times(self) -> tuple[Time, ...]:
        return (self.time,)

    def replaced(self, by: Replacement) -> Self:
        return type(self)(self.predicate, by.answer(self.arguments), by.time(self.time))

    @property
    def parts(self) -> tuple[Part, ...]:
        return call_parts(self.predicate, self.operands)

    @property
    def binds(self) -> frozenset[str]:
        return self.variables

    @property
    def references(self) -> tuple[Reference, ...]:
        time = self.time
        return (Reference(self.predicate, self.predicate, self.terms, time, time, of_input=True),)


@dataclass(frozen=True)
class FactLiteral:
    """A fact literal prepared for the engine: the columns that bind variables, repeat them, or are fixed.

    tests          the comparisons about it alone
    slot           the columns of `one per`, if its input has that promise
    behind, ahead  the most ticks its time lies before and after the answer's; None: no bound
    latest         the most ticks its fact comes after its time
    """

    node: Atom
    tests: tuple[Comparison, ...]
    slot: tuple[int, ...] | None
    behind: int | None
    ahead: int | None
    latest: int

    @cached_property
    def variables(self) -> frozenset[str]:
        return self.node.variables

    @cached_property
    def binds(self) -> tuple[tuple[str, int], ...]:
        """The variables, each with the first column that has it."""
        return tuple((name, first) for name, (first, *_) in self._columns.items())

    @cached_property
    def repeats(self) -> tuple[tuple[int, int], ...]:
        """Pairs of columns that must be equal."""
        return tuple((first, more) for first, *rest in self._columns.values() for more in rest)

    @cached_property
    def constants(self) -> tuple[tuple[int, str | int | float], ...]:
        arguments = enumerate(self.node.arguments)
        return tuple((column, each.value) for column, each in arguments if isinstance(each, Const))

    @cached_property
    def slot_variables(self) -> frozenset[str]:
        return variables_in([*(self.node.arguments[i] for i in self.slot or ()), self.node.time])

    @cached_property
    def _columns(self) -> dict[str, list[int]]:
        columns: dict[str, list[int]] = {}
        for column, argument in enumerate(self.node.arguments):
            if isinstance(argument, Var):
                columns.setdefault(argument.name, []).append(column)
        return columns
