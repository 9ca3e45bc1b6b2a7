"""One step down: a pattern that is followed, and what its variables and times are for the answer.

In comes a pattern with what it is asked for, out goes what each of its variables stands for in the
answer, and which comparisons have to hold of the answer. A pattern that cannot give what is asked for
leads nowhere.

    Hot(X, T) :- Temp(X, high, T+1), asked for <0> at <t>: Temp has <0> and a time one tick later
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from antelog.compile.conditions.differences import times_of
from antelog.compile.literals.comparison import Comparison
from antelog.compile.literals.negation import Negation
from antelog.compile.literals.terms import Const, Operand, Sum, Term, Time, Var
from antelog.compile.naming.terms import FACT_TIME, TIME, Tests, is_private, strongest
from antelog.compile.nodes.patterns import Pattern


@dataclass(frozen=True)
class When:
    """The time of an atom: `tick`, or from `behind` ticks before the answer's time to `ahead` after it.

    It is never before the tick `first`.
    """

    tick: int | None
    behind: int | None
    ahead: int | None
    first: int = 0

    @property
    def later(self) -> int | None:
        """How much later it is than the answer's time, if it is always as much."""
        tied = self.ahead is not None and self.behind is not None and self.ahead == -self.behind
        return self.ahead if tied else None

    def of(self, time: Time, pattern: Pattern) -> When:
        """A time of a pattern, where this is the time of what it derives."""
        own = pattern.time
        if time.variable is None:
            return When(time.offset, None, None)
        if self.tick is not None and own.variable is not None:
            if time.variable == own.variable:
                return When(self.tick + time.offset - own.offset, None, None)
            return When(None, None, None)
        times = times_of(pattern)
        behind, least = times.furthest(time, own), times.furthest(time, Time(None, 0))
        first = max(0, 0 if least is None else -least, 0 if behind is None else self.first - behind)
        return When(None, _sum(self.behind, behind), _sum(self.ahead, times.furthest(own, time)), first)


@dataclass(frozen=True)
class Step:
    """A pattern that is followed: what its variables are, and what has to hold of the answer.

    `fixed` are the constants of its head with what is asked for there.
    """

    pattern: Pattern
    image: dict[str, Term]
    fixed: tuple[tuple[Const, Term], ...]
    tests: Tests
    when: When

    @staticmethod
    def of(pattern: Pattern, terms: tuple[Term, ...], tests: Tests, when: When) -> Step | None:
        image: dict[str, Term] = {}
        fixed: list[tuple[Const, Term]] = []
        more: list[Comparison] = []
        for own, term in zip(pattern.answer, terms, strict=True):
            if isinstance(own, Const):
                if isinstance(term, Const) and term != own:
                    return None
                fixed.append((own, term))
                if isinstance(term, Var):
                    more.append(Comparison(term, "=", own))
            elif own.name in image and image[own.name] != term:
                more.append(Comparison(image[own.name], "=", term))
            else:
                image[own.name] = term
        step = Step(pattern, image, tuple(fixed), (), when)
        more += step._of_times()
        more += [c for comparison in pattern.comparisons if (c := step.test_of(comparison)) is not None]
        if any(test.outcome is False for test in more):
            return None
        kept = (test for test in more if test.outcome is None)
        return replace(step, tests=strongest((*tests, *kept)))

    def _of_times(self) -> Iterator[Comparison]:
        """What the pattern's times say together of the tick it is asked about."""
        time, when = self.pattern.time, self.when
        if time.variable is None:
            if when.tick is not None:
                yield Comparison(Time(None, when.tick), "=", time)
            if when.behind is not None:
                yield Comparison(Time(TIME, -when.behind), "<=", time)
            if when.ahead is not None:
                yield Comparison(time, "<=", Time(TIME, when.ahead))
            return
        times, zero, asked = times_of(self.pattern), Time(None, 0), self.operand_of(time)
        least, most = times.furthest(time, zero), times.furthest(zero, time)
        # Where the time is not known, it may still be too early or too late at any rate.
        latest = asked or (None if when.ahead is None else Time(TIME, when.ahead))
        soonest = asked or (None if when.behind is None else Time(TIME, -when.behind))
        if least is not None and latest is not None:
            yield Comparison(latest, ">=", Time(None, -least))
        if most is not None and soonest is not None:
            yield Comparison(soonest, "<=", Time(None, most))

    def image_of(self, term: Term) -> Term:
        return self.image.get(term.name, Var(f"{term.name}~")) if isinstance(term, Var) else term

    def operand_of(self, operand: Operand) -> Operand | None:
        """An operand in terms of the answer; None if it is about something else."""
        match operand:
            case Var(name):
                return self.image.get(name)
            case Sum(name, offset):
                term = self.image.get(name)
                return Sum(term.name, offset) if isinstance(term, Var) else None
            case Time(variable, offset) if variable is not None:
                own, when = self.pattern.time, self.when
                if variable != own.variable:
                    return None
                if when.tick is not None:
                    return Time(None, when.tick + offset - own.offset)
                return None if when.later is None else Time(TIME, when.later + offset - own.offset)
            case _:
                return operand

    def test_of(self, comparison: Comparison) -> Comparison | None:
        """A comparison of the pattern, if it is about the answer alone."""
        left, right = self.operand_of(comparison.left), self.operand_of(comparison.right)
        return None if left is None or right is None else Comparison(left, comparison.operator, right)

    def asked(self, negation: Negation) -> tuple[tuple[Term, ...], Tests]:
        """What a negated literal asks for, and what has to hold then; its own variables get places."""
        terms = tuple(map(self.image_of, negation.asked))
        places = {
            term: Var(f"?{i}")
            for i, term in reversed([*enumerate(terms)])
            if isinstance(term, Var) and is_private(term.name)
        }

        def placed(operand: Operand) -> Operand | None:
            match operand:
                case Var(name) if is_private(name):
                    return places.get(operand)
                case Sum(name, offset) if is_private(name):
                    place = places.get(Var(name))
                    return None if place is None else Sum(place.name, offset)
                case _:
                    return operand

        tests = []
        for test in (*self.tests, *own_tests(negation.arguments, None, self)):
            left, right = placed(test.left), placed(test.right)
            if left is not None and right is not None:
                tests.append(Comparison(left, test.operator, right))
        return tuple(places.get(t, t) if isinstance(t, Var) else t for t in terms), strongest(tests)

    def without(self, is_wanted: Callable[[Term], bool]) -> Tests:
        """The tests that are not about the variable whose values are looked for."""
        return tuple(
            t for t in self.tests if not any(isinstance(s, Var) and is_wanted(s) for s in (t.left, t.right))
        )


def own_tests(arguments: tuple[Term | None, ...], time: Time | None, step: Step) -> Tests:
    """The comparisons about a literal and the answer, of the variables it has as a source."""
    own = {a.name for a in arguments if isinstance(a, Var)}

    def operand(side: Operand) -> Operand | None:
        match side:
            case Var(name) if name in own:
                return step.image_of(side)
            case Sum(name, offset) if name in own:
                term = step.image_of(Var(name))
                return Sum(term.name, offset) if isinstance(term, Var) else None
            case Time(variable, offset) if variable is not None and time and variable == time.variable:
                return Time(FACT_TIME, offset - time.offset)
            case _:
                return step.operand_of(side)

    found: list[Comparison] = []
    if time is not None and time.variable is not None and step.when.tick is None:
        first = step.when.of(time, step.pattern).first
        found += [Comparison(Time(FACT_TIME, 0), ">=", Time(None, first))] if first else []
    for comparison in step.pattern.comparisons:
        left, right = operand(comparison.left), operand(comparison.right)
        if left is not None and right is not None:
            found.append(Comparison(left, comparison.operator, right))
    return tuple(dict.fromkeys(found))


def _sum(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other
