"""A program with a stream: its queries, what they ask for, background, and the facts that count."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from antelog.language import Checked, syntax
from antelog.language.durations import in_ticks, microseconds
from antelog.language.syntax import Bound
from antelog.language.vocabulary import Vocabulary
from tests.specification.background import static_model
from tests.specification.clauses import Clause, clause_of
from tests.specification.literals import Fact
from tests.specification.literals.literal import Lowering
from tests.specification.patterns import Pattern, Resolver
from tests.specification.refusals import refuse
from tests.specification.stream import Stream, admit, normal
from tests.specification.subsumption import minimal
from tests.specification.terms import ANY, Atom, Term, Variable


@dataclass(frozen=True)
class Query:
    """A query: `variables` are those it names, without the time; the last of a head is the time."""

    name: str
    variables: tuple[str, ...]
    time: str | None
    asked: Atom
    patterns: tuple[Pattern, ...] = ()


@dataclass(frozen=True)
class Program:
    """Everything the definitions refer to, for one program and one stream."""

    vocabulary: Vocabulary
    queries: tuple[Query, ...]
    background: frozenset[Atom]
    arrivals: Mapping[Atom, int]
    until: int
    resolver: Resolver
    windows: Mapping[str, tuple[int, int]]
    _relations: dict[tuple[str, tuple[bool, ...]], tuple[Pattern, ...]] = field(default_factory=dict)

    def patterns_of(self, atom: Atom) -> tuple[Pattern, ...]:
        """The ways to derive an atom, with its arguments but `ANY` as their head."""
        kept = tuple(a is not ANY for a in atom.arguments)
        key = (atom.predicate, kept)
        if key not in self._relations:
            names = [Variable(f"X{i}") for i in range(1, len(kept))]
            asked = Atom(atom.predicate, (*names, Variable("T")))
            heads = tuple(v.name for v, is_kept in zip(names, kept, strict=False) if is_kept)
            found = self.resolver.patterns(asked, heads, self.windows.get(atom.predicate))
            self._relations[key] = tuple(minimal(found))
        return self._relations[key]

    @cached_property
    def spread(self) -> int:
        """No two times that rules tie to each other lie further apart, over all rules together."""
        clauses = (each for own in self.resolver.clauses.values() for each in own)
        bodies = (each for clause in clauses for each in (Fact(clause.head), *clause.literals))
        terms = (term for each in bodies for term in each.operands)
        return 1 + sum(abs(int(each.shift)) for each in terms if isinstance(each, Variable))

    @staticmethod
    def asked_of(atom: Atom) -> tuple[Term, ...]:
        return tuple(a for a in atom.arguments if a is not ANY)


def prepare(checked: Checked, stream: Stream, until: int, most: int | None = None) -> Program:
    """Raises RefusedError for programs that the second edition refuses only when they are unfolded."""
    vocabulary, document = checked.vocabulary, checked.document
    clauses: dict[str, list[Clause]] = {}
    for rule in document.rules:
        clause = clause_of(rule, vocabulary)
        if clause is not None:
            clauses.setdefault(rule.head.predicate, []).append(clause)
    static = [c for name, group in clauses.items() if vocabulary.is_static(name) for c in group]
    resolver = Resolver(vocabulary, {name: tuple(group) for name, group in clauses.items()}, most)
    windows = {
        each.name: (_ticks(each.window, vocabulary), _ticks(each.horizon, vocabulary))
        for each in document.windows
    }
    program = Program(
        vocabulary,
        tuple(_query(q, resolver, windows) for q in document.queries),
        static_model(static, map(normal, stream.background)),
        admit(vocabulary, stream.arrivals).arrivals,
        until,
        resolver,
        windows,
    )
    refuse((pattern for query in program.queries for pattern in query.patterns), program.patterns_of)
    return program


def _query(query: syntax.Query, resolver: Resolver, windows: Mapping[str, tuple[int, int]]) -> Query:
    asked = Lowering(resolver.vocabulary).atom(query.atom)
    *objects, time = query.atom.terms
    names = tuple(dict.fromkeys(t.name for t in objects if isinstance(t, syntax.Variable)))
    patterns = minimal(resolver.patterns(asked, names, windows.get(asked.predicate)))
    return Query(asked.predicate, names, syntax.variable_of(time), asked, tuple(patterns))


def _ticks(bound: Bound | None, vocabulary: Vocabulary) -> int:
    if bound is None:
        return 0
    length = microseconds(bound)
    if bound.unit is None or length is None or vocabulary.tick is None:
        return int(bound.amount)
    return in_ticks(length, vocabulary.tick)
