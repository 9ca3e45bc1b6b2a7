"""One way to write a conjunction of literals, however its variables are called and its literals ordered.

    Hot(D, U) :- Temp(D, V, U), V > 90.      Hot(X, T) :- 90 < W, Temp(X, W, T).      one canonical form

Two conjunctions with the same form mean the same. Some with different forms may mean the same as well: they
are taken for different ones, which is always safe.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from hashlib import sha256
from typing import Any

from msgspec import Struct, structs
from msgspec.structs import fields as struct_fields

from antelog.compile.literals import AnyLiteral, Comparison, Negation
from antelog.compile.literals.terms import (
    Calculated,
    Inner,
    Moved,
    Operand,
    Sum,
    Time,
    Var,
    variable_in,
    variables_in,
)
from antelog.compile.nodes.patterns import Earliest, Pattern

Named = Callable[[str, str], Hashable]
"""Gives the form of a name in a literal: of a `predicate`, of one that is `asked` for, of its `relation`."""

_MOST_ORDERS = 64
"""Orders of variables to try, at most, where all variables look alike; with more, the first one is taken."""


NO_TIME = Time(None, 0)
"""The time of what rules of the background derive."""


def digest(form: Hashable) -> str:
    """Hashes a form to 24 hexadecimal digits."""
    return sha256(repr(form).encode()).hexdigest()[:24]


def canonical(conjunction: Pattern, named: Named) -> str:
    """The canonical form of a pattern, or of a rule as one, as a digest."""
    writer = _FormWriter(_from_answer(conjunction), named)
    # The least of the forms that orders of the variables give; the orders go with their colours.
    best: str | None = None
    waiting, tried = [writer.refined(writer.first_colours())], 0
    while waiting and tried < _MOST_ORDERS:
        found = waiting.pop()
        classes: dict[str, list[str]] = {}
        for name in sorted(found):
            classes.setdefault(found[name], []).append(name)
        alike = next((classes[each] for each in sorted(classes) if len(classes[each]) > 1), None)
        if alike is not None:
            waiting += (writer.refined({**found, name: digest((found[name], "first"))}) for name in alike)
            continue
        tried += 1
        numbers = {name: place for place, name in enumerate(sorted(found, key=found.__getitem__))}
        written = repr(writer.written(numbers))
        best = written if best is None else min(best, written)
    if best is None:  # pragma: no cover - the first one that is waiting ends in an order
        raise AssertionError("no order of the variables was tried")
    return digest(best)


class _FormWriter:
    """Writes a conjunction with something in place of each variable."""

    def __init__(self, conjunction: Pattern, named: Named) -> None:
        self._whole, self._named = conjunction, named
        self._earliest = {each.variable: each.tick for each in conjunction.earliest}
        literals = (operand for each in conjunction.literals for operand in each.operands)
        self.variables = sorted(conjunction.answered | variables_in(literals) | self._earliest.keys())

    def first_colours(self) -> dict[str, str]:
        """A colour of each variable by what it is alone: its places in the answer, and its first tick."""
        whole = self._whole
        return {
            name: digest(
                (
                    [place for place, term in enumerate(whole.answer) if variable_in(term) == name],
                    whole.time.variable == name,
                    self._earliest.get(name),
                )
            )
            for name in self.variables
        }

    def refined(self, colours: Mapping[str, str]) -> dict[str, str]:
        """Gives variables different colours if they stand in different literals."""
        found = dict(colours)
        for _ in self.variables:
            new = {}
            for name in self.variables:
                marked = {**found, name: f"*{found[name]}"}
                uses = [
                    self._literal(each, marked) for each in self._whole.literals if name in each.variables
                ]
                new[name] = digest((found[name], sorted(map(repr, uses))))
            if len(set(new.values())) == len(set(found.values())):
                return new
            found = new
        return found

    def written(self, names: Mapping[str, Hashable]) -> Hashable:
        whole = self._whole
        literals = {repr(self._literal(each, names)) for each in whole.literals}
        earliest = sorted((names[name], tick) for name, tick in self._earliest.items())
        answer = tuple(self._value("", term, names) for term in whole.answer)
        return answer, self._value("", whole.time, names), tuple(sorted(literals)), tuple(earliest)

    def _literal(self, literal: AnyLiteral, names: Mapping[str, Hashable]) -> Hashable:
        # An aggregate's own variables have no names outside.
        inner = (name for operand in literal.operands for name in _inner_in(operand))
        own = {f"<{name}": f"<{place}" for place, name in enumerate(dict.fromkeys(inner))}
        return self._value("", literal, {**names, **own})

    def _struct(self, node: Any, names: Mapping[str, Hashable]) -> tuple[Hashable, ...]:
        keys = [f.name for f in (struct_fields(node) if isinstance(node, Struct) else fields(node))]
        if isinstance(node, Negation) and self._named("relation", node.relation) is not None:
            # Its relation has no column for what may be any.
            node = structs.replace(node, arguments=tuple(each for each in node.arguments if each is not None))
        asked = "relation" in keys
        return (
            type(node).__name__,
            *(
                self._value("asked" if asked and key == "predicate" else key, getattr(node, key), names)
                for key in keys
            ),
        )

    def _value(self, field: str, value: Any, names: Mapping[str, Hashable]) -> Hashable:
        match value:
            case Var(name):
                return "v", names[name]
            case Time(variable, offset):
                return "t", None if variable is None else names[variable], offset
            case Sum(variable, offset):
                return "s", names[variable], offset
            case Inner(name):
                return "i", names[f"<{name}"]
            case Calculated("+" | "*" as sign, (left, right)):
                sides = (self._value("", left, names), self._value("", right, names))
                return sign, *sorted(sides, key=repr)
            case Comparison():
                ways = (self._struct(_as_bound(each), names) for each in (value, value.mirrored))
                return min(ways, key=repr)
            case tuple() if field == "conditions":
                return tuple(sorted((self._value("", each, names) for each in value), key=repr))
            case tuple():
                return tuple(self._value(field, each, names) for each in value)
            case str() if field in ("predicate", "asked", "relation"):
                return self._named(field, value)
            case Struct():
                return self._struct(value, names)
            case _ if is_dataclass(value):
                return self._struct(value, names)
            case _:
                plain: Hashable = value
                return plain


def _inner_in(operand: Operand | None) -> Iterable[str]:
    if isinstance(operand, Inner):
        yield operand.name
    elif isinstance(operand, Calculated):
        for each in operand.operands:
            yield from _inner_in(each)


# ---- times ----


def _from_answer(whole: Pattern) -> Pattern:
    """The conjunction with each time counted from the answer's time, or from the least with its variable.

    `A(X, U+1), B(X, U+2)` becomes `A(X, U), B(X, U+1)`; what the least one says of first ticks is left out.
    """
    least: dict[str, int] = {}
    for time in (time for each in whole.literals for time in each.natural):
        if time.variable is not None:
            least[time.variable] = min(least.get(time.variable, time.offset), time.offset)
    by = {name: -offset for name, offset in least.items()}
    if whole.time.variable is not None:
        name = whole.time.variable
        least[name] = min(least.get(name, whole.time.offset), whole.time.offset)
        by[name] = -whole.time.offset
    moved = Moved(by)
    first = (Earliest(each.variable, each.tick - by.get(each.variable, 0)) for each in whole.earliest)
    follows = {name: max(0, -(least[name] + by[name])) for name in least}
    return Pattern(
        moved.answer(whole.answer),
        moved.time(whole.time),
        tuple(each.replaced(moved) for each in whole.literals),
        tuple(each for each in first if each.tick > follows.get(each.variable, 0)),
    )


def _as_bound(literal: Comparison) -> Comparison:
    """A comparison of two times with all ticks on the right side, and without `<` and `>`."""
    left, right = literal.left, literal.right
    if not (isinstance(left, Time) and isinstance(right, Time)):
        return literal
    more = {"<": -1, ">": 1}.get(literal.operator, 0)
    operator = {"<": "<=", ">": ">="}.get(literal.operator, literal.operator)
    if left.variable is None:  # `3 <= T` is `T >= 3`
        return _as_bound(literal.mirrored) if right.variable is not None else literal
    return Comparison(Time(left.variable, 0), operator, right + (more - left.offset))
