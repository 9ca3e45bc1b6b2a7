"""A negated atom: `not P(X, _, T)`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from antelog.diagnostics import Diagnostic, Span
from antelog.language.literals.literal import Atom, Literal, Occurrence, Safety
from antelog.language.terms import Anonymous, Term, variable_of


@dataclass(frozen=True, slots=True)
class Negation(Literal):
    KEYWORDS: ClassVar[frozenset[str]] = frozenset({"not"})

    atom: Atom

    @classmethod
    def built(cls, children: list[Any], span: Span) -> Self:
        return cls(children[-1], span=span)

    @property
    def parts(self) -> tuple[str | Term | Literal, ...]:
        return "not ", self.atom

    @property
    def atoms(self) -> tuple[Occurrence, ...]:
        return (Occurrence(self.atom, negated=True),)

    def check_safety(self, rule: Safety) -> Iterator[Diagnostic]:
        atom, static = self.atom, rule.is_static(self.atom.predicate)
        if not static and atom.terms and isinstance(atom.terms[-1], Anonymous):
            message = f"`{rule.text(self)}` would be decided only when time has ended"
            hint = "Give the negated atom a time that the rest of the rule has, such as T or T+1."
            yield Diagnostic("E403", message, atom.span, hint)
        for term in atom.terms if static else ():
            name = variable_of(term)
            if name is None or name in rule.positive or name in rule.reported:
                continue
            rule.reported.add(name)
            message = f"{name} occurs only under `not`, so nothing says which values to try"
            hint = f"Add a condition without `not` that says which values {name} has"
            hint += "." if name in rule.head else ", or write `_` if there must be no fact at all."
            yield Diagnostic("E403", message, term.span, hint)
