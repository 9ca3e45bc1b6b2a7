"""When the atoms under negation become true or false.

A negated literal asks the relation it names for just the atoms in question, and nothing is stored:
the derivations of these atoms are worked out from the kept facts, those without evidence as well.

    not Shdn(wt2, 2)    true once every derivation of Shdn(wt2, 2) is false; false once one is complete
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

import numpy as np

from antelog.compile.literals.literal import AskedLiteral, Reference
from antelog.compile.literals.terms import Var
from antelog.compile.nodes.patterns import Pattern
from antelog.compile.prepared.pattern import Prepared
from antelog.engine.columns.room import TooLargeError
from antelog.engine.columns.spans import spans_of
from antelog.engine.columns.tables import (
    NEVER,
    Column,
    Mask,
    distinct,
    find_rows,
    groups,
    keys_of,
    marked,
    pairs,
)
from antelog.engine.matching.knowledge import Knowledge
from antelog.engine.matching.partials import Partial, partials
from antelog.engine.matching.rows import AS_OF, Rows, term_column, time_column
from antelog.engine.truth.derivations import Derivations, looked_back, with_facts
from antelog.engine.truth.settled import Settled
from antelog.engine.values.values import Values


class Truth(NamedTuple):
    """For each atom asked about, when it becomes true, when false, and by when that is certain."""

    true_at: Column
    false_at: Column
    settled: Column


Table: TypeAlias = list[Column]
"""Atoms of a relation: a column for each of its variables, then the ticks, then perhaps AS_OF."""


Placed: TypeAlias = tuple[Derivations, Column]
"""Derivations of atoms, and the position of each one's atom among those that are wanted."""


_AT = "<at>"
"""A column of rows: the position of their atom among those that are wanted."""


@dataclass(frozen=True, eq=False)
class Judge:
    """Says when atoms become true or false, and remembers what it has found out.

    `settled` has what is known for good of relations that rest on their own negation, and
    `through_time` decides the atoms of these that are not settled yet. `settled_by` says by when
    everything has come that a negated literal with open variables may rest on. Derivations that were found
    are `kept`, for what atoms were at earlier ticks is asked after what they are.
    """

    known: Knowledge
    settled: Mapping[str, Settled]
    through_time: Callable[[Judge, str, Table], Truth]
    settled_by: Callable[[Judge, Derivations, AskedLiteral], Column]
    _memo: dict[tuple[str, int], tuple[Table, Truth]] = field(default_factory=dict)
    kept: dict[str, tuple[Table, list[Placed]]] = field(default_factory=dict)

    def truth(self, name: str, wanted: Table) -> Truth:
        """What becomes of atoms of a relation, if nothing arrives any more."""
        if len(wanted[-1]) == 0:
            return Truth(wanted[-1], wanted[-1], wanted[-1])
        (key,) = keys_of([wanted])
        same = groups(key)
        once = [column.take(same.first) for column in wanted]
        found, numbers = self._recalled(name, once), same.numbers
        return Truth(*(column.take(numbers) for column in found))

    def _recalled(self, name: str, wanted: Table) -> Truth:
        """The same for atoms that are all different; what was found out before is looked up."""
        find_out = self.through_time if name in self.known.rules.cycles else _truth
        place = name, len(wanted)
        if place not in self._memo:
            found = find_out(self, name, wanted)
            self._memo[place] = wanted, found
            return found
        table, known = self._memo[place]
        at = find_rows(wanted, table)
        new = marked(at < 0)
        if len(new):
            fresh = [column.take(new) for column in wanted]
            at[new] = np.arange(len(new)) + len(table[0])
            more = find_out(self, name, fresh)
            known = Truth(*map(np.concatenate, zip(known, more, strict=True)))
            self._memo[place] = [np.concatenate(parts) for parts in zip(table, fresh, strict=True)], known
        return Truth(*(column.take(at) for column in known))

    def keep(self, name: str, wanted: Table, fresh: list[Placed]) -> None:
        """Keeps the derivations of atoms, together with those that are kept."""
        if name in self.kept:
            table, parts = self.kept[name]
            fresh = [*parts, *((found, at + len(table[0])) for found, at in fresh)]
            wanted = [np.concatenate(columns) for columns in zip(table, wanted, strict=True)]
        self.kept[name] = wanted, fresh


def with_negations(judge: Judge, found: Derivations, leaving: frozenset[str] = frozenset()) -> Derivations:
    """Derivations with the lines of their negated literals; those of the relations left out are unknown.

    A negated literal with open variables is neither true nor false: it waits until they have values.
    """
    first = len(found.prepared.facts)
    for i, negation in enumerate(found.prepared.asked, first):
        if not negation.variables <= found.rows.bound.keys():
            if AS_OF in found.rows.bound:
                found.settled[i] = judge.settled_by(judge, found, negation)
        elif (reference := negation.references[0]).name not in leaving:
            asked = asked_atoms(reference, found.rows, judge.known.values)
            known = judge.truth(reference.name, asked)
            found.holds[i], found.fails[i], found.settled[i] = known.false_at, known.true_at, known.settled
    return found


def asked_atoms(reference: Reference, rows: Rows, values: Values) -> Table:
    """The atoms an asked literal is about."""
    asked = [term_column(term, rows, values) for term in reference.asked]
    as_of = [rows.bound[AS_OF]] if AS_OF in rows.bound else []
    return [*asked, time_column(reference.last, rows), *as_of]


def _truth(judge: Judge, name: str, wanted: Table) -> Truth:
    count = len(wanted[0])
    true_at, false_at, settled = (np.full(count, tick, np.int64) for tick in (NEVER, -1, -1))
    for found, at in derived(judge, name, wanted):
        complete, failed = found.complete, found.failed
        np.minimum.at(true_at, at, complete)
        np.maximum.at(false_at, at, failed)
        open_ = (failed > looked_at(found)) & (found.holds > looked_at(found))
        np.maximum.at(settled, at, np.where(open_, found.settled, -1).max(axis=0, initial=-1))
    return Truth(true_at, np.where(true_at < NEVER, NEVER, false_at), settled)


def looked_at(found: Derivations) -> Column | np.int64:
    """As of which tick the derivations are looked at; -1 for now."""
    return found.rows.bound.get(AS_OF, np.int64(-1))


def derived(
    judge: Judge, name: str, wanted: Table, leaving: frozenset[str] = frozenset()
) -> Iterator[Placed]:
    """All derivations of the wanted atoms, with the position of each one's atom among them."""
    known, arity = judge.known, len(judge.known.rules.relations[name].answer.variables)
    as_of = len(wanted) > arity + 1
    if as_of and (back := _back(judge, name, wanted)) is not None:
        yield from ((with_negations(judge, found, leaving), at) for found, at in back)
        return
    fresh: list[Placed] = []
    for number, prepared in enumerate(known.rules.patterns[name]):
        seed = _seed(prepared, wanted, arity, known.values)
        for part in _rows(judge, name, number, seed):
            found, at = with_facts(known, prepared, part), part.rows.bound[_AT]
            fresh.append((found, at))
            yield with_negations(judge, found, leaving), at
    if not as_of:
        judge.keep(name, wanted, fresh)


def _back(judge: Judge, name: str, wanted: Table) -> list[Placed] | None:
    """The derivations of atoms as of earlier ticks: the same as now, if all have been looked at before.

    None if not, or if they are too many at once.
    """
    *atoms, then = wanted
    table, parts = judge.kept.get(name, ([then[:0]] * len(atoms), []))
    place = find_rows(atoms, table)
    if (place < 0).any():
        return None
    try:
        joins = [pairs(place, at) for _, at in parts]
    except TooLargeError:
        return None
    return [
        (looked_back(judge.known, found.take(there), then.take(here)), here)
        for (found, _), (here, there) in zip(parts, joins, strict=True)
    ]


def _rows(judge: Judge, name: str, number: int, seed: Rows) -> list[Partial]:
    """The rows of a pattern for some atoms; where they are too many at once, for half of these each."""
    known = judge.known
    prepared = known.rules.patterns[name][number]
    found = known.found(prepared, spans_of(distinct(time_column(prepared.pattern.time, seed))))
    try:
        return partials(prepared, seed, found, known.background[name][number], known.values)
    except TooLargeError as error:
        if seed.count < 2:
            raise TooLargeError(error.rows, f"{name}: {prepared.pattern.text}") from None
    half = np.arange(seed.count) < seed.count // 2
    return [part for some in (half, ~half) for part in _rows(judge, name, number, seed.take(some))]


def _seed(prepared: Prepared, wanted: Table, arity: int, values: Values) -> Rows:
    """The wanted atoms that the answer of a pattern fits, as values of its variables."""
    pattern, count = prepared.pattern, len(wanted[0])
    bound, fits = answering(pattern, dict(enumerate(wanted[:arity])), count, values)
    bound[_AT] = np.arange(count)
    ticks = wanted[arity] - pattern.time.offset
    if pattern.time.variable is not None:
        bound[pattern.time.variable] = ticks
    else:
        fits &= ticks == 0
    if len(wanted) > arity + 1:
        bound[AS_OF] = wanted[arity + 1]
    return Rows(bound, count).take(fits)


def answering(
    pattern: Pattern, given: Mapping[int, Column], count: int, values: Values
) -> tuple[dict[str, Column], Mask]:
    """What the variables of a pattern's answer are, if it has these values in some places, and where it can.

    The answer P(X, X, b) and the atoms P(a, a, b), P(a, c, b): X is a in both, and the first one fits.
    """
    bound: dict[str, Column] = {}
    fits = np.ones(count, np.bool_)
    for place, column in given.items():
        term = pattern.answer[place]
        if isinstance(term, Var):
            fits &= bound.setdefault(term.name, column) == column
        else:
            fits &= column == values.cell(term.value)
    return bound, fits
