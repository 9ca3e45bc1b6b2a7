"""What names values for an unguarded variable.

    Calm(X, T) :- not Hot(X, T).    Hot(X, T) :- Temp(X, high, T+1).

The X of `Calm` ranges over every value that is named, and over all others. A fact names the value
it has where X stands in one of the fact literals the answer rests on: here `Temp(X, high, T+1)`. So
do constants that rules, comparisons and delay refinements have there, and the background.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from antelog.compile.comparisons import outcome
from antelog.compile.plan import (
    Atom,
    Comparison,
    Const,
    Negated,
    Operand,
    Pattern,
    Plan,
    Relation,
    StaticAtom,
    Sum,
    Term,
    Time,
    Var,
)
from antelog.compile.times import times_of

TIME = "<t>"
"""The answer's time."""

FACT_TIME = "<u>"
"""The time of a fact that names a value."""

_ROUNDS = 20
"""A range of times that still grows after so many rounds has no end."""

Value = str | int | float
_Range = tuple[int | None, int | None]


@dataclass(frozen=True)
class Source:
    """A fact literal that names values, with the answer's variables where it has these.

    Its facts name a value for the answers from `ahead` ticks before their time to `behind` ticks
    after it, if the `tests` hold.
    """

    atom: Atom
    tests: tuple[Comparison, ...]
    behind: int | None
    ahead: int | None


@dataclass(frozen=True)
class Names:
    """Everything that names values for one variable of a pattern."""

    variable: str
    facts: tuple[Source, ...]
    background: tuple[StaticAtom, ...]
    constants: tuple[Value, ...]


def names(relation: Relation, pattern: Pattern, plan: Plan) -> tuple[Names, ...]:
    """What names values for the unguarded variables of a pattern of a relation."""
    return tuple(_names(name, relation, pattern, plan) for name in pattern.unguarded)


def _names(name: str, relation: Relation, pattern: Pattern, plan: Plan) -> Names:
    found = _Search(plan, {i for i, term in enumerate(pattern.answer) if term == Var(name)})
    found.run(relation)
    image: dict[str, Term] = {_place(i): term for i, term in enumerate(pattern.answer)}
    facts = []
    for source in found.facts:
        tests = [_moved(test, image, pattern.time) for test in source.tests]
        if not any(outcome(test) is False for test in tests):
            arguments = tuple(
                image.get(a.name, a) if isinstance(a, Var) else a for a in source.atom.arguments
            )
            atom = Atom(source.atom.predicate, arguments, source.atom.time)
            open_tests = tuple(test for test in tests if outcome(test) is None)
            facts.append(Source(atom, open_tests, source.behind, source.ahead))
    background = tuple(
        StaticAtom(a.predicate, tuple(image.get(t.name, t) if isinstance(t, Var) else t for t in a.arguments))
        for a in found.background
    )
    return Names(name, tuple(facts), background, tuple(found.constants))


def _place(position: int) -> str:
    return f"<{position}>"


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


@dataclass
class _Search:
    """Follows a relation's patterns, and what they negate, down to the facts."""

    plan: Plan
    wanted: set[int]
    facts: dict[Source, None] = field(default_factory=dict)
    background: dict[StaticAtom, None] = field(default_factory=dict)
    constants: dict[Value, None] = field(default_factory=dict)
    _ranges: dict[tuple[str, tuple[Term, ...]], tuple[_Range, int]] = field(default_factory=dict)
    _waiting: list[tuple[str, tuple[Term, ...]]] = field(default_factory=list)

    def run(self, relation: Relation) -> None:
        self._reach(relation.name, tuple(Var(_place(i)) for i in range(len(relation.variables))), (0, 0))
        while self._waiting:
            name, terms = self._waiting.pop()
            for pattern in self.plan.relation(name).patterns:
                self._follow(pattern, terms, self._ranges[name, terms][0])

    def _reach(self, name: str, terms: tuple[Term, ...], within: _Range) -> None:
        known = self._ranges.get((name, terms))
        if known is None:
            self._ranges[name, terms] = within, 0
        else:
            (behind, ahead), rounds = known
            new = _wider(behind, within[0]), _wider(ahead, within[1])
            if new == known[0]:
                return
            if rounds >= _ROUNDS:
                new = (behind if new[0] == behind else None, ahead if new[1] == ahead else None)
            self._ranges[name, terms] = new, rounds + 1
        self._waiting.append((name, terms))

    def _is_wanted(self, term: Term | None) -> bool:
        return isinstance(term, Var) and any(term.name == _place(i) for i in self.wanted)

    def _follow(self, pattern: Pattern, terms: tuple[Term, ...], within: _Range) -> None:
        image: dict[str, Term] = {}
        tests: list[Comparison] = []
        for own, term in zip(pattern.answer, terms, strict=True):
            if isinstance(own, Const):
                if isinstance(term, Const) and term != own:
                    return
                if self._is_wanted(term):
                    self.constants[own.value] = None
                if isinstance(term, Var):
                    tests.append(Comparison(term, "=", own))
            elif own.name in image and image[own.name] != term:
                tests.append(Comparison(image[own.name], "=", term))
            else:
                image[own.name] = term

        def substituted(term: Term) -> Term:
            return image.get(term.name, Var(f"{term.name}~")) if isinstance(term, Var) else term

        times = times_of(pattern)
        for comparison in pattern.comparisons:
            for one, other in ((comparison.left, comparison.right), (comparison.right, comparison.left)):
                if isinstance(one, Var) and isinstance(other, Const) and self._is_wanted(substituted(one)):
                    self.constants[other.value] = None
        for static in pattern.statics:
            if not static.negated:
                given = tuple(None if a is None else substituted(a) for a in static.arguments)
                if any(map(self._is_wanted, given)):
                    self.background[StaticAtom(static.predicate, given)] = None
        for literal in pattern.literals:
            far = (
                _sum(within[0], times.furthest(literal.time, pattern.time)),
                _sum(within[1], times.furthest(pattern.time, literal.time)),
            )
            if isinstance(literal, Negated):
                asked = tuple(map(substituted, literal.asked))
                if any(map(self._is_wanted, asked)):
                    self._reach(literal.relation, asked, far)
                continue
            arguments: tuple[Term, ...] = tuple(map(substituted, literal.arguments))
            if any(map(self._is_wanted, arguments)):
                own_tests = (*tests, *_own_tests(literal, pattern, image))
                time = Time(FACT_TIME, 0) if literal.time.variable is not None else literal.time
                self.facts[Source(Atom(literal.predicate, arguments, time), own_tests, *far)] = None
                self._refined(literal.predicate, arguments)

    def _refined(self, predicate: str, arguments: tuple[Term, ...]) -> None:
        """Constants that delay refinements have in the place of the variable."""
        source = next(s for s in self.plan.inputs if s.name == predicate)
        for refinement in source.refinements:
            pairs = list(zip(arguments, refinement.pattern, strict=False))
            if all(not isinstance(a, Const) or v is None or a.value == v for a, v in pairs):
                for argument, value in pairs:
                    if value is not None and self._is_wanted(argument):
                        self.constants[value] = None


def _own_tests(literal: Atom, pattern: Pattern, image: dict[str, Term]) -> Iterator[Comparison]:
    """The comparisons about a literal alone, of the variables it has as a source."""
    own = {a.name for a in literal.arguments if isinstance(a, Var)}
    time = literal.time.variable

    def operand(side: Operand) -> Operand | None:
        match side:
            case Var(name):
                return image.get(name, Var(f"{name}~")) if name in own else None
            case Sum(name, offset):
                term = image.get(name, Var(f"{name}~"))
                return Sum(term.name, offset) if name in own and isinstance(term, Var) else None
            case Time(variable, offset) if variable is not None:
                return Time(FACT_TIME, offset - literal.time.offset) if variable == time else None
            case _:
                return side

    for comparison in pattern.comparisons:
        left, right = operand(comparison.left), operand(comparison.right)
        if left is not None and right is not None:
            yield Comparison(left, comparison.operator, right)


def _sum(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other


def _wider(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else max(one, other)
