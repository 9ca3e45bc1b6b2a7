"""A program made ready for evaluation: normal rules, finite domain, static facts, and the cut.

Times reach up to `last`. The margins are chosen so that the cut does not show:

- `reach` bounds how far apart two times can be that depend on each other through rules;
- an answer is `shown` if neither its time nor a time of its literals lies beyond `shown`;
- a tick up to `certain` that the truth table gives is exact, and one beyond stands for
  never: between `certain` and `last` there is room for every order in which the times of a
  rule can follow each other, and no fact that has arrived speaks of those times.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from antelog.errors import ProgramError
from antelog.language import Checked, syntax
from antelog.language.durations import in_ticks, microseconds
from antelog.language.syntax import Bound, Constant, Shifted, Value
from antelog.language.vocabulary import Kind, Type, Vocabulary
from antelog.reference.atoms import Atom
from antelog.reference.background import static_model
from antelog.reference.clauses import Clause, clause_of
from antelog.reference.domain import domain, known_values
from antelog.reference.stream import Stream, admit, fits, normal


@dataclass(frozen=True)
class Query:
    """A query and, if it declares one, its window: the evidence lies in `[T - back, T + ahead]`."""

    atom: syntax.Atom
    window: tuple[int, int] | None


@dataclass(frozen=True)
class Program:
    """Everything the definitions refer to, for one program and one stream.

    `rules` are all rules in normal form, and `clauses` the temporal ones by the predicate they
    derive. `given` are the static facts from outside the program, and `background` whatever
    static facts hold.
    """

    vocabulary: Vocabulary
    rules: tuple[Clause, ...]
    clauses: Mapping[str, tuple[Clause, ...]]
    queries: tuple[Query, ...]
    known: frozenset[Value]
    domain: tuple[Value, ...]
    given: frozenset[Atom]
    background: frozenset[Atom]
    arrivals: Mapping[Atom, int]
    until: int
    reach: int
    shown: int
    certain: int
    last: int

    def kind(self, predicate: str) -> Kind:
        return self.vocabulary[predicate].kind

    @cached_property
    def ranges(self) -> Mapping[Type | None, tuple[Value, ...]]:
        """The values of the domain that a column of a type can hold."""
        return {t: tuple(v for v in self.domain if fits(v, t)) for t in (None, *Type)}

    @cached_property
    def windows(self) -> Mapping[str, tuple[int, int]]:
        """The declared windows by predicate."""
        return {q.atom.predicate: q.window for q in self.queries if q.window is not None}

    @cached_property
    def recursive(self) -> frozenset[str]:
        """The predicates that rest on themselves through positive atoms."""
        needs = {
            name: {atom.predicate for clause in clauses for atom in clause.positive}
            for name, clauses in self.clauses.items()
        }
        for _ in self.clauses:
            needs = {name: used.union(*(needs.get(u, ()) for u in used)) for name, used in needs.items()}
        return frozenset(name for name, used in needs.items() if name in used)


def prepare(checked: Checked, stream: Stream, until: int, more: Iterable[Value] = ()) -> Program:
    """The program together with all facts of the stream, to be asked about ticks up to `until`.

    `more` are values to add to the domain, which changes nothing for answers without them.
    """
    if not checked.ok:
        raise ProgramError(checked.diagnostics, checked.document.source)
    vocabulary = checked.vocabulary
    clauses = [clause_of(rule, vocabulary) for rule in checked.document.rules]
    static = [c for c in clauses if vocabulary.is_static(c.head.predicate)]
    arrivals = admit(vocabulary, stream.arrivals).arrivals
    given = frozenset(normal(fact) for fact in stream.background)
    background = static_model(static, given)
    known = known_values(checked.document, vocabulary, clauses, (*arrivals, *background))
    queries = tuple(_query(q, vocabulary) for q in checked.document.queries)
    temporal: dict[str, tuple[Clause, ...]] = {}
    for clause in clauses:
        if clause not in static:
            temporal[clause.head.predicate] = (*temporal.get(clause.head.predicate, ()), clause)
    reach = _reach(temporal, queries)
    slowest = max(
        d for p in vocabulary.predicates.values() for d in (p.delay, *(r.delay for r in p.refinements))
    )
    asked = [t.value for q in queries if isinstance(t := q.atom.terms[-1], Constant)]
    named = [time for time in (*_constant_times(clauses), *asked) if isinstance(time, int)]
    shown = max([until, *named]) + 2 * reach
    certain = shown + reach + slowest + 1
    return Program(
        vocabulary,
        tuple(clauses),
        temporal,
        queries,
        known,
        domain(known.union(more), vocabulary, clauses),
        given,
        background,
        arrivals,
        until,
        reach,
        shown,
        certain,
        certain + reach + max(map(_room, clauses), default=0),
    )


def _query(query: syntax.Query, vocabulary: Vocabulary) -> Query:
    if query.window is None and query.horizon is None:
        return Query(query.atom, None)
    return Query(query.atom, (_ticks(query.window, vocabulary), _ticks(query.horizon, vocabulary)))


def _ticks(bound: Bound | None, vocabulary: Vocabulary) -> int:
    if bound is None:
        return 0
    length = microseconds(bound)
    if bound.unit is None or length is None or vocabulary.tick is None:
        return int(bound.amount)
    return in_ticks(length, vocabulary.tick)


def _reach(clauses: Mapping[str, tuple[Clause, ...]], queries: tuple[Query, ...]) -> int:
    """A bound on the sum of offsets along a chain of rules that uses each predicate once.

    It need not go round a cycle: through negation a cycle leads into the past only, and
    other cycles stay within a window.
    """
    steps = {
        (name, atom.predicate): 0 for name, group in clauses.items() for c in group for atom in c.atoms[1:]
    }
    for name, group in clauses.items():
        for clause in group:
            for atom in (*clause.positive, *clause.negated):
                here, there = clause.offset(clause.head), clause.offset(atom)
                shift = abs(there[1] - here[1]) if here and there else 0
                steps[name, atom.predicate] = max(
                    steps[name, atom.predicate], shift + _compared_shift(clause)
                )
    furthest = dict.fromkeys({name for edge in steps for name in edge}, 0)
    for _ in clauses:
        before = dict(furthest)
        for (name, other), shift in steps.items():
            furthest[name] = max(furthest[name], shift + before[other])
    return max(furthest.values(), default=0) + sum(sum(q.window) for q in queries if q.window)


def _compared_times(clause: Clause) -> list[syntax.Term]:
    """The sides of the comparisons between times."""
    return [
        side
        for c in clause.comparisons
        if {syntax.variable_of(c.left), syntax.variable_of(c.right)} & clause.times
        for side in (c.left, c.right)
    ]


def _compared_shift(clause: Clause) -> int:
    """How far apart comparisons can hold two times of a clause: `T2 <= T1 + 5`."""
    return sum(abs(int(t.offset)) for t in _compared_times(clause) if isinstance(t, Shifted))


def _constant_times(clauses: Iterable[Clause]) -> list[Value]:
    """The constants among the times of clauses, in atoms and comparisons."""
    terms = [term for c in clauses for term in (*c.time_terms, *_compared_times(c))]
    return [term.value for term in terms if isinstance(term, Constant)]


def _room(clause: Clause) -> int:
    """How many ticks the times of a clause need to follow each other in every order."""
    terms = (*clause.time_terms, *_compared_times(clause))
    offsets = [abs(int(term.offset)) for term in terms if isinstance(term, Shifted)]
    return (len(clause.times) + 1) * (1 + max(offsets, default=0))
