"""What static facts say of a pattern, worked out once.

Turbine(X) with Turbine(wt2), Turbine(wt4): the rows X = wt2 and X = wt4
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from antelog.compile.literals.background import StaticAtom
from antelog.compile.literals.terms import Var
from antelog.compile.prepared.pattern import Prepared
from antelog.compile.rules.statics import Row
from antelog.engine.matching.rows import ONE, Background, Rows, distinct, joined
from antelog.engine.values.comparing import passing
from antelog.engine.values.values import Values


def table(rows: frozenset[Row], values: Values) -> list[tuple[int, ...]]:
    return [tuple(values.cell(value) for value in row) for row in rows]


def background_of(each: Prepared, tables: Mapping[str, list[tuple[int, ...]]], values: Values) -> Background:
    rows = ONE
    for atom in each.pattern.statics:
        if not atom.negated:
            rows = joined(rows, rows_of(atom, tables[atom.predicate], values))
    rows = rows.take(
        passing([c for c in each.pattern.comparisons if c.variables], rows.bound, rows.count, values)
    )
    # A variable of the background alone is met by some value; which one makes no difference.
    rows = distinct([Rows({n: column for n, column in rows.bound.items() if n in each.used}, rows.count)])
    forbidden = (rows_of(atom, tables[atom.predicate], values) for atom in each.absent)
    return Background(rows, tuple(forbidden))


def rows_of(atom: StaticAtom, table: Sequence[tuple[int, ...]], values: Values) -> Rows:
    """The bindings of the variables of a static atom."""
    found: dict[tuple[int, ...], None] = {}
    names = list(dict.fromkeys(a.name for a in atom.arguments if isinstance(a, Var)))
    for row in table:
        bound: dict[str, int] = {}
        fits = True
        for argument, cell in zip(atom.arguments, row, strict=True):
            if isinstance(argument, Var):
                fits = fits and bound.setdefault(argument.name, cell) == cell
            elif argument is not None:
                fits = fits and values.cell(argument.value) == cell
        if fits:
            found[tuple(bound[name] for name in names)] = None
    columns = {name: np.array([row[i] for row in found], np.int64) for i, name in enumerate(names)}
    return Rows(columns, len(found))
