"""The values seen for an unguarded variable, and since when: semantics.md, "Patterns and derivations".

A variable leads to the columns it stands in, and through derived atoms to others. Constants and background
there are seen from the start, values of facts from their arrival on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from antelog.language.syntax import Value
from antelog.language.vocabulary import PredicateKind
from tests.specification.patterns import Pattern
from tests.specification.program import Program, Query
from tests.specification.terms import ANY, OTHERS, Atom, Calculation, Inner, Special, Term, Variable
from tests.specification.world import START, Tick, World


class Column(NamedTuple):
    """An argument of a predicate."""

    predicate: str
    place: int


def seen(world: World, query: Query, head: tuple[Term, ...]) -> dict[Value, Tick]:
    """The values seen for the argument that is `OTHERS`, each with the tick since when."""
    search = _Search(world.program)
    for pattern in query.patterns:
        for place, term in enumerate(head):
            if term is OTHERS:
                search.follow(pattern, place)
    found = dict.fromkeys((*search.constants, *_constants(world.program, search.columns)), START)
    for fact, at in world.arrivals.items():
        for value in _values(fact, search.columns):
            found[value] = min(at, found.get(value, at))
    return found


class _Search:
    """The columns that a variable leads to, and the constants that are met on the way."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._followed: set[tuple[Pattern, int]] = set()
        self.columns: set[Column] = set()
        self.constants: set[Value] = set()

    def follow(self, pattern: Pattern, place: int) -> None:
        """From what stands at a place of a pattern's head."""
        if (pattern, place) in self._followed:
            return
        self._followed.add((pattern, place))
        term = pattern.head[place]
        if not isinstance(term, Variable):
            self.constants.update(_proper([term]))
            return
        for comparison in pattern.comparisons:
            if term in comparison.operands:
                self.constants.update(_proper(comparison.operands))
        for atom in pattern.atoms:
            for column in _places_of(atom, term):
                self.columns.add(column)
        for atom in pattern.asked:
            asked = self._program.asked_of(atom)
            for below in self._program.patterns_of(atom):
                for i, each in enumerate(asked):
                    if each == term:
                        self.follow(below, i)


def _places_of(atom: Atom, term: Term) -> Iterator[Column]:
    return (Column(atom.predicate, i) for i, each in enumerate(atom.arguments) if each == term)


def _constants(program: Program, columns: set[Column]) -> Iterator[Value]:
    """The constants in some columns: those of the patterns of a program, of delays, and of the background."""
    for atom in (*(a for p in _patterns(program) for a in p.atoms), *program.background):
        yield from _values(atom, columns)
    for predicate in program.vocabulary.predicates.values():
        for refinement in predicate.schedule.refinements if predicate.kind is PredicateKind.INPUT else ():
            terms = (ANY if value is None else value for value in refinement.pattern)
            yield from _values(Atom(predicate.name, tuple(terms)), columns)


def _patterns(program: Program) -> Iterator[Pattern]:
    """Those of all queries, and of all that is negated."""
    waiting = [pattern for query in program.queries for pattern in query.patterns]
    found = set(waiting)
    for pattern in waiting:
        yield pattern
        fresh = {each for atom in pattern.asked for each in program.patterns_of(atom)} - found
        found |= fresh
        waiting += fresh


def _values(atom: Atom, columns: set[Column]) -> Iterator[Value]:
    return _proper(v for i, v in enumerate(atom.arguments) if Column(atom.predicate, i) in columns)


def _proper(terms: Iterable[Term]) -> Iterator[Value]:
    return (term for term in terms if not isinstance(term, Variable | Special | Calculation | Inner))
