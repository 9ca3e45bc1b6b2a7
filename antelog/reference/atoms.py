"""Ground atoms and literals: what derivations are made of.

A ground atom is a predicate with a value for each column; of a temporal predicate the last
one is the time. `ANYTHING` in the place of a value makes a projected atom, which stands for
all of its instances together: `not Ack(d1, _, 3)` says that none of them holds.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any, NamedTuple, TypeAlias

from antelog.language import syntax
from antelog.language.printer import value_text
from antelog.language.syntax import Value


class Anything(Enum):
    ANYTHING = "_"


ANYTHING = Anything.ANYTHING

Argument: TypeAlias = Value | Anything
Bindings: TypeAlias = Mapping[str, Value]


class Atom(NamedTuple):
    """A ground or projected atom. (A tuple, because derivations hash millions of them.)"""

    predicate: str
    arguments: tuple[Argument, ...]

    @property
    def projected(self) -> bool:
        return ANYTHING in self.arguments

    @property
    def time(self) -> int:
        """The tick a temporal atom speaks of."""
        time = self.arguments[-1]
        if not isinstance(time, int):
            raise TypeError(f"{self} has no time")
        return time

    def __str__(self) -> str:
        texts = ("_" if isinstance(a, Anything) else value_text(a) for a in self.arguments)
        return f"{self.predicate}({', '.join(texts)})"


class Literal(NamedTuple):
    """An atom or its negation."""

    atom: Atom
    positive: bool = True

    def __str__(self) -> str:
        return str(self.atom) if self.positive else f"not {self.atom}"


def value_of(term: syntax.Term, bindings: Bindings) -> Value | None:
    """The value of a term, or None if its variable has none (or a text is shifted)."""
    if isinstance(term, syntax.Constant):
        return term.value
    if isinstance(term, syntax.Variable):
        return bindings.get(term.name)
    if isinstance(term, syntax.Shifted):
        value = bindings.get(term.variable)
        return None if value is None or isinstance(value, str) else syntax.number(value + term.offset)
    return None


def ground(atom: syntax.Atom, bindings: Bindings) -> Atom:
    """An atom under bindings of all its variables; `_` becomes `ANYTHING`."""
    arguments: list[Argument] = []
    for term in atom.terms:
        value = value_of(term, bindings)
        if value is None and not isinstance(term, syntax.Anonymous):
            raise ValueError(f"{term} has no value")
        arguments.append(ANYTHING if value is None else value)
    return Atom(atom.predicate, tuple(arguments))


def match(atom: syntax.Atom, fact: Atom, bindings: Bindings) -> dict[str, Value] | None:
    """The smallest extension of the bindings that makes the atom equal to the fact, if any."""
    if atom.predicate != fact.predicate or len(atom.terms) != len(fact.arguments):
        return None
    extended = dict(bindings)
    for term, value in zip(atom.terms, fact.arguments, strict=True):
        name = syntax.variable_of(term)
        if isinstance(term, syntax.Anonymous):
            continue
        if isinstance(value, Anything):
            return None
        if name is not None and name not in extended:
            offset = term.offset if isinstance(term, syntax.Shifted) else 0
            if isinstance(value, str) and offset:
                return None
            extended[name] = value if isinstance(value, str) else syntax.number(value - offset)
        elif value_of(term, extended) != value:
            return None
    return extended


_ORDERINGS: Mapping[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def compare(left: Value | None, relation: str, right: Value | None) -> bool:
    """Whether a comparison holds; between a number and a text no ordering does."""
    if left is None or right is None:
        return False
    if relation in {"=", "!="}:
        return (left == right) is (relation == "=")
    return isinstance(left, str) is isinstance(right, str) and _ORDERINGS[relation](left, right)


def holds(comparison: syntax.Comparison, bindings: Bindings) -> bool:
    """Whether a comparison holds under bindings of its variables."""
    return compare(
        value_of(comparison.left, bindings), comparison.operator, value_of(comparison.right, bindings)
    )
