"""Literals about atoms: facts such as `Reading(D, V, T+1)`, negations, and `last`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Self

from msgspec import Struct, structs

from antelog.compile.literals.conditions import Comparison
from antelog.compile.literals.literal import AskedNode, Literal, Lowering, Reference, TextAround
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
from antelog.language.durations import ticks_later
from antelog.language.literals.literal import per_parts
from antelog.language.printer import to_text


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
    def shown(self) -> tuple[Time, ...]:
        return tuple(each for each in self.arguments if isinstance(each, Time))

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
    """A fact literal prepared for the engine: the columns that bind variables, repeat them, or are fixed."""

    node: Atom
    tests: tuple[Comparison, ...]  # the comparisons about it alone
    slot: tuple[int, ...] | None  # the columns of `one per`, if its input has that promise
    behind: int | None  # the most ticks its time lies before the answer's; None: no bound
    ahead: int | None  # the most ticks its time lies after the answer's; None: no bound
    latest: int  # the most ticks its fact comes after its time

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


class AskedAtom(AskedNode, frozen=True):
    """Asks for atoms with these arguments (None: any) from `first` to `last`; if `single`, at `last`."""

    predicate: str
    arguments: tuple[AnswerTerm | None, ...]
    first: Time
    last: Time
    single: bool

    @property
    def operands(self) -> tuple[Operand | None, ...]:
        return (*self.arguments, *self.times)

    @property
    def terms(self) -> tuple[AnswerTerm | None, ...]:
        return self.arguments

    @property
    def shown(self) -> tuple[Time, ...]:
        return tuple(each for each in self.arguments if isinstance(each, Time))

    @property
    def times(self) -> tuple[Time, ...]:
        return (self.last,) if self.single else (self.first, self.last)

    @property
    def natural(self) -> tuple[Time, ...]:
        return (self.last,) if self.single else ()

    def replaced(self, by: Replacement) -> Self:
        first, last = by.time(self.first), by.time(self.last)
        return structs.replace(self, arguments=by.asked(self.arguments), first=first, last=last)

    def around_atom(self, opening: str) -> TextAround:
        """Returns the text of the atom around its last time."""
        *before, _, end = call_parts(opening, (*self.arguments, self.last))
        return TextAround((*before, *(() if self.single else (self.first, ".."))), self.last, (end,))


class WrittenFirst(Struct, frozen=True):
    """`first P(…, U) after S within n per X`: how an atom, its bounds and a negation are written together."""

    word: str
    predicate: str
    arguments: tuple[AnswerTerm, ...]
    time: Time
    after: Time
    ticks: int | None  # within so many; None: no bound
    within: str  # its text
    per: tuple[int, ...]  # the places of the arguments that it names

    @property
    def atom(self) -> Atom:
        return Atom(self.predicate, self.arguments, self.time)

    @property
    def bounds(self) -> tuple[Comparison, ...]:
        until = () if self.ticks is None else (Comparison(self.time, "<=", self.after + self.ticks),)
        return (Comparison(self.time, ">", self.after), *until)

    @property
    def around(self) -> TextAround:
        """Its text around the time of the atom."""
        *before, _, end = call_parts(f"{self.word} {self.predicate}", (*self.arguments, self.time))
        within = (f" within {self.within}",) if self.within else ()
        per = per_parts(self.arguments[place] for place in self.per)
        return TextAround(tuple(before), self.time, (f"{end} after ", self.after, *within, *per))

    def replaced(self, by: Replacement) -> WrittenFirst:
        arguments, time, after = by.answer(self.arguments), by.time(self.time), by.time(self.after)
        return structs.replace(self, arguments=arguments, time=time, after=after)


class Negation(AskedAtom, frozen=True, tag=True):
    """`not P(…, first..last)`: no atom has these values at any of the ticks, or can still become true.

    Ticks before 0 have no facts, so the ends need not be natural numbers, and an empty range has no atoms.
    """

    denies: ClassVar[bool] = True
    relation: str
    written: WrittenFirst | None = None  # it is of a `first`

    @classmethod
    def lowered(cls, literal: syntax.Literal, lowering: Lowering) -> Sequence[Negation] | None:
        if not isinstance(literal, syntax.Negation) or lowering.is_static(literal.atom):
            return None
        atom, arguments = literal.atom, lowering.columns(literal.atom)
        first, *others = map(lowering.time, atom.terms[-1:] if atom.range is None else atom.range.ends)
        last = others[0] if others else first
        relation = lowering.relation(atom.predicate, arguments)
        return (cls(atom.predicate, arguments, first, last, atom.range is None, relation),)

    def replaced(self, by: Replacement) -> Self:
        written = None if self.written is None else self.written.replaced(by)
        return structs.replace(super().replaced(by), written=written)

    @property
    def key(self) -> tuple[str, str, bool]:
        return "negation", self.predicate, self.single

    @property
    def around(self) -> TextAround:
        return self.around_atom(f"not {self.predicate}")

    @property
    def references(self) -> tuple[Reference, ...]:
        return (Reference(self.relation, self.predicate, self.arguments, self.first, self.last),)


def first_of(literal: syntax.First, lowering: Lowering) -> tuple[Atom | Comparison | Negation, ...]:
    """Lowers `first P(…, U) after S within n` to P(…, U), U > S, U <= S+n, not P(…, S+1..U-1)."""
    atom, after, span = Atom.of(literal.atom, lowering), lowering.time(literal.after), literal.within
    ticks, within = None, ""
    if span is not None:
        ticks = ticks_later(syntax.Shifted("", span.amount, span.unit), lowering.vocabulary.tick)
        within = to_text(replace(span, written=None))
    *columns, _ = literal.atom.terms
    per = tuple(columns.index(term) for term in literal.per)
    written = WrittenFirst(literal.word, atom.predicate, atom.arguments, atom.time, after, ticks, within, per)
    arguments = _only(literal.kept(lowering.body), lowering.gaps(columns))
    relation = lowering.relation(atom.predicate, arguments)
    between = Negation(atom.predicate, arguments, after + 1, atom.time + -1, False, relation, written)
    return atom, *written.bounds, between


class Slot(Struct, frozen=True):
    """The `places` of the arguments that name a slot, and the relation of all atoms in it."""

    places: tuple[int, ...]
    per: tuple[int, ...]  # the places that the text names
    promised: bool  # an input has at most one fact for a slot and a tick
    relation: str


class Last(AskedAtom, frozen=True, tag=True):
    """`last P(…, first..last)`: the latest atom of its slot has these arguments.

    Variables that nothing else gives values take those of the latest atom. Where an input promises the slot,
    the engine keeps the latest fact of each slot, however old, and no others.
    """

    slot: Slot
    relation: str

    @classmethod
    def lowered(cls, literal: syntax.Literal, lowering: Lowering) -> Sequence[Last] | None:
        if not isinstance(literal, syntax.Last):
            return None
        *terms, time = literal.atom.terms
        predicate, arguments = literal.atom.predicate, lowering.columns(literal.atom)
        places = literal.slot(lowering.vocabulary) or ()
        slot = Slot(
            places,
            tuple(terms.index(term) for term in literal.per),
            literal.is_promised(lowering.vocabulary),
            lowering.relation(predicate, _only(places, arguments)),
        )
        first, last = time.ends if isinstance(time, syntax.Range) else (syntax.Constant(0), time)
        return (
            cls(
                *(predicate, arguments, lowering.time(first), lowering.time(last)),
                not isinstance(time, syntax.Range),
                slot,
                lowering.relation(predicate, arguments),
            ),
        )

    @property
    def key(self) -> tuple[str, str, Slot, bool]:
        return "last", self.predicate, self.slot, self.single

    @property
    def around(self) -> TextAround:
        before, last, after = self.around_atom(f"last {self.predicate}")
        return TextAround(before, last, (*after, *per_parts(self._at(self.slot.per))))

    @property
    def references(self) -> tuple[Reference, ...]:
        relations = {self.relation: self.arguments, self.slot.relation: self.named_only}
        return tuple(
            Reference(name, self.predicate, arguments, self.first, self.last, remembered=self.slot.promised)
            for name, arguments in relations.items()
        )

    @property
    def needs(self) -> frozenset[str]:
        """The variables that name its slot and its range."""
        return variables_in((*self.named, self.first, self.last))

    @property
    def any_fits(self) -> bool:
        """Whether every atom of the slot fits."""
        return self.arguments == self.named_only

    @property
    def named(self) -> tuple[AnswerTerm, ...]:
        """The arguments that name the slot."""
        return self._at(self.slot.places)

    def _at(self, places: Iterable[int]) -> tuple[AnswerTerm, ...]:
        return tuple(term for term in (self.arguments[place] for place in places) if term is not None)

    @property
    def named_only(self) -> tuple[AnswerTerm | None, ...]:
        """Its arguments, with None for those that do not name the slot."""
        return _only(self.slot.places, self.arguments)


def _only(places: Sequence[int], arguments: Sequence[AnswerTerm | None]) -> tuple[AnswerTerm | None, ...]:
    return tuple(argument if place in places else None for place, argument in enumerate(arguments))
