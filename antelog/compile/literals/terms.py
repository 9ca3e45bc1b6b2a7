"""Terms: the variables, values, times and sums in literals, their texts, and substitutions.

Var("D")    Const("high")    Time("T", 1): T+1    Time(None, 7): the tick 7    Sum("V", 0.5): V+0.5
Inner("W"): a variable that an aggregate has for itself, as in `max(W : Temp(X, W, T-9..T))`
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from typing import TypeAlias

from msgspec import Struct

from antelog.language.functions import ARITHMETIC, calculated, calendar_number
from antelog.language.moments import Timescale
from antelog.language.printer import value_text, written
from antelog.language.syntax import MEMBER


class Var(Struct, frozen=True, tag=True):
    name: str


class Const(Struct, frozen=True, tag=True):
    value: str | int | float


class Time(Struct, frozen=True, tag=True):
    """The time `variable + offset`, or the tick `offset` if there is no variable."""

    variable: str | None
    offset: int

    def __add__(self, ticks: int) -> Time:
        return Time(self.variable, self.offset + ticks)

    def after(self, other: Time) -> int | None:
        """Returns how many ticks it is later than another time; None if they have different variables."""
        return self.offset - other.offset if self.variable == other.variable else None

    @property
    def is_plain(self) -> bool:
        """Whether its text is a variable or a number alone."""
        return self.variable is None or not self.offset


class Sum(Struct, frozen=True, tag=True):
    """A number plus another, in a comparison: `V + 0.5`."""

    variable: str
    offset: int | float


class Inner(Struct, frozen=True, tag=True):
    """A variable that an aggregate has for itself; each atom that fits has a value for it."""

    name: str


class Function(Struct, frozen=True):
    """A function with `arity` arguments; it `gives` a number, a text, or (None) a truth.

    `code` is a digest of its code, if that is known.
    """

    name: str
    arity: int
    gives: str | None = None
    code: str = ""


class Calculated(Struct, frozen=True, tag=True):
    """A number or text worked out by an operator or a function: `W - V`, `abs(V)`, `lower(X)`."""

    function: str
    operands: tuple[Operand, ...]
    timescale: Timescale | None = None  # that of a calendar function, `hour(T)`
    gives: str = "number"

    @property
    def parts(self) -> tuple[Part, ...]:
        return tuple(written(self.function, self.operands))

    @property
    def variables(self) -> frozenset[str]:
        return variables_in(self.operands)

    @property
    def is_arithmetic(self) -> bool:
        """Whether numbers, operators and calendar functions alone decide it."""
        return self.timescale is not None or self.function in ARITHMETIC

    @property
    def time(self) -> Time:
        """The time of a calendar function."""
        (time,) = self.operands
        assert isinstance(time, Time), f"{time} is not a time"
        return time

    @property
    def tick(self) -> int | None:
        """The tick of a calendar function, if it is known."""
        return self.time.offset if self.time.variable is None else None

    @property
    def has_inner(self) -> bool:
        return any(isinstance(each, Inner) for each in all_in(self.operands))


Term: TypeAlias = Var | Const
AnswerTerm: TypeAlias = Term | Time  # the term in a column of an answer: times may stand there too
Operand: TypeAlias = Var | Const | Time | Sum | Inner | Calculated
Part: TypeAlias = str | Operand  # a piece of a literal's text: a text that is the same everywhere, or a term


class Replacement:
    """A replacement of variables; subclasses say by what."""

    def term(self, term: Term) -> Term:
        return term

    def time(self, time: Time) -> Time:
        return time

    def column(self, term: AnswerTerm) -> AnswerTerm:
        return self.time(term) if isinstance(term, Time) else self.term(term)

    def answer(self, terms: Iterable[AnswerTerm]) -> tuple[AnswerTerm, ...]:
        return tuple(map(self.column, terms))

    def asked(self, terms: Iterable[AnswerTerm | None]) -> tuple[AnswerTerm | None, ...]:
        return tuple(None if term is None else self.column(term) for term in terms)

    def terms(self, terms: tuple[Term | None, ...]) -> tuple[Term | None, ...]:
        return tuple(None if term is None else self.term(term) for term in terms)

    def operand(self, operand: Operand) -> Operand:
        match operand:
            case Time():
                return self.time(operand)
            case Sum(variable, offset):
                value = self.term(Var(variable))
                if isinstance(value, Var):
                    return Sum(value.name, offset)
                return folded(Calculated("-" if offset < 0 else "+", (value, Const(abs(offset)))))
            case Calculated(function, operands, timescale, gives):
                return folded(Calculated(function, tuple(map(self.operand, operands)), timescale, gives))
            case Inner():
                return operand
            case _:
                return self.term(operand)


def folded(calculation: Calculated) -> Operand:
    """Returns the value of a calculation; itself if that is not known, or there is none."""
    value = None
    if calculation.timescale is None:
        known = [each.value for each in calculation.operands if isinstance(each, Const)]
        if len(known) == len(calculation.operands) and calculation.is_arithmetic:
            value = calculated(calculation.function, known)
    elif (tick := calculation.tick) is not None:
        value = calendar_number(calculation.function, tick, calculation.timescale)
    return calculation if value is None else Const(value)


def is_hopeless(operand: Operand) -> bool:
    """Returns whether a calculation has no value, whatever its variables stand for."""
    if not isinstance(operand, Calculated):
        return False
    if operand.timescale is not None:
        return operand.tick is not None and isinstance(folded(operand), Calculated)
    texts = (isinstance(each, Const) and isinstance(each.value, str) for each in operand.operands)
    known = all(isinstance(each, Const) for each in operand.operands)
    hopeless = operand.is_arithmetic and (known or any(texts))
    return hopeless or any(map(is_hopeless, operand.operands))


# ---- variables ----


def variable_in(operand: Operand | None) -> str | None:
    """Returns the variable of a term, a time or a sum; None for a calculation, which may have several."""
    match operand:
        case Var(name):
            return name
        case Sum(variable, _) | Time(variable, _):
            return variable
        case _:
            return None


def variables_in(operands: Iterable[Operand | None]) -> frozenset[str]:
    found: set[str] = set()
    for operand in operands:
        if isinstance(operand, Calculated):
            found |= variables_in(operand.operands)
        elif (name := variable_in(operand)) is not None:
            found.add(name)
    return frozenset(found)


def is_duration(operand: Operand) -> bool:
    """Returns whether an operand is the number of ticks between two times: `U - T`."""
    if not isinstance(operand, Calculated) or operand.function != "-":
        return False
    return all(isinstance(each, Time) for each in operand.operands)


def all_in(operands: Iterable[Operand | None]) -> Iterator[Operand]:
    """Yields operands, and those that calculations among them are made of."""
    for operand in operands:
        if operand is not None:
            yield operand
        if isinstance(operand, Calculated):
            yield from all_in(operand.operands)


def functions_in(operands: Iterable[Operand | None]) -> frozenset[Function]:
    called = (e for e in all_in(operands) if isinstance(e, Calculated) and not e.is_arithmetic)
    return frozenset(Function(each.function, len(each.operands), each.gives) for each in called)


def shifted(operand: Operand) -> tuple[Term, int | float] | None:
    """Splits an operand into a variable or a value and what is added; None for times and calculations."""
    match operand:
        case Sum(variable, offset):
            return Var(variable), offset
        case Var() | Const():
            return operand, 0
        case _:
            return None


# ---- text ----


def time_text(time: Time) -> str:
    if time.variable is None:
        return str(time.offset)
    return time.variable + (f"{time.offset:+d}" if time.offset else "")


def operand_text(operand: Operand | None) -> str:
    if operand is None:
        return "_"
    if isinstance(operand, Time):
        return time_text(operand)
    if isinstance(operand, Sum):
        sign = "+" if operand.offset >= 0 else "-"
        return f"{operand.variable}{sign}{value_text(abs(operand.offset))}"
    if isinstance(operand, Calculated):
        return text_of(operand.parts)
    return value_text(operand.value) if isinstance(operand, Const) else operand.name


def call_text(predicate: str, parts: Iterable[str]) -> str:
    """Returns the text of an atom: `Temp(wt2, high, 7)`, or `X in (a, b)` for a list of values."""
    listed = ", ".join(parts)
    return f"{listed} {predicate}" if predicate.startswith(MEMBER) else f"{predicate}({listed})"


def call_parts(opening: str, operands: Iterable[Operand | None]) -> tuple[Part, ...]:
    """Returns the text of an atom in parts, `P(`, X, `, `, `_`, `, `, T+1, `)`; None is written as `_`."""
    if opening.startswith(MEMBER):
        return (*("_" if each is None else each for each in operands), f" {opening}")
    parts: list[Part] = [f"{opening}("]
    for place, operand in enumerate(operands):
        parts += [", "] if place else []
        parts.append("_" if operand is None else operand)
    return (*parts, ")")


def text_of(parts: Iterable[Part]) -> str:
    return "".join(part if isinstance(part, str) else operand_text(part) for part in parts)


def later(name: str, ticks: int) -> str:
    return time_text(Time(name, ticks))


class Bindings(Replacement):
    """The terms and times of variables, as far as known; `undo` removes the bindings made since a mark."""

    def __init__(
        self, objects: Mapping[str, Term] | None = None, times: Mapping[str, Time] | None = None
    ) -> None:
        self.objects: dict[str, Term] = {**(objects or {})}
        self.times: dict[str, Time] = {**(times or {})}
        self._trail: list[tuple[bool, str]] = []

    @property
    def variables(self) -> Set[str]:
        return self.objects.keys() | self.times.keys()

    def term(self, term: Term) -> Term:
        return self.objects.get(term.name, term) if isinstance(term, Var) else term

    def time(self, time: Time) -> Time:
        known = None if time.variable is None else self.times.get(time.variable)
        return time if known is None else known + time.offset

    def mark(self) -> int:
        return len(self._trail)

    def undo(self, mark: int) -> None:
        while len(self._trail) > mark:
            is_time, name = self._trail.pop()
            del (self.times if is_time else self.objects)[name]

    def bind_object(self, name: str, term: Term) -> None:
        self.objects[name] = term
        self._trail.append((False, name))

    def bind_time(self, name: str, time: Time) -> None:
        self.times[name] = time
        self._trail.append((True, name))


def moved(by: Mapping[str, int]) -> Bindings:
    """Moves time variables by numbers of ticks."""
    return Bindings(times={name: Time(name, ticks) for name, ticks in by.items()})


class Substitution(Bindings):
    """Unification: variables of both sides are bound."""

    def term(self, term: Term) -> Term:
        while isinstance(term, Var) and term.name in self.objects:
            term = self.objects[term.name]
        return term

    def time(self, time: Time) -> Time:
        while time.variable is not None and time.variable in self.times:
            time = self.times[time.variable] + time.offset
        return time

    def unify_terms(self, one: Term, other: Term) -> bool:
        one, other = self.term(one), self.term(other)
        if one == other:
            return True
        if isinstance(one, Var):
            self.bind_object(one.name, other)
        elif isinstance(other, Var):
            self.bind_object(other.name, one)
        else:
            return False
        return True

    def equate(self, one: object, other: object) -> bool | None:
        """Makes two times or two terms equal, if they can be; None if one is a time and one is not."""
        match one, other:
            case Time(), Time():
                return self.unify_times(one, other)
            case ((Var() | Const()), (Var() | Const())):
                return self.unify_terms(one, other)
            case _:
                return None

    def unify_times(self, one: Time, other: Time) -> bool:
        one, other = self.time(one), self.time(other)
        if one.variable == other.variable:
            return one.offset == other.offset
        if one.variable is not None:
            name, value = one.variable, other + -one.offset
        else:
            assert other.variable is not None
            name, value = other.variable, one + -other.offset
        self.bind_time(name, value)
        return True
