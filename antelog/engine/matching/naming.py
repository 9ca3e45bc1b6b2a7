"""The values of an unguarded variable: every value that is named, and one more for all others.

Calm(X, T) :- not Alarm(X, T).     Alarm(a, 0) arrived at 1
X = a, T = 0, named at 1           X = all others, T = 0
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from antelog.compile.literals.comparison import Comparison
from antelog.compile.literals.fact import FactLiteral
from antelog.compile.literals.terms import Time
from antelog.compile.naming.terms import FACT_TIME
from antelog.compile.prepared.literals import Naming
from antelog.compile.prepared.pattern import Prepared
from antelog.engine.columns.bands import Band
from antelog.engine.columns.spans import FOREVER, Spans
from antelog.engine.columns.tables import Column, groups, keys_of, marked
from antelog.engine.matching.background import rows_of
from antelog.engine.matching.knowledge import Knowledge
from antelog.engine.matching.partials import Partial, fitting
from antelog.engine.matching.rows import Background, Rows, Within, facts_for, meeting, time_column
from antelog.engine.values.comparing import passing
from antelog.engine.values.encoding import OTHERS

NAMED_AT = "<named at>"
"""An extra column of rows: from when on the value of the unguarded one is named."""

FITS = "<fits>"
"""Another one: whether the value meets the comparisons. A value that does not is named as well."""

_ROW = "<row>"
_FROM_THE_START = -1


@dataclass(frozen=True)
class _Named:
    """Values for some rows, and from when on they are named."""

    row: Column
    cell: Column
    since: Column


def with_names(
    known: Knowledge, prepared: Prepared, background: Background, part: Partial, about: Spans
) -> Partial:
    """Each row once for every value its unguarded variable has; `about` are the ticks of the answers."""
    naming = prepared.naming
    assert naming is not None
    named = [*_by_facts(known, prepared, naming, part.rows, about), *_by_rules(known, naming, part.rows)]
    row, cell, since = (
        np.concatenate([getattr(each, column) for each in named]) for column in ("row", "cell", "since")
    )
    (key,) = keys_of([[row, cell]])
    same = groups(key)
    first = same.first
    whole = part.take(row.take(first))
    bound = {**whole.rows.bound, naming.variable: cell.take(first), NAMED_AT: same.least(since)}
    fits = fitting(prepared, Rows(bound, len(first)), background, known.values)
    fits[bound[naming.variable] == OTHERS] = True
    bound[FITS] = fits.astype(np.int64)
    return Partial(Rows(bound, len(first)), whole.arrived)


def _by_facts(
    known: Knowledge, prepared: Prepared, naming: Naming, rows: Rows, about: Spans
) -> Iterator[_Named]:
    numbered = Rows({**rows.bound, _ROW: np.arange(rows.count)}, rows.count)
    time = prepared.pattern.time
    for literal, tests in naming.facts:
        found = facts_for(literal, known.history, about.shifted(literal.behind, literal.ahead), known.values)
        table = Rows({**found.rows.bound, NAMED_AT: found.arrived}, found.rows.count)
        both, _, _ = meeting(numbered, table, _band(literal, time, rows))
        at = _passing(known, tests, both)
        columns = (both.bound[name].take(at) for name in (_ROW, naming.variable, NAMED_AT))
        yield _Named(*columns)


def _band(literal: FactLiteral, time: Time, rows: Rows) -> Within | None:
    """Where the time of a fact has to lie to name a value for the answer of a row."""
    if literal.node.time.variable is None or (time.variable is not None and time.variable not in rows.bound):
        return None
    ticks = time_column(time, rows)
    least = np.full(rows.count, -FOREVER) if literal.behind is None else ticks - literal.behind
    most = np.full(rows.count, FOREVER) if literal.ahead is None else ticks + literal.ahead
    return Within(FACT_TIME, Band(least, most))


def _passing(known: Knowledge, tests: Iterable[Comparison], rows: Rows) -> Column:
    """The rows at which tests hold, as far as they have values."""
    return marked(passing(tests, rows.bound, rows.count, known.values))


def _by_rules(known: Knowledge, naming: Naming, rows: Rows) -> Iterator[_Named]:
    """Constants, background, and all others."""
    every = np.arange(rows.count)
    numbered = Rows({**rows.bound, _ROW: every}, rows.count)
    yield _Named(every, np.full(rows.count, OTHERS), np.full(rows.count, _FROM_THE_START))
    for value, tests in naming.constants:
        row = _passing(known, tests, rows)
        yield _Named(row, np.full(len(row), known.values.cell(value)), np.full(len(row), _FROM_THE_START))
    for atom, tests in naming.background:
        table = rows_of(atom, known.tables[atom.predicate], known.values)
        both, _, _ = meeting(numbered, table)
        both = both.take(_passing(known, tests, both))
        yield _Named(both.bound[_ROW], both.bound[naming.variable], np.full(both.count, _FROM_THE_START))
