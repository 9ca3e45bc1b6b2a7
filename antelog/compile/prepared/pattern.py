"""A pattern as the engine looks at it.

In comes a pattern of the plan, out goes the same with its literals prepared, and with whatever else follows
from the rules alone: what comparisons say together, how far its times lie apart, what evidence leaves open.
All of it is worked out once for each pattern.

    P(X, T) :- A(X, T), not B(X, U), U > T, U <= T + 3.
    facts: A(X, T)    negations: B(X, U), from 1 to 3 ticks after the answer    told without the clock
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from antelog.compile.literals.background import StaticAtom
from antelog.compile.literals.comparison import Comparison
from antelog.compile.literals.fact import Atom, FactLiteral
from antelog.compile.literals.literal import AskedLiteral
from antelog.compile.literals.negation import Negation
from antelog.compile.literals.terms import Time, variables_in
from antelog.compile.conditions.implied import implied
from antelog.compile.conditions.differences import Times, times_of
from antelog.compile.nodes.columns import SeenColumns, seen_columns
from antelog.compile.nodes.patterns import Pattern
from antelog.compile.nodes.plan import Plan, Relation
from antelog.compile.prepared.literals import fact_literal


@dataclass(frozen=True, eq=False)
class Prepared:
    """A pattern as the engine looks at it.

    `seen` has the columns that its unguarded variable leads to, if it has one.
    """

    pattern: Pattern
    facts: tuple[FactLiteral, ...]
    negations: tuple[AskedLiteral, ...]
    seen: SeenColumns | None = None

    @cached_property
    def literals(self) -> tuple[Atom | Negation, ...]:
        """The fact literals and then the negated ones, as the lines of derivations have them."""
        return (*(fact.node for fact in self.facts), *(negation.node for negation in self.negations))

    @cached_property
    def variables(self) -> tuple[frozenset[str], ...]:
        """For each literal its variables."""
        return tuple((each.variables for each in self.literals))

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
        """The variables that need no fact: those of the background, of the clock, and unguarded ones."""
        time = self.pattern.unguarded_time
        clock = {time} if time is not None else set()
        return frozenset(self.pattern.given | clock | set(self.pattern.unguarded))

    @cached_property
    def self.answered -> frozenset[str]:
        """The variables that an answer has the values of."""
        return self.pattern.answered

    @cached_property
    def clocked(self) -> bool:
        """Whether the tick of an answer has to have come for the pattern to be told."""
        return not self.facts or self.pattern.unguarded_time is not None

    @cached_property
    def shared(self) -> tuple[str, ...]:
        """The variables, but for times, that all fact literals have."""
        own = [fact.variables - self.time_variables for fact in self.facts]
        return tuple(sorted(frozenset.intersection(*own))) if own else ()

    @cached_property
    def used(self) -> frozenset[str]:
        """The variables that background facts give values to for anything but themselves.

        That is all of the answer, the literals and what must not be there, and of comparisons that the
        background alone does not decide.
        """
        return variables_in(self.pattern.answer) | self.looked_at

    @cached_property
    def looked_at(self) -> frozenset[str]:
        """The variables in literals, in what must not be there, and in comparisons that need facts."""
        known = self.pattern.given
        undecided = (test for test in self.pattern.comparisons if not test.variables <= known)
        parts = (*self.literals, *self.absent, *undecided)
        return frozenset[str]().union(*(each.variables for each in parts))

    @cached_property
    def leaves_time_open(self) -> bool:
        """Whether evidence may say nothing of the answer's time."""
        time = self.pattern.time.variable
        return (
            time is not None and time not in self.given and any(time not in f.variables for f in self.facts)
        )


def pattern_of(pattern: Pattern, relation: Relation, plan: Plan) -> Prepared:
    times = times_of(pattern)
    slots = {source.name: source.slot for source in plan.inputs}
    said = (*pattern.comparisons, *implied(pattern.comparisons))
    facts = tuple(
        fact_literal(atom, said, slots[atom.predicate], _distance(pattern, atom, times))
        for atom in pattern.atoms
    )
    negations = tuple(AskedLiteral(n, *_distance(pattern, n, times)) for n in pattern.negations)
    seen = [seen_columns(name, pattern, relation, plan) for name in pattern.unguarded]
    return Prepared(pattern, facts, negations, seen[0] if seen else None)


def _distance(pattern: Pattern, literal: Atom | Negation, times: Times) -> tuple[int | None, int | None]:
    """How far before and after the answer's time a literal's time may lie."""
    return times.furthest(literal.time, pattern.time), times.furthest(pattern.time, literal.time)
