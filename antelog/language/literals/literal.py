"""The interface of literals, for parser, printer, graph and checks; atoms, and negated ones.

Each other kind has a module in this folder; the folder has a table of all in its `__init__.py`. A kind
says how it is built from the tree of its grammar rule, how it reads, which atoms are in it, and what may be
wrong with it. The checks hand over what is known of the rule it stands in: `Sorts`, `Types`, `Safety`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Protocol, Self

from antelog.diagnostics import Diagnostic, Span
from antelog.language.terms import (
    NOWHERE,
    Anonymous,
    Constant,
    Node,
    Range,
    Shifted,
    Term,
    leaves_of,
    variable_of,
    variables_of,
)
from antelog.language.vocabulary import PredicateKind, Signature, Type, Vocabulary

Text = Callable[[object], str]
"""Writes a node in the language's own syntax."""


class SortEvidence(NamedTuple):
    """An occurrence that shows whether a variable is a time or an object."""

    is_time: bool
    span: Span
    predicate: str


@dataclass(frozen=True)
class Sorts:
    """The sorts of a rule's variables, times or objects: what the first place of each in an atom shows."""

    text: Text
    first: dict[str, SortEvidence] = field(default_factory=dict)

    def time_of(self, name: str | None) -> Span | None:
        """The span at which a variable shows that it is a time; None if it is not one."""
        place = self.first.get(name or "")
        return place.span if place is not None and place.is_time else None

    def is_object(self, name: str | None) -> bool:
        """Whether a variable is known to be an object."""
        place = self.first.get(name or "")
        return place is not None and not place.is_time


class Types(Protocol):
    """The types of a rule's variables; contradictions are reported where they show."""

    def text(self, node: object) -> str:
        """The text of a node in the language's own syntax."""

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


@dataclass(frozen=True)
class Safety:
    """A rule, and the sources of its variables' values.

    `positive` are the variables that atoms without `not` and `last` give values, `negated` those of other
    atoms, `worked_out` those that equations give values: `D = W - V`. `reported` are variables of which
    nothing more is to be said.
    """

    text: Text
    derived: Atom
    body: tuple[Literal, ...]
    vocabulary: Vocabulary
    times: frozenset[str]
    positive: frozenset[str]
    negated: frozenset[str]
    worked_out: frozenset[str]
    reported: set[str] = field(init=False, default_factory=set)

    @cached_property
    def head(self) -> frozenset[str]:
        """The variables of the head."""
        return frozenset(variables_of(self.derived.terms))

    def is_time(self, name: str) -> bool:
        return name in self.times

    def is_static(self, predicate: str | None = None) -> bool:
        """Whether a predicate is static, by default that of the head."""
        return self.vocabulary.is_static(self.derived.predicate if predicate is None else predicate)

    def may_come_later(self, atom: Atom) -> bool:
        """Whether facts of an atom may come after those of the atoms without `not`."""
        predicate = self.vocabulary[atom.predicate]
        is_late = predicate.schedule.bound or predicate.schedule.refinements
        if predicate.kind is not PredicateKind.INPUT or is_late:
            return True
        name, last = _last_tick(atom)
        beside = (each for literal in self.body for each, under in literal.atoms if not under)
        ticks = (_last_tick(each) for each in beside if each.range is None)
        return not any(name == other and tick >= last for other, tick in ticks)


def _last_tick(atom: Atom) -> tuple[str | None, float]:
    """The last tick that an atom is about: a variable, and how much later."""
    last = atom.range.last if atom.range is not None else atom.terms[-1] if atom.terms else None
    if isinstance(last, Constant) and not isinstance(last.value, str):
        return None, last.value
    return (variable_of(last) if last else None) or "_", last.offset if isinstance(last, Shifted) else 0


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


class Occurrence(NamedTuple):
    """An atom in a literal: whether it stands under `not`, or likewise gives no values."""

    atom: Atom
    negated: bool


def shown(constant: Constant, types: Types) -> str:
    """A constant with its type: number `3`."""
    return f"{type_of(constant).value} `{types.text(constant)}`"


def type_of(constant: Constant) -> Type:
    return Type.TEXT if isinstance(constant.value, str) else Type.NUMBER
