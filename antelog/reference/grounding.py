"""The ground derivations of an atom, by ground SLD-resolution.

semantics.md, "Answers": pre-processing leads from an atom down to input atoms and negated
atoms. Here it is done for one ground atom at a time, over a finite domain. Static atoms and
comparisons are evaluated away on the way down.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import count, product
from typing import TypeVar

from antelog.language import syntax
from antelog.language.syntax import Shifted, Value, variable_of
from antelog.language.vocabulary import Kind
from antelog.reference.atoms import ANYTHING, Anything, Atom, Literal, ground, holds, match, value_of
from antelog.reference.background import absent, joined
from antelog.reference.clauses import Clause
from antelog.reference.program import Program


@dataclass(frozen=True, slots=True)
class Derivation:
    """The ground literals an atom follows from.

    `anchored` says whether its time is tied to a fact: whether, in the pattern this is an
    instance of, the time variable of the atom occurs in a positive literal or is replaced
    by a constant.
    """

    literals: frozenset[Literal]
    anchored: bool

    @property
    def clock_driven(self) -> bool:
        """Whether no fact calls for it, so that it is considered when its time has come."""
        return not self.anchored or not any(literal.positive for literal in self.literals)


Interval = tuple[int, int]
_Item = TypeVar("_Item")


class TooManyDerivationsError(Exception):
    """There are more ways to derive atoms than were to be looked at."""


@dataclass(frozen=True, slots=True)
class Step:
    """A ground instance of a rule: the goals it leads to, and the atoms it negates.

    `tied` tells of each goal whether its time has the variable of the head's time, which the
    head may also lack.
    """

    goals: tuple[Atom, ...]
    denied: frozenset[Literal]
    tied: tuple[bool, ...]
    constant_time: bool


@dataclass(frozen=True)
class Resolution:
    """Finds the derivations of atoms, and remembers them.

    Instances of rules, and ways to go on from their goals, are looked at up to so many, if not all are.
    """

    program: Program
    most: int | None = None
    _looked: Iterator[int] = field(default_factory=lambda: count(1))
    _known: dict[tuple[Atom, Interval | None], frozenset[Derivation]] = field(default_factory=dict)
    _steps: dict[Atom, tuple[Step, ...]] = field(default_factory=dict)

    def derivations(self, atom: Atom) -> frozenset[Derivation]:
        """All ground derivations of a temporal atom, within the window declared for it, if any.

        Those of a projected atom are the derivations of all of its instances.
        """
        window = self.program.windows.get(atom.predicate)
        interval = None if window is None else (atom.time - window[0], atom.time + window[1])
        return frozenset(
            d for instance in instances(self.program, atom) for d in self._resolve(instance, interval, ())
        )

    def _resolve(
        self, goal: Atom, interval: Interval | None, path: tuple[Atom, ...]
    ) -> frozenset[Derivation]:
        """Derivations with all goals inside the interval, and none that is a goal on the path to it."""
        if not _inside(goal, interval) or goal in path:
            return frozenset()
        if self.program.kind(goal.predicate) is Kind.INPUT:
            return frozenset({Derivation(frozenset({Literal(goal)}), anchored=True)})
        if goal.predicate in self.program.recursive:
            return frozenset(self._unfold(goal, interval, (*path, goal)))
        key = (goal, interval)
        if key not in self._known:
            self._known[key] = frozenset(self._unfold(goal, interval, path))
        return self._known[key]

    def _unfold(self, goal: Atom, interval: Interval | None, path: tuple[Atom, ...]) -> Iterator[Derivation]:
        """The derivations by each way to take a first step: one way to go on from each of its goals."""
        if goal not in self._steps:
            self._steps[goal] = tuple(self._counted(steps(self.program, goal)))
        for step in self._counted(self._steps[goal]):
            if not all(_inside(literal.atom, interval) for literal in step.denied):
                continue
            ways = [self._resolve(subgoal, interval, path) for subgoal in step.goals]
            for chosen in self._counted(product(*ways)):
                anchored = any(d.anchored for d, tied in zip(chosen, step.tied, strict=True) if tied)
                literals = step.denied.union(*(d.literals for d in chosen))
                yield Derivation(literals, anchored or step.constant_time)

    def _counted(self, items: Iterable[_Item]) -> Iterator[_Item]:
        for item in items:
            if self.most is not None and next(self._looked) > self.most:
                raise TooManyDerivationsError
            yield item


def steps(program: Program, goal: Atom) -> Iterator[Step]:
    """The instances of rules whose head is the goal."""
    for clause in program.clauses.get(goal.predicate, ()):
        bindings = match(clause.head, goal, {})
        time = variable_of(clause.head.terms[-1])
        tied = tuple(variable_of(atom.terms[-1]) == time for atom in clause.positive)
        for complete in () if bindings is None else rule_instances(program, clause, bindings):
            yield Step(
                tuple(ground(atom, complete) for atom in clause.positive),
                frozenset(Literal(ground(atom, complete), positive=False) for atom in clause.negated),
                tied,
                time is None,
            )


def _inside(goal: Atom, interval: Interval | None) -> bool:
    return interval is None or interval[0] <= goal.time <= interval[1]


def instances(program: Program, atom: Atom) -> Iterator[Atom]:
    """The ground instances of a projected atom over the domain; a ground atom is its own."""
    types = (*program.vocabulary[atom.predicate].types, None)
    ranges = [
        program.ranges[type_] if isinstance(argument, Anything) else (argument,)
        for argument, type_ in zip(atom.arguments, types, strict=True)
    ]
    yield from (Atom(atom.predicate, values) for values in product(*ranges))


def rule_instances(
    program: Program, clause: Clause, bindings: dict[str, Value]
) -> Iterator[dict[str, Value]]:
    """The instances of a rule: all variables have values, and what is known beforehand holds.

    Every time term has to be a natural number, in the head, the body and under negation.
    """
    for joint in joined(clause, program.background, bindings):
        for complete in _assign(program, clause, joint, sorted(clause.times | clause.objects.keys())):
            if _natural(clause, complete) and absent(clause, program.background, complete):
                yield complete


def _assign(
    program: Program, clause: Clause, bindings: dict[str, Value], names: list[str]
) -> Iterator[dict[str, Value]]:
    """Values for the variables that have none, such that all comparisons hold."""
    for comparison in clause.comparisons:
        sides = (comparison.left, comparison.right)
        ready = all(variable_of(side) is None or variable_of(side) in bindings for side in sides)
        if ready and not holds(comparison, bindings):
            return
    free = [name for name in names if name not in bindings]
    if not free:
        yield bindings
        return
    name, *rest = free
    for value in _range(program, clause, name):
        yield from _assign(program, clause, {**bindings, name: value}, rest)


def _range(program: Program, clause: Clause, name: str) -> tuple[Value, ...]:
    if name not in clause.times:
        return program.ranges[clause.objects[name]]
    shifts = [int(t.offset) for t in clause.time_terms if isinstance(t, Shifted) and t.variable == name]
    return tuple(range(-max(shifts, default=0), program.last + 1))


def _natural(clause: Clause, bindings: dict[str, Value]) -> bool:
    values = (value_of(term, bindings) for term in clause.time_terms)
    return all(isinstance(value, int) and value >= 0 for value in values)


def query_atoms(program: Program, atom: syntax.Atom) -> Iterator[Atom]:
    """The ground instances of a query's predicate that match its atom, up to the last tick."""
    arguments = (ANYTHING,) * (len(atom.terms) - 1)
    for time in range(program.last + 1):
        for instance in instances(program, Atom(atom.predicate, (*arguments, time))):
            if match(atom, instance, {}) is not None:
                yield instance
