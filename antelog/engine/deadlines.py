"""By when the fact a literal waits for must have arrived."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from antelog.compile.plan import Atom, Const, Input, Time, Var
from antelog.engine.comparing import holds
from antelog.engine.lateness import tables_of
from antelog.engine.layout import Layout, compared
from antelog.engine.match import Rows
from antelog.engine.tables import NEVER, Column, Mask, find, keys_of
from antelog.engine.values import Values


def possible_delays(source: Input, values: Values) -> tuple[int, ...]:
    """Every delay that some fact of an input may have."""
    return tuple({source.delay, *(int(d) for table in tables_of(source, values) for d in table.delays)})


def deadline(
    layout: Layout, atom: Atom, rows: Rows, source: Input, values: Values, apart: frozenset[str]
) -> Column:
    """For each row, the tick by which the fact of the literal arrives or never will.

    With variables of the atom still open, that of the slowest fact it may be met by. `apart` are
    variables of which each named value has a row of its own (see `naming`): one that is open stands
    for no value that a declared delay names.
    """
    time = atom.time
    if time.variable is not None and time.variable not in rows.bound:
        latest = latest_tick(layout, time, rows)
        return np.where(latest == NEVER, NEVER, latest + _delay(layout, atom, rows, source, values, apart))
    start: Column
    if time.variable is None:
        start = np.full(rows.count, time.offset)
    else:
        start = rows.bound[time.variable] + time.offset
    return start + (_delay(layout, atom, rows, source, values, apart) if source.refinements else source.delay)


def latest_tick(layout: Layout, time: Time, rows: Rows) -> Column:
    """The last tick that an open time can be, as comparisons bound it by ticks that are known."""
    latest = np.full(rows.count, NEVER)
    for name in sorted(layout.time_variables & rows.bound.keys()):
        ahead = layout.times.furthest(Time(name, 0), time)
        if ahead is not None:
            latest = np.minimum(latest, rows.bound[name] + ahead)
    fixed = layout.times.furthest(Time(None, 0), time)
    return latest if fixed is None else np.minimum(latest, fixed)


def _delay(
    layout: Layout, atom: Atom, rows: Rows, source: Input, values: Values, apart: frozenset[str]
) -> Column:
    """δ: among the declarations that fit, the one with the most constants decides."""
    delay = np.full(rows.count, source.delay, np.int64)
    slower = np.zeros(rows.count, np.int64)
    for table in tables_of(source, values):
        terms = [atom.arguments[i] for i in table.positions]
        bound = [i for i, t in enumerate(terms) if isinstance(t, Const) or t.name in rows.bound]
        have = [_column(terms[i], rows.bound, rows.count, values) for i in bound]
        if len(bound) == len(terms):
            at = find(*keys_of([have, table.cells])) if have else np.zeros(rows.count, np.int64)
            delay = np.where(at >= 0, table.delays[at], delay)
        elif not any(isinstance(t, Var) and t.name in apart and t.name not in rows.bound for t in terms):
            # Some instance of the atom may fit this declaration, others do not: the slower one counts.
            here, there = keys_of([have, [table.cells[i] for i in bound]]) if have else (None, None)
            for number, value in enumerate(table.delays.tolist()):
                fits = np.ones(rows.count, np.bool_)
                if here is not None and there is not None:
                    fits &= here == there[number]
                named = {
                    term.name: np.full(rows.count, cells[number])
                    for term, cells in zip(terms, table.cells, strict=True)
                    if isinstance(term, Var) and term.name not in rows.bound
                }
                fits &= _possible(layout, rows, named, values)
                slower = np.where(fits, np.maximum(slower, value), slower)
    return np.maximum(delay, slower)


def _possible(layout: Layout, rows: Rows, named: Mapping[str, Column], values: Values) -> Mask:
    """For each row, whether its open variables can have these values."""
    fits = np.ones(rows.count, np.bool_)
    bound = {**rows.bound, **named}
    for test in layout.pattern.comparisons:
        if compared(test) & named.keys() and compared(test) <= bound.keys():
            fits &= holds(test, bound, rows.count, values)
    return fits


def _column(term: Var | Const, bound: Mapping[str, Column], count: int, values: Values) -> Column:
    if isinstance(term, Var):
        return bound[term.name]
    return np.full(count, values.cell(term.value), np.int64)
