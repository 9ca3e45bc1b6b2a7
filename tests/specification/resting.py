"""Which facts an answer can rest on at all, found by unfolding.

    Malf(X, T) :- Temp(X, high, T), not Ack(X, _, T+1).

`Malf(wt2, 7)` can rest on `Temp(wt2, high, 7)` and on `Ack(wt2, _, 8)`, where `_` is any value: that is a
column the literal leaves open. Times that are open take every tick they may stand for.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

from antelog.language.vocabulary import PredicateKind
from tests.specification.answers import Answer
from tests.specification.background import joined
from tests.specification.constraints import latest
from tests.specification.literals import Call, Comparison
from tests.specification.patterns import Pattern
from tests.specification.program import Program, Query
from tests.specification.terms import ANY, Atom, Substitution, Term, Variable, apply, unify
from tests.specification.world import first_ticks


class UndeterminedError(Exception):
    """An answer has no chance; the text says why."""


def facts_below(program: Program, query: Query, answer: Answer) -> frozenset[Atom]:
    """The input atoms an answer can rest on, also under negations, `ANY` in open columns.

    Raises UndeterminedError where the answer is open, a time has no last tick, or an open column is compared
    or shared with something else.
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
        for known in joined(pattern.literals, self._program.background, start):
            for each in _with_times(pattern, known):
                self._literals(pattern, each)

    def _literals(self, pattern: Pattern, known: Substitution) -> None:
        literals = [apply(each, known) for each in pattern.literals]
        held = [each.holds(self._program.background) for each in literals]
        if False in held:
            return
        open_ = [each for each, holds in zip(literals, held, strict=True) if holds is None]
        atoms = [
            each
            for each in open_
            if not isinstance(each, Comparison | Call) and (not each.static or each.denies)
        ]
        names = Counter(term.name for each in atoms for term in each.operands if isinstance(term, Variable))
        names.update(name for each in open_ if isinstance(each, Comparison | Call) for name in each.variables)
        given = frozenset[str]().union(*(each.variables for each in literals if each.goal))
        for name, number in names.items():
            if number > 1 or name not in given:
                raise UndeterminedError(f"{name} has no value, and more than one literal is about it")
        for each in literals:
            each.rest(self)

    def fact(self, atom: Atom) -> None:
        self.found.add(atom)

    def valued(self, atom: Atom) -> None:
        """The atoms of the kinds that are declared, where their values matter: one of a slot at a tick."""
        predicate = self._program.vocabulary[atom.predicate]
        slot = predicate.slot if predicate.kind is PredicateKind.INPUT else None
        if slot is None or any(atom.arguments[place] is ANY for place in slot):
            raise UndeterminedError("an aggregate takes or compares values of which there may be several")
        *arguments, time = atom.arguments
        declared = self._program.vocabulary.odds_of(predicate.name).chances
        patterns = [[*zip(arguments, chance.pattern, strict=True)] for chance in declared]
        fitting = [each for each in patterns if all(a is ANY or p in (None, a) for a, p in each)]
        if not fitting or any(a is ANY and p is None for each in fitting for a, p in each):
            raise UndeterminedError("an aggregate takes or compares values that no declaration names")
        for each in fitting:
            kind = (p if a is ANY and p is not None else a for a, p in each)
            self.asked(Atom(atom.predicate, (*kind, time)))

    def asked(self, atom: Atom) -> None:
        if atom in self._seen:
            return
        self._seen.add(atom)
        if self._program.vocabulary[atom.predicate].kind is PredicateKind.INPUT:
            self.found.add(atom)
            return
        for pattern in self._program.patterns_of(atom):
            self.pattern(pattern, self._program.asked_of(atom))


def _with_times(pattern: Pattern, known: Substitution) -> Iterator[Substitution]:
    """The ways in which the open times of a pattern can have values, so that no comparison is false."""
    first = first_ticks(pattern, known)
    comparisons = [apply(each, known) for each in pattern.comparisons]
    if first is None or any(each.holds() is False for each in comparisons):
        return
    times = (time for each in pattern.stated for time in apply(each, known).times)
    open_ = sorted({*first, *(time.name for time in times if isinstance(time, Variable))})
    if not open_:
        yield known
        return
    name, tick = open_[0], first.get(open_[0], 0)
    last = latest(Variable(name), [each for each in comparisons if each.holds() is None], first)
    if last == math.inf:
        raise UndeterminedError(f"nothing bounds the time {name}")
    while last is not None and tick <= last:
        yield from _with_times(pattern, {**known, name: tick})
        tick += 1
