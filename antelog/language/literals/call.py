"""The call of a function as a condition: `near(A, B, C, D)`, `not contains(X, "test")`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from antelog.diagnostics import Diagnostic
from antelog.language.literals.calculations import check_calculation, check_times_in
from antelog.language.literals.literal import Literal, Safety, Sorts, Types
from antelog.language.terms import Anonymous, Calculation, Term, leaves_of, variable_of


@dataclass(frozen=True, slots=True)
class Call(Literal):
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
                message = (
                    f"`{self.function.function}` is called with {name}, but no atom without `not` gives "
                )
                message += "it a value"
                yield Diagnostic("E402", message, term.span, f"Use {name} in an atom without `not`.")
