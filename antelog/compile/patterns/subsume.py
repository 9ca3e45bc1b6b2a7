"""θ-subsumption: finds patterns that are needless beside a more general one.

The first of two patterns subsumes the second if its variables can be replaced so that both give the same
answer and its literals are among the other's; comparisons only have to follow from those of the other. Every
derivation by the other then has a derivation by the first beside it with no more literals, and only minimal
ones are told. Literals that others of the same pattern make needless go likewise.

    A(X, T) subsumes A(X, T), B(X, T)      A(X, T), A(Y, T) is condensed to A(X, T)

Deciding this takes exponential time at worst. The search is bounded; where it gives up, the
pattern is kept, which costs work but changes no answer.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from msgspec.structs import replace

from antelog.compile.conditions.ordering import follows
from antelog.compile.literals.literal import Literal
from antelog.compile.literals.substitution import Bindings
from antelog.compile.literals.terms import Operand, Term, Time, Var, variables_in
from antelog.compile.nodes.patterns import Pattern

_STEPS = 5_000


def condense(pattern: Pattern) -> Pattern:
    """The pattern without literals that others of it make needless."""
    answers = pattern.answered
    twins: dict[Hashable, list[Literal]] = {}
    for literal in pattern.stated:
        for key in (literal.key, (literal.key, literal.times)):
            twins.setdefault(key, []).append(literal)
    for literal in pattern.stated:
        fixed = all(time.variable is None or time.variable in answers for time in literal.times)
        near = twins[(literal.key, literal.times) if fixed else literal.key]
        if not literal.variables <= answers and any(_may_become(literal, n, answers) for n in near):
            smaller = _without(literal, pattern)
            if subsumes(pattern, smaller):
                pattern = smaller
    return pattern


def _may_become(literal: Literal, other: Literal, answers: frozenset[str]) -> bool:
    """Whether replacing variables that are no answers can turn one literal into another, but for its time."""
    return literal is not other and all(
        (isinstance(here, Var) and here.name not in answers and there is not None) or here == there
        for here, there in zip(literal.terms, other.terms, strict=True)
    )


def _without(literal: Literal, pattern: Pattern) -> Pattern:
    """The pattern without a literal, and without the conditions on variables only that literal has."""
    rest = [other for other in pattern.stated if other is not literal]
    gone = literal.variables - pattern.answered - {v for other in rest for v in other.variables}
    return replace(
        pattern,
        literals=(*rest, *(each for each in pattern.conditions if not each.variables & gone)),
        earliest=tuple(e for e in pattern.earliest if e.variable not in gone),
    )


def subsumes(one: Pattern, other: Pattern) -> bool:
    """Whether `one` subsumes `other`; also False where the search gives up."""
    matching = Matching()
    if not matching.match_times(one.time, other.time):
        return False
    if not all(map(matching.match_terms, one.answer, other.answer)):
        return False
    there: dict[Hashable, list[Literal]] = {}
    exact: set[Literal] = set()
    for literal in other.literals:
        if literal.key is not None:
            exact.add(literal)
            for place in {literal.key, (literal.key, literal.times)}:
                there.setdefault(place, []).append(literal)
    goals: list[tuple[Literal, list[Literal]]] = []
    for literal in one.literals:
        if literal.key is None:
            continue
        if not all(map(matching.knows, literal.operands)):
            goals.append((literal, there.get(_place(literal, matching), [])))
        elif literal.replaced(matching) not in exact:
            return False
    goals.sort(key=lambda goal: len(goal[1]))
    return any(_agrees(m, one, other) for m in _embeddings(goals, matching))


def _place(literal: Literal, matching: Matching) -> Hashable:
    """The index key of a literal's candidates: its own key, with the times if these are known."""
    if not all(map(matching.knows, literal.times)):
        return literal.key
    return literal.key, tuple(map(matching.time, literal.times))


def _embeddings(goals: list[tuple[Literal, list[Literal]]], matching: Matching) -> Iterator[Matching]:
    """All ways to match every literal with one of its candidates, within the step limit."""
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
        elif matching.match(goals[depth][0], candidate):
            if len(stack) == len(goals):
                yield matching
            else:
                stack.append(iter(goals[depth + 1][1]))
                marks.append(matching.mark())


def _agrees(matching: Matching, one: Pattern, other: Pattern) -> bool:
    """Whether the comparisons and first ticks of `one`, with its variables replaced, follow."""
    first = {e.variable: e.tick for e in other.earliest}
    if not all(follows(c.replaced(matching), other.comparisons, first) for c in one.comparisons):
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

    def term(self, term: Term) -> Term:
        return self.objects.get(term.name, term) if isinstance(term, Var) else term

    def time(self, time: Time) -> Time:
        known = None if time.variable is None else self.times.get(time.variable)
        return time if known is None else known + time.offset

    def knows(self, operand: Operand | None) -> bool:
        """Whether an operand has a binding."""
        return variables_in([operand]) <= self.objects.keys() | self.times.keys()

    def match(self, here: Literal, there: Literal) -> bool:
        """Whether a literal can become another one with the same key; variables are bound on the way."""
        return all(map(self.match_times, here.times, there.times)) and all(
            map(self.match_terms, here.terms, there.terms)
        )

    def match_terms(self, here: Term | None, there: Term | None) -> bool:
        if not isinstance(here, Var) or there is None:
            return here == there
        known = self.objects.get(here.name)
        if known is None:
            self.bind_object(here.name, there)
            return True
        return known == there

    def match_times(self, here: Time, there: Time) -> bool:
        if here.variable is None:
            return here == there
        known = self.times.get(here.variable)
        if known is None:
            self.bind_time(here.variable, there + -here.offset)
            return True
        return known + here.offset == there
