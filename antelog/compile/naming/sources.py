"""What names values for an unguarded variable.

In comes a pattern, out goes for each unguarded variable what names values for it: the fact literals the
answer rests on, also those below negations, and constants and background in the same columns. The
variable ranges over every value that is named, and over all others.

    Calm(X, T) :- not Hot(X, T).    Hot(X, T) :- Temp(X, high, T+1).
    X of Calm: named by Temp(X, high, T+1)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from antelog.compile.literals.background import StaticAtom
from antelog.compile.literals.comparison import Comparison
from antelog.compile.literals.fact import Atom
from antelog.compile.literals.terms import Operand, Term, Time, Var
from antelog.compile.naming.search import Search
from antelog.compile.naming.terms import TIME, Source, Tests, Value, beginning, place
from antelog.compile.nodes.patterns import Pattern
from antelog.compile.nodes.plan import Plan, Relation


@dataclass(frozen=True)
class Names:
    """Everything that names values for one variable of a pattern, with what has to hold for that."""

    variable: str
    facts: tuple[Source, ...]
    background: tuple[tuple[StaticAtom, Tests], ...]
    constants: tuple[tuple[Value, Tests], ...]


def names(relation: Relation, pattern: Pattern, plan: Plan) -> tuple[Names, ...]:
    """What names values for the unguarded variables of a pattern of a relation."""
    return tuple(_names(name, relation, pattern, plan) for name in pattern.unguarded)


def _names(name: str, relation: Relation, pattern: Pattern, plan: Plan) -> Names:
    found = Search(plan, {i for i, term in enumerate(pattern.answer) if term == Var(name)})
    found.run(relation)
    image: dict[str, Term] = {place(i): term for i, term in enumerate(pattern.answer)}

    def put_in(terms: tuple[Term, ...]) -> tuple[Term, ...]:
        return tuple(image.get(term.name, term) if isinstance(term, Var) else term for term in terms)

    def moved(tests: Tests) -> Tests | None:
        """The tests in terms of the pattern; None if they cannot hold."""
        own = [_moved(test, image, pattern.time) for test in tests]
        if any(test.outcome is False for test in own):
            return None
        return tuple(test for test in own if test.outcome is None)

    facts, background, constants = [], [], []
    for source in _fewest(found.facts):
        tests = moved(source.tests)
        if tests is not None:
            atom = Atom(source.atom.predicate, put_in(source.atom.arguments), source.atom.time)
            facts.append(Source(atom, tests, source.behind, source.ahead))
    for static, asked in found.background:
        tests = moved(asked)
        if tests is not None:
            given = tuple(None if a is None else put_in((a,))[0] for a in static.arguments)
            background.append((StaticAtom(static.predicate, given), tests))
    for value, asked in found.constants:
        tests = moved(asked)
        if tests is not None:
            constants.append((value, tests))
    return Names(name, tuple(facts), tuple(background), tuple(constants))


def _moved(test: Comparison, image: dict[str, Term], time: Time) -> Comparison:
    def operand(side: Operand) -> Operand:
        match side:
            case Var(name):
                return image.get(name, side)
            case Time(variable, offset) if variable == TIME:
                return time + offset
            case _:
                return side

    return Comparison(operand(test.left), test.operator, operand(test.right))


def _fewest(sources: Iterable[Source]) -> Iterator[Source]:
    """Without sources that another one makes needless: the same facts, and it asks for less."""
    kept: dict[tuple[Atom, int | None, int | None], list[tuple[int, set[Comparison], Source]]] = {}
    for source in sorted(sources, key=lambda s: (beginning(s.tests)[0], len(s.tests))):
        first, rest = beginning(source.tests)
        own = kept.setdefault((source.atom, source.behind, source.ahead), [])
        if not any(less <= set(rest) for begin, less, _ in own if begin <= first):
            own.append((first, set(rest), source))
    for each in kept.values():
        yield from (source for _, _, source in each)
