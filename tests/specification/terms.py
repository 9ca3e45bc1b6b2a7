"""Terms and atoms with variables, and what makes two of them one.

A time is a number of ticks or a variable plus such a number; any other term is a value or a variable.
A substitution says what variables stand for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from operator import ge, gt, le, lt
from typing import NamedTuple, TypeAlias, TypeVar

from antelog.language.printer import value_text
from antelog.language.syntax import Value, number


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


Term: TypeAlias = Value | Variable | Special
Substitution: TypeAlias = Mapping[str, Term]


class Atom(NamedTuple):
    """A predicate and its arguments; of a temporal one the last is the time."""

    predicate: str
    arguments: tuple[Term, ...]

    @property
    def time(self) -> Term:
        return self.arguments[-1]

    def __str__(self) -> str:
        return f"{self.predicate}({', '.join(map(text, self.arguments))})"


class Comparison(NamedTuple):
    left: Term
    operator: str
    right: Term

    def __str__(self) -> str:
        return f"{text(self.left)} {self.operator} {text(self.right)}"


class Denial(NamedTuple):
    """A negated background atom, as a condition."""

    atom: Atom

    def __str__(self) -> str:
        return f"not {self.atom}"


Condition: TypeAlias = Comparison | Denial


class Literal(NamedTuple):
    """An atom or its negation, with what is asked of its variables."""

    atom: Atom
    positive: bool = True
    conditions: frozenset[Condition] = frozenset()

    def __str__(self) -> str:
        stated = str(self.atom) if self.positive else f"not {self.atom}"
        return stated + (f" where {', '.join(sorted(map(str, self.conditions)))}" if self.conditions else "")


def by_time(literals: Iterable[Literal]) -> list[Literal]:
    """Literals by time, then text. Times that are still open come last, by offset, then name."""
    return sorted(literals, key=lambda literal: (*_place(literal.atom.time), str(literal)))


def _place(time: Term) -> tuple[bool, int | float, str]:
    if isinstance(time, Variable):
        return True, time.shift, time.name
    assert isinstance(time, int), f"{time} is no time"
    return False, time, ""


Part = TypeVar("Part", Atom, Comparison, Denial, Literal)


def text(term: Term) -> str:
    if isinstance(term, Special):
        return term.value
    return str(term) if isinstance(term, Variable) else value_text(term)


def put_in(term: Term, known: Substitution) -> Term:
    """What a term stands for."""
    while isinstance(term, Variable) and term.name in known:
        term = shifted(known[term.name], term.shift)
    return term


def shifted(term: Term, by: int | float) -> Term:
    if isinstance(term, Variable):
        return Variable(term.name, number(term.shift + by))
    if isinstance(term, str | Special):
        return term
    return number(term + by)


def apply(part: Part, known: Substitution) -> Part:
    """An atom, a condition or a literal with its variables replaced by what they stand for."""
    return mapped(part, lambda term: put_in(term, known))


def renamed(part: Part, names: Substitution) -> Part:
    """The same with each variable replaced once: new names may be old ones of others."""
    return mapped(part, lambda term: put_in_once(term, names))


def put_in_once(term: Term, names: Substitution) -> Term:
    if isinstance(term, Variable) and term.name in names:
        return shifted(names[term.name], term.shift)
    return term


def mapped(part: Part, new: Callable[[Term], Term]) -> Part:
    if isinstance(part, Atom):
        return Atom(part.predicate, tuple(map(new, part.arguments)))
    if isinstance(part, Comparison):
        return Comparison(new(part.left), part.operator, new(part.right))
    if isinstance(part, Denial):
        return Denial(mapped(part.atom, new))
    conditions = frozenset[Condition](_mapped_condition(c, new) for c in part.conditions)
    return Literal(mapped(part.atom, new), part.positive, conditions)


def _mapped_condition(condition: Condition, new: Callable[[Term], Term]) -> Condition:
    if isinstance(condition, Denial):
        return mapped(condition, new)
    return mapped(condition, new)


def variables(part: Atom | Comparison | Denial | Literal) -> frozenset[str]:
    if isinstance(part, Literal):
        return variables(part.atom).union(*map(variables, part.conditions))
    if isinstance(part, Denial):
        return variables(part.atom)
    terms = part.arguments if isinstance(part, Atom) else (part.left, part.right)
    return frozenset(t.name for t in terms if isinstance(t, Variable))


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


_ORDERS: Mapping[str, Callable[..., bool]] = {"<": lt, "<=": le, ">": gt, ">=": ge}


def holds(comparison: Comparison) -> bool | None:
    """Whether a comparison holds; None while a side has no value."""
    left, operator, right = comparison
    if isinstance(left, Variable) and isinstance(right, Variable) and left.name == right.name:
        left, right = left.shift, right.shift
    if isinstance(left, Variable) or isinstance(right, Variable):
        return None
    if operator in ("=", "!="):
        return (left == right) is (operator == "=")
    numbers = isinstance(left, int | float) and isinstance(right, int | float)
    if not numbers and not (isinstance(left, str) and isinstance(right, str)):
        return False
    order: Callable[[Term, Term], bool] = _ORDERS[operator]
    return order(left, right)
