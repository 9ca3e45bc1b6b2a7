"""Conditions: comparisons such as `V >= 90` or `T2 <= T1 + 5`, calls of functions, calculations in both."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from antelog.diagnostics import Diagnostic, Note, problem
from antelog.language.functions import CALENDAR
from antelog.language.literals.literal import Literal, Safety, Sorts, Types, asking, type_of
from antelog.language.terms import (
    Anonymous,
    Bound,
    Calculation,
    Constant,
    Later,
    Shifted,
    Term,
    Variable,
    leaves_of,
    variable_of,
    variables_of,
)
from antelog.language.vocabulary import Type

HOLDS: dict[str, Callable[[Any, Any], Any]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}

OPERATORS = tuple(HOLDS)
OPPOSITE = {"=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}  # of comparable values
MIRRORED = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}  # with sides exchanged

NO_NOW = "There is no `now`: a rule holds for any tick T, and its answers appear when T has come."

SPELLING = {"≤": "<=", "≥": ">=", "≠": "!="}


@dataclass(frozen=True, slots=True)
class Comparison(Literal):
    left: Term
    operator: str
    right: Term

    @property
    def parts(self) -> tuple[str | Term | Literal, ...]:
        return self.left, f" {self.operator} ", self.right

    @property
    def sides(self) -> tuple[Term, Term]:
        return self.left, self.right

    @property
    def operands(self) -> tuple[Term, ...]:
        return (*leaves_of(self.left), *leaves_of(self.right))

    @property
    def defines(self) -> tuple[str, frozenset[str]] | None:
        """The variable that it may give a value, `D = W - V`, and those from which this is worked out."""
        for one, other in (self.sides, self.sides[::-1]):
            calculated = isinstance(other, Calculation | Shifted | Later)
            if self.operator == "=" and isinstance(one, Variable) and calculated:
                return one.name, frozenset(variables_of([other]))
        return None

    @property
    def variables(self) -> set[str]:
        return variables_of(self.operands)

    def check_sorts(self, sorts: Sorts) -> Iterator[Diagnostic]:
        for side in self.sides:
            if self.defines is None or not is_between(side, sorts):
                yield from check_times_in(side, sorts)
        for one, other in (self.sides, self.sides[::-1]):
            place = sorts.time_of(variable_of(one))
            if place is None:
                continue
            note = (Note("a time because of this place", place),)
            if isinstance(one, Shifted) and isinstance(one.offset, float) and one.unit is None:
                yield problem("E301.fraction", one.span, note, term=sorts.text(one))
            value = other.value if isinstance(other, Constant) else None
            if isinstance(other, Calculation) or isinstance(value, str | float):
                message = f"`{sorts.text(one)}` is a time and cannot be compared with `{sorts.text(other)}`"
                hint = NO_NOW if value == "now" else "Compare times with whole numbers or times."
                yield Diagnostic("E301", message, self.span, hint, note)
            elif sorts.is_object(variable_of(other)):
                yield problem("E301.no-times", self.span, note, one=sorts.text(one), other=sorts.text(other))

    def check_types(self, types: Types) -> None:
        left, right = self.left, self.right
        for one, other in (self.sides, self.sides[::-1]):
            if isinstance(one, Shifted) and one.variable not in types.times:
                because = f"`{types.text(one)}` calculates with {one.variable} as with a number"
                types.is_type(one.variable, Type.NUMBER, one.span, because)
            if isinstance(one, Variable) and isinstance(other, Constant) and one.name not in types.times:
                because = f"{one.name} is compared with the {type_of(other).value} `{types.text(other)}`"
                types.is_type(one.name, type_of(other), self.span, because)
        for side in self.sides:
            check_calculation(side, types)
        if any(isinstance(side, Calculation) for side in self.sides):
            self._check_values(types)
            return
        names = [v for v in map(variable_of, self.operands) if v and v not in types.times]
        if len(names) == 2:
            types.same(names[0], names[1], self.span)
        if isinstance(left, Constant) and isinstance(right, Constant) and type_of(left) is not type_of(right):
            name = left.value if isinstance(left.value, str) else str(right.value)
            kind = "E302.capital" if re.fullmatch(r"[a-z]\w*", name) else "E302.constants"
            said = {"one": types.text(left), "other": types.text(right), "name": name.capitalize()}
            types.report(problem(kind, self.span, **said))

    def _check_values(self, types: Types) -> None:
        """Records that the other side of a calculation has the type of its result."""
        for side, other in (self.sides, self.sides[::-1]):
            wanted = type_of_side(side, types) if isinstance(side, Calculation) else None
            if wanted is None:
                continue
            found = type_of(other) if isinstance(other, Constant) else type_of_side(other, types)
            if isinstance(other, Variable) and other.name not in types.times:
                because = f"{other.name} is compared with a {wanted.value} that is calculated"
                types.is_type(other.name, wanted, other.span, because)
            elif found is not None and found is not wanted:
                text, kind = types.text(other), found.value
                types.report(problem("E302.sides", self.span, side=text, found=kind, wanted=wanted.value))
                return

    def check_safety(self, rule: Safety) -> Iterator[Diagnostic]:
        for side in self.operands:
            name = variable_of(side)
            if variable_of(side) in rule.worked_out:
                continue
            if isinstance(side, Anonymous):
                yield problem("E402.anonymous", side.span)
            elif name is None or name in rule.positive or name in rule.negated & rule.times:
                continue
            elif name in rule.negated and self.leaves_free(name, rule):
                pass  # an unguarded variable, which may be anything
            elif name in rule.negated and name in rule.head:
                yield problem("E402.under-not", side.span, name=name)
            elif name in rule.negated:
                literal, whole = rule.text(asking(rule.body, name)), rule.in_one(name)
                found = problem("E402.asked", side.span, name=name, literal=literal)
                found = replace(found, hint=whole or found.hint)
                if found.hint not in rule.reported:
                    rule.reported.add(found.hint)
                    yield found
            else:
                message = f"{name} is compared, but no atom in the body of the rule gives it a value"
                yield Diagnostic("E402", message, side.span, self._where_from(name, side, rule))

    def leaves_free(self, name: str, rule: Safety) -> bool:
        """Whether it may be about an unguarded variable, which has every value there is."""
        in_head = name in rule.head and not rule.is_static()
        kinds = {type(side) for side in self.sides}
        return in_head and kinds == {Variable, Constant} and self.operator in ("=", "!=")

    def _where_from(self, name: str, side: Term, rule: Safety) -> str:
        other = self.right if side is self.left else self.left
        if self.operator == "=" and isinstance(side, Variable) and variable_of(other) != name:
            return f"Remove the comparison and write `{rule.text(other)}` where {name} stands."
        if name in rule.times:
            return f"Use {name} as the time of an atom in the body: it says at which times the head may hold."
        return f"Use {name} in an atom of the body."


# ---- calculations ----


def calculations_in(node: str | Term | Bound | Literal) -> Iterator[Calculation]:
    """The calculations in a literal or a term, those within others behind them."""
    if isinstance(node, Calculation):
        yield node
        for argument in node.arguments:
            yield from calculations_in(argument)
    elif isinstance(node, Literal):
        for part in node.parts:
            yield from calculations_in(part)


def check_times_in(side: Term, sorts: Sorts) -> Iterator[Diagnostic]:
    """Finds times in calculations: only calendar functions take them."""
    if not isinstance(side, Calculation):
        return
    if side.function in CALENDAR:
        (term,) = side.arguments
        whole = isinstance(term, Constant) and isinstance(term.value, int) and term.value >= 0
        if not whole and sorts.time_of(variable_of(term)) is None:
            yield problem("E301.no-time", term.span, function=side.function, term=sorts.text(term))
        return
    for term in side.arguments:
        yield from check_times_in(term, sorts)
        place = sorts.time_of(variable_of(term))
        if place is not None:
            notes = (Note("a time because of this place", place),)
            yield problem("E301.calculated-time", term.span, notes, term=sorts.text(term))


def is_between(side: Term, sorts: Sorts) -> bool:
    """Whether a side of a comparison is the number of ticks between two times, as in `D = U - T`."""
    if not isinstance(side, Calculation) or side.function != "-":
        return False
    return all(isinstance(term, Variable) and sorts.time_of(term.name) for term in side.arguments)


def type_of_side(side: Term, types: Types) -> Type | None:
    """The type of a calculated side of a comparison; None for any other."""
    if isinstance(side, Shifted):
        return Type.NUMBER
    if not isinstance(side, Calculation):
        return None
    function = types.vocabulary.functions.get(side.function)
    return Type.NUMBER if function is None else function.gives


def check_calculation(side: Term, types: Types) -> None:
    """Records the types of arguments: numbers, or those of the parameters of a function."""
    if not isinstance(side, Calculation) or side.function in CALENDAR:
        return
    function = types.vocabulary.functions.get(side.function)
    for place, term in enumerate(side.arguments):
        check_calculation(term, types)
        wanted: Type | None = Type.NUMBER
        if function is not None:
            wanted = function.types[place] if place < len(function.types) else None
        if wanted is None:
            continue
        because = f"`{types.text(side)}` calculates with {wanted.value}s"
        name = variable_of(term)
        if name is not None and name not in types.times:
            types.is_type(name, Type.NUMBER if isinstance(term, Shifted) else wanted, term.span, because)
        found = type_of(term) if isinstance(term, Constant) else type_of_side(term, types)
        if found is not None and found is not wanted:
            message = f"`{types.text(term)}` is a {found.value}, and {because}"
            types.report(Diagnostic("E302", message, term.span, f"Calculate with {wanted.value}s only."))


@dataclass(frozen=True, slots=True)
class Call(Literal):
    """The call of a function as a condition: `not contains(X, "test")`."""

    function: Calculation
    negated: bool = False

    @property
    def parts(self) -> tuple[str | Term | Literal, ...]:
        return ("not ", self.function) if self.negated else (self.function,)

    @property
    def operands(self) -> tuple[Term, ...]:
        return leaves_of(self.function)

    def check_sorts(self, sorts: Sorts) -> Iterator[Diagnostic]:
        yield from check_times_in(self.function, sorts)

    def check_types(self, types: Types) -> None:
        check_calculation(self.function, types)

    def check_safety(self, rule: Safety) -> Iterator[Diagnostic]:
        for term in self.operands:
            name = variable_of(term)
            if isinstance(term, Anonymous):
                yield problem("E402.anonymous-argument", term.span, function=self.function.function)
            elif name is not None and name not in rule.positive | rule.worked_out | rule.reported:
                rule.reported.add(name)
                yield problem("E402.argument", term.span, function=self.function.function, name=name)
