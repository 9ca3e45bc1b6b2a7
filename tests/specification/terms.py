"""Terms, atoms and substitutions; a time is a number of ticks, or a variable plus such a number."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, date, datetime, time, timedelta
from enum import Enum
from typing import NamedTuple, Protocol, Self, TypeAlias, TypeVar
from zoneinfo import ZoneInfo

from antelog.language.printer import value_text
from antelog.language.syntax import Value, number
from tests.specification.functions import FUNCTIONS, called


class Special(Enum):
    """`ANY` under negation is "none at all"; `OTHERS` is a constant that nothing else has."""

    ANY = "_"
    OTHERS = "all others"


ANY, OTHERS = Special.ANY, Special.OTHERS


class Variable(NamedTuple):
    """A variable, plus a number."""

    name: str
    shift: int | float = 0

    def __str__(self) -> str:
        if not self.shift:
            return self.name
        return f"{self.name}{'+' if self.shift > 0 else '-'}{value_text(abs(self.shift))}"


class Inner(NamedTuple):
    """A variable of an aggregate that nothing outside has; nothing is put in its place."""

    name: str

    def __str__(self) -> str:
        return "_" if self.name.startswith("_") else self.name


class TickLength(NamedTuple):
    """How long ticks are, in microseconds, and the zone of the program."""

    length: int
    zone: str

    def time(self, tick: int) -> datetime:
        """When a tick begins: those of days with a day of the zone, those of weeks on Monday."""
        zone = ZoneInfo(self.zone)
        days, rest = divmod(timedelta(microseconds=self.length), timedelta(days=1))
        if rest:
            return (datetime(1970, 1, 1, tzinfo=UTC) + tick * timedelta(microseconds=self.length)).astimezone(
                zone
            )
        first = date(1970, 1, 1) if days % 7 else date(1969, 12, 29)
        midnight = datetime.combine(first + tick * timedelta(days), time(tzinfo=zone))
        return midnight.astimezone(UTC).astimezone(zone)  # later, where clocks leave out midnight


class Calculation(NamedTuple):
    """A value that is worked out: `W - V`, `abs(V)`, `lower(X)`; of a tick with `ticks`, `hour(T)`."""

    function: str
    arguments: tuple[Term, ...]
    ticks: TickLength | None = None

    def __str__(self) -> str:
        if self.function not in _CLOSENESS:
            return f"{self.function}({', '.join(map(text, self.arguments))})"
        left, right = self.arguments
        close = _CLOSENESS[self.function]
        return f"{_side(left, close)} {self.function} {_side(right, close + 1)}"


_CLOSENESS = {"+": 1, "-": 1, "*": 2, "/": 2}


def _side(term: Term, close: int) -> str:
    operator = term.function if isinstance(term, Calculation) else "+" if is_sum(term) else ""
    return f"({text(term)})" if _CLOSENESS.get(operator, close) < close else text(term)


def is_sum(term: Term) -> bool:
    return isinstance(term, Variable) and bool(term.shift)


Term: TypeAlias = Value | Variable | Special | Calculation | Inner
Substitution: TypeAlias = Mapping[str, Term]


class Atom(NamedTuple):
    """A predicate and its arguments; of a temporal one the last is the time."""

    predicate: str
    arguments: tuple[Term, ...]

    @property
    def time(self) -> Term:
        return self.arguments[-1]

    @property
    def variables(self) -> frozenset[str]:
        return variables_in(self.arguments)

    def mapped(self, new: Callable[[Term], Term]) -> Atom:
        return Atom(self.predicate, tuple(map(new, self.arguments)))

    def __str__(self) -> str:
        return f"{self.predicate}({', '.join(map(text, self.arguments))})"


class Mapped(Protocol):
    """An atom or a literal: its terms can be mapped one by one."""

    @property
    def variables(self) -> frozenset[str]: ...

    def mapped(self, new: Callable[[Term], Term]) -> Self: ...


Part = TypeVar("Part", bound=Mapped)


def text(term: Term) -> str:
    if isinstance(term, Special):
        return term.value
    return str(term) if isinstance(term, Variable | Calculation | Inner) else value_text(term)


def value_of(term: Term) -> Value | None:
    """The value of a term without variables; of a calculation None if it has none."""
    if not isinstance(term, Calculation):
        assert isinstance(term, str | int | float)
        return term
    arguments = [value_of(each) for each in term.arguments]
    if term.function in FUNCTIONS:
        return called(term.function, arguments)
    numbers = [number(each) if isinstance(each, int) else each for each in arguments]
    if any(number is None or isinstance(number, str) for number in numbers):
        return None
    try:
        if term.ticks is not None:
            (tick,) = numbers
            assert isinstance(tick, int), f"{tick} is no tick"
            return _CALENDAR[term.function](term.ticks.time(tick)) if tick >= 0 else None
        found = _OF_NUMBERS[term.function](*numbers)
    except (ArithmeticError, ValueError):
        return None
    found = number(found)  # beyond 64 bits a double
    return found if math.isfinite(found) else None


_OF_NUMBERS: Mapping[str, Callable[..., int | float]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: float(a) / float(b),
    "abs": abs,
    "round": round,
    "floor": math.floor,
}


_CALENDAR: Mapping[str, Callable[[datetime], int]] = {
    "minute": lambda time: time.minute,
    "hour": lambda time: time.hour,
    "weekday": lambda time: time.isoweekday(),
    "day": lambda time: time.day,
    "month": lambda time: time.month,
}


def worked_out(calculation: Calculation) -> Term:
    """A calculation, or its value, if it has one; `U - 4` is a variable that is moved."""
    if calculation.function == "-":
        left, right = calculation.arguments
        if isinstance(left, Variable) and isinstance(right, int):
            return shifted(left, -right)
    open_ = variables_in([calculation]) or has_inner(calculation)
    value = None if open_ else value_of(calculation)
    return calculation if value is None else value


def is_arithmetic(term: Term) -> bool:
    """Whether a term is a number that is worked out from numbers."""
    return is_sum(term) or (isinstance(term, Calculation) and term.function not in FUNCTIONS)


def has_inner(term: Term) -> bool:
    """Whether a variable of an aggregate is in a term."""
    return isinstance(term, Inner) or (isinstance(term, Calculation) and any(map(has_inner, term.arguments)))


def with_own(term: Term, known: Substitution) -> Term:
    """A term with what is known of an aggregate's own variables in their place."""
    return (
        known.get(term.name, term)
        if isinstance(term, Inner)
        else _calculated(term, lambda t: with_own(t, known))
    )


def is_hopeless(term: Term) -> bool:
    """Whether a calculation has no value, whatever its variables stand for."""
    if not isinstance(term, Calculation):
        return False
    texts = term.function not in FUNCTIONS
    if any((texts and isinstance(each, str)) or is_hopeless(each) for each in term.arguments):
        return True
    return not variables_in([term]) and not has_inner(term) and value_of(term) is None


def put_in(term: Term, known: Substitution) -> Term:
    """What a term stands for."""
    while isinstance(term, Variable) and term.name in known:
        term = shifted(known[term.name], term.shift)
    return _calculated(term, lambda each: put_in(each, known))


def _calculated(term: Term, new: Callable[[Term], Term]) -> Term:
    """A calculation with its arguments mapped; any other term by itself."""
    if isinstance(term, Calculation):
        return worked_out(term._replace(arguments=tuple(map(new, term.arguments))))
    return term


def shifted(term: Term, by: int | float) -> Term:
    if isinstance(term, Variable):
        return Variable(term.name, number(term.shift + by))
    assert not isinstance(term, Inner)
    if isinstance(term, str | Special):
        return Calculation("+", (term, by)) if by else term
    assert not isinstance(term, Calculation)
    return worked_out(Calculation("+", (term, by))) if by else term


def apply(part: Part, known: Substitution) -> Part:
    """An atom or a literal with its variables replaced by what they stand for."""
    return mapped(part, lambda term: put_in(term, known))


def renamed(part: Part, names: Substitution) -> Part:
    """The same with each variable replaced once: new names may be old ones of others."""
    return mapped(part, lambda term: put_in_once(term, names))


def put_in_once(term: Term, names: Substitution) -> Term:
    if isinstance(term, Variable) and term.name in names:
        return shifted(names[term.name], term.shift)
    return _calculated(term, lambda each: put_in_once(each, names))


def mapped(part: Part, new: Callable[[Term], Term]) -> Part:
    return part.mapped(new)


def variables(part: Mapped) -> frozenset[str]:
    return part.variables


def variables_in(terms: Iterable[Term]) -> frozenset[str]:
    found: set[str] = set()
    for term in terms:
        if isinstance(term, Variable):
            found.add(term.name)
        elif isinstance(term, Calculation):
            found |= variables_in(term.arguments)
    return frozenset(found)


def unify(ones: Iterable[Term], others: Iterable[Term], known: Substitution) -> dict[str, Term] | None:
    """The substitution that makes terms equal pair by pair, if there is one."""
    found = dict(known)
    for one, other in zip(ones, others, strict=True):
        left, right = put_in(one, found), put_in(other, found)
        if left == right:
            continue
        if not isinstance(left, Variable):
            left, right = right, left
        if not isinstance(left, Variable) or (isinstance(right, Variable) and left.name == right.name):
            return None
        if left.shift and isinstance(right, str | Special):
            return None
        found[left.name] = shifted(right, -left.shift)
    return found


def put_in_own(own: Iterable[Term], values: Iterable[Term]) -> dict[str, Value] | None:
    """The values of an aggregate's own variables where an atom has these arguments; None if none fit."""
    found: dict[str, Value] = {}
    for term, value in zip(own, values, strict=True):
        if isinstance(term, Inner):
            assert isinstance(value, str | int | float)
            if found.setdefault(term.name, value) != value:
                return None
        elif term != value:
            return None
    return found
