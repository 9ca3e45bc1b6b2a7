"""A pattern prepared for the engine: all that follows from its text alone, worked out once.

P(X, T) :- A(X, T), not B(X, U), U > T, U <= T + 3.
facts: A(X, T)    asked: not B(X, U), from 1 to 3 ticks after the answer    fact-driven
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Set
from dataclasses import dataclass
from functools import cached_property

from antelog.compile.comparisons import Times, implied, times_of
from antelog.compile.literals import Call, Comparison, Negation, StaticAtom
from antelog.compile.literals.atoms import FactLiteral
from antelog.compile.literals.literal import AskedLiteral, AskedNode, Condition, Literal
from antelog.compile.literals.terms import Time, variables_in
from antelog.compile.nodes.patterns import Pattern
from antelog.compile.nodes.plan import Plan, Relation
from antelog.compile.plan.partition import SeenColumns, seen_columns


@dataclass(frozen=True)
class OpenEnd:
    """A range under `not` whose last tick is `variable + offset`, which evidence may leave open.

    `number` is its place among the literals. Rows bind its `bound` to the tick of the first true atom, NEVER
    if there is none.
    """

    number: int
    node: Negation
    variable: str
    offset: int

    @property
    def bound(self) -> str:
        return f"{self.variable} <{self.number}"

    def is_open(self, bound: Set[str]) -> bool:
        """Returns whether nothing but its last tick is open, where these variables have values."""
        return self.node.variables - bound == {self.variable}

    @property
    def condition(self) -> Comparison:
        return Comparison(Time(self.variable, 0), "<", Time(self.bound, -self.offset))


@dataclass(frozen=True, eq=False)
class Prepared:
    """A pattern prepared for the engine; `seen`: the columns that its unguarded variable leads to, if any."""

    pattern: Pattern
    facts: tuple[FactLiteral, ...]
    asked: tuple[AskedLiteral, ...]
    comparisons: tuple[Comparison, ...]
    """The comparisons, and those that follow from two of them: V < 9 from W > V, W < 9."""
    times: Times
    seen: SeenColumns | None

    @cached_property
    def literals(self) -> tuple[FactLiteral | AskedLiteral, ...]:
        """The fact literals and then the asked ones, as the lines of derivations have them."""
        return (*self.facts, *self.asked)

    @cached_property
    def ends(self) -> tuple[OpenEnd, ...]:
        """The ranges of which evidence may leave the last tick open, and nothing else."""
        return tuple(
            OpenEnd(number, each.node, each.node.last.variable, each.node.last.offset)
            for number, each in enumerate(self.literals)
            if isinstance(each.node, Negation) and each.node.last.variable is not None
            if each.node.last.variable not in variables_in((*each.node.arguments, each.node.first))
            if each.node.last.variable not in self.given
        )

    def tests(self, bound: Collection[str]) -> tuple[Condition, ...]:
        """Returns the conditions that give no values, with the bounds of open ends that rows bind."""
        return (*self.pattern.tests, *(each.condition for each in self.ends if each.bound in bound))

    def one_a_tick(self, places: Collection[int]) -> bool:
        """Returns whether slots allow one atom at each tick, where its answer is given at these places."""
        pattern = self.pattern
        known = variables_in([*(pattern.answer[place] for place in places), pattern.time])
        for _ in self.facts:
            for fact in self.facts:
                if fact.slot is not None and fact.slot_variables <= known:
                    known |= fact.variables
            for each in pattern.worked_out:
                known |= {each.variable} if variables_in([each.operand]) <= known else set()
        return pattern.answered <= known

    @cached_property
    def counts_until(self) -> int:
        """The last tick that its aggregates look at, after the answer's; 0 without any, or without end."""
        amounts = (each for each in self.asked if each.node.has_amount)
        return max((reach.ahead or 0 for each in amounts for reach in each.reaches), default=0)

    @cached_property
    def calls(self) -> tuple[Call, ...]:
        return tuple(each for each in self.pattern.tests if isinstance(each, Call))

    @cached_property
    def conditions(self) -> Mapping[Comparison | Call, frozenset[str]]:
        """The comparisons and the calls, each with its variables."""
        found: list[Comparison | Call] = [*self.comparisons, *self.calls]
        return {each: each.variables for each in found}

    @cached_property
    def between(self) -> tuple[tuple[str, str, int], ...]:
        """Pairs of times (or tick 0), and how much later the second may be, as open times imply it."""
        return tuple(self.times.indirect())

    def band(self, known: str, time: str) -> tuple[str, int | None, int | None] | None:
        """Returns a known time, and how far before and after it another may lie; None if nothing says so."""
        if known not in self.time_variables:
            return None
        before = self.times.furthest(Time(time, 0), Time(known, 0))
        after = self.times.furthest(Time(known, 0), Time(time, 0))
        return None if before is None and after is None else (known, before, after)

    @cached_property
    def time_variables(self) -> frozenset[str]:
        return variables_in(self.pattern.times)

    @cached_property
    def absent(self) -> tuple[StaticAtom, ...]:
        """The background facts that must not be there."""
        return tuple(each for each in self.pattern.tests if isinstance(each, StaticAtom))

    @cached_property
    def given(self) -> frozenset[str]:
        """The variables that need no fact: those of the background, of the clock, and unguarded ones."""
        time = self.pattern.unguarded_time
        clock = {time} if time is not None else set()
        return self.pattern.given | clock | set(self.pattern.unguarded)

    @cached_property
    def clocked(self) -> bool:
        """Whether answers of the pattern are reported only once their tick has come."""
        return not self.facts or self.pattern.unguarded_time is not None

    @cached_property
    def shared(self) -> tuple[str, ...]:
        """The variables, but for times, that all fact literals have."""
        own = [fact.variables - self.time_variables for fact in self.facts]
        return tuple(sorted(frozenset.intersection(*own))) if own else ()

    @cached_property
    def private_variables(self) -> tuple[frozenset[str], ...]:
        """For each fact literal the variables that nothing else gives a value to."""
        count = Counter(name for fact in self.facts for name in fact.variables)
        return tuple(frozenset(n for n in f.variables if count[n] == 1) - self.given for f in self.facts)

    @cached_property
    def used(self) -> frozenset[str]:
        """The variables of the background that the answer, literals or other conditions have, too."""
        return variables_in(self.pattern.answer) | self.looked_at

    @cached_property
    def looked_at(self) -> frozenset[str]:
        """The variables in literals, in what must not be there, and in comparisons that need facts."""
        own: list[Literal] = [*self.pattern.stated, *self.absent]
        tests = (*self.pattern.comparisons, *self.calls)
        own += (each for each in tests if not each.variables <= self.pattern.given)
        return frozenset[str]().union(*(each.variables for each in own))

    @cached_property
    def leaves_time_open(self) -> bool:
        """Whether evidence may leave the answer's time open."""
        time = self.pattern.time.variable
        return (
            time is not None and time not in self.given and any(time not in f.variables for f in self.facts)
        )


def pattern_of(pattern: Pattern, relation: Relation, plan: Plan) -> Prepared:
    times = times_of(pattern)
    inputs = {source.name: source for source in plan.inputs}
    comparisons = (*pattern.comparisons, *implied(pattern.comparisons))
    facts = list[FactLiteral]()
    for fact in pattern.facts:
        source, (reach,) = inputs[fact.predicate], times.reaches(fact, pattern.time)
        # What calls functions is tested later, once for the rows that are left.
        own = (each for each in comparisons if not each.functions)
        tests = tuple(each for each in own if each.variables <= fact.variables)
        facts.append(FactLiteral(fact, tests, source.slot, reach.behind, reach.ahead, max(source.delays)))
    takes: dict[AskedNode, frozenset[str]] = {each.literal: each.variables for each in pattern.takings}
    asked = (
        AskedLiteral(each, times.reaches(each, pattern.time), takes.get(each, frozenset()))
        for each in pattern.asked
    )
    seen = [seen_columns(name, pattern, relation, plan) for name in pattern.unguarded]
    return Prepared(pattern, tuple(facts), tuple(asked), comparisons, times, seen[0] if seen else None)
