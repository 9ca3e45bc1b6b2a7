"""The value of an aggregate in a row so far, and the atoms that it comes from.

count(Fail(wt2, _, 0..9)) >= 3, awaited: 2 so far, Fail(wt2, e7, 0) and Fail(wt2, e2, 4)
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from antelog.compile.literals.aggregate import Aggregate, Aggregation, open_name
from antelog.compile.literals.terms import Const, Inner
from antelog.engine.columns.joins import TooLargeError
from antelog.engine.columns.tables import Column, Mask, marked
from antelog.engine.step.atoms import derived
from antelog.engine.step.derivations import atoms_of
from antelog.engine.step.members import AskedAtoms, Candidates, candidates
from antelog.engine.step.rows import Rows, passing
from antelog.language.printer import value_text
from antelog.why.evidence import FactSearch, fact_line
from antelog.why.rows import RankedRow, value_of
from antelog.why.tree import FactLine

_LISTED = 5


def so_far(row: RankedRow, literal: Aggregation) -> float | None:
    """The value of the left aggregate at the tick; None: it has none."""
    number = row.rows.stated.index(literal)
    for line in row.rows.found.progress:
        if line.literal == number:
            at = min(row.rows.grounds.at, 2**53)
            return line.values(np.array([row.at]), np.array([at])).value(0)
    return None


def contributing(row: RankedRow, literal: Aggregation) -> tuple[list[FactLine], int]:
    """The first of the atoms that the aggregates come from, and how many more there are."""
    lines = [line for each in literal.aggregates for line in _members(row, each)]
    lines = list(dict.fromkeys(lines))
    return lines[:_LISTED], max(0, len(lines) - _LISTED)


def _members(row: RankedRow, aggregate: Aggregate) -> Iterator[FactLine]:
    grounds, single = row.rows.grounds, row.single
    known = grounds.known
    reference = aggregate.inside.reference
    if reference.name in known.rules.cycles or not aggregate_bound(aggregate, single):
        return
    try:
        asked = AskedAtoms.of(known, aggregate, atoms_of(reference, single, known.values))
        found = candidates(asked, derived(known, asked.atoms) if asked.atoms.count else [], known.values)
    except TooLargeError:
        return
    fits = _fitting(row, aggregate, found, single)
    order = fits[np.argsort(found.time.take(fits), kind="stable")]
    for at in order[: _LISTED * 20].tolist():
        cells = [int(column[at]) for column in found.cells]
        yield _line(row, aggregate, cells, int(found.time[at]))


def aggregate_bound(aggregate: Aggregate, rows: Rows) -> bool:
    """Whether the rows have values for all that an aggregate asks for."""
    inside = aggregate.inside
    names = {each.name for each in inside.given if each is not None and not isinstance(each, Const | Inner)}
    names |= {time.variable for time in (inside.first, inside.last) if time.variable is not None}
    return names <= rows.bound.keys()


def _fitting(row: RankedRow, aggregate: Aggregate, found: Candidates, single: Rows) -> Column:
    """The candidates that are members at the tick."""
    known, count = row.rows.grounds.known, len(found.owner)
    fits: Mask = row.rows.grounds.is_so(found.true_at)
    bound: dict[str, Column] = {name: np.repeat(column, count) for name, column in single.bound.items()}
    for term, cells in zip(aggregate.inside.arguments, found.cells, strict=True):
        if isinstance(term, Inner):
            fits = fits & (bound.setdefault(open_name(term), cells) == cells)
    return marked(fits & passing(aggregate.inside.opened, bound, count, known.values))


def _line(row: RankedRow, aggregate: Aggregate, cells: list[int], tick: int) -> FactLine:
    grounds, predicate = row.rows.grounds, aggregate.inside.predicate
    values = [value_of(cell, grounds.known.values) for cell in cells]
    if predicate in grounds.rules.inputs:
        search = FactSearch(grounds, predicate, [Const(each) for each in values], tick, tick)
        if search.facts.count:
            return fact_line(grounds, predicate, search.facts.take(np.array([0])))
    return FactLine(f"{predicate}({', '.join([*map(value_text, values), str(tick)])})")
