"""Calculations in literals, and calls of functions as conditions.

They calculate with typed values, and with times only in calendar functions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from antelog.diagnostics import Diagnostic, Note
from antelog.language.functions import CALENDAR
from antelog.language.literals.literal import Literal, Safety, Sorts, Types, type_of
from antelog.language.terms import (
    Anonymous,
    Calculation,
    Constant,
    Shifted,
    Term,
    Variable,
    leaves_of,
    variable_of,
)
from antelog.language.vocabulary import Type


def calculations_in(node: str | Term | Literal) -> Iterator[Calculation]:
    """The calculations in a literal or a term, those within others behind them."""
    if isinstance(node, Calculation):
        yield node
    for each in (
        node.arguments if isinstance(node, Calculation) else node.parts if isinstance(node, Literal) else ()
    ):
        yield from calculations_in(each)


def check_times_in(side: Term, sorts: Sorts) -> Iterator[Diagnostic]:
    """Times in calculations: they can be shifted and compared, and calendar functions take them."""
    if not isinstance(side, Calculation):
        return
    if side.function in CALENDAR:
        (term,) = side.arguments
        whole = isinstance(term, Constant) and isinstance(term.value, int) and term.value >= 0
        if not whole and sorts.time_of(variable_of(term)) is None:
            message = f"`{side.function}` needs a time, and `{sorts.text(term)}` is not one"
            hint = f"Write the time of an atom: `{side.function}(T)`."
            yield Diagnostic("E301", message, term.span, hint)
        return
    for term in side.arguments:
        yield from check_times_in(term, sorts)
        place = sorts.time_of(variable_of(term))
        if place is not None:
            message = f"`{sorts.text(term)}` is a time, and times are not calculated with"
            hint = "Compare times, shifted by ticks: `T >= U + 5` in place of `T - U >= 5`; or `D = T - U`."
            yield Diagnostic("E301", message, term.span, hint, (Note("a time because of this place", place),))


def is_between(side: Term, sorts: Sorts) -> bool:
    """Whether a side is the number of ticks between two times, as in `D = U - T`."""
    if not isinstance(side, Calculation) or side.function != "-":
        return False
    return all(isinstance(term, Variable) and sorts.time_of(term.name) for term in side.arguments)


def type_of_side(side: Term, types: Types) -> Type | None:
    """The type of what is worked out at a side of a comparison; None of anything else."""
    if isinstance(side, Shifted):
        return Type.NUMBER
    if not isinstance(side, Calculation):
        return None
    function = types.function(side.function)
    return Type.NUMBER if function is None else function.gives


def check_calculation(side: Term, types: Types) -> None:
    """Records the types of what a calculation calculates with: numbers, or what its function takes."""
    if not isinstance(side, Calculation) or side.function in CALENDAR:
        return
    function = types.function(side.function)
    for place, term in enumerate(side.arguments):
        check_calculation(term, types)
        wanted: Type | None = Type.NUMBER
        if function is not None:
            wanted = function.types[place] if place < len(function.types) else None
        if wanted is None:
            continue
        because = f"`{types.text(side)}` calculates with {wanted.value}s"
        name = variable_of(term)
        if name is not None and not types.is_time(name):
            types.is_type(name, Type.NUMBER if isinstance(term, Shifted) else wanted, term.span, because)
        found = type_of(term) if isinstance(term, Constant) else type_of_side(term, types)
        if found is not None and found is not wanted:
            message = f"`{types.text(term)}` is a {found.value}, and {because}"
            types.report(Diagnostic("E302", message, term.span, f"Calculate with {wanted.value}s only."))


@dataclass(frozen=True, slots=True)
class Call(Literal):
    """The call of a function as a condition: `near(A, B, C, D)`, `not contains(X, "test")`."""

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
                message = f"`_` has no value that `{self.function.function}` could be called with"
                yield Diagnostic("E402", message, term.span, "Name the variable and use it in an atom too.")
            elif name is not None and name not in rule.positive | rule.worked_out | rule.reported:
                rule.reported.add(name)
                message = f"`{self.function.function}` is called with {name}, "
                message += "but no atom without `not` gives it a value"
                yield Diagnostic("E402", message, term.span, f"Use {name} in an atom without `not`.")
