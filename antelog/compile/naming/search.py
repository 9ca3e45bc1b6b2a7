"""Down a relation's patterns, and what they negate, to the facts that name values.

In comes a relation with the positions of its answer that are unguarded, out go the fact literals that
have a value there, with how far from the answer they lie and what has to hold; background and constants
likewise. A relation that rests on its own past is followed for some rounds, then at any tick.

    Calm(X, T) :- not Hot(X, T).    Hot(X, T) :- Temp(X, high, T+1).
    from Calm's X to Hot's, to Temp(X, high, T+1): a fact a tick later than the answer
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from antelog.compile.literals.background import StaticAtom
from antelog.compile.literals.comparison import Comparison
from antelog.compile.literals.fact import Atom
from antelog.compile.literals.negation import Negation
from antelog.compile.literals.terms import Const, Term, Time, Var
from antelog.compile.naming.steps import Step, When, own_tests
from antelog.compile.naming.terms import FACT_TIME, Source, Tests, Value, is_private, place, put_in
from antelog.compile.nodes.plan import Plan, Relation

_ROUNDS = 16
"""A relation that is met this many times at other ticks rests on its own past without end."""


_State = tuple[str, tuple[Term, ...], Tests, When]
"""A relation that is asked for some terms at some time, where some tests hold."""


@dataclass
class Search:
    """Follows a relation's patterns, and what they negate, down to the facts."""

    plan: Plan
    wanted: set[int]
    facts: dict[Source, None] = field(default_factory=dict)
    background: dict[tuple[StaticAtom, Tests], None] = field(default_factory=dict)
    constants: dict[tuple[Value, Tests], None] = field(default_factory=dict)
    _seen: set[_State] = field(default_factory=set)
    _rounds: Counter[tuple[str, tuple[Term, ...]]] = field(default_factory=Counter)
    _waiting: list[_State] = field(default_factory=list)

    def run(self, relation: Relation) -> None:
        places = tuple(Var(place(i)) for i in range(len(relation.answer.variables)))
        self._reach((relation.name, places, (), When(None, 0, 0)))
        while self._waiting:
            name, terms, tests, when = self._waiting.pop()
            for pattern in self.plan.relation(name).patterns:
                step = Step.of(pattern, terms, tests, when)
                if step is not None:
                    self._follow(step)

    def _reach(self, state: _State) -> None:
        name, terms, tests, when = state
        self._rounds[name, terms] += 1
        if self._rounds[name, terms] > _ROUNDS:
            # A relation rests on its own past, however long ago.
            state = name, terms, tests, When(None, None, when.ahead, when.first)
            if self._rounds[name, terms] > 2 * _ROUNDS:
                return
        if state not in self._seen:
            self._seen.add(state)
            self._waiting.append(state)

    def _is_wanted(self, term: Term | None) -> bool:
        return isinstance(term, Var) and any(term.name == place(i) for i in self.wanted)

    def _follow(self, step: Step) -> None:
        pattern = step.pattern
        for own, term in step.fixed:
            if self._is_wanted(term):
                self.constants[own.value, tuple(t for t in step.tests if term not in (t.left, t.right))] = (
                    None
                )
        for comparison in pattern.comparisons:
            for one, other in ((comparison.left, comparison.right), (comparison.right, comparison.left)):
                if isinstance(one, Var) and isinstance(other, Const) and self._is_wanted(step.image_of(one)):
                    self.constants[other.value, step.without(self._is_wanted)] = None
        for static in pattern.statics:
            given = tuple(None if a is None else step.image_of(a) for a in static.arguments)
            if any(map(self._is_wanted, given)):
                about = own_tests(static.arguments, None, step)
                self.background[StaticAtom(static.predicate, given), (*step.tests, *about)] = None
        stated: tuple[Atom | Negation, ...] = (*pattern.facts, *pattern.negations)
        for literal in stated:
            when = step.when.of(literal.time, pattern)
            if isinstance(literal, Negation):
                asked, tests = step.asked(literal)
                if any(map(self._is_wanted, asked)):
                    self._reach((literal.relation, asked, tests, when))
                continue
            arguments = tuple(map(step.image_of, literal.arguments))
            if any(map(self._is_wanted, arguments)):
                about = own_tests(literal.arguments, literal.time, step)
                time = Time(FACT_TIME, 0) if when.tick is None else Time(None, when.tick)
                atom = Atom(literal.predicate, arguments, time)
                self.facts[Source(atom, (*step.tests, *about), when.behind, when.ahead)] = None
                self._refined(literal.predicate, arguments, about, step)

    def _refined(self, predicate: str, arguments: tuple[Term, ...], about: Tests, step: Step) -> None:
        """Constants that delay refinements have in the place of the variable, where the tests allow it."""
        source = next(s for s in self.plan.inputs if s.name == predicate)
        for refinement in source.refinements:
            pairs = [(a, v) for a, v in zip(arguments, refinement.pattern, strict=False) if v is not None]
            named = {value for argument, value in pairs if self._is_wanted(argument)}
            if len(named) != 1 or any(isinstance(a, Const) and a.value != v for a, v in pairs):
                continue
            known = {a.name: v for a, v in pairs if isinstance(a, Var) and is_private(a.name)}
            if any(put_in(test, known).outcome is False for test in (*step.tests, *about)):
                continue
            others = [
                Comparison(a, "=", Const(v))
                for a, v in pairs
                if isinstance(a, Var) and a.name.startswith("<") and not self._is_wanted(a)
            ]
            self.constants[named.pop(), (*step.without(self._is_wanted), *others)] = None
