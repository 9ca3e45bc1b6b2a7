"""The interface of literals, for parser, printer, graph and checks.

Each kind has a module in this folder, and a line in the table of `antelog/language/literals/__init__.py`. It
says how it is built from the tree of its grammar rule, how it reads, which atoms are in it, and what may be
wrong with it. The checks hand over what is known of the rule it stands in: `Sorts`, `Types`, `Safety`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, Protocol, Self

from antelog.diagnostics import Diagnostic, Span
from antelog.language.terms import NOWHERE, Constant, Node, Range, Term, leaves_of, variable_of
from antelog.language.vocabulary import Signature, Type, Vocabulary


class Printing(Protocol):
    def text(self, node: object) -> str:
        """The text of a node in the language's own syntax."""


class Sorts(Printing, Protocol):
    """The sorts of a rule's variables: times or objects."""

    def time_of(self, name: str | None) -> Span | None:
        """The span at which a variable shows that it is a time; None if it is none."""

    def is_object(self, name: str | None) -> bool:
        """Whether a variable is known to be an object."""


class Types(Printing, Protocol):
    """The types of a rule's variables; contradictions are reported where they show."""

    def function(self, name: str) -> Signature | None:
        """A function of the program or a built-in one, but none of numbers."""

    def is_time(self, name: str) -> bool: ...

    def is_type(self, name: str, type_: Type, span: Span, because: str) -> None:
        """A variable holds values of a type."""

    def same(self, one: str, other: str, span: Span) -> None:
        """Two variables hold values of the same type."""

    def report(self, found: Diagnostic) -> None: ...

    def is_not(self, name: str, type_: Type, span: Span, because: str) -> None:
        """A variable must not hold values of a type, if that of its column is known."""

    def holds(self, atom: Atom) -> None:
        """The variables of an atom hold values of its columns."""

    def within(self, inner: frozenset[str]) -> Types:
        """The types where these variables mean something else than elsewhere in the rule."""


class Safety(Printing, Protocol):
    """The sources of the values of a rule's variables.

    `head` are the variables of the head, `positive` those that atoms without `not` and `last` give values,
    `negated` those of other atoms, `worked_out` those that equations give values: `D = W - V`. `reported` are
    variables of which nothing more is to be said.
    """

    vocabulary: Vocabulary
    head: frozenset[str]
    positive: frozenset[str]
    negated: frozenset[str]
    worked_out: frozenset[str]
    reported: set[str]

    def is_time(self, name: str) -> bool: ...

    def is_static(self, predicate: str | None = None) -> bool:
        """Whether a predicate is static, by default that of the head."""

    def may_come_later(self, atom: Atom) -> bool:
        """Whether facts of an atom may come after those of the atoms without `not`."""


@dataclass(frozen=True, slots=True)
class Literal(Node):
    """A literal in the body of a rule."""

    KEYWORDS: ClassVar[frozenset[str]] = frozenset()
    """Words of the language that begin it."""

    @classmethod
    def built(cls, children: list[Any], span: Span) -> Self:
        """The literal that its grammar rule, named as the class is, stands for with these children."""
        raise NotImplementedError

    @property
    def parts(self) -> tuple[str | Term | Literal, ...]:
        """Its text, in parts: texts, terms, and atoms in it."""
        raise NotImplementedError

    @property
    def atoms(self) -> tuple[Occurrence, ...]:
        """The atoms in it."""
        return ()

    @property
    def inner(self) -> frozenset[str]:
        """The variables that mean something in this literal only."""
        return frozenset()

    @property
    def operands(self) -> tuple[Term, ...]:
        """All terms in it."""
        return tuple(term for each in self.atoms for term in each.atom.operands)

    def check_sorts(self, _sorts: Sorts) -> Iterator[Diagnostic]:
        """Problems with times and objects in it, apart from the arguments of atoms."""
        return iter(())

    def check_types(self, _types: Types) -> None:
        """Records the types of variables that follow from it, apart from the arguments of atoms."""

    def check_safety(self, _rule: Safety) -> Iterator[Diagnostic]:
        """Variables in it that get no values."""
        return iter(())


MEMBER = "in ("
"""The names of static predicates that lists of values make begin so: that of `X in (a, b)` is `in (a, b)`."""


@dataclass(frozen=True, slots=True)
class Atom(Literal):
    """An atom: the head of a rule, a literal, or in a literal."""

    predicate: str
    terms: tuple[Term, ...]
    name_span: Span = field(default=NOWHERE, compare=False, repr=False, kw_only=True)

    @classmethod
    def built(cls, children: list[Any], span: Span) -> Self:
        name, *terms = children
        name_span = Span(name.start_pos or 0, name.end_pos or 0)
        return cls(str(name), tuple(terms), span=span, name_span=name_span)

    @property
    def parts(self) -> tuple[str | Term | Literal, ...]:
        if self.predicate.startswith(MEMBER):
            return (self.terms[0], f" {self.predicate}")
        commas = [each for term in self.terms for each in (", ", term)][1:]
        return (f"{self.predicate}(", *commas, ")")

    @property
    def atoms(self) -> tuple[Occurrence, ...]:
        return (Occurrence(self, negated=False),)

    def check_safety(self, rule: Safety) -> Iterator[Diagnostic]:
        for end in self.range.ends if self.range is not None else ():
            name = variable_of(end)
            if name is None or name in rule.positive or (name in rule.negated and rule.is_time(name)):
                continue
            message = f"{name} is an end of a range, but no atom in the body of the rule gives it a value"
            hint = f"Use {name} as the time of an atom in the body: it says at which times the head may hold."
            yield Diagnostic("E402", message, end.span, hint)

    @property
    def operands(self) -> tuple[Term, ...]:
        return tuple(end for term in self.terms for end in leaves_of(term))

    @property
    def range(self) -> Range | None:
        """The range of ticks in place of its time."""
        last = self.terms[-1] if self.terms else None
        return last if isinstance(last, Range) else None


class Occurrence(NamedTuple):
    """An atom in a literal: whether it stands under `not`, or likewise gives no values."""

    atom: Atom
    negated: bool


def shown(constant: Constant, text: Printing) -> str:
    """A constant with its type: number `3`."""
    return f"{type_of(constant).value} `{text.text(constant)}`"


def type_of(constant: Constant) -> Type:
    return Type.TEXT if isinstance(constant.value, str) else Type.NUMBER
