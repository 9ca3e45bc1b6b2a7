"""A literal about the latest atom of a slot: `last Mode(X, run, T)`, `last Edge(X, up, T-5..T) per X`.

It looks at two relations: the atoms that fit, and all atoms of the slot, of which one may be later. Variables
that nothing else gives values take those of the latest atom. Of an input whose promise the slot is the engine
keeps the latest fact of each slot, however old, and no others.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from antelog.compile.literals.literal import AskedNode, Reference, TextAround
from antelog.compile.literals.lowering import Lowering
from antelog.compile.literals.terms import Operand, Part, Replacement, Term, Time, call_parts, variables_in
from antelog.language import syntax


class Last(AskedNode, frozen=True, tag=True):
    """The latest atom from `first` to `last` with these values at `slot` has these arguments (None: any).

    `per` are the places that the text names, and without a range it is about the tick `last` and all before
    it. `fitting` and `of_slot` are the relations of the atoms that fit, and of all in the slot. They are
    `remembered` if the slot is the promise of an input.
    """

    predicate: str
    arguments: tuple[Term | None, ...]
    first: Time
    last: Time
    slot: tuple[int, ...]
    per: tuple[int, ...]
    single: bool
    remembered: bool
    fitting: str
    of_slot: str

    @classmethod
    def lowered(cls, literal: syntax.Literal, lowering: Lowering) -> Sequence[Last] | None:
        if not isinstance(literal, syntax.Last):
            return None
        *terms, time = literal.atom.terms
        predicate, arguments = literal.atom.predicate, lowering.gaps(terms)
        slot = literal.slot(lowering.vocabulary) or ()
        first, last = time.ends if isinstance(time, syntax.Range) else (syntax.Constant(0), time)
        return (
            cls(
                *(predicate, arguments, lowering.time(first), lowering.time(last), slot),
                per=tuple(terms.index(term) for term in literal.per),
                single=not isinstance(time, syntax.Range),
                remembered=literal.is_promised(lowering.vocabulary),
                fitting=lowering.relation(predicate, arguments),
                of_slot=lowering.relation(predicate, _only(slot, arguments)),
            ),
        )

    @property
    def key(self) -> tuple[str, str, tuple[int, ...], tuple[int, ...], bool]:
        return "last", self.predicate, self.slot, self.per, self.single

    @property
    def operands(self) -> tuple[Operand | None, ...]:
        return (*self.arguments, self.first, self.last)

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
        rest = (self.slot, self.per, self.single, self.remembered, self.fitting, self.of_slot)
        return type(self)(self.predicate, by.terms(self.arguments), first, last, *rest)

    @property
    def parts(self) -> tuple[Part, ...]:
        before, last, after = self.around
        return (*before, last, *after)

    @property
    def around(self) -> TextAround:
        *before, _, end = call_parts(f"last {self.predicate}", (*self.arguments, self.last))
        first = () if self.single else (self.first, "..")
        return TextAround((*before, *first), self.last, (end, *self._named))

    @property
    def _named(self) -> tuple[Part, ...]:
        """What `per` names."""
        named: list[Part] = []
        for place in self.per:
            term = self.arguments[place]
            assert term is not None
            named += [" and " if named else " per ", term]
        return tuple(named)

    @property
    def references(self) -> tuple[Reference, ...]:
        relations = {self.fitting: self.arguments, self.of_slot: self.named_only}
        return tuple(
            Reference(name, self.predicate, arguments, self.first, self.last, remembered=self.remembered)
            for name, arguments in relations.items()
        )

    @property
    def needs(self) -> frozenset[str]:
        """The variables without whose values it is about no slot and no range."""
        return variables_in((*self.named, self.first, self.last))

    @property
    def any_fits(self) -> bool:
        """Whether every atom of the slot fits."""
        return self.arguments == self.named_only

    @property
    def named(self) -> tuple[Term, ...]:
        """The arguments that name the slot."""
        return tuple(term for term in (self.arguments[place] for place in self.slot) if term is not None)

    @property
    def named_only(self) -> tuple[Term | None, ...]:
        """Its arguments where only those are given that name the slot."""
        return _only(self.slot, self.arguments)


def _only(places: Sequence[int], arguments: Sequence[Term | None]) -> tuple[Term | None, ...]:
    return tuple(argument if place in places else None for place, argument in enumerate(arguments))
