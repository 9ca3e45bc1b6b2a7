"""Patterns prepared for the engine: what follows from the rules alone is computed here, once.

In comes a plan, out goes the same in the form the engine looks at: for each pattern which
columns of a fact bind which variables, which comparisons can be tested on which of them, and
how far from the answer's time each literal's time may lie.

    Rise(D, T) :- R(D, V, T), R(D, W, U), W >= V + 0.5, U > T, U <= T + 20.
    R(D, W, U): column 0 binds D, column 1 binds W; U lies in [T + 1, T + 20]
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

from antelog.compile.conditions.implied import implied
from antelog.compile.conditions.times import Times, times_of
from antelog.compile.naming.sources import Names, Tests, names
from antelog.compile.nodes.patterns import Atom, Comparison, Negated, Pattern, StaticAtom, Time, Var
from antelog.compile.nodes.plan import Input, Plan, Relation
from antelog.compile.nodes.variables import compared, static_variables, variables_of
from antelog.compile.plan.needed import lag, needed, reaches


@dataclass(frozen=True)
class FactLiteral:
    """A fact literal: which columns of its input bind variables, repeat them, or are fixed.

    `tests` are the comparisons about it alone. `slot` are the columns of `one per`, if its input
    has that promise. Its time lies at most `behind` ticks before the answer's and at most `ahead`
    ticks after it (None: nothing says so).
    """

    atom: Atom
    binds: tuple[tuple[str, int], ...]
    repeats: tuple[tuple[int, int], ...]
    constants: tuple[tuple[int, str | int | float], ...]
    tests: tuple[Comparison, ...]
    slot: tuple[int, ...] | None
    behind: int | None
    ahead: int | None

    @cached_property
    def variables(self) -> frozenset[str]:
        return variables_of(self.atom)

    @cached_property
    def slot_variables(self) -> frozenset[str]:
        """The variables in the columns of the slot, and the time's."""
        terms = (self.atom.arguments[i] for i in self.slot or ())
        names = {term.name for term in terms if isinstance(term, Var)}
        return frozenset(names | ({self.atom.time.variable} if self.atom.time.variable else set()))


@dataclass(frozen=True)
class NegatedLiteral:
    """A negated literal, and how far from the answer's time its time may lie, as for a fact literal."""

    atom: Negated
    behind: int | None
    ahead: int | None

    @cached_property
    def variables(self) -> frozenset[str]:
        return variables_of(self.atom)


@dataclass(frozen=True)
class Naming:
    """What names values for an unguarded variable: facts, background, and constants of the rules.

    Each comes with the tests that have to hold of the answer for that.
    """

    variable: str
    facts: tuple[tuple[FactLiteral, Tests], ...]
    background: tuple[tuple[StaticAtom, Tests], ...]
    constants: tuple[tuple[str | int | float, Tests], ...]


@dataclass(frozen=True, eq=False)
class Prepared:
    """A pattern as the engine looks at it.

    `names` say what names values for its unguarded variables:
    see `antelog.compile.naming.sources`.
    """

    pattern: Pattern
    facts: tuple[FactLiteral, ...]
    negations: tuple[NegatedLiteral, ...]
    naming: Naming | None = None

    @cached_property
    def literals(self) -> tuple[Atom | Negated, ...]:
        """The fact literals and then the negated ones, as the lines of derivations have them."""
        return (*(fact.atom for fact in self.facts), *(negation.atom for negation in self.negations))

    @cached_property
    def variables(self) -> tuple[frozenset[str], ...]:
        """For each literal its variables."""
        return tuple(map(variables_of, self.literals))

    @cached_property
    def tests(self) -> tuple[Comparison, ...]:
        """The comparisons, and what two of them say of one variable: W > V, W < 9 of V alone."""
        return (*self.pattern.comparisons, *implied(self.pattern.comparisons))

    @cached_property
    def times(self) -> Times:
        return times_of(self.pattern)

    @cached_property
    def between(self) -> tuple[tuple[str, str, int], ...]:
        """What times that are open say of two others (or tick 0): by how much the second may be later."""
        return tuple(self.times.indirect())

    def band(self, known: str, time: str) -> tuple[str, int | None, int | None] | None:
        """A known time, and at most how far before and after it another one lies; None if nothing says so."""
        if known not in self.time_variables:
            return None
        before = self.times.furthest(Time(time, 0), Time(known, 0))
        after = self.times.furthest(Time(known, 0), Time(time, 0))
        return None if before is None and after is None else (known, before, after)

    @cached_property
    def time_variables(self) -> frozenset[str]:
        times = (self.pattern.time, *(literal.time for literal in self.pattern.literals))
        return frozenset(time.variable for time in times if time.variable is not None)

    @cached_property
    def absent(self) -> tuple[StaticAtom, ...]:
        """The background facts that must not be there."""
        return tuple(atom for atom in self.pattern.statics if atom.negated)

    @cached_property
    def given(self) -> frozenset[str]:
        """The variables that need no fact: the background gives them values, or the clock, or names do."""
        time = self.pattern.unguarded_time
        clock = {time} if time is not None else set()
        return frozenset(static_variables(self.pattern) | clock | set(self.pattern.unguarded))

    @cached_property
    def answered(self) -> frozenset[str]:
        """The variables that an answer has the values of."""
        time = self.pattern.time.variable
        own = {a.name for a in self.pattern.answer if isinstance(a, Var)}
        return frozenset(own | ({time} if time is not None else set()))

    @cached_property
    def leaves_time_open(self) -> bool:
        """Whether evidence may say nothing of the answer's time."""
        time = self.pattern.time.variable
        return (
            time is not None and time not in self.given and any(time not in f.variables for f in self.facts)
        )


@dataclass(frozen=True, eq=False)
class Rules:
    """A plan as the engine looks at it.

    cycles  the relations that rest on their own negation, each with all that share that cycle
    needed  for each input how far back facts matter, counted from now (None: all do)
    reaches for each relation how far before its time the facts of an atom lie (None: anywhere)
    lag     for how many ticks atoms of cycles are worked out from facts after they are settled
    """

    plan: Plan
    relations: Mapping[str, Relation]
    patterns: Mapping[str, tuple[Prepared, ...]]
    inputs: Mapping[str, Input]
    cycles: Mapping[str, frozenset[str]]
    needed: Mapping[str, int | None]
    reaches: Mapping[str, int | None]
    lag: int

    @cached_property
    def unsteady(self) -> frozenset[str]:
        """The queries whose `if_silent` may turn out different although their explanations stay."""
        return frozenset(query.name for query in self.plan.queries if _unsteady(query, self.plan))


@lru_cache(maxsize=64)
def prepared(plan: Plan) -> Rules:
    """What is worked out for a plan once."""
    inputs = {source.name: source for source in plan.inputs}
    of_cycle = cycles(plan)
    return Rules(
        plan,
        {relation.name: relation for relation in plan.relations},
        {r.name: tuple(_prepared(p, r, plan) for p in r.patterns) for r in plan.relations},
        inputs,
        of_cycle,
        needed(plan, of_cycle),
        reaches(plan),
        lag(plan),
    )


def _prepared(pattern: Pattern, relation: Relation, plan: Plan) -> Prepared:
    times = times_of(pattern)
    slots = {source.name: source.slot for source in plan.inputs}
    said = (*pattern.comparisons, *implied(pattern.comparisons))
    facts = tuple(
        _fact_literal(atom, said, slots[atom.predicate], _distance(pattern, atom, times))
        for atom in pattern.atoms
    )
    negations = tuple(NegatedLiteral(n, *_distance(pattern, n, times)) for n in pattern.negations)
    naming = [_naming(each) for each in names(relation, pattern, plan)]
    return Prepared(pattern, facts, negations, naming[0] if naming else None)


def _fact_literal(
    atom: Atom, said: Iterable[Comparison], slot: tuple[int, ...] | None, far: tuple[int | None, int | None]
) -> FactLiteral:
    own = variables_of(atom)
    return FactLiteral(atom, *_places(atom), tuple(c for c in said if compared(c) <= own), slot, *far)


def _naming(found: Names) -> Naming:
    facts = []
    for source in found.facts:
        literal = _fact_literal(source.atom, source.tests, None, (source.behind, source.ahead))
        facts.append((literal, tuple(test for test in source.tests if test not in literal.tests)))
    return Naming(found.variable, tuple(facts), found.background, found.constants)


def _distance(pattern: Pattern, literal: Atom | Negated, times: Times) -> tuple[int | None, int | None]:
    """How far before and after the answer's time a literal's time may lie."""
    return times.furthest(literal.time, pattern.time), times.furthest(pattern.time, literal.time)


_Places = tuple[
    tuple[tuple[str, int], ...], tuple[tuple[int, int], ...], tuple[tuple[int, str | int | float], ...]
]


def _places(atom: Atom) -> _Places:
    """The columns that bind variables, those that repeat others, and those with constants."""
    binds: dict[str, int] = {}
    repeats, constants = [], []
    for column, argument in enumerate(atom.arguments):
        if not isinstance(argument, Var):
            constants.append((column, argument.value))
        elif argument.name in binds:
            repeats.append((binds[argument.name], column))
        else:
            binds[argument.name] = column
    return tuple(binds.items()), tuple(repeats), tuple(constants)


def cycles(plan: Plan) -> dict[str, frozenset[str]]:
    """The relations that rest on their own negation, each with all it shares that cycle with."""
    members: dict[int, set[str]] = {}
    for relation in plan.relations:
        members.setdefault(relation.level.component, set()).add(relation.name)
    return {
        relation.name: frozenset(members[relation.level.component])
        for relation in plan.relations
        if len(members[relation.level.component]) > 1 or relation.name in relation.bounds.asked_by
    }


def _unsteady(query: Relation, plan: Plan) -> bool:
    """Whether a query negates what may be settled later than it looked.

    An atom with one fact literal is settled when that fact is due. With several, or with a
    negation of its own, a fact that comes meanwhile may put that off.
    """
    return any(_put_off(plan.relation(n.relation)) for p in query.patterns for n in p.negations)


def _put_off(relation: Relation) -> bool:
    for pattern in relation.patterns:
        names = {a.name for a in pattern.answer if isinstance(a, Var)} | {pattern.time.variable}
        times = {atom.time.variable for atom in pattern.atoms}
        if len(pattern.literals) != 1 or any(pattern.negations) or not times <= names:
            return True
    return False
