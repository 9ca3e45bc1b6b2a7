"""The syntax tree of a program; `grammar.lark` has the text of each node. A rule without a body is a fact."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Self, TypeAlias

from antelog.diagnostics import Source, Span
from antelog.language.literals import (
    Aggregate,
    Aggregation,
    Atom,
    Call,
    Comparison,
    First,
    Last,
    Literal,
    Negation,
)
from antelog.language.literals.comparison import OPERATORS, OPPOSITE
from antelog.language.literals.literal import MEMBER, Occurrence
from antelog.language.terms import (
    NOWHERE,
    Anonymous,
    Bound,
    Calculation,
    Constant,
    Later,
    Node,
    Range,
    Shifted,
    Term,
    Value,
    Variable,
    leaves_of,
    number,
    variable_of,
    variables_of,
)

__all__ = [
    "MEMBER", "NOWHERE", "OPERATORS", "OPPOSITE", "Aggregate", "Aggregation", "Anonymous", "Atom", "Bound",
    "Calculation", "Call", "Chance", "Column", "Comparison", "Constant", "Delay", "Document", "First",
    "Function", "Include", "Input", "Last", "Later", "Limit", "Literal", "Negation", "Percentage", "Query",
    "Range", "Rule", "Shifted", "Statement", "Static", "Term", "Tick", "Value", "Variable", "Window", "Words",
    "Zone", "all_atoms", "atoms_of", "in_atoms", "leaves_of", "number", "variable_of", "variables_of",
]  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Named(Node):
    name_span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Rule(Node):
    head: Atom
    body: tuple[Literal, ...]

    @classmethod
    def of(cls, head: Atom, body: tuple[Literal, ...], span: Span) -> Self:
        """Makes a rule whose aggregates know which of their variables stand outside as well."""
        outside = variables_of(head.operands)
        for each in body:
            outside |= variables_of(each.compared if isinstance(each, Aggregation) else each.operands)
        known = (each.among(outside) if isinstance(each, Aggregation) else each for each in body)
        return cls(head, tuple(known), span=span)


@dataclass(frozen=True, slots=True)
class Column(Node):
    """A column, declared or only named; `most` is the upper bound of a column that counts ticks."""

    name: str
    type: str | None = None
    most: Bound | None = None
    type_span: Span = field(default=NOWHERE, compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Percentage(Node):
    """A percentage as it is typed: 12.5 for `12.5%`."""

    amount: int | float

    @property
    def fraction(self) -> Fraction:
        """The exact number, 1/8 for `12.5%`, so that shares add up to 1."""
        return Fraction(str(self.amount)) / 100


@dataclass(frozen=True, slots=True)
class ExpectedGap(Node):
    """The expected gap between facts with the same values in the columns `per`."""

    gap: Bound
    per: tuple[Column, ...] = ()


@dataclass(frozen=True, slots=True)
class Tick(Node):
    every: Bound


@dataclass(frozen=True, slots=True)
class Zone(Node):
    name: str


@dataclass(frozen=True, slots=True)
class Limit(Named):
    """A number with a name, which can be set from outside."""

    name: str
    value: int | float


@dataclass(frozen=True, slots=True)
class Include(Node):
    """Another file of the program; its path begins at the folder of this file."""

    path: str
    path_span: Span = field(default=NOWHERE, compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Input(Named):
    """A stream: at most one fact of a tick has the same values in `one_per`; `shares` come 0, 1, 2 … late."""

    name: str
    columns: tuple[Column, ...]
    delay: Bound | None = None
    one_per: tuple[Column, ...] | None = None
    shares: tuple[Percentage, ...] | None = None
    every: ExpectedGap | None = None


@dataclass(frozen=True, slots=True)
class Static(Named):
    name: str
    columns: tuple[Column, ...]


@dataclass(frozen=True, slots=True)
class Function(Named):
    """A function in Python, which `gives` a number or a text, or is a condition."""

    name: str
    columns: tuple[Column, ...]
    gives: str | None = None
    gives_span: Span = field(default=NOWHERE, compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Delay(Named):
    name: str
    pattern: tuple[Term, ...]
    bound: Bound
    shares: tuple[Percentage, ...] | None = None


@dataclass(frozen=True, slots=True)
class Chance(Named):
    """The chance of such a fact at a tick after one without it, and `again` after one with it."""

    name: str
    pattern: tuple[Term, ...]
    once: Percentage
    again: Percentage | None = None


@dataclass(frozen=True, slots=True)
class Words(Node):
    """A text with names in braces, such as the one that is shown in place of an answer."""

    text: str


SEVERITIES = ("critical", "warning", "info", "good")  # from act at once to all is well


@dataclass(frozen=True, slots=True)
class Query(Node):
    atom: Atom
    window: Bound | None = None
    horizon: Bound | None = None
    alert: Percentage | None = None
    severity: str | None = None
    words: Words | None = None
    given: tuple[Atom, ...] = ()
    many: Words | None = None  # for several answers at once
    runbook: Words | None = None  # the address of what to do

    @property
    def name(self) -> str:
        return self.atom.predicate


@dataclass(frozen=True, slots=True)
class Window(Named):
    """The window of a predicate that is asked for by other rules, not by a query."""

    name: str
    window: Bound
    horizon: Bound | None = None


Statement: TypeAlias = (
    Tick | Zone | Limit | Include | Input | Static | Function | Delay | Chance | Query | Window | Rule
)


@dataclass(frozen=True, slots=True)
class Document:
    statements: tuple[Statement, ...]
    source: Source = field(default=Source(""), compare=False, repr=False)

    @property
    def limits(self) -> Iterator[Limit]:
        return (s for s in self.statements if isinstance(s, Limit))

    @property
    def declarations(self) -> Iterator[Input | Static]:
        return (s for s in self.statements if isinstance(s, Input | Static))

    @property
    def functions(self) -> Iterator[Function]:
        return (s for s in self.statements if isinstance(s, Function))

    @property
    def delays(self) -> Iterator[Delay]:
        return (s for s in self.statements if isinstance(s, Delay))

    @property
    def chances(self) -> Iterator[Chance]:
        return (s for s in self.statements if isinstance(s, Chance))

    @property
    def queries(self) -> Iterator[Query]:
        return (s for s in self.statements if isinstance(s, Query))

    @property
    def windows(self) -> Iterator[Query | Window]:
        """The statements that declare a window or a horizon."""
        declaring = (s for s in self.statements if isinstance(s, Query | Window))
        return (s for s in declaring if s.window is not None or s.horizon is not None)

    @property
    def rules(self) -> Iterator[Rule]:
        return (s for s in self.statements if isinstance(s, Rule))


def atoms_of(rule: Rule) -> Iterator[Occurrence]:
    """The atoms in a rule's body, each with whether it is negated."""
    return (each for literal in rule.body for each in literal.atoms)


def all_atoms(rule: Rule) -> list[Atom]:
    """The head of a rule, and the atoms in its body."""
    return [rule.head, *(atom for atom, _ in atoms_of(rule))]


def in_atoms(rule: Rule) -> tuple[set[str], set[str]]:
    """The variables that positive atoms give values, but for ends of ranges, and those of negated atoms."""
    sides: tuple[set[str], set[str]] = (set(), set())
    for literal in rule.body:
        for atom, is_negated in literal.atoms:
            terms = (t for t in atom.terms if is_negated or not isinstance(t, Range))
            sides[is_negated].update(variables_of(terms) - literal.inner)
    return sides
