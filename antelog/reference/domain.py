"""The finite domain: the values an object variable ranges over.

These are the constants of the program and of the facts, and values that stand for all
others: fresh texts, and where a rule asks for the order of texts, or numbers play a part, one
text or number in each gap between the known ones, for comparisons tell apart only those.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import count, islice, pairwise

from antelog.language import syntax
from antelog.language.syntax import Comparison, Constant, Shifted, Value
from antelog.language.vocabulary import Type, Vocabulary
from antelog.reference.atoms import Anything, Atom
from antelog.reference.clauses import Clause


def known_values(
    document: syntax.Document, vocabulary: Vocabulary, clauses: Iterable[Clause], facts: Iterable[Atom]
) -> frozenset[Value]:
    """The constants of the program and of the facts; times are none."""
    found: set[Value] = set()
    for fact in facts:
        objects = fact.arguments[:-1] if vocabulary[fact.predicate].temporal else fact.arguments
        found.update(value for value in objects if not isinstance(value, Anything))
    for clause in clauses:
        for atom in clause.atoms:
            found.update(_constants(atom, vocabulary))
        for comparison in clause.comparisons:
            found.update(_compared(comparison, clause.times))
    for query in document.queries:
        found.update(_constants(query.atom, vocabulary))
    for predicate in vocabulary.predicates.values():
        found.update(v for r in predicate.refinements for v in r.pattern if v is not None)
    return frozenset(found)


def _constants(atom: syntax.Atom, vocabulary: Vocabulary) -> Iterator[Value]:
    terms = atom.terms[:-1] if vocabulary[atom.predicate].temporal else atom.terms
    yield from (term.value for term in terms if isinstance(term, Constant))


def _compared(comparison: Comparison, times: frozenset[str]) -> Iterator[Value]:
    sides = (comparison.left, comparison.right)
    if not any(syntax.variable_of(side) in times for side in sides):
        yield from (side.value for side in sides if isinstance(side, Constant))


def domain(known: frozenset[Value], vocabulary: Vocabulary, clauses: Iterable[Clause]) -> tuple[Value, ...]:
    """The known values and those that stand for all others.

    Where a rule compares variables with each other, as in `X != Y`, two unknown values can
    differ, so there are as many fresh ones as a rule compares variables.
    """
    clauses = tuple(clauses)
    fresh = max((_compared_variables(c) for c in clauses), default=0) or 1
    texts = {value for value in known if isinstance(value, str)}
    numbers = sorted(value for value in known if not isinstance(value, str))
    typed = any(Type.NUMBER in p.types for p in vocabulary.predicates.values())
    unknown = islice((name for i in count(1) if (name := f"other{i}") not in texts), fresh)
    others = _between(numbers, fresh, _shifts(clauses)) if numbers or typed else ()
    ordered = any(_by_order(c, clause.times) for clause in clauses for c in clause.comparisons)
    gaps = _gaps(texts, fresh) if ordered else ()
    return (*sorted({*texts, *gaps}), *unknown, *sorted({*numbers, *others}))


def _by_order(comparison: Comparison, times: frozenset[str]) -> bool:
    """Whether a comparison may ask which of two texts comes first."""
    sides = (comparison.left, comparison.right)
    if comparison.operator in ("=", "!=") or any(syntax.variable_of(side) in times for side in sides):
        return False
    return not any(isinstance(s, Shifted) or _is_number(s) for s in sides)


def _is_number(term: syntax.Term) -> bool:
    return isinstance(term, Constant) and not isinstance(term.value, str)


def _gaps(texts: Iterable[str], fresh: int) -> Iterator[str]:
    """Texts before, between and after the given ones, `fresh` in each gap that has room."""
    for low, high in pairwise(["", *sorted(texts), None]):
        found = (f"{low} {i}" for i in range(fresh))
        yield from (text for text in found if high is None or text < high)


def _compared_variables(clause: Clause) -> int:
    names = {
        name
        for c in clause.comparisons
        if syntax.variable_of(c.left) and syntax.variable_of(c.right)
        for side in (c.left, c.right)
        if (name := syntax.variable_of(side)) and name not in clause.times
    }
    return len(names)


def _shifts(clauses: Iterable[Clause]) -> set[int | float]:
    """What comparisons add to object variables, as in `V + 0.5`."""
    return {
        side.offset
        for clause in clauses
        for comparison in clause.comparisons
        for side in (comparison.left, comparison.right)
        if isinstance(side, Shifted) and side.variable not in clause.times
    }


def _between(numbers: list[int | float], fresh: int, shifts: set[int | float]) -> Iterator[int | float]:
    """Numbers below, between and above the given ones and their shifts, `fresh` in each gap."""
    marks = sorted({n + sign * s for n in numbers for s in {0, *shifts} for sign in (-1, 1)} or {0})
    ends = [marks[0] - fresh - 1, *marks, marks[-1] + fresh + 1]
    for low, high in pairwise(ends):
        yield from (syntax.number(low + (high - low) * i / (fresh + 1)) for i in range(1, fresh + 1))
    yield from (syntax.number(mark) for mark in marks)
