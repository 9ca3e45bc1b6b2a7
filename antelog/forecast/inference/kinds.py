"""The kinds of facts inside of an aggregate, by the values that declarations give them.

chance Sale(_, 5, _) = 20%.  chance Sale(_, 10, _) = 15%.    one per shop
sum(V : Sale(X, V, T..T+6))    Sale(X, 5, T..T+6) with 5, Sale(X, 10, T..T+6) with 10
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from msgspec.structs import replace

from antelog.compile.literals.aggregate import Aggregate, Inside, open_name
from antelog.compile.literals.terms import Const, Inner, Replacement, Term, Var
from antelog.compile.nodes.plan import Input
from antelog.forecast.rates.series import Value


@dataclass(frozen=True)
class ValuedKind:
    """Facts that all have the same value, and what is inside of the aggregate about them."""

    value: Fraction
    inside: Inside


def kinds_of(aggregate: Aggregate, source: Input) -> tuple[ValuedKind, ...] | None:
    """The kinds of facts that fit; None if declarations do not name the value of each fact of the slot."""
    arguments, value = aggregate.inside.arguments, aggregate.value
    own = [each for each in arguments if isinstance(each, Inner)]
    # Where delays differ, it is not the slot alone that says until when a fact may come.
    if value is None or source.slot is None or source.refinements or len(set(own)) < len(own):
        return None
    if not all(isinstance(least, Const) for least in aggregate.least_values):
        return None
    found, different = [], dict[Value, Fraction]()
    for constants in _declared(source, source.slot):
        taken, inside = constants.get(arguments.index(value)), _about(aggregate.inside, constants)
        if taken is None or inside is None:
            return None
        # Of what is counted it matters only which values are equal.
        counted = aggregate.function == "count"
        number = different.setdefault(taken, Fraction(len(different))) if counted else _number(taken)
        if number is None:
            return None
        if all(each.outcome for each in inside.conditions):
            found.append(ValuedKind(number, inside))
    return tuple(found) or None


def rises(aggregate: Aggregate) -> bool:
    """Whether a condition says that the values are at least 0."""
    numbers = (each.value for each in aggregate.least_values if isinstance(each, Const))
    return any(not isinstance(number, str) and number >= 0 for number in numbers)


def _declared(source: Input, slot: Sequence[int]) -> Iterator[Mapping[int, Value]]:
    """The constants of the declarations beside those in the slot, by column, each once."""
    patterns = (
        tuple((i, value) for i, value in enumerate(chance.pattern) if value is not None and i not in slot)
        for chance in source.odds.chances
    )
    yield from map(dict, dict.fromkeys(patterns))


def _number(value: Value) -> Fraction | None:
    """A number that adds up without being rounded: a whole one, or so many halves, quarters and so on."""
    if isinstance(value, str):
        return None
    number = Fraction(str(value))
    return number if number.denominator & (number.denominator - 1) == 0 else None


def _about(inside: Inside, constants: Mapping[int, Value]) -> Inside | None:
    """The inside of an aggregate, about facts with these constants; None if it says more of them."""
    if any(isinstance(inside.arguments[column], Var | Const) for column in constants):
        return None
    terms = tuple(Const(constants[i]) if i in constants else e for i, e in enumerate(inside.arguments))
    pairs = zip(inside.arguments, terms, strict=True)
    known = {open_name(e): t for e, t in pairs if isinstance(e, Inner) and isinstance(t, Const)}
    conditions = tuple(each.replaced(_Constants(known)) for each in inside.opened)
    if any(each.outcome is None for each in conditions):
        return None
    return replace(inside, arguments=terms, conditions=conditions)


class _Constants(Replacement):
    """Puts constants in place of variables."""

    def __init__(self, known: Mapping[str, Const]) -> None:
        self._known = known

    def term(self, term: Term) -> Term:
        return self._known.get(term.name, term) if isinstance(term, Var) else term
