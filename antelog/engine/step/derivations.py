"""Derivations, and the knowledge of a step that they are found with; ticks hold if nothing more arrives.

Temp(wt2, high, 0)   delay 1, arrived at 0     true at 0, never false, due at 1
Temp(wt2, high, 1)   delay 1, not there        never true, false at 2, due at 2
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import NamedTuple, TypeAlias

import numpy as np

from antelog.compile.literals.literal import Reference
from antelog.compile.literals.terms import variables_in
from antelog.compile.prepared.pattern import Prepared
from antelog.compile.prepared.rules import Rules
from antelog.engine.columns.joins import TickRange, find_rows
from antelog.engine.columns.spans import Spans
from antelog.engine.columns.tables import NEVER, Column, ColumnSet, Mask, RowSet, marked, or_never
from antelog.engine.facts.history import History, Seen
from antelog.engine.facts.sight import Sight
from antelog.engine.step.matching import StaticFacts, Twins
from antelog.engine.step.query import Step, StepQuery
from antelog.engine.step.rows import LiteralFacts, Rows, facts_for_each, term_column, time_column
from antelog.engine.values.encoding import OTHERS
from antelog.engine.values.numbers import Numbers
from antelog.engine.values.values import Values

ALWAYS = -1  # before the first tick
_RECALLED = 300_000  # with more rows than this, only those that were asked for last are recalled

AmountSoFar: TypeAlias = Callable[[Column, Column], Numbers]  # an aggregate's values, by rows and ticks


class Truth(NamedTuple):
    """Truth over time: for each row the ticks at which it becomes true, becomes false, and is decided."""

    true_at: Column
    false_at: Column
    decided: Column

    @classmethod
    def of_nothing(cls, count: int) -> Truth:
        """The truth of what has no derivation: false from the start."""
        return cls(*(np.full(count, tick, np.int64) for tick in (NEVER, -1, -1)))

    def add(self, row: Column, other: Truth) -> None:
        """Adds derivations of some rows, in place: true with the first, false with the last."""
        np.minimum.at(self.true_at, row, other.true_at)
        np.maximum.at(self.false_at, row, other.false_at)
        np.maximum.at(self.decided, row, other.decided)

    def take(self, at: Column) -> Truth:
        return Truth(*(column.take(at) for column in self))


@dataclass(frozen=True, eq=False)
class Atoms(RowSet):
    """Atoms of a relation, one for each row: their arguments (None: any value) and their ticks."""

    relation: str
    arguments: tuple[Column | None, ...]
    time: Column
    last: Column | None = None  # an atom at any tick from `time` to this is asked for
    as_of: Column | None = None  # facts that arrived later are not there

    @property
    def whole(self) -> bool:
        """Whether each is one atom: all of its arguments and its tick are given."""
        return self.last is None and all(column is not None for column in self.arguments)

    @property
    def given(self) -> frozenset[int]:
        """The positions of the arguments that are given."""
        return frozenset(place for place, column in enumerate(self.arguments) if column is not None)

    @property
    def columns(self) -> list[Column]:
        return [
            column for column in (*self.arguments, self.time, self.last, self.as_of) if column is not None
        ]


def atoms_of(reference: Reference, rows: Rows, values: Values) -> Atoms:
    """The atoms that a literal refers to in rows that bind its times."""
    first = time_column(reference.first, rows)
    last = None if reference.first == reference.last else time_column(reference.last, rows)
    return Atoms(reference.name, arguments_of(reference, rows, values), first, last, rows.as_of)


def arguments_of(reference: Reference, rows: Rows, values: Values) -> tuple[Column | None, ...]:
    """The arguments of the atoms that a literal refers to in rows; open ones have any value."""
    return tuple(
        term_column(term, rows, values)
        if term is not None and variables_in([term]) <= rows.bound.keys()
        else None
        for term in reference.given
    )


@dataclass(frozen=True, eq=False)
class Derivations(ColumnSet):
    """Rows of a pattern, and when each of their literals becomes true (`holds`) or false (`fails`)."""

    axis = 1

    prepared: Prepared
    rows: Rows
    holds: Column  # a line for each fact literal, then for the asked ones once they are worked out
    fails: Column
    decided: Column  # by when all that a literal depends on has arrived or never will
    progress: tuple[AmountLine, ...] = ()  # the values of aggregates

    @property
    def owner(self) -> Column:
        """For each row the position of the atom it derives, among the atoms asked for."""
        assert self.rows.owner is not None
        return self.rows.owner

    def owned_by(self, owner: Column) -> Derivations:
        return replace(self, rows=replace(self.rows, owner=owner))

    def with_lines(self, lines: Sequence[Truth], progress: Sequence[AmountLine]) -> Derivations:
        if not lines:
            return self
        before = (self.holds, self.fails, self.decided)
        holds, fails, decided = map(np.vstack, zip(before, *lines, strict=True))
        return Derivations(self.prepared, self.rows, holds, fails, decided, tuple(progress))

    @property
    def steps(self) -> Iterator[Column]:
        """The lines of ticks at which rows get evidence: a literal is true, or a value reaches a quarter."""
        yield from self.holds
        for each in self.progress:
            yield from each.quarters

    def as_of(self, then: Column) -> Derivations:
        """The derivations with their fact literals only, as of some ticks, without later facts."""
        facts = len(self.prepared.facts)
        due, true = self.decided[:facts], self.holds[:facts] <= then
        fails = or_never(due, true)
        if any(fact.slot is not None for fact in self.prepared.facts):
            before = self.fails[:facts]
            fails = np.where(before <= then, before, fails)
        rows = replace(self.rows, as_of=then)
        return Derivations(self.prepared, rows, or_never(self.holds[:facts], ~true), fails, due)

    def during(self, since: Column | np.int64, until: Column | np.int64) -> Derivations:
        """The derivations while they are supported, from some ticks on and until others."""
        before, count = self.rows.latest, self.rows.count
        first = np.full(count, np.int64(-1)) if before is None else before.first
        last = np.full(count, NEVER) if before is None else before.last
        within = TickRange(np.maximum(since, first), np.minimum(until, last))
        return replace(self, rows=replace(self.rows, latest=within))

    @property
    def complete(self) -> Column:
        """The tick from which all literals of a row are true."""
        last: Column = self.holds.max(axis=0, initial=-1)
        return last

    @property
    def failed(self) -> Column:
        """The tick from which some literal of a row is false."""
        first: Column = self.fails.min(axis=0, initial=NEVER)
        return first

    @property
    def seen(self) -> Column | np.int64:
        """The ticks as of which the rows are seen; -1 for now."""
        return np.int64(-1) if self.rows.as_of is None else self.rows.as_of

    @property
    def open_until(self) -> Column:
        """The last tick by which an open literal is decided; -1 if none is open, or one is false."""
        return self._open_until(len(self.holds))

    @property
    def due_facts(self) -> Column:
        """The last tick by which an open fact literal is decided; -1 if none is open."""
        return self._open_until(len(self.prepared.facts))

    def _open_until(self, lines: int) -> Column:
        is_open = self.holds[:lines] > self.seen
        last: Column = ((self.decided[:lines] + 1) * is_open).max(axis=0, initial=0) - 1
        return last


def answer_time(found: Derivations) -> Column:
    """The times of the answers of derivations; -1 where they are still open."""
    time, rows = found.prepared.pattern.time, found.rows
    if time.variable is not None and time.variable not in rows.bound:
        return np.full(rows.count, np.int64(-1))
    return time_column(time, rows)


# ---- lives ----


@dataclass(frozen=True, eq=False)
class Life(ColumnSet):
    """The life of each row: the ticks from which it is supported, complete, and false."""

    supported: Column
    complete: Column
    end: Column


def life_of(found: Derivations, step: Step) -> Life:
    prepared, rows = found.prepared, found.rows
    facts = len(prepared.facts)
    supported = spoken_for(found) if facts else np.full(rows.count, np.int64(-1))
    if prepared.clocked:
        time = time_column(prepared.pattern.time, rows)
        supported = np.maximum(supported, np.where(time < step.begin, NEVER, time))
    complete, end = found.complete, found.failed
    if rows.seen is not None:
        supported = np.maximum(supported, rows.seen)
    if rows.latest is not None:
        supported, end = np.maximum(supported, rows.latest.first), np.minimum(end, rows.latest.last)
    # What is so by the rules alone is so from the first tick on.
    supported = np.maximum(supported, step.begin)
    return Life(supported, np.maximum(complete, supported), end)


def spoken_for(found: Derivations) -> Column:
    """The tick from which facts have given a row all its values, and at least one fact is there."""
    prepared, holds = found.prepared, found.holds
    sources = _sources(prepared, found.rows.bound.keys() - prepared.given)
    if not sources:
        sources.add(tuple(range(len(prepared.facts))))
    since: list[Column] = [holds[list(which)].min(axis=0, initial=NEVER) for which in sources]
    return reduce(np.maximum, since)


def _sources(prepared: Prepared, names: Iterable[str]) -> set[tuple[int, ...]]:
    """The fact literals that may give each of some variables its value."""
    return {tuple(i for i, f in enumerate(prepared.facts) if n in f.variables) for n in names} - {()}


def given_since(found: Derivations, asked: Atoms) -> Column:
    """The tick from which facts have given a row its values, besides those that were asked for."""
    prepared, holds = found.prepared, found.holds
    pattern, known = prepared.pattern, set(prepared.given)
    known |= variables_in(pattern.answer[place] for place in asked.given)
    if asked.last is None and pattern.time.variable is not None:
        known.add(pattern.time.variable)
    sources = _sources(prepared, found.rows.bound.keys() - known)
    since = (holds[list(which)].min(axis=0, initial=NEVER) for which in sources)
    return reduce(np.maximum, since, np.full(found.rows.count, np.int64(-1)))


def mattering(found: Derivations, life: Life, query: StepQuery) -> Column:
    """The rows supported at some tick of the step or, if the past matters, before it."""
    step = query.step
    since = -1 if query.past else step.before
    matter = life.end > np.maximum(life.supported, since)
    if not found.prepared.clocked:
        matter &= life.supported <= step.now
    if query.confirmed_only and len(found.prepared.asked) == 0:
        matter &= life.complete <= step.now
    for name in found.prepared.pattern.unguarded:
        # What becomes of all others decides whether a value that is seen later is reported.
        matter |= found.rows.bound[name] == OTHERS
    return marked(matter)


# ---- knowledge ----


@dataclass(frozen=True, eq=False)
class Knowledge:
    """The rules, values, kept facts, background, and decided atoms of cycles."""

    rules: Rules
    values: Values
    history: History
    static: StaticFacts
    seen: Seen  # the values of unguarded variables
    decided: Mapping[str, DecidedAtoms]
    memo: Memo
    sight: Sight | None = None  # with it, deadlines at ticks at which sources are unseen do not count

    @property
    def believing(self) -> Knowledge:
        """The knowledge in which every deadline counts."""
        return self.memo.promised or self

    def twins(self, query: StepQuery) -> Twins | None:
        """The twins of a query's answers; None if there are none, or if only some answers are reported."""
        some = query.wanted.share is not None or query.settled is not None
        return None if some else self.static.twins.get(query.name)

    def found(self, prepared: Prepared, about: Spans | None) -> tuple[LiteralFacts, ...]:
        """The facts of each fact literal of a pattern, for answers about some ticks (None: about any)."""
        around = [
            None if about is None else about.shifted(fact.behind, fact.ahead) for fact in prepared.facts
        ]
        return facts_for_each(prepared.facts, self.history, around, self.values)


@dataclass(frozen=True, eq=False)
class FoundTruths:
    """Atoms of a relation in a cycle, each whole and as of now, and when they are true and false."""

    atoms: Atoms
    truth: Truth

    def places(self, atoms: Atoms, delay: int | None) -> Column:
        """The position here of each whole atom; -1 if it is missing, or may differ as of its tick."""
        places = find_rows([*replace(atoms, as_of=None).columns], self.atoms.columns)
        if atoms.as_of is None:
            return places
        seen = np.zeros(atoms.count, np.bool_) if delay is None else atoms.as_of >= atoms.time + delay
        return np.where(seen, places, -1)

    def and_more(self, atoms: Atoms, truth: Truth) -> FoundTruths:
        parts = (np.concatenate(both) for both in zip(self.truth, truth, strict=True))
        return FoundTruths(self.atoms.and_then(atoms), Truth(*parts))


class Memo:
    """The truth of atoms found out in a step, and the derivations of those that are seen as of now."""

    def __init__(self, promised: Knowledge | None = None) -> None:
        self.promised = promised  # the knowledge in which every deadline counts
        self._recalled: dict[Hashable, tuple[list[Column], tuple[Column, ...]]] = {}
        self.derivations: dict[str, tuple[list[Column], list[Derivations]]] = {}
        self.may_be_true: dict[str, Atoms | None] = {}  # of relations in cycles; None: unknown
        self.through_time: dict[frozenset[str], dict[str, FoundTruths]] = {}  # decided block by block

    def recall(
        self, kind: Hashable, columns: list[Column], find: Callable[[Column], tuple[Column, ...]]
    ) -> tuple[Column, ...]:
        """Columns for rows of a kind, each there once; `find` is called for those not asked for before."""
        before = self._recalled.get(kind)
        if before is None:
            found = find(np.arange(len(columns[0])))
            self._recalled[kind] = columns, found
            return found
        table, found = before
        at = find_rows(columns, table)
        new = marked(at < 0)
        if len(new):
            at[new] = np.arange(len(new)) + len(table[0])
            found = tuple(map(np.concatenate, zip(found, find(new), strict=True)))
            table = [np.concatenate([old, each.take(new)]) for old, each in zip(table, columns, strict=True)]
        wanted = tuple(column.take(at) for column in found)
        self._recalled[kind] = (columns, wanted) if len(table[0]) > _RECALLED else (table, found)
        return wanted

    def keep_derivations(self, atoms: Atoms, found: Sequence[Derivations]) -> None:
        """Adds the derivations of atoms to the kept ones; their owners are moved to the whole table."""
        table, parts = self.derivations.get(atoms.relation, (None, []))
        if table is None:
            self.derivations[atoms.relation] = atoms.columns, [*found]
            return
        first = len(table[0])
        moved = (each.owned_by(each.owner + first) for each in found)
        whole = [np.concatenate(columns) for columns in zip(table, atoms.columns, strict=True)]
        self.derivations[atoms.relation] = whole, [*parts, *moved]


@dataclass(frozen=True, eq=False)
class AmountLine(ColumnSet):
    """The value of an aggregate over time, for derivations: `which` of the rows of `so_far` each has."""

    axis = -1
    shared = frozenset({"so_far", "reached"})

    literal: int  # its number in the pattern
    which: Column
    so_far: AmountSoFar
    reached: Callable[[], Column]  # finds when each of the rows comes to each quarter

    @property
    def quarters(self) -> Column:
        """The ticks at which each quarter is reached: of `>= 8` with 2, 4, 6 and 8."""
        return self.reached().take(self.which, axis=1)

    def values(self, row: Column, tick: Column) -> Numbers:
        return self.so_far(self.which.take(row), tick)


@dataclass(frozen=True)
class DecidedAtoms(ColumnSet):
    """The remembered atoms of a relation that rests on its own negation; they are decided up to `until`."""

    until: int
    columns: tuple[Column, ...]
    ticks: Column
    true: Mask
    when: Column  # since when they are true, or false; ALWAYS where nobody can still ask

    def lookup(self, columns: list[Column], ticks: Column) -> tuple[Mask, Column]:
        """Whether atoms about ticks up to `until` are true, and since when they are true, or false."""
        result, when = np.zeros(len(ticks), np.bool_), np.full(len(ticks), ALWAYS)
        undecided = np.ones(len(ticks), np.bool_)
        # A missing atom is as the one with "all others" in place of one of its values, or else false.
        general = [i for i, column in enumerate(self.columns) if np.any(column == OTHERS)]
        for others in (None, *general):
            asked = [np.full_like(c, OTHERS) if i == others else c for i, c in enumerate(columns)]
            at = find_rows([*asked, ticks], [*self.columns, self.ticks])
            hit = undecided & (at >= 0)
            result[hit], when[hit] = self.true[at[hit]], self.when[at[hit]]
            undecided &= ~hit
        return result, when


def nothing_decided(width: int) -> DecidedAtoms:
    empty = np.zeros(0, np.int64)
    return DecidedAtoms(-1, (empty,) * width, empty, np.zeros(0, np.bool_), empty)
