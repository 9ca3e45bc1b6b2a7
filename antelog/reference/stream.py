"""Facts and their arrival: the papers' dataset D with its slices, and the delay function δ.

semantics.md, "Time". `admit` keeps the facts that obey `t ≤ a ≤ t + δ` and sets the others
aside; these never change an answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum

from antelog.language import syntax
from antelog.language.vocabulary import Kind, Predicate, Type, Vocabulary
from antelog.reference.atoms import Argument, Atom


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


@dataclass(frozen=True)
class Admitted:
    """The facts that count, each with the tick of its first arrival; and the others."""

    arrivals: Mapping[Atom, int]
    set_aside: tuple[tuple[Arrival, Reason], ...]


def delta(predicate: Predicate, arguments: tuple[Argument, ...]) -> int:
    """δ of a ground atom: of the declarations that match it, the one with the most constants."""
    matching = [
        r
        for r in predicate.refinements
        if all(c is None or c == a for c, a in zip(r.pattern, arguments[:-1], strict=True))
    ]
    return max(matching, key=lambda r: r.constants).delay if matching else predicate.delay


def delta_of(vocabulary: Vocabulary, atom: Atom) -> int:
    """δ of a ground atom of the vocabulary."""
    return delta(vocabulary[atom.predicate], atom.arguments)


def normal(atom: Atom) -> Atom:
    """An atom with its numbers in their one form: 1.0 is 1."""
    arguments = (syntax.number(a) if isinstance(a, float) else a for a in atom.arguments)
    return Atom(atom.predicate, tuple(arguments))


def admit(vocabulary: Vocabulary, arrivals: Iterable[Arrival]) -> Admitted:
    """What counts of a stream, and what is set aside."""
    kept: dict[Atom, int] = {}
    set_aside: list[tuple[Arrival, Reason]] = []
    for arrival in arrivals:
        fact = normal(arrival.fact)
        reason = _objection(vocabulary, fact, arrival.tick)
        if reason is None:
            kept[fact] = min(arrival.tick, kept.get(fact, arrival.tick))
        else:
            set_aside.append((arrival, reason))
    return Admitted(kept, tuple(set_aside))


def _objection(vocabulary: Vocabulary, fact: Atom, tick: int) -> Reason | None:
    predicate = vocabulary.predicates.get(fact.predicate)
    if predicate is None or predicate.kind is not Kind.INPUT or not _well_formed(predicate, fact.arguments):
        return Reason.MALFORMED
    if tick < fact.time:
        return Reason.EARLY
    return Reason.LATE if tick > fact.time + delta(predicate, fact.arguments) else None


def _well_formed(predicate: Predicate, arguments: tuple[Argument, ...]) -> bool:
    if len(arguments) != predicate.arity:
        return False
    *objects, time = arguments
    return (
        isinstance(time, int)
        and time >= 0
        and all(fits(value, type_) for value, type_ in zip(objects, predicate.types, strict=True))
    )


def fits(value: Argument, type_: Type | None) -> bool:
    """Whether a column of this type can hold the value."""
    return type_ is None or isinstance(value, str) is (type_ is Type.TEXT)
