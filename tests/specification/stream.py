"""Facts and their arrival: the dataset D with its slices, and the delay function δ: semantics.md, "Time".

`admit` keeps facts that obey `t ≤ a ≤ t + δ`; the others never change an answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from itertools import product
from typing import TypeAlias

from antelog.language import syntax
from antelog.language.vocabulary import Predicate, PredicateKind, Type, Vocabulary
from tests.specification.terms import ANY, OTHERS, Atom, Term, Variable, apply


@dataclass(frozen=True)
class Arrival:
    """A fact, and the tick at which it arrives."""

    fact: Atom
    tick: int


@dataclass(frozen=True)
class Stream:
    """All facts that arrive, in any order, and static facts besides those of the program."""

    arrivals: tuple[Arrival, ...] = ()
    background: tuple[Atom, ...] = ()


class Reason(Enum):
    """Why a fact is set aside."""

    LATE = "late"
    EARLY = "early"
    MALFORMED = "malformed"
    CONFLICTING = "conflicting"


@dataclass(frozen=True)
class Admitted:
    """The facts that count, each with the tick of its first arrival; and the others."""

    arrivals: Mapping[Atom, int]
    set_aside: tuple[tuple[Arrival, Reason], ...]


def delta(predicate: Predicate, arguments: tuple[Term, ...]) -> int:
    """δ of a ground atom: of the declarations that match it, the one with the most constants."""
    matching = [
        r
        for r in predicate.schedule.refinements
        if all(c is None or c == a for c, a in zip(r.pattern, arguments[:-1], strict=True))
    ]
    return max(matching, key=lambda r: r.constants).delay if matching else predicate.schedule.bound


def slowest(predicate: Predicate, arguments: tuple[Term, ...]) -> int:
    """δ of an atom with variables: the largest of its instances."""
    open_ = sorted({a.name for a in arguments[:-1] if isinstance(a, Variable)})
    places = {name: [i for i, a in enumerate(arguments) if a == Variable(name)] for name in open_}
    refinements = predicate.schedule.refinements
    choices: list[set[Term]] = [
        {OTHERS, *(v for r in refinements for i in places[name] if (v := r.pattern[i]) is not None)}
        for name in open_
    ]
    ways = (dict(zip(open_, values, strict=True)) for values in product(*choices))
    return max(delta(predicate, apply(Atom("", arguments), way).arguments) for way in ways)


def time_of(atom: Atom) -> int:
    """The tick an atom is about."""
    assert isinstance(atom.time, int), f"{atom} is about no one tick"
    return atom.time


def normal(atom: Atom) -> Atom:
    """An atom with its numbers in their one form: 1.0 is 1."""
    arguments = (syntax.number(a) if isinstance(a, float) else a for a in atom.arguments)
    return Atom(atom.predicate, tuple(arguments))


def admit(vocabulary: Vocabulary, arrivals: Iterable[Arrival]) -> Admitted:
    """The facts that count and those set aside: the first of a slot counts, at one tick the least."""
    kept: dict[Atom, int] = {}
    slots: dict[Slot, Atom] = {}
    set_aside: list[tuple[Arrival, Reason]] = []
    for arrival in sorted(arrivals, key=lambda a: (a.tick, _order(a.fact))):
        fact = normal(arrival.fact)
        reason = _objection(vocabulary, fact, arrival.tick)
        if reason is None:
            slot = slot_of(vocabulary[fact.predicate], fact)
            if slot is not None and slots.setdefault(slot, fact) != fact:
                reason = Reason.CONFLICTING
        if reason is None:
            kept.setdefault(fact, arrival.tick)
        else:
            set_aside.append((arrival, reason))
    return Admitted(kept, tuple(set_aside))


Slot: TypeAlias = tuple[str, tuple[Term, ...], Term]


def slot_of(predicate: Predicate, atom: Atom) -> Slot | None:
    """The slot an atom takes or would take; None if it has none, or leaves open which."""
    if predicate.slot is None:
        return None
    columns, time = tuple(atom.arguments[i] for i in predicate.slot), atom.time
    if any(isinstance(each, Variable) or each is ANY for each in (*columns, time)):
        return None
    return predicate.name, columns, time


def _order(fact: Atom) -> tuple[tuple[bool, Term], ...]:
    """Numbers before texts, column by column."""
    return tuple((isinstance(a, str), a) for a in fact.arguments)


def _objection(vocabulary: Vocabulary, fact: Atom, tick: int) -> Reason | None:
    predicate = vocabulary.predicates.get(fact.predicate)
    if (
        predicate is None
        or predicate.kind is not PredicateKind.INPUT
        or not _well_formed(predicate, fact.arguments)
    ):
        return Reason.MALFORMED
    if tick < time_of(fact):
        return Reason.EARLY
    return Reason.LATE if tick > time_of(fact) + delta(predicate, fact.arguments) else None


def _well_formed(predicate: Predicate, arguments: tuple[Term, ...]) -> bool:
    if len(arguments) != predicate.arity:
        return False
    *objects, time = arguments
    return (
        isinstance(time, int)
        and time >= 0
        and all(fits(value, type_) for value, type_ in zip(objects, predicate.types, strict=True))
    )


def fits(value: Term, type_: Type | None) -> bool:
    """Whether a column of this type can hold the value."""
    return type_ is None or isinstance(value, str) is (type_ is Type.TEXT)
