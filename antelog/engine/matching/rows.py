"""Rows: the values that evidence gives to the variables of a pattern, and how rows are joined.

In come the kept facts and a fact literal, out go rows, one for each fact that fits:

    Temp(X, high, T) and Temp(wt2, high, 7), Temp(wt2, low, 8)    X = wt2, T = 7, arrived at 7
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from antelog.compile.literals.fact import FactLiteral
from antelog.compile.literals.terms import Term, Time, Var
from antelog.engine.columns.bands import Band, band_pairs
from antelog.engine.columns.room import make_room
from antelog.engine.columns.spans import Spans, span
from antelog.engine.columns.tables import (
    Column,
    Mask,
    find_rows,
    groups,
    keys_of,
    marked,
    pairs,
    positions,
    spread,
)
from antelog.engine.facts.facts import Facts, Places
from antelog.engine.facts.history import History, gather, gather_each
from antelog.engine.values.comparing import passing
from antelog.engine.values.values import Values

Bound = Mapping[str, Column]

AS_OF = "<as of>"
"""An extra column of rows: facts that arrived after this tick count as not yet arrived."""


@dataclass(frozen=True)
class Rows:
    """Bindings: for each variable its column; `count` rows."""

    bound: Bound
    count: int

    def take(self, at: Column | Mask) -> Rows:
        at = positions(at)
        return Rows({name: column.take(at) for name, column in self.bound.items()}, len(at))


ONE = Rows({}, 1)
"""A single row that binds nothing."""


def term_column(term: Term, rows: Rows, values: Values) -> Column:
    if isinstance(term, Var):
        return rows.bound[term.name]
    return np.full(rows.count, values.cell(term.value), np.int64)


def time_column(time: Time, rows: Rows) -> Column:
    if time.variable is None:
        return np.full(rows.count, time.offset, np.int64)
    ticks: Column = rows.bound[time.variable] + time.offset
    return ticks


@dataclass(frozen=True)
class Found:
    """The facts that fit a literal: their bindings, each once, and when the first of them arrived."""

    rows: Rows
    arrived: Column

    def take(self, at: Column) -> Found:
        return Found(self.rows.take(at), self.arrived.take(at))


def facts_for(literal: FactLiteral, history: History, about: Spans | None, values: Values) -> Found:
    """The facts of a literal about some ticks (None: about any), and perhaps more about others."""
    return facts_for_each([literal], history, [about], values)[0]


def facts_for_each(
    literals: Sequence[FactLiteral], history: History, about: Sequence[Spans | None], values: Values
) -> tuple[Found, ...]:
    """The same for several literals, each with its ticks."""
    found: dict[int, Found] = {}
    alike: dict[tuple[str, Places, Places], list[int]] = {}
    for i, literal in enumerate(literals):
        predicate, time = literal.node.predicate, literal.node.time
        constants = tuple((column, values.cell(value)) for column, value in literal.constants)
        if time.variable is None:
            tick = span(time.offset, time.offset)
            facts = gather(history, predicate, tick, constants, literal.repeats)
            found[i] = _found(literal, facts, values)
        else:
            alike.setdefault((predicate, constants, literal.repeats), []).append(i)
    for (predicate, constants, repeats), which in alike.items():
        each = gather_each(history, predicate, [about[i] for i in which], constants, repeats)
        found |= {i: _found(literals[i], facts, values) for i, facts in zip(which, each, strict=True)}
    return tuple(found[i] for i in range(len(literals)))


def _found(literal: FactLiteral, facts: Facts, values: Values) -> Found:
    """Facts that have a literal's constants, as its bindings."""
    time, bound = literal.node.time, {name: facts.columns[column] for name, column in literal.binds}
    if time.variable is not None:
        bound[time.variable] = facts.time - time.offset if time.offset else facts.time
    # No fact is there twice, so neither is a binding.
    rows = Rows(bound, facts.count)
    if not literal.tests:
        return Found(rows, facts.arrival)
    at = marked(passing(literal.tests, bound, facts.count, values))
    return Found(rows.take(at), facts.arrival.take(at))


def joined(left: Rows, right: Rows) -> Rows:
    """Every row on the left with every row on the right that agrees where both are bound."""
    return meeting(left, right)[0]


@dataclass(frozen=True)
class Within:
    """A variable of the right that has to lie in a band, which is given for each row on the left."""

    variable: str
    band: Band


def meeting(
    left: Rows, right: Rows, within: Within | None = None
) -> tuple[Rows, Column | None, Column | None]:
    """The same, and for each row which one it is of on the left and on the right (None: each is itself)."""
    if within is None and not left.bound and left.count == 1:
        return right, np.zeros(right.count, np.int64), None
    if not right.bound and right.count == 1:
        return left, None, np.zeros(left.count, np.int64)
    shared = [name for name in left.bound if name in right.bound]
    if within is not None:
        keys = keys_of([[side.bound[name] for name in shared] for side in (left, right)]) if shared else None
        one, other = keys or (np.zeros(side.count, np.int64) for side in (left, right))
        here, there = band_pairs(one, other, within.band, right.bound[within.variable])
    elif shared:
        keys = keys_of([[side.bound[name] for name in shared] for side in (left, right)])
        here, there = pairs(*keys)
    else:
        counts = np.full(left.count, right.count)
        make_room(counts)
        here, there = spread(np.zeros(left.count, np.int64), counts)
    bound = {name: column.take(here) for name, column in left.bound.items()}
    bound |= {name: column.take(there) for name, column in right.bound.items() if name not in bound}
    return Rows(bound, len(here)), here, there


def distinct(parts: Iterable[Rows]) -> Rows:
    """All rows of tables with the same variables, each once."""
    tables = [part for part in parts if part.count]
    if len(tables) == 0:
        return Rows({}, 0)
    names = list(tables[0].bound)
    bound = {name: np.concatenate([t.bound[name] for t in tables]) for name in names}
    if not names:
        return ONE
    (key,) = keys_of([list(bound.values())])
    return Rows(bound, len(key)).take(groups(key).first)


def agrees(rows: Rows, table: Rows) -> Mask:
    """For each row, whether the table has one with the same values; the row binds all its variables."""
    if not table.bound:
        return np.full(rows.count, table.count > 0)
    return find_rows(*([side.bound[name] for name in table.bound] for side in (rows, table))) >= 0


@dataclass(frozen=True)
class Background:
    """What static facts say of a pattern: the bindings they leave, and those they forbid."""

    rows: Rows
    forbidden: tuple[Rows, ...]
