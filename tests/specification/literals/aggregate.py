"""Aggregates, `count(P(X, _, T-9..T)) >= 3`: semantics.md, "Aggregates".

The least and largest value follow from atoms that are true and those that may still come. The literal is true
once the comparison holds for both and all between, false once it fails for all.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from operator import eq, ge, gt, le, lt, ne
from typing import Any, NamedTuple, Self

from antelog.language import syntax
from antelog.language.literals.aggregate import Affine, around_steps
from antelog.language.syntax import Value
from tests.specification.literals.comparison import Comparison
from tests.specification.literals.literal import (
    NEVER,
    START,
    Around,
    Below,
    Body,
    Facts,
    Lowering,
    Taken,
    Tick,
    Ticks,
)
from tests.specification.terms import (
    ANY,
    Atom,
    Calculation,
    Inner,
    Term,
    Variable,
    put_in_own,
    text,
    value_of,
    variables_in,
    with_own,
)

_TESTS: Mapping[str, Callable[[Any, Any], bool]] = {"=": eq, "!=": ne, "<": lt, "<=": le, ">": gt, ">=": ge}


class Values(NamedTuple):
    """The values an aggregate may have: `least` to `largest`, None if it has none for certain.

    `open` says that it may still have none. What is `rising` is less than the largest by what open variables
    will leave out.
    """

    least: float
    largest: float
    whole: bool = False
    none: bool = False
    open: bool = False
    rising: bool = False


_UNKNOWN = Values(-math.inf, math.inf, open=True)


@dataclass(frozen=True)
class Aggregate:
    function: str
    distinct: bool
    value: str | None
    predicate: str
    arguments: tuple[Term, ...]
    first: Term
    last: Term
    single: bool
    conditions: tuple[Comparison, ...]
    steps: tuple[Affine, ...]

    @classmethod
    def lowered(cls, aggregate: syntax.Aggregate, lowering: Lowering) -> Self:
        inner = lowering.within(aggregate.inner)
        *arguments, time = aggregate.atom.terms
        first, last = time.ends if isinstance(time, syntax.Range) else (time, time)
        return cls(
            aggregate.function,
            aggregate.distinct,
            None if aggregate.value is None else aggregate.value.name,
            aggregate.atom.predicate,
            tuple(map(inner.term, arguments)),
            lowering.term(first),
            lowering.term(last),
            not isinstance(time, syntax.Range),
            tuple(
                Comparison(inner.term(each.left), each.operator, inner.term(each.right))
                for each in aggregate.conditions
            ),
            aggregate.steps,
        )

    @property
    def operands(self) -> tuple[Term, ...]:
        inside = (term for each in self.conditions for term in each.operands)
        return (*self.arguments, self.first, self.last, *inside)

    def mapped(self, new: Callable[[Term], Term]) -> Self:
        return type(self)(
            self.function,
            self.distinct,
            self.value,
            self.predicate,
            tuple(map(new, self.arguments)),
            new(self.first),
            new(self.last),
            self.single,
            tuple(each.mapped(new) for each in self.conditions),
            self.steps,
        )

    def __str__(self) -> str:
        time = text(self.first) if self.single else f"{text(self.first)}..{text(self.last)}"
        atom = f"{self.predicate}({''.join(f'{text(each)}, ' for each in self.arguments)}{time})"
        value = "" if self.value is None else f"{self.value} : "
        distinct = "distinct " if self.distinct else ""
        conditions = "".join(f", {each}" for each in self.conditions)
        before, behind = map("".join, around_steps(self.steps, lambda step: text(step.number)))
        return f"{before}{self.function}({distinct}{value}{atom}{conditions}){behind}"

    @property
    def variables(self) -> frozenset[str]:
        return variables_in(self.operands)

    @property
    def with_any(self) -> Self:
        """The aggregate with `_` in place of open variables, and without what is said of these."""
        arguments = (
            Inner(f"_{i}~") if isinstance(term, Variable) else term for i, term in enumerate(self.arguments)
        )
        conditions = tuple(each for each in self.conditions if not each.variables)
        return replace(self, arguments=tuple(arguments), conditions=conditions)

    @property
    def ticks(self) -> range:
        assert isinstance(self.first, int)
        assert isinstance(self.last, int)
        return range(max(self.first, 0), self.last + 1)

    def atom_at(self, tick: Term) -> Atom:
        return Atom(self.predicate, (*self.arguments, tick))

    def fits(self, atom: Atom) -> bool:
        """Whether an atom without variables is a member, if it is true."""
        known = put_in_own(self.arguments, atom.arguments[:-1])
        return known is not None and all(
            each.mapped(lambda term: with_own(term, known)).holds() is True for each in self.conditions
        )

    def taken(self, atom: Atom) -> Value | None:
        """The value that is taken of a member."""
        known = put_in_own(self.arguments, atom.arguments[:-1]) or {}
        return None if self.value is None else known.get(self.value)

    @property
    def asks_for_values(self) -> bool:
        """Whether it depends on the values that its members have for its own variables."""
        return self.value is not None or any(
            _is_open(side) for each in self.conditions for side in each.operands
        )

    @property
    def rises(self) -> bool:
        """Whether it can only rise: a count, or a sum of values that are at least 0."""
        return self.function == "count" or (
            self.function == "sum" and any(_at_least_zero(each, self.value) for each in self.conditions)
        )

    # ---- values ----

    def members(self, instances: Instances, tick: Tick) -> list[Atom]:
        return [atom for atom, at in instances.true_at.items() if at <= tick]

    def so_far(self, members: Iterable[Atom]) -> float | None:
        """What some members come to; None for an average, a least or a greatest of nothing."""
        atoms = list(members)
        taken = [self.taken(atom) for atom in atoms]
        numbers = [value for value in taken if not isinstance(value, str) and value is not None]
        match self.function:
            case "count":
                return len(set(taken)) if self.distinct else len(atoms)
            case "sum":
                return _rounded(_exact_sum(numbers))
            case "avg":
                return _rounded(_exact_sum(numbers) / len(numbers)) if numbers else None
            case _:
                return (min if self.function == "min" else max)(numbers, default=None)

    def values(self, instances: Instances, tick: Tick) -> Values:
        """The values it may have, by what is there at a tick and what may still come."""
        now, coming = self.so_far(self.members(instances, tick)), instances.coming(tick)
        settled = coming == 0
        match self.function:
            case "count":
                assert now is not None
                return Values(now, now + coming, whole=True)
            case "sum":
                if now is None and (settled or self.rises):  # beyond the doubles, for certain
                    return Values(0, 0, none=True)
                if now is not None and settled:
                    return Values(now, now)
                return Values(now if now is not None and self.rises else -math.inf, math.inf)
            case _ if settled:
                return Values(0, 0, none=True) if now is None else Values(now, now)
            case "max" if now is not None:
                return Values(now, math.inf)
            case "min" if now is not None:
                return Values(-math.inf, now)
            case _:
                return Values(-math.inf, math.inf, open=now is None or self.function == "avg")


class Instances(NamedTuple):
    """Atoms that are members once they are true, and until when others may come.

    `at_most_one` has, for each tick, until when its one atom may still come; `any_until` is that of any
    number without a fact that is there, `open_until` that of atoms that have some of their facts.
    """

    true_at: Mapping[Atom, Tick]
    at_most_one: Sequence[Tick]
    any_until: Tick
    open_until: Sequence[Tick]

    def coming(self, tick: Tick) -> float:
        """How many may still come after a tick."""
        if tick < self.any_until:
            return math.inf
        return sum(tick < until for until in (*self.at_most_one, *self.open_until))

    @property
    def turns(self) -> set[Tick]:
        """The ticks at which anything changes."""
        ends = (*self.at_most_one, self.any_until, *self.open_until)
        return {at for at in (*self.true_at.values(), *ends) if at < NEVER}


def _exact_sum(numbers: Iterable[Value]) -> Fraction:
    return sum((Fraction(each) for each in numbers if not isinstance(each, str)), Fraction(0))


def _rounded(exact: Fraction) -> int | float | None:
    """A sum or a mean, rounded once: whole within 64 bits, else a double; None beyond all doubles."""
    if exact.denominator == 1:
        found = syntax.number(int(exact))
        return found if math.isfinite(found) else None
    return syntax.number(float(exact))


def _at_least_zero(condition: Comparison, name: str | None) -> bool:
    for side, operator, other in (
        (condition.left, condition.operator, condition.right),
        (condition.right, {"<": ">", "<=": ">=", "=": "="}.get(condition.operator, ""), condition.left),
    ):
        if side == Inner(name or "") and operator in (">", ">=", "=") and not _is_open(other):
            number = value_of(other)
            if isinstance(number, int | float) and number >= 0:
                return True
    return False


def _is_open(term: Term) -> bool:
    """Whether a variable is in it, be it the aggregate's own."""
    inside = term.arguments if isinstance(term, Calculation) else ()
    return isinstance(term, Variable | Inner) or any(map(_is_open, inside))


@dataclass(frozen=True)
class Aggregation(Body):
    """A comparison; it `gives` its value to the variable on its right if nothing else gives that one."""

    left: Aggregate
    operator: str
    right: Term | Aggregate
    gives: bool = field(default=False, compare=False)

    @classmethod
    def lowered(cls, literal: syntax.Literal, lowering: Lowering) -> tuple[Body, ...] | None:
        if not isinstance(literal, syntax.Aggregation):
            return None
        left, right = Aggregate.lowered(literal.left, lowering), literal.right
        if isinstance(right, syntax.Aggregate):
            return (cls(left, literal.operator, Aggregate.lowered(right, lowering)),)
        return (cls(left, literal.operator, lowering.term(right)),)

    @property
    def aggregates(self) -> tuple[Aggregate, ...]:
        return (self.left, self.right) if isinstance(self.right, Aggregate) else (self.left,)

    @property
    def operands(self) -> tuple[Term, ...]:
        right = () if isinstance(self.right, Aggregate) else (self.right,)
        return (*(term for each in self.aggregates for term in each.operands), *right)

    def mapped(self, new: Callable[[Term], Term]) -> Self:
        right = self.right.mapped(new) if isinstance(self.right, Aggregate) else new(self.right)
        return replace(self, left=self.left.mapped(new), right=right)

    def __str__(self) -> str:
        right = str(self.right) if isinstance(self.right, Aggregate) else text(self.right)
        if self._may_give:
            return f"{right} = {self.left}"
        return f"{self.left} {self.operator} {right}"

    @property
    def key(self) -> tuple[object, ...]:
        shape = tuple(
            (e.function, e.distinct, e.value, e.predicate, e.single, e.steps) for e in self.aggregates
        )
        return Aggregation, self.operator, shape

    @property
    def _may_give(self) -> bool:
        return self.operator == "=" and isinstance(self.right, Variable) and not self.right.shift

    @property
    def needs(self) -> frozenset[str]:
        return self.left.variables if self._may_give else self.variables

    @property
    def takes(self) -> frozenset[str]:
        return self.variables - self.needs if self.gives else frozenset()

    def taking(self, names: frozenset[str]) -> Self:
        return replace(self, gives=bool(names))

    @property
    def compared(self) -> frozenset[str]:
        right = () if isinstance(self.right, Aggregate) else (self.right,)
        inside = (each.compared for e in self.aggregates for each in e.conditions)
        return variables_in(right).union(*inside)

    @property
    def asked(self) -> tuple[Atom, ...]:
        """The atoms of all ticks, with `ANY` for what is the aggregate's own."""
        return tuple(atom for _, atom in self._asked())

    def _asked(self) -> Iterator[tuple[Aggregate, Atom]]:
        for each in self.aggregates:
            ends = (each.first, each.last)
            ticks = each.ticks if all(isinstance(end, int) for end in ends) else (each.last,)
            arguments = tuple(ANY if isinstance(term, Inner) else term for term in each.arguments)
            yield from ((each, Atom(each.predicate, (*arguments, tick))) for tick in ticks)

    @property
    def time(self) -> Term:
        return self.left.last

    @property
    def times(self) -> tuple[Term, ...]:
        return tuple(end for each in self.aggregates for end in (each.first, each.last))

    @property
    def natural(self) -> tuple[Term, ...]:
        return tuple(each.last for each in self.aggregates if each.single)

    def ticks(self, world: Facts, _around: Around) -> Ticks:
        if variables_in(self.times):
            return Ticks(NEVER, NEVER)
        return self.decided([world.instances(each.with_any) for each in self.aggregates])

    def decided(self, instances: Sequence[Instances]) -> Ticks:
        """Since when it is true or false; a variable that it gives a value has it once it is closed."""
        if self.variables and self.variables <= self.takes:
            return Ticks(NEVER, self.closed(instances[0])[0])
        true_at = false_at = NEVER
        for tick in sorted({START, *(at for each in instances for at in each.turns)}):
            outcome = self.outcome(instances, tick)
            if outcome is not None:
                true_at, false_at = (tick, NEVER) if outcome else (NEVER, tick)
                break
        return Ticks(true_at, false_at)

    def closed(self, instances: Instances) -> tuple[Tick, float | None]:
        """The tick from which on its value cannot change, and this; None if it has none."""
        for tick in sorted({START, *instances.turns}):
            values = self._values(self.left, instances, tick)
            if values.none:
                return tick, None
            if values.least == values.largest and not values.open:
                return tick, values.least
        return NEVER, None

    def taken(self, world: Facts) -> Iterator[Taken]:
        assert isinstance(self.right, Variable)
        closed, value = world.closed(self)
        yield Taken({}, START, closed)
        if value is not None:
            yield Taken({self.right.name: value}, closed, NEVER)

    def outcome(self, instances: Sequence[Instances], tick: Tick) -> bool | None:
        """Whether the comparison holds, or fails, for all values there may be; None if that is open."""
        left, *others = (
            self._values(each, its, tick) for each, its in zip(self.aggregates, instances, strict=True)
        )
        right = self._right(others)
        if right is None or left.none or right.none:
            return False
        if left.open or right.open:
            return None
        test, pairs = _TESTS[self.operator], _extremes(left, right, self.operator)
        held = {test(one, other) for one, other in pairs}
        if (left.rising or right.rising) and (self.operator in ("=", "!=") or held != {False}):
            return None
        return held.pop() if len(held) == 1 else None

    @staticmethod
    def _values(aggregate: Aggregate, instances: Instances, tick: Tick) -> Values:
        asked = aggregate.with_any
        found = asked.values(instances, tick)
        if aggregate.variables and (instances.coming(tick) or asked.members(instances, tick)):
            found = Values(-math.inf, found.largest, rising=True) if aggregate.rises else _UNKNOWN
        for step in aggregate.steps:
            found = _after(found, step)
        return found

    def _right(self, others: Sequence[Values]) -> Values | None:
        if not isinstance(self.right, Aggregate):
            if variables_in([self.right]):
                return _UNKNOWN
            number = value_of(self.right)
            return None if number is None or isinstance(number, str) else Values(number, number)
        return others[0]

    def rest(self, below: Below) -> None:
        for own, atom in self._asked():
            if own.asks_for_values:
                below.valued(atom)
            else:
                below.asked(atom)


def _after(values: Values, step: Affine) -> Values:
    """The values times or plus a number; those beyond all doubles, or divided by 0, have none."""
    ends = [_end_after(each, step) for each in (values.least, values.largest)]
    lost = ends.count(None)
    least, largest = sorted(math.inf if each is None else each for each in ends)
    return values._replace(
        least=least,
        largest=largest,
        whole=values.whole and step.operator in "+-" and isinstance(step.number, int),
        none=values.none or lost == 2,
        open=values.open or lost == 1,
    )


def _end_after(value: float, step: Affine) -> int | float | None:
    number = step.number
    if math.isinf(value) and step.operator in "+-":
        return -value if step.first and step.operator == "-" else value
    if math.isinf(value) and number:
        return math.copysign(value, value * number)
    sides = (0 if math.isinf(value) else value, number)
    return value_of(Calculation(step.operator, sides[::-1] if step.first else sides))  # type: ignore[return-value]


def _extremes(left: Values, right: Values, operator: str) -> list[tuple[float, float]]:
    """Pairs of values that stand for all: those furthest apart or, for equality, equal and different ones."""
    pairs = [(left.least, right.largest), (left.largest, right.least)]
    if operator not in ("=", "!="):
        return pairs
    low, high = max(left.least, right.least), min(left.largest, right.largest)
    if left.whole or right.whole:
        low, high = (
            math.ceil(low) if math.isfinite(low) else low,
            math.floor(high) if math.isfinite(high) else high,
        )
    single = left.least == left.largest and right.least == right.largest
    equal = [(low, low)] if low <= high else []
    different = [(0.0, 1.0)] if not (single and left.least == right.least) else []
    return equal + different


@dataclass(frozen=True)
class Amount:
    """What the left aggregate of a comparison comes to, as its atoms become true."""

    of: Aggregation
    instances: Instances

    def so_far(self, tick: Tick) -> float | None:
        return self.of.left.so_far(self.of.left.members(self.instances, tick))

    def quarters(self, value: float | None) -> int:
        """How many quarters of the way it has come to the number it is compared with, if it only rises."""
        right = self.of.right
        goal = None if isinstance(right, Aggregate) or variables_in([right]) else value_of(right)
        if value is None or not self.of.left.rises or not isinstance(goal, int | float) or goal <= 0:
            return 0
        return min(math.floor(4 * Fraction(value) / Fraction(goal)), 4)
