"""Two literals of a pattern that one fact may serve: then they are one, and it is waited for once.

`Near(X, T) :- Seen(X, U), Seen(X, T), Hit(T), U <= T.` needs just one fact Seen where U is T. So a row
that leaves U open stands for all ticks but T, and has another one beside it in which U is T.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from antelog.compile.plan import Term, Time, Var
from antelog.engine.layout import Layout, Merger, variable_of
from antelog.engine.match import Rows
from antelog.engine.tables import Column, Mask, marked, or_never
from antelog.engine.values import Values


def as_one(merger: Merger, rows: Rows, values: Values) -> tuple[Rows, Column] | None:
    """The rows with two literals made one by values for open variables, and which rows they are of.

    None if that takes no values, or if they are not known.
    """
    bound, fits = dict(rows.bound), np.ones(rows.count, np.bool_)
    open_ = list(merger)
    while open_:
        ready = [pair for pair in open_ if any(_variables(term) <= bound.keys() for term in pair)]
        if not ready:
            return None
        for one, other in ready:
            here, there = (_column(term, bound, rows.count, values) for term in (one, other))
            if here is not None and there is not None:
                fits &= here == there
            elif here is not None:
                _bind(bound, other, here)
            elif there is not None:
                _bind(bound, one, there)
        open_ = [pair for pair in open_ if pair not in ready]
    if bound.keys() == rows.bound.keys():
        return None
    at = marked(fits)
    return Rows(bound, rows.count).take(at), at


def covered(layout: Layout, rows: Rows, since: Mapping[str, Column], values: Values) -> Mapping[str, Column]:
    """From when on facts give the variables of rows their values, by other literals or by making two one.

    Given since when the literals do that have them.
    """
    found = dict(since)
    # What makes two literals one may have its value by others that are.
    for _ in layout.mergers:
        for merger in layout.mergers:
            same = _same(merger, rows, values)
            if same is None:
                continue
            last = np.full(rows.count, np.int64(-1))
            for pair in merger:
                last = np.maximum(last, np.minimum(*(_since(term, found, rows.count) for term in pair)))
            last = or_never(last, ~same)
            for name in {
                name for pair in merger for term in pair for name in _variables(term)
            } & found.keys():
                found[name] = np.minimum(found[name], last)
    return found


def _same(merger: Merger, rows: Rows, values: Values) -> Mask | None:
    """Where two literals are one; None if that is not known."""
    same = np.ones(rows.count, np.bool_)
    for one, other in merger:
        here, there = (_column(term, rows.bound, rows.count, values) for term in (one, other))
        if here is None or there is None:
            return None
        same &= here == there
    return same


def _since(term: Term | Time, since: Mapping[str, Column], count: int) -> Column:
    named = [since[name] for name in _variables(term) if name in since]
    return named[0] if named else np.full(count, np.int64(-1))


def _bind(bound: dict[str, Column], term: Term | Time, column: Column) -> None:
    if isinstance(term, Time) and term.variable is not None:
        bound[term.variable] = column - term.offset
    elif isinstance(term, Var):
        bound[term.name] = column


def _variables(term: Term | Time) -> set[str]:
    """The variable of a term, if it has one."""
    return set(filter(None, [variable_of(term)]))


def _column(term: Term | Time, bound: Mapping[str, Column], count: int, values: Values) -> Column | None:
    """The values a term has in rows that bind these variables; None if it is open."""
    if not _variables(term) <= bound.keys():
        return None
    if isinstance(term, Time):
        start = np.int64(0) if term.variable is None else bound[term.variable]
        return np.full(count, term.offset, np.int64) + start
    return bound[term.name] if isinstance(term, Var) else np.full(count, values.cell(term.value), np.int64)
