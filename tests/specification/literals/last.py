"""`last P(X, V, T)`, the latest atom of its slot is this one: semantics.md, "The latest value".

It is true if an atom that fits is true at a tick of its range, and none of the slot can become true later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Self

from antelog.language import syntax
from tests.specification.literals.comparison import Comparison
from tests.specification.literals.literal import (
    NEVER,
    START,
    Around,
    Below,
    Body,
    Facts,
    Lowering,
    Taken,
    Ticks,
)
from tests.specification.terms import ANY, Atom, Term, Variable, text, unify, variables_in


@dataclass(frozen=True)
class Last(Body):
    """`slot` are the places of its slot, `own` those of variables that nothing else gives values."""

    predicate: str
    arguments: tuple[Term, ...]
    first: Term
    last: Term
    single: bool
    per: tuple[Term, ...]
    slot: tuple[int, ...] = field(compare=False)
    own: frozenset[int] = field(default=frozenset(), compare=False)
    remembered: bool = field(default=False, compare=False)

    @classmethod
    def lowered(cls, literal: syntax.Literal, lowering: Lowering) -> tuple[Body, ...] | None:
        if not isinstance(literal, syntax.Last):
            return None
        *arguments, time = literal.atom.terms
        first, last = time.ends if isinstance(time, syntax.Range) else (syntax.Constant(0), time)
        return (
            cls(
                literal.atom.predicate,
                tuple(map(lowering.gap, arguments)),
                lowering.term(first),
                lowering.term(last),
                not isinstance(time, syntax.Range),
                tuple(map(lowering.term, literal.per)),
                literal.slot(lowering.vocabulary) or (),
                remembered=literal.is_promised(lowering.vocabulary),
            ),
        )

    @property
    def operands(self) -> tuple[Term, ...]:
        return (*self.arguments, self.first, self.last, *self.per)

    def mapped(self, new: Callable[[Term], Term]) -> Self:
        return replace(
            self,
            arguments=tuple(map(new, self.arguments)),
            first=new(self.first),
            last=new(self.last),
            per=tuple(map(new, self.per)),
        )

    def __str__(self) -> str:
        time = text(self.last) if self.single else f"{text(self.first)}..{text(self.last)}"
        atom = Atom(self.predicate, (*self.arguments, 0))
        per = f" per {' and '.join(map(text, self.per))}" if self.per else ""
        return f"last {str(atom).removesuffix('0)')}{time}){per}"

    @property
    def key(self) -> tuple[object, ...]:
        return Last, self.predicate, self.single, len(self.per)

    # ---- its variables ----

    @property
    def needs(self) -> frozenset[str]:
        return variables_in((*(self.arguments[place] for place in self.slot), self.first, self.last))

    @property
    def takes(self) -> frozenset[str]:
        return variables_in(self.arguments[place] for place in self.own)

    def taking(self, names: frozenset[str]) -> Self:
        own = (
            i for i, each in enumerate(self.arguments) if isinstance(each, Variable) and each.name in names
        )
        return replace(self, own=frozenset(own))

    # ---- atoms ----

    @property
    def _range(self) -> range:
        assert isinstance(self.first, int)
        assert isinstance(self.last, int)
        return range(max(self.first, 0), self.last + 1)

    def fitting(self, tick: Term) -> Atom:
        """The atoms that fit, whatever the values of its own variables."""
        arguments = (
            ANY if i in self.own and isinstance(a, Variable) else a for i, a in enumerate(self.arguments)
        )
        return Atom(self.predicate, (*arguments, tick))

    def of_slot(self, tick: Term) -> Atom:
        """The atoms of its slot."""
        arguments = (each if i in self.slot else ANY for i, each in enumerate(self.arguments))
        return Atom(self.predicate, (*arguments, tick))

    @property
    def asked(self) -> tuple[Atom, ...]:
        if isinstance(self.first, int) and isinstance(self.last, int):
            return tuple(each for tick in self._range for each in (self.of_slot(tick), self.fitting(tick)))
        return self.of_slot(self._within), Atom(self.predicate, (*self.arguments, self._within))

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
        return (self.last,) if self.single else (self.first, self.last)

    @property
    def natural(self) -> tuple[Term, ...]:
        return (self.last,) if self.single else ()

    # ---- truth ----

    def ticks(self, world: Facts, around: Around) -> Ticks:
        if self.needs or not self.variables <= self.takes:
            return Ticks(NEVER, NEVER)
        if world.none_left(self.takes, around):
            return Ticks(NEVER, START)
        fits = [world.truth(self.fitting(tick)) for tick in self._range]
        slot = [world.slot(self, tick) for tick in self._range]
        if all(each is ANY or place in self.slot for place, each in enumerate(self.arguments)):
            # Whatever comes later fits as well.
            true_at = min((each.true_at for each in fits), default=NEVER)
            return Ticks(true_at, max((each.false_at for each in fits), default=START))
        if self.variables:
            # What is there has a derivation of its own: one is left for what may still come.
            ends = enumerate((world.coming(self.fitting(tick)) for tick in self._range), 1)
            left = (min([end, *(other.true_at for other in slot[place:])]) for place, end in ends)
            return Ticks(NEVER, max(left, default=START))
        true_at, false_at = NEVER, START
        for place, each in enumerate(fits):
            later = slot[place + 1 :]
            true_at = min(true_at, max([each.true_at, *(other.false_at for other in later)]))
            false_at = max(false_at, min([each.false_at, *(other.true_at for other in later)]))
        return Ticks(true_at, false_at)

    def taken(self, world: Facts) -> Iterator[Taken]:
        spans: list[Taken] = []
        slot = [world.truth(self.of_slot(tick)).true_at for tick in self._range]
        for place, tick in enumerate(self._range):
            until = min(slot[place + 1 :], default=NEVER)
            for atom, since in world.atoms(self.of_slot(tick)):
                pairs = [
                    (one, other)
                    for one, other in zip(self.arguments, atom.arguments, strict=False)
                    if one is not ANY
                ]
                known = unify((one for one, _ in pairs), (other for _, other in pairs), {})
                if known is not None and since < until:
                    spans.append(Taken(known, since, until))
        yield from spans
        yield from _gaps(spans)

    def rest(self, below: Below) -> None:
        for atom in self.asked:
            below.asked(atom)


def _gaps(spans: Sequence[Taken]) -> Iterator[Taken]:
    """The ticks at which no atom that fits is the latest one."""
    open_since = START
    for each in sorted(spans, key=lambda each: each.since):
        if open_since < each.since:
            yield Taken({}, open_since, each.since)
        open_since = max(open_since, each.until)
    if open_since < NEVER:
        yield Taken({}, open_since, NEVER)
