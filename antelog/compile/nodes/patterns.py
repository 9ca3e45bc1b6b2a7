"""Patterns: each is one way to derive an atom, with all its conditions.

    Pattern = answer, time, Literal*, Earliest*

The compiler makes patterns of rules, and the plan consists of them: see `antelog/compile/nodes/plan.py`.
`P(X, T) :- R(X, V, T+1), V >= 9.` has a pattern whose answer is X, and whose literals are R(X, V, T+1) and
V >= 9. `antelog/compile/literals` has the kinds of literals.
"""

from __future__ import annotations

from collections.abc import Iterable, Set
from functools import cached_property
from typing import NamedTuple

from msgspec import Struct

from antelog.compile.literals import Aggregation, AnyLiteral, Atom, Comparison, Last, StaticAtom
from antelog.compile.literals.comparison import Equation
from antelog.compile.literals.literal import AskedNode, Condition
from antelog.compile.literals.terms import AnswerTerm, Time, Var, variables_in


class Taking(NamedTuple):
    """A literal that gives variables values: `last` those of the latest atom, `N = count(…)` its value.

    Others are `missing`, which nothing gives a value before it.
    """

    literal: Last | Aggregation
    variables: frozenset[str]
    missing: frozenset[str]


class Earliest(Struct, frozen=True):
    """A time variable never is before this tick: every time term of the rules is a natural number."""

    variable: str
    tick: int


class ByRole:
    """The literals of a pattern, a clause or a static rule by their roles."""

    literals: tuple[AnyLiteral, ...]

    @cached_property
    def facts(self) -> tuple[Atom, ...]:
        """The fact literals; of a clause also the atoms that resolution puts patterns in place of."""
        return tuple(each for each in self.literals if isinstance(each, Atom))

    @cached_property
    def asked(self) -> tuple[AskedNode, ...]:
        return tuple(each for each in self.literals if isinstance(each, AskedNode))

    @cached_property
    def stated(self) -> tuple[AnyLiteral, ...]:
        """Facts and asked literals, in the order of the rules: explanations consist of these."""
        return tuple(each for each in self.literals if not isinstance(each, Condition))

    @cached_property
    def conditions(self) -> tuple[AnyLiteral, ...]:
        """The conditions, comparisons last."""
        return tuple(each for each in self.literals if isinstance(each, Condition))

    @cached_property
    def background(self) -> tuple[StaticAtom, ...]:
        """The background facts that have to be there; they give values."""
        return tuple(each for each in self.literals if isinstance(each, StaticAtom) and not each.negated)

    @cached_property
    def tests(self) -> tuple[Condition, ...]:
        """The conditions that give no values, comparisons among them."""
        conditions = (each for each in self.literals if isinstance(each, Condition))
        return tuple(each for each in conditions if each not in self.background)

    @cached_property
    def comparisons(self) -> tuple[Comparison, ...]:
        """The comparisons; `antelog/compile/conditions` treats them as one system."""
        return tuple(each for each in self.literals if isinstance(each, Comparison))


class Pattern(ByRole, Struct, frozen=True, dict=True):
    """One way to derive an atom of a relation.

    `answer` and `time` are what the relation's variables and time stand for. A pattern with
    fact literals is fact-driven: its answers open once a fact is evidence. One without is
    clock-driven: its answers open at every tick.
    """

    answer: tuple[AnswerTerm, ...]
    time: Time
    literals: tuple[AnyLiteral, ...]
    earliest: tuple[Earliest, ...] = ()

    @property
    def clock_driven(self) -> bool:
        """Whether answers open without any fact."""
        return not self.facts

    @cached_property
    def guarded(self) -> frozenset[str]:
        """The variables that facts, the background, equations, latest atoms or aggregates give values."""
        taken = (each.variables for each in self.takings)
        return self.bound.union({each.variable for each in self.worked_out}, *taken)

    @cached_property
    def bound(self) -> frozenset[str]:
        """The variables that facts or the background give values."""
        return frozenset[str]().union(*(each.binds for each in self.literals))

    @cached_property
    def worked_out(self) -> tuple[Equation, ...]:
        """The equations that give variables values, each after those of the variables that it needs."""
        return self._given[0]

    def leading_to(self, open_: Set[str]) -> frozenset[str]:
        """Open variables, and those that equations work out from them: W, and D by D = W - V."""
        found = set(open_)
        for each in self.worked_out:
            if variables_in([each.operand]) & found:
                found.add(each.variable)
        return frozenset(found)

    @cached_property
    def takings(self) -> tuple[Taking, ...]:
        """The asked literals that give values, each after what gives those that it needs."""
        return tuple(each for each in self._given[1] if each.variables)

    @cached_property
    def _given(self) -> tuple[tuple[Equation, ...], tuple[Taking, ...]]:
        """The sources of values besides facts and the background: equations, `last` and aggregates."""
        known, equations, takings = set(self.bound), list[Equation](), list[Taking]()
        amounts = set[str]()
        defined = [each.defines for each in self.comparisons if each.defines is not None]
        asked = [each for each in self.asked if each.needs < each.variables]
        waiting = [each for kind in (Last, Aggregation) for each in asked if isinstance(each, kind)]
        while True:
            while new := next((each for each in defined if _gives(each, known)), None):
                equations.append(new)
                known.add(new.variable)
            timed = known | variables_in([self.time])
            ready = [each for each in waiting if each.needs <= timed]
            ready += [each for each in waiting if each.needs <= timed | self.answered]
            if not waiting:
                return tuple(equations), tuple(takings)
            chosen = (ready or waiting)[0]
            waiting.remove(chosen)
            # Of several aggregates the one that is closed first gives the value.
            elsewhere = known - amounts if isinstance(chosen, Aggregation) else known
            taken = chosen.variables - chosen.needs - elsewhere
            takings.append(Taking(chosen, taken, chosen.needs - timed - self.answered))
            known |= taken
            amounts |= taken if isinstance(chosen, Aggregation) else set()

    @cached_property
    def unguarded(self) -> tuple[str, ...]:
        """The variables of the answer (without its time) that only asked literals and comparisons have."""
        names = dict.fromkeys(a.name for a in self.answer if isinstance(a, Var))
        return tuple(name for name in names if name not in self.guarded)

    @cached_property
    def unguarded_time(self) -> str | None:
        """The variable of the answer's time, if only asked literals and comparisons have it."""
        return None if self.time.variable in self.guarded else self.time.variable

    @cached_property
    def answered(self) -> frozenset[str]:
        """The variables that an answer has the values of, its time among them."""
        return variables_in((*self.answer, self.time))

    @cached_property
    def given(self) -> frozenset[str]:
        """The variables whose values the background gives."""
        return frozenset[str]().union(*(each.binds for each in self.background))

    @cached_property
    def times(self) -> tuple[Time, ...]:
        """The answer's time, and those of its facts and asked literals."""
        return (self.time, *(time for each in self.stated for time in each.times))

    @property
    def text(self) -> str:
        """The pattern as a conjunction, with those first ticks that do not follow from its literals."""
        shown: dict[str | None, int] = {}
        for time in self.times:
            shown[time.variable] = min(shown.get(time.variable, time.offset), time.offset)
        parts = [each.text for each in (*self.background, *self.stated, *self.tests)]
        parts += [
            f"{e.variable} >= {e.tick}" for e in self.earliest if e.tick > max(0, -shown.get(e.variable, 0))
        ]
        return ", ".join(parts) or "always"


def _gives(equation: Equation, known: Set[str]) -> bool:
    """Whether an equation gives a value to a variable that has none, given those that have."""
    return equation.variable not in known and variables_in([equation.operand]) <= known


def arranged(literals: Iterable[AnyLiteral]) -> tuple[AnyLiteral, ...]:
    """Literals, each once, in the order of a pattern: facts and asked, conditions, and then comparisons."""
    return tuple(sorted(dict.fromkeys(literals), key=_place))


def _place(literal: AnyLiteral) -> int:
    return isinstance(literal, Condition) + isinstance(literal, Comparison)
