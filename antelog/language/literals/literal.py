"""The interface of literals, for parser, printer, graph and checks; atoms, negations and latest values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Self, TypeVar

from antelog.diagnostics import Diagnostic, Note, Span, problem
from antelog.language.terms import (
    NOWHERE,
    Anonymous,
    Bound,
    Constant,
    Node,
    Range,
    Shifted,
    Term,
    Variable,
    leaves_of,
    variable_of,
    variables_of,
)
from antelog.language.vocabulary import Predicate, PredicateKind, Type, Vocabulary

Text = Callable[[object], str]  # writes a node in the language's own syntax


class SortEvidence(NamedTuple):
    """A place that shows whether a variable is a time or an object."""

    is_time: bool
    span: Span
    predicate: str


@dataclass(frozen=True)
class Sorts:
    """Whether the variables of a rule are times or objects, by the first place of each in an atom."""

    text: Text
    first: dict[str, SortEvidence] = field(default_factory=dict)

    def time_of(self, name: str | None) -> Span | None:
        """The place that shows that a variable is a time; None if it is not one."""
        place = self.first.get(name or "")
        return place.span if place is not None and place.is_time else None

    def is_object(self, name: str | None) -> bool:
        place = self.first.get(name or "")
        return place is not None and not place.is_time


Cell = tuple[str, int] | tuple[int, str]  # a column (predicate, position), or a variable (rule, name)

_CLASH = "A column holds numbers or texts, not both: change one of the two places, or the column's type."


class TypeReason(NamedTuple):
    type: Type
    span: Span
    because: str


@dataclass
class TypeGroups:
    """Groups of cells that must have the same type, the types that are known, and contradictions found."""

    text: Text
    parent: dict[Cell, Cell] = field(default_factory=dict)
    known: dict[Cell, TypeReason] = field(default_factory=dict)
    found: list[Diagnostic] = field(default_factory=list)
    excluded: list[tuple[Cell, TypeReason]] = field(default_factory=list)
    aggregates: int = 0

    def group(self, cell: Cell) -> Cell:
        """The cell that stands for the group of a cell."""
        root = cell
        while (above := self.parent.get(root, root)) != root:
            root = above
        while (above := self.parent.get(cell, cell)) != root:
            self.parent[cell] = root
            cell = above
        return root

    def is_type(self, cell: Cell, type_: Type, span: Span, because: str) -> None:
        reason = TypeReason(type_, span, because)
        known = self.known.setdefault(self.group(cell), reason)
        if known.type is not type_:
            self.report(reason, known)

    def same(self, one: Cell, other: Cell, span: Span) -> None:
        first, second = self.group(one), self.group(other)
        if first == second:
            return
        left, right = self.known.get(first), self.known.pop(second, None)
        if left is not None and right is not None and left.type is not right.type:
            notes = (Note(left.because, left.span), Note(right.because, right.span))
            self.found.append(
                problem("E302.joined", span, notes, one=left.type.value, other=right.type.value)
            )
        elif right is not None and left is None:
            self.known[first] = right
        self.parent[second] = first

    def report(self, here: TypeReason, before: TypeReason, hint: str = _CLASH) -> None:
        message, note = f"{here.because}, but {before.because}", Note("the other place", before.span)
        self.found.append(Diagnostic("E302", message, here.span, hint, (note,)))

    def hold(self, predicate: Predicate, terms: Sequence[Term], rule: Types | None = None) -> None:
        """Gives columns the types of the constants in them; in a rule also those of the variables."""
        for i, term in enumerate(terms[: len(predicate.types)]):
            if isinstance(term, Constant):
                shown = f"{type_of(term).value} `{self.text(term)}`"
                column = f"column {predicate.columns[i]} of {predicate.name}"
                if predicate.name.startswith(MEMBER):
                    column = f"`{predicate.name}`"
                because = f"{column} has the {shown}"
                self.is_type((predicate.name, i), type_of(term), term.span, because)
            elif isinstance(term, Variable) and rule is not None:
                self.same((predicate.name, i), rule.cell(term.name), term.span)


@dataclass(frozen=True)
class Types:
    """The types of a rule's variables; `inner` ones mean something else within an `aggregate`."""

    groups: TypeGroups
    vocabulary: Vocabulary
    rule: int
    times: frozenset[str]
    inner: frozenset[str] = frozenset()
    aggregate: int = 0

    def text(self, node: object) -> str:
        return self.groups.text(node)

    def cell(self, name: str) -> Cell:
        return (self.rule, f"{name} of {self.aggregate}" if name in self.inner else name)

    def within(self, inner: frozenset[str]) -> Types:
        """The types within an aggregate with these inner variables."""
        self.groups.aggregates += 1
        return replace(self, inner=inner, aggregate=self.groups.aggregates)

    def holds(self, atom: Atom) -> None:
        """The variables of an atom have the types of its columns."""
        predicate = self.vocabulary[atom.predicate]
        if len(atom.terms) == predicate.arity:
            self.groups.hold(predicate, atom.terms, self)

    def is_type(self, name: str, type_: Type, span: Span, because: str) -> None:
        self.groups.is_type(self.cell(name), type_, span, because)

    def same(self, one: str, other: str, span: Span) -> None:
        self.groups.same(self.cell(one), self.cell(other), span)

    def report(self, found: Diagnostic) -> None:
        self.groups.found.append(found)


@dataclass(frozen=True)
class Safety:
    """A rule, and the sources of its variables' values."""

    text: Text
    derived: Atom
    body: tuple[Literal, ...]
    vocabulary: Vocabulary
    times: frozenset[str]
    positive: frozenset[str]  # in atoms without `not` or `last`, which give them values
    negated: frozenset[str]  # in other atoms
    worked_out: frozenset[str]  # by equations: `D = W - V`
    in_one: Callable[[str], str | None] = field(default=lambda _: None)  # what a literal that asks may say
    reported: set[str] = field(init=False, default_factory=set)  # nothing more is said of these

    @cached_property
    def head(self) -> frozenset[str]:
        return frozenset(variables_of(self.derived.terms))

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


def asking(body: Iterable[Literal], name: str) -> Literal:
    """The first literal with an atom that has a variable."""
    return next(each for each in body if any(name in variables_of(atom.operands) for atom, _ in each.atoms))


def _last_tick(atom: Atom) -> tuple[str | None, float]:
    """The last tick of an atom, as a variable and a number that is added."""
    last = atom.range.last if atom.range is not None else atom.terms[-1] if atom.terms else None
    if isinstance(last, Constant) and not isinstance(last.value, str):
        return None, last.value
    return (variable_of(last) if last else None) or "_", last.offset if isinstance(last, Shifted) else 0


@dataclass(frozen=True, slots=True)
class Literal(Node):
    KEYWORDS: ClassVar[frozenset[str]] = frozenset()  # the words of the language that begin it

    @classmethod
    def built(cls, children: list[Any], span: Span) -> Self:
        """Makes a literal of the children of its grammar rule, which has the name of the class."""
        raise NotImplementedError

    @property
    def parts(self) -> tuple[str | Term | Bound | Literal, ...]:
        """Its text, with its terms and atoms in place of their texts."""
        raise NotImplementedError

    @property
    def atoms(self) -> tuple[Occurrence, ...]:
        return ()

    @property
    def inner(self) -> frozenset[str]:
        """The variables that have another meaning outside of it."""
        return frozenset()

    @property
    def operands(self) -> tuple[Term, ...]:
        """All terms in it, ranges and calculations taken apart."""
        return tuple(term for each in self.atoms for term in each.atom.operands)

    def check_sorts(self, _sorts: Sorts) -> Iterator[Diagnostic]:
        """Finds times and objects where they cannot be, but for the arguments of atoms."""
        return iter(())

    def check_types(self, _types: Types) -> None:
        """Records the types of variables that follow from it, but for the arguments of atoms."""

    def check_safety(self, _rule: Safety) -> Iterator[Diagnostic]:
        """Finds variables that get no values."""
        return iter(())


MEMBER = "in ("  # the begin of the names of static predicates for lists: `X in (a, b)` makes `in (a, b)`


@dataclass(frozen=True, slots=True)
class Atom(Literal):
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
            if name is None or name in rule.positive or name in rule.negated & rule.times:
                continue
            yield problem("E402.end-of-range", end.span, name=name)

    @property
    def operands(self) -> tuple[Term, ...]:
        return tuple(end for term in self.terms for end in leaves_of(term))

    @property
    def range(self) -> Range | None:
        """The range of ticks that it may have in place of a time."""
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
            yield problem("E403.endless", atom.span, literal=rule.text(self))
        for term in atom.terms if static else ():
            name = variable_of(term)
            if name is None or name in rule.positive or name in rule.reported:
                continue
            rule.reported.add(name)
            kind = "E403.in-head" if name in rule.head else "E403.under-not"
            yield problem(kind, term.span, name=name)


_Part = TypeVar("_Part")


def per_parts(terms: Iterable[_Part]) -> tuple[str | _Part, ...]:
    """The text of what stands behind `per`, in parts."""
    named = [each for term in terms for each in (" and ", term)][1:]
    return (" per ", *named) if named else ()


@dataclass(frozen=True, slots=True)
class Last(Literal):
    """The latest value of a slot or of the terms behind `per`: `last Edge(X, up, T-1d..T) per X`."""

    atom: Atom
    per: tuple[Term, ...] = ()

    @classmethod
    def built(cls, children: list[Any], span: Span) -> Self:
        return cls(children[0], tuple(children[1:]), span=span)

    @property
    def parts(self) -> tuple[str | Term | Literal, ...]:
        return ("last ", self.atom, *per_parts(self.per))

    @property
    def atoms(self) -> tuple[Occurrence, ...]:
        return (Occurrence(self.atom, negated=True),)

    @property
    def operands(self) -> tuple[Term, ...]:
        return (*self.atom.operands, *self.per)

    def slot(self, vocabulary: Vocabulary) -> tuple[int, ...] | None:
        """The columns of its slot, if it has one."""
        if self.per:
            return tuple(i for i, term in enumerate(self.atom.terms[:-1]) if term in self.per)
        predicate = vocabulary.predicates.get(self.atom.predicate)
        return predicate.slot if predicate is not None else None

    def is_promised(self, vocabulary: Vocabulary) -> bool:
        """Whether its slot is that of the input."""
        predicate, slot = vocabulary.predicates.get(self.atom.predicate), self.slot(vocabulary)
        promised = None if predicate is None else predicate.slot
        return promised is not None and slot is not None and {*promised} == {*slot}

    def gives(self, vocabulary: Vocabulary) -> tuple[set[str], set[str]]:
        """The variables that need values, and those that get values from it."""
        slot, (*columns, time) = self.slot(vocabulary) or (), self.atom.terms
        needed = variables_of((*(columns[i] for i in slot if i < len(columns)), *self.per))
        needed |= variables_of(time.ends if isinstance(time, Range) else (time,))
        return needed, variables_of(columns) - needed

    def check_safety(self, rule: Safety) -> Iterator[Diagnostic]:
        wrong = self._wrong(rule.vocabulary)
        if wrong is not None:
            yield wrong
            return
        needed, _ = self.gives(rule.vocabulary)
        for name in sorted(needed - rule.positive - rule.worked_out - rule.head - rule.reported):
            yield problem("E408.no-value", self.span, name=name, literal=rule.text(self))

    def _wrong(self, vocabulary: Vocabulary) -> Diagnostic | None:
        """The problem if there is no latest atom, no slot, or no range where one is needed."""
        name, terms, slot = self.atom.predicate, self.atom.terms, self.slot(vocabulary)
        if vocabulary.is_static(name):
            return problem("E408.static", self.span, name=name)
        if terms and isinstance(terms[-1], Anonymous):
            return problem("E408.up-to-when", self.span, name=name)
        if any(isinstance(term, Anonymous) for i, term in enumerate(terms[:-1]) if i in (slot or ())):
            return problem("E408.anonymous", self.span, name=name)
        if any(term not in terms[:-1] or isinstance(term, Anonymous) for term in self.per):
            return problem("E408.per", self.span, name=name)
        predicate, last = vocabulary[name], variable_of(terms[-1]) or "T"
        if slot is None:
            named = ((t.name, i) for i, t in enumerate(terms[:-1]) if isinstance(t, Variable))
            column, place = next(named, ("X", 0))
            promised = predicate.columns[place] if place < len(predicate.columns) else column
            kind = "E408.slotless-input" if predicate.kind is PredicateKind.INPUT else "E408.slotless"
            return problem(kind, self.span, name=name, last=last, column=column, promised=promised)
        if self.atom.range is None and not self.is_promised(vocabulary):
            return problem("E408.how-far-back", self.span, name=name, last=last)
        return None


class Occurrence(NamedTuple):
    """An atom in a literal; `negated` if it gives variables no values, as under `not`."""

    atom: Atom
    negated: bool


def type_of(constant: Constant) -> Type:
    return Type.TEXT if isinstance(constant.value, str) else Type.NUMBER
