"""θ-subsumption: patterns that never say anything another does not say with less.

In come two patterns, out goes whether the first subsumes the second: its variables can be replaced so that
both give the same answer and its conditions are among the other's. Every derivation by the other then has
a derivation by the first beside it with no more literals, and only minimal ones are told. Literals that
others of the same pattern make needless go likewise.

    A(X, T) subsumes A(X, T), B(X, T)      A(X, T), A(Y, T) is condensed to A(X, T)

Deciding this takes exponential time at worst. The search is bounded; where it gives up, the
pattern is kept, which costs work but changes no answer.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from antelog.compile.conditions.ordering import follows
from antelog.compile.nodes.patterns import (
    Comparison,
    Const,
    Literal,
    Operand,
    Pattern,
    StaticAtom,
    Sum,
    Term,
    Time,
    Var,
)
from antelog.compile.nodes.substitution import Bindings
from antelog.compile.nodes.variables import answered, variables_of
from antelog.language.syntax import number

_STEPS = 5_000

Condition = Literal | StaticAtom


def condense(pattern: Pattern) -> Pattern:
    """The pattern without literals that others of it make needless."""
    answers = answered(pattern)
    pattern = replace(pattern, literals=tuple(dict.fromkeys(pattern.literals)))
    twins: dict[object, list[Literal]] = {}
    for literal in pattern.literals:
        for key in (_kind(literal), (*_kind(literal), literal.time)):
            twins.setdefault(key, []).append(literal)
    for literal in pattern.literals:
        time = literal.time
        fixed = time.variable is None or time.variable in answers
        near = twins[(*_kind(literal), time) if fixed else _kind(literal)]
        if not variables_of(literal) <= answers and any(_may_become(literal, n, answers) for n in near):
            smaller = _without(literal, pattern, answers)
            if subsumes(pattern, smaller):
                pattern = smaller
    return pattern


def _may_become(literal: Literal, other: Literal, answers: frozenset[str]) -> bool:
    """Whether replacing variables that are no answers can turn one literal into another, but for its time."""
    return literal is not other and all(
        (isinstance(here, Var) and here.name not in answers and there is not None) or here == there
        for here, there in zip(literal.arguments, other.arguments, strict=True)
    )


def _without(literal: Literal, pattern: Pattern, answers: frozenset[str]) -> Pattern:
    """The pattern without a literal, and without what is said of variables only that one has."""
    rest = tuple(other for other in pattern.literals if other is not literal)
    gone = variables_of(literal) - answers - {v for other in rest for v in variables_of(other)}
    return replace(
        pattern,
        literals=rest,
        statics=tuple(s for s in pattern.statics if not variables_of(s) & gone),
        comparisons=tuple(c for c in pattern.comparisons if not variables_of(c) & gone),
        earliest=tuple(e for e in pattern.earliest if e.variable not in gone),
    )


def subsumes(one: Pattern, other: Pattern) -> bool:
    """Whether `one` subsumes `other`; also False where the search gives up."""
    matching = Matching()
    if not matching.time(one.time, other.time):
        return False
    if not all(map(matching.term, one.answer, other.answer)):
        return False
    there: dict[object, list[Condition]] = {}
    exact = frozenset[Condition]((*other.literals, *other.statics))
    for condition in (*other.literals, *other.statics):
        there.setdefault(_kind(condition), []).append(condition)
        if not isinstance(condition, StaticAtom):
            there.setdefault((*_kind(condition), condition.time), []).append(condition)
    goals = []
    for condition in (*one.literals, *one.statics):
        known = matching.image(condition)
        if known is None:
            goals.append((condition, there.get(_place(condition, matching), [])))
        elif known not in exact:
            return False
    goals.sort(key=lambda goal: len(goal[1]))
    return any(_agrees(m, one, other) for m in _embeddings(goals, matching))


def _kind(condition: Condition) -> tuple[type, str]:
    return type(condition), condition.predicate


def _place(condition: Condition, matching: Matching) -> object:
    """What a condition's candidates have in common: its predicate, and the time if that is known."""
    if isinstance(condition, StaticAtom):
        return _kind(condition)
    time = matching.image_time(condition.time)
    return _kind(condition) if time is None else (*_kind(condition), time)


def _embeddings(goals: list[tuple[Condition, list[Condition]]], matching: Matching) -> Iterator[Matching]:
    """All ways to match every condition with one of its candidates, within the step limit."""
    if not goals:
        yield matching
        return
    steps = _STEPS
    stack = [iter(goals[0][1])]
    marks = [matching.mark()]
    while stack:
        depth = len(stack) - 1
        matching.undo(marks[depth])
        candidate = next(stack[depth], None)
        steps -= 1
        if steps < 0:
            return
        if candidate is None:
            stack.pop()
            marks.pop()
        elif matching.condition(goals[depth][0], candidate):
            if len(stack) == len(goals):
                yield matching
            else:
                stack.append(iter(goals[depth + 1][1]))
                marks.append(matching.mark())


def _agrees(matching: Matching, one: Pattern, other: Pattern) -> bool:
    """Whether the comparisons and first ticks of `one`, with its variables replaced, follow."""
    first = {e.variable: e.tick for e in other.earliest}
    if not all(follows(matching.comparison(c), other.comparisons, first) for c in one.comparisons):
        return False
    for wanted in one.earliest:
        time = matching.times.get(wanted.variable)
        if time is None:
            return False
        least = 0 if time.variable is None else first.get(time.variable)
        if least is None or least + time.offset < wanted.tick:
            return False
    return True


class Matching(Bindings):
    """One-way unification: what the variables of the first pattern stand for in the second."""

    def term(self, here: Term | None, there: Term | None) -> bool:
        if not isinstance(here, Var) or there is None:
            return here == there
        known = self.objects.get(here.name)
        if known is None:
            self.bind_object(here.name, there)
            return True
        return known == there

    def time(self, here: Time, there: Time) -> bool:
        if here.variable is None:
            return here == there
        known = self.times.get(here.variable)
        if known is None:
            self.bind_time(here.variable, there + -here.offset)
            return True
        return known + here.offset == there

    def condition(self, here: Condition, there: Condition) -> bool:
        if isinstance(here, StaticAtom) or isinstance(there, StaticAtom):
            if not (isinstance(here, StaticAtom) and isinstance(there, StaticAtom)):
                return False
            same = here.negated == there.negated
        else:
            same = self.time(here.time, there.time)
        return same and all(map(self.term, here.arguments, there.arguments))

    def image(self, condition: Condition) -> Condition | None:
        """The condition with its variables replaced, if all of them are known."""
        if not all(name in self.objects or name in self.times for name in variables_of(condition)):
            return None
        arguments = tuple(self.objects[a.name] if isinstance(a, Var) else a for a in condition.arguments)
        if isinstance(condition, StaticAtom):
            return replace(condition, arguments=arguments)
        return replace(condition, arguments=arguments, time=self.image_time(condition.time))

    def image_time(self, time: Time) -> Time | None:
        """The time with its variable replaced, if that is known."""
        if time.variable is None:
            return time
        known = self.times.get(time.variable)
        return None if known is None else known + time.offset

    def comparison(self, comparison: Comparison) -> Comparison:
        return Comparison(
            self._operand(comparison.left), comparison.operator, self._operand(comparison.right)
        )

    def _operand(self, operand: Operand) -> Operand:
        if isinstance(operand, Var):
            return self.objects.get(operand.name, operand)
        if isinstance(operand, Time) and operand.variable is not None:
            known = self.times.get(operand.variable)
            return operand if known is None else known + operand.offset
        if isinstance(operand, Sum):
            value = self.objects.get(operand.variable)
            if isinstance(value, Var):
                return Sum(value.name, operand.offset)
            if isinstance(value, Const) and not isinstance(value.value, str):
                return Const(number(value.value + operand.offset))
        return operand
