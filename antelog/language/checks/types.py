"""Types: a column holds numbers or texts, and everything said about it agrees.

What a column holds follows from its declaration, from constants in its place, from
comparisons, and from the columns it shares a variable with. Columns nothing is known about
hold whatever the data has.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import NamedTuple

from antelog.diagnostics import Diagnostic, Note, Span
from antelog.language import syntax
from antelog.language.checks.safety import amounts
from antelog.language.checks.sorts import sorts_of
from antelog.language.literals.literal import type_of
from antelog.language.parser import Parsed
from antelog.language.printer import to_text
from antelog.language.syntax import Aggregation, Constant, Term, Variable
from antelog.language.vocabulary import Predicate, Signature, Type, Vocabulary

Cell = tuple[str, int] | tuple[int, str]
"""Something that has a type: a column (predicate, position) or a variable (rule, name)."""

_CLASH = "A column holds numbers or texts, not both: change one of the two places, or the column's type."


class _Reason(NamedTuple):
    """The type of a group of cells, and where and why it has it."""

    type: Type
    span: Span
    because: str


@dataclass
class _Types:
    """Cells that must have the same type, and the type each group has, with its reason."""

    parent: dict[Cell, Cell] = field(default_factory=dict)
    known: dict[Cell, _Reason] = field(default_factory=dict)
    found: list[Diagnostic] = field(default_factory=list)
    excluded: list[tuple[Cell, _Reason]] = field(default_factory=list)
    places: int = 0

    def check_excluded(self) -> None:
        """Reports cells that have a type that they must not have."""
        for cell, reason in self.excluded:
            known = self.known.get(self.group(cell))
            if known is not None and known.type is reason.type:
                hint = "Use a column of numbers; the different values of a column of texts can be counted: "
                hint += "`count(distinct V : …)`."
                self._report(reason, known, hint)

    def group(self, cell: Cell) -> Cell:
        root = cell
        while (above := self.parent.get(root, root)) != root:
            root = above
        while (above := self.parent.get(cell, cell)) != root:
            self.parent[cell] = root
            cell = above
        return root

    def is_type(self, cell: Cell, type_: Type, span: Span, because: str) -> None:
        root = self.group(cell)
        known = self.known.setdefault(root, _Reason(type_, span, because))
        if known.type is not type_:
            self._report(_Reason(type_, span, because), known)

    def same(self, one: Cell, other: Cell, span: Span) -> None:
        first, second = self.group(one), self.group(other)
        if first == second:
            return
        left, right = self.known.get(first), self.known.pop(second, None)
        if left is not None and right is not None and left.type is not right.type:
            message = f"this joins {left.type.value}s with {right.type.value}s, which are never equal"
            hint = "A column holds numbers or texts, not both: use two variables, or change a column's type."
            notes = (Note(left.because, left.span), Note(right.because, right.span))
            self.found.append(Diagnostic("E302", message, span, hint, notes))
        elif right is not None and left is None:
            self.known[first] = right
        self.parent[second] = first

    def _report(self, here: _Reason, before: _Reason, hint: str = _CLASH) -> None:
        message = f"{here.because}, but {before.because}"
        self.found.append(
            Diagnostic("E302", message, here.span, hint, (Note("the other place", before.span),))
        )


def infer_types(
    parsed: Parsed, vocabulary: Vocabulary
) -> tuple[dict[str, tuple[Type | None, ...]], list[Diagnostic]]:
    """The types of all columns but the times, and the contradictions between them."""
    types = _Types()
    for declaration in parsed.document.declarations:
        for i, column in enumerate(declaration.columns):
            if column.type in {t.value for t in Type}:
                because = f"column {column.name} of {declaration.name} is declared as {column.type}"
                types.is_type((declaration.name, i), Type(column.type).general, column.span, because)
            if column.most is not None:
                because = f"column {column.name} of {declaration.name} has a bound"
                types.is_type((declaration.name, i), Type.NUMBER, column.span, because)
    for delay in parsed.document.delays:
        if delay.name in vocabulary.predicates:
            _place(types, delay.pattern[:-1], vocabulary[delay.name])
    for number, rule in enumerate(parsed.document.rules):
        times = {name for name, is_time in sorts_of(rule, vocabulary).items() if is_time}
        within = _InRule(types, vocabulary, number, times)
        within.holds(rule.head)
        for literal in rule.body:
            if not isinstance(literal, Aggregation):  # which has variables of its own
                for atom, _ in literal.atoms:
                    within.holds(atom)
            literal.check_types(within)
        for name, literal in amounts(rule, vocabulary).items():
            because = f"{name} is the value of `{literal.left.function}(…)`, a number"
            within.is_type(name, Type.NUMBER, literal.span, because)
    for query in parsed.document.queries:
        known = vocabulary.predicates.get(query.atom.predicate)
        if known is not None and len(query.atom.terms) == known.arity:
            _place(types, query.atom.terms[: len(known.types)], known)
    types.check_excluded()
    columns = {name: _types_of(each, types) for name, each in vocabulary.predicates.items()}
    # A chance may contradict the others, but changes nothing: see `DeclaredOdds`.
    for chance in parsed.document.chances:
        if chance.name in vocabulary.predicates:
            _place(types, chance.pattern[:-1], vocabulary[chance.name])
    return columns, types.found


def _types_of(predicate: Predicate, types: _Types) -> tuple[Type | None, ...]:
    known = [types.known.get(types.group((predicate.name, i))) for i in range(len(predicate.types))]
    return tuple(
        given if given is Type.INTEGER else reason and reason.type
        for given, reason in zip(predicate.types, known, strict=True)
    )


def _place(types: _Types, terms: tuple[Term, ...], predicate: Predicate, rule: _InRule | None = None) -> None:
    """Adds the types that the arguments of an atom give to the columns of its predicate."""
    for i, term in enumerate(terms[: len(predicate.types)]):
        cell = (predicate.name, i)
        if isinstance(term, Constant):
            shown = f"{type_of(term).value} `{to_text(term)}`"
            because = f"column {predicate.columns[i]} of {predicate.name} has the {shown}"
            types.is_type(cell, type_of(term), term.span, because)
        elif isinstance(term, Variable) and rule is not None:
            types.same(cell, rule.cell(term.name), term.span)


@dataclass
class _InRule:
    """The types of a rule's variables; `inner` ones mean something else in the aggregate at `place`."""

    types: _Types
    vocabulary: Vocabulary
    rule: int
    times: set[str]
    inner: frozenset[str] = frozenset()
    place: int = 0

    def cell(self, name: str) -> Cell:
        return (self.rule, f"{name} of {self.place}" if name in self.inner else name)

    def within(self, inner: frozenset[str]) -> _InRule:
        self.types.places += 1
        return replace(self, inner=inner, place=self.types.places)

    def holds(self, atom: syntax.Atom) -> None:
        predicate = self.vocabulary[atom.predicate]
        if len(atom.terms) == predicate.arity:
            _place(self.types, atom.terms[: len(predicate.types)], predicate, self)

    def text(self, node: object) -> str:
        return to_text(node)

    def function(self, name: str) -> Signature | None:
        return self.vocabulary.functions.get(name)

    def is_time(self, name: str) -> bool:
        return name in self.times

    def is_type(self, name: str, type_: Type, span: Span, because: str) -> None:
        self.types.is_type(self.cell(name), type_, span, because)

    def is_not(self, name: str, type_: Type, span: Span, because: str) -> None:
        if name not in self.times:
            self.types.excluded.append((self.cell(name), _Reason(type_, span, because)))

    def same(self, one: str, other: str, span: Span) -> None:
        self.types.same(self.cell(one), self.cell(other), span)

    def report(self, found: Diagnostic) -> None:
        self.types.found.append(found)
