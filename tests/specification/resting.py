"""Which facts an answer can rest on at all, found by unfolding.

    Malf(X, T) :- Temp(X, high, T), not Ack(X, _, T+1).

`Malf(wt2, 7)` can rest on `Temp(wt2, high, 7)` and on `Ack(wt2, _, 8)`, where `_` is any value: that is a
column the literal leaves open. Times that are open take every tick they may stand for.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

from antelog.language.vocabulary import Kind
from tests.specification.answers import Answer
from tests.specification.background import fits, joined
from tests.specification.constraints import latest
from tests.specification.patterns import Pattern
from tests.specification.program import Program, Query
from tests.specification.terms import (
    ANY,
    Atom,
    Substitution,
    Term,
    Variable,
    apply,
    holds,
    unify,
    variables,
)
from tests.specification.world import first_ticks


class UndeterminedError(Exception):
    """An answer has no chance; the text says why."""


def facts_below(program: Program, query: Query, answer: Answer) -> frozenset[Atom]:
    """The input atoms an answer can rest on, `ANY` in open columns; those under negations, too.

    Raises UndeterminedError where the answer is open, a time has no last tick, or a column is left open
    that is compared or shared with something else.
    """
    values = tuple(value for _, value in answer)
    if any(value is None for value in values):
        raise UndeterminedError("the answer has an open variable")
    search = _Search(program)
    for pattern in query.patterns:
        fixed = () if query.time is not None else (pattern.time,)
        search.pattern(pattern, (*(value for value in values if value is not None), *fixed))
    return frozenset(search.found)


class _Search:
    def __init__(self, program: Program) -> None:
        self._program = program
        self._seen: set[Atom] = set()
        self.found: set[Atom] = set()

    def pattern(self, pattern: Pattern, asked: tuple[Term, ...]) -> None:
        start = unify(pattern.head, asked, {})
        if start is None:
            return
        for known in joined(pattern.background, self._program.background, start):
            for each in _with_times(pattern, known):
                self._literals(pattern, each)

    def _literals(self, pattern: Pattern, known: Substitution) -> None:
        facts = [apply(atom, known) for atom in pattern.facts]
        negations = [apply(atom, known) for atom in pattern.negations]
        denials = [apply(denial, known) for denial in pattern.denials]
        comparisons = [c for each in pattern.comparisons if holds(c := apply(each, known)) is None]
        if any(not variables(d) and fits(d.atom, self._program.background) for d in denials):
            return
        names = Counter(
            term.name
            for atom in (*facts, *negations, *(d.atom for d in denials))
            for term in atom.arguments
            if isinstance(term, Variable)
        )
        names.update(name for comparison in comparisons for name in variables(comparison))
        guards = {name for atom in facts for name in variables(atom)}
        for name, number in names.items():
            if number > 1 or name not in guards:
                raise UndeterminedError(f"{name} has no value, and more than one literal is about it")
        for atom in facts:
            self.found.add(Atom(atom.predicate, tuple(_any(term) for term in atom.arguments)))
        for atom in negations:
            self._negated(atom)

    def _negated(self, atom: Atom) -> None:
        if atom in self._seen:
            return
        self._seen.add(atom)
        if self._program.vocabulary[atom.predicate].kind is Kind.INPUT:
            self.found.add(atom)
            return
        for pattern in self._program.patterns_of(atom):
            self.pattern(pattern, self._program.asked_of(atom))


def _any(term: Term) -> Term:
    return ANY if isinstance(term, Variable) else term


def _with_times(pattern: Pattern, known: Substitution) -> Iterator[Substitution]:
    """The ways in which the open times of a pattern can have values, so that no comparison is false."""
    first = first_ticks(pattern, known)
    comparisons = [apply(each, known) for each in pattern.comparisons]
    if first is None or any(holds(each) is False for each in comparisons):
        return
    atoms = (apply(atom, known) for atom in (*pattern.facts, *pattern.negations))
    open_ = sorted({*first, *(atom.time.name for atom in atoms if isinstance(atom.time, Variable))})
    if not open_:
        yield known
        return
    name, tick = open_[0], first.get(open_[0], 0)
    last = latest(Variable(name), [each for each in comparisons if holds(each) is None], first)
    if last == math.inf:
        raise UndeterminedError(f"nothing bounds the time {name}")
    while last is not None and tick <= last:
        yield from _with_times(pattern, {**known, name: tick})
        tick += 1
