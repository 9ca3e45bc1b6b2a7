"""The rows of patterns that are about given atoms, and atoms that literals with open variables ask for.

Shdn(wt2, 2) and the pattern Cool(X, T), Flag(X, T+1) of Shdn(X, T+1)    the rows with X = wt2, T = 1
A(X, T), B(Y, T+1), not C(Y, T), Y != X, and A(a, 3) came                C(Y, 3), with Y != a
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from antelog.compile.literals import Comparison
from antelog.compile.literals.literal import AskedLiteral, Reference
from antelog.compile.literals.terms import Const, Time, Var
from antelog.compile.nodes.patterns import Pattern
from antelog.compile.prepared.pattern import Prepared
from antelog.engine.columns.column_set import ColumnSet
from antelog.engine.columns.joins import TickRange, TooLargeError
from antelog.engine.columns.spans import Spans, covering, spans_of
from antelog.engine.columns.tables import Column, Mask, distinct, marked
from antelog.engine.step.derivations import Atoms, Knowledge
from antelog.engine.step.matching import Partial, partials
from antelog.engine.step.rows import Rows, first_tick, latest_tick, passing, term_column, time_column
from antelog.engine.values.values import Values


def rows_for(known: Knowledge, name: str, number: int, seed: Rows) -> list[Partial]:
    """The rows of a pattern for some atoms; where they are too many at once, for half of these each."""
    if seed.count == 0:
        return []
    prepared = known.rules.patterns[name][number]
    found = known.found(prepared, _about(prepared, seed))
    try:
        parts = partials(prepared, seed, found, known.static.of_patterns[name][number], known.values)
        return [_inside(prepared, part) for part in parts]
    except TooLargeError as error:
        if seed.count < 2:
            raise TooLargeError(error.rows, f"{name}: {prepared.pattern.text}") from None
    half = np.arange(seed.count) < seed.count // 2
    return [part for some in (half, ~half) for part in rows_for(known, name, number, seed.take(some))]


def _inside(prepared: Prepared, part: Partial) -> Partial:
    """The rows whose times lie in the ranges that are asked for."""
    time, range_ = prepared.pattern.time.variable, part.rows.time
    if range_ is None or time is None or time not in part.rows.bound:
        return part
    ticks = part.rows.bound[time]
    return part.take(marked((range_.first <= ticks) & (ticks <= range_.last)))


def _about(prepared: Prepared, seed: Rows) -> Spans:
    """The ticks that the atoms of a seed are about."""
    time = prepared.pattern.time
    if seed.time is not None:
        return covering(seed.time.first + time.offset, seed.time.last + time.offset)
    return spans_of(distinct(time_column(time, seed)))


def seed_of(prepared: Prepared, atoms: Atoms, values: Values) -> Rows:
    """The atoms that the answer of a pattern fits, as values of its variables."""
    pattern = prepared.pattern
    given = {i: column for i, column in enumerate(atoms.arguments) if column is not None}
    bound, fits = _answering(pattern, given, atoms.count, values)
    first, time = atoms.time - pattern.time.offset, None
    last = first if atoms.last is None else atoms.last - pattern.time.offset
    if pattern.time.variable is None:
        fits &= (first <= 0) & (last >= 0)
    elif atoms.last is None:
        bound[pattern.time.variable] = first
    else:
        time = TickRange(first, last)
    return Rows(bound, atoms.count, np.arange(atoms.count), atoms.as_of, time).take(fits)


def _answering(
    pattern: Pattern, given: Mapping[int, Column], count: int, values: Values
) -> tuple[dict[str, Column], Mask]:
    """The values of a pattern's variables, if its answer has these at some positions, and where it can.

    The answer P(X, X, b) and the atoms P(a, a, b), P(a, c, b): X is a in both, and the first one fits.
    """
    bound: dict[str, Column] = {}
    fits = np.ones(count, np.bool_)
    for position, column in given.items():
        term = pattern.answer[position]
        if isinstance(term, Var):
            fits &= bound.setdefault(term.name, column) == column
        elif isinstance(term, Const):
            fits &= column == values.cell(term.value)
    return bound, fits


@dataclass(frozen=True, eq=False)
class OpenAtoms(ColumnSet):
    """Atoms that a literal with open variables may ask for, and the conditions on these variables.

    `given` has the values that the conditions compare them with, one row for each of the atoms.
    """

    reference: Reference
    atoms: Atoms
    conditions: Sequence[Comparison]
    given: Mapping[str, Column]

    @property
    def columns(self) -> list[Column]:
        """All that says which row is which."""
        return [*self.atoms.columns, *self.given.values()]

    def kind(self, depth: int) -> Hashable:
        """The kind of atoms whose columns can be compared, looked at in this depth."""
        open_ = tuple(column is None for column in self.atoms.arguments)
        return self.reference, tuple(self.conditions), *self.given, open_, self.atoms.last is None, depth

    def meeting(self, values: Values, prepared: Prepared, rows: Rows) -> Column:
        """The rows that meet the conditions of the literal's own variables, as far as they have values."""
        reference, owner = self.reference, rows.owner
        assert owner is not None
        bound = {name: column.take(owner) for name, column in self.given.items()} | {
            term.name: term_column(answer, rows, values)
            for term, answer in zip(reference.given, prepared.pattern.answer, strict=True)
            if isinstance(term, Var) and (not isinstance(answer, Var) or answer.name in rows.bound)
        }
        own, atoms = prepared.pattern.time, self.atoms
        if own.variable is None or own.variable in rows.bound:
            ticks = time_column(own, rows)
            first = atoms.time.take(owner)
            fits = (first <= ticks) & (ticks <= (first if atoms.last is None else atoms.last.take(owner)))
            time = reference.first
            if time == reference.last and time.variable is not None:
                bound[time.variable] = ticks - time.offset
        else:
            fits = first_tick(prepared, own, rows) <= latest_tick(prepared, own, rows)
        return marked(fits & passing(self.conditions, bound, rows.count, values))


def known_tick(time: Time, rows: Rows) -> Column | None:
    """The tick of a time in each row; None if it is open."""
    return time_column(time, rows) if time.variable is None or time.variable in rows.bound else None


def conditions_on_open(prepared: Prepared, literal: AskedLiteral, rows: Rows) -> list[Comparison]:
    """The comparisons that the open variables of the literal have to meet, about no other open ones."""
    open_, own = literal.variables - rows.bound.keys(), literal.variables | rows.bound.keys()
    return [c for c in prepared.pattern.comparisons if c.variables & open_ and c.variables <= own]
