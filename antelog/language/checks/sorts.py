"""Sorts: a variable is a time or an object, and each has its places.

The last argument of a predicate is a time, unless the predicate is static; all others are
objects.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from antelog.diagnostics import Diagnostic, Note, Span
from antelog.language import syntax
from antelog.language.checks.suggestions import did_you_mean
from antelog.language.literals.comparison import NO_NOW
from antelog.language.parser import Parsed
from antelog.language.printer import to_text
from antelog.language.syntax import Atom, Constant, Shifted, Term, variable_of
from antelog.language.vocabulary import PredicateKind, Vocabulary


@dataclass(frozen=True)
class SortEvidence:
    """An occurrence that shows whether a variable is a time or an object."""

    is_time: bool
    span: Span
    predicate: str


@dataclass
class FirstPlaces:
    """The first place of each variable of a rule's atoms."""

    first: dict[str, SortEvidence] = field(default_factory=dict)

    def text(self, node: object) -> str:
        return to_text(node)

    def time_of(self, name: str | None) -> Span | None:
        place = self.first.get(name or "")
        return place.span if place is not None and place.is_time else None

    def is_object(self, name: str | None) -> bool:
        place = self.first.get(name or "")
        return place is not None and not place.is_time


def check_sorts(parsed: Parsed, vocabulary: Vocabulary) -> Iterator[Diagnostic]:
    timed = _timed(parsed.document, vocabulary)
    for rule in parsed.document.rules:
        places = FirstPlaces()
        yield from _check(
            [rule.head, *(atom for atom, _ in syntax.atoms_of(rule))], places, vocabulary, timed
        )
        for literal in rule.body:
            yield from literal.check_sorts(places)
    for query in parsed.document.queries:
        yield from _check([query.atom], FirstPlaces(), vocabulary, timed)


def _timed(document: syntax.Document, vocabulary: Vocabulary) -> frozenset[str]:
    """The predicates that certainly have a time: those declared, and those that rest on something timed."""
    declared = {p.name for p in vocabulary.predicates.values() if p.declared}
    resting = {
        rule.head.predicate
        for rule in document.rules
        if any(vocabulary[atom.predicate].temporal for atom, _ in syntax.atoms_of(rule))
    }
    return frozenset(declared | resting)


def sorts_of(rule: syntax.Rule, vocabulary: Vocabulary) -> dict[str, bool]:
    """For each variable of the atoms of a rule, whether it is a time; where both, the first."""
    found: dict[str, bool] = {}
    for atom in [rule.head, *(atom for atom, _ in syntax.atoms_of(rule))]:
        for term, is_time in _places(atom, vocabulary):
            name = variable_of(term)
            if name is not None:
                found.setdefault(name, is_time)
    return found


def _places(atom: Atom, vocabulary: Vocabulary) -> Iterator[tuple[Term, bool]]:
    """The arguments of an atom, each with whether it is a time; none if there are too many or few."""
    predicate = vocabulary.predicates.get(atom.predicate)
    if predicate is None or len(atom.terms) != predicate.arity:
        return
    last = len(atom.terms) - 1
    for i, term in enumerate(atom.terms):
        yield term, predicate.temporal and i == last


def _check(
    atoms: list[Atom], places: FirstPlaces, vocabulary: Vocabulary, timed: frozenset[str]
) -> Iterator[Diagnostic]:
    reported: set[str] = set()
    for atom in atoms:
        for term, is_time in _places(atom, vocabulary):
            if is_time:
                yield from _check_time(term, atom, vocabulary, timed)
            elif isinstance(term, Shifted):
                message = (
                    f"`{to_text(term)}` can stand only where a time belongs, and this argument is not a time"
                )
                hint = f"The time of {atom.predicate} is its last argument."
                if vocabulary.is_static(atom.predicate):
                    hint = f"{atom.predicate} is static: it has no time."
                hint += (
                    f" To calculate with a value, compare it with a variable, as in `Y = {to_text(term)}`."
                )
                yield Diagnostic("E301", message, term.span, hint)
                continue
            name = variable_of(term)
            if name is None:
                continue
            known = places.first.setdefault(name, SortEvidence(is_time, term.span, atom.predicate))
            if known.is_time != is_time and name not in reported:
                reported.add(name)
                yield _both(name, SortEvidence(is_time, term.span, atom.predicate), known, vocabulary, timed)


def _check_time(
    term: Term, atom: Atom, vocabulary: Vocabulary, timed: frozenset[str]
) -> Iterator[Diagnostic]:
    if isinstance(term, Constant) and not (isinstance(term.value, int) and term.value >= 0):
        message = f"`{to_text(term)}` stands where the time of {atom.predicate} belongs"
        if isinstance(term.value, str):
            hint = "The last argument of a predicate is its time: a whole number, T, T+1 or T-1."
            if term.value == "now":
                hint += f"\n{NO_NOW}"
            elif _MEANT_AS_TIME.match(term.value):
                hint += f"\nA variable starts with a capital letter: write `{term.value.capitalize()}`."
            else:
                hint += _maybe_static(atom.predicate, vocabulary, timed)
        else:
            hint = "Times are the whole numbers from 0 on."
        yield Diagnostic("E301", message, term.span, hint)
    elif isinstance(term, Shifted) and isinstance(term.offset, float):
        message = f"`{to_text(term)}` is not a time: ticks are whole numbers"
        yield Diagnostic("E301", message, term.span, "Shift times by a whole number of ticks.")


_MEANT_AS_TIME = re.compile(r"([a-z]\d*|time|tick)\Z")


def _maybe_static(name: str, vocabulary: Vocabulary, timed: frozenset[str]) -> str:
    """The advice to declare a predicate static, where that may be what is missing."""
    predicate = vocabulary[name]
    if name in timed:
        return ""
    columns = ", ".join(f"c{i}" for i in range(predicate.arity))
    statics = [p.name for p in vocabulary.predicates.values() if p.kind is PredicateKind.STATIC]
    near = did_you_mean(name, statics)
    return f"\n{near}" if near else f"\nIf {name} has no time, declare `static {name}({columns}).`"


def _both(
    name: str, here: SortEvidence, before: SortEvidence, vocabulary: Vocabulary, timed: frozenset[str]
) -> Diagnostic:
    as_what = {True: "a time", False: "an object"}
    message = f"{name} is {as_what[here.is_time]} here, but {as_what[before.is_time]} elsewhere in the rule"
    in_time = here if here.is_time else before
    hint = "Use two variables: the last argument of a predicate is its time, the others are not."
    if vocabulary[in_time.predicate].kind is not PredicateKind.STATIC:
        hint += _maybe_static(in_time.predicate, vocabulary, timed)
    return Diagnostic("E301", message, here.span, hint, (Note("the other place", before.span),))
