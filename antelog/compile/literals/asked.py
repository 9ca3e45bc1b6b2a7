"""Negations and `last`: literals that ask for atoms of a relation, and are true, false or open as a whole."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self

from msgspec import Struct
from msgspec.structs import replace

from antelog.compile.literals.literal import AskedNode, Lowering, Reference, TextAround
from antelog.compile.literals.terms import Operand, Part, Replacement, Term, Time, call_parts, variables_in
from antelog.language import syntax


class AskedAtom(AskedNode, frozen=True):
    """Asks for atoms with these arguments (None: any) from one tick to another.

    If it is `single`, no range is written: it is about the tick `last`.
    """

    predicate: str
    arguments: tuple[Term | None, ...]
    first: Time
    last: Time
    single: bool

    @property
    def operands(self) -> tuple[Operand | None, ...]:
        return (*self.arguments, *self.times)

    @property
    def terms(self) -> tuple[Term | None, ...]:
        return self.arguments

    @property
    def times(self) -> tuple[Time, ...]:
        return (self.last,) if self.single else (self.first, self.last)

    @property
    def natural(self) -> tuple[Time, ...]:
        return (self.last,) if self.single else ()

    def replaced(self, by: Replacement) -> Self:
        first, last = by.time(self.first), by.time(self.last)
        return replace(self, arguments=by.terms(self.arguments), first=first, last=last)

    def around_atom(self, opening: str) -> TextAround:
        """Returns the text of the atom around its last time."""
        *before, _, end = call_parts(opening, (*self.arguments, self.last))
        return TextAround((*before, *(() if self.single else (self.first, ".."))), self.last, (end,))


class Negation(AskedAtom, frozen=True, tag=True):
    """`not P(…, first..last)`: no atom has these values at any of the ticks, or can still become true.

    Ticks before 0 have no facts, so the ends need not be natural numbers, and an empty range has no atoms.
    The relation's answer variables are the arguments that are not None, in order, and the time.
    """

    denies: ClassVar[bool] = True
    relation: str

    @classmethod
    def lowered(cls, literal: syntax.Literal, lowering: Lowering) -> Sequence[Negation] | None:
        if not isinstance(literal, syntax.Negation) or lowering.is_static(literal.atom):
            return None
        *terms, time = literal.atom.terms
        predicate, arguments, span = literal.atom.predicate, lowering.gaps(terms), literal.atom.range
        first, *others = map(lowering.time, (time,) if span is None else span.ends)
        last, relation = others[0] if others else first, lowering.relation(predicate, arguments)
        return (cls(predicate, arguments, first, last, span is None, relation),)

    @property
    def key(self) -> tuple[str, str, bool]:
        return "negation", self.predicate, self.single

    @property
    def around(self) -> TextAround:
        return self.around_atom(f"not {self.predicate}")

    @property
    def references(self) -> tuple[Reference, ...]:
        return (Reference(self.relation, self.predicate, self.arguments, self.first, self.last),)


class Slot(Struct, frozen=True):
    """The `places` of the arguments that name a slot, and the relation of all atoms in it.

    The text names those at `per`. It is `promised` if an input has at most one fact for it and a tick.
    """

    places: tuple[int, ...]
    per: tuple[int, ...]
    promised: bool
    relation: str


class Last(AskedAtom, frozen=True, tag=True):
    """`last P(…, first..last)`: the latest atom of its slot has these arguments.

    It looks at the relation of the atoms that fit, and at that of all atoms of the slot, of which one may be
    later. Variables that nothing else gives values take those of the latest atom. Where an input promises
    the slot, the engine keeps the latest fact of each slot, however old, and no others.
    """

    slot: Slot
    relation: str

    @classmethod
    def lowered(cls, literal: syntax.Literal, lowering: Lowering) -> Sequence[Last] | None:
        if not isinstance(literal, syntax.Last):
            return None
        *terms, time = literal.atom.terms
        predicate, arguments = literal.atom.predicate, lowering.gaps(terms)
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
        named: list[Part] = []
        for place in self.slot.per:
            term = self.arguments[place]
            assert term is not None
            named += [" and " if named else " per ", term]
        return TextAround(before, last, (*after, *named))

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
    def named(self) -> tuple[Term, ...]:
        """The arguments that name the slot."""
        return tuple(
            term for term in (self.arguments[place] for place in self.slot.places) if term is not None
        )

    @property
    def named_only(self) -> tuple[Term | None, ...]:
        """Its arguments, with None for those that do not name the slot."""
        return _only(self.slot.places, self.arguments)


def _only(places: Sequence[int], arguments: Sequence[Term | None]) -> tuple[Term | None, ...]:
    return tuple(argument if place in places else None for place, argument in enumerate(arguments))
