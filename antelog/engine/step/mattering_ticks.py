"""The ticks of ranges over a relation of a cycle at which an atom can matter to the row that asks for it.

    A(X, T) :- Pay(X, T), not A(X, T-300..T-1).     delay 3; Pay(c, 1000) came at 1001

Of the 300 ticks those matter at which c may be in A, as there was a Pay or as it is remembered, and 999,
which is open until 1002. At all others it was decided by 1001 that it is not, before the row could say
anything. So the cost is that of the facts, however long the range is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from antelog.compile.literals.aggregate import Aggregate, Aggregation
from antelog.compile.literals.terms import Const
from antelog.engine.columns.joins import TickRange, band_pairs, make_room, spread
from antelog.engine.columns.spans import FOREVER, span
from antelog.engine.columns.tables import Column, groups, keys_of, marked, sorting
from antelog.engine.step.derivations import Atoms, Knowledge
from antelog.engine.step.matching import wholes
from antelog.engine.step.ranges import AtomsByTick
from antelog.engine.step.rows import ONE, term_column, time_column
from antelog.engine.values.encoding import OTHERS


def atoms_by_tick(known: Knowledge, ranges: Atoms, since: Column | None) -> AtomsByTick:
    """Atoms at the ticks of ranges that matter to rows which can say nothing up to some ticks (None: all)."""
    delay = known.rules.relations[ranges.relation].bounds.delay
    there = None if since is None or delay is None else may_be_true(known, ranges.relation)
    if there is None or since is None or delay is None:
        every = AtomsByTick.of(ranges)
        return replace(every, atoms=settled_as_of(known, every.atoms))
    assert ranges.last is not None
    first = np.maximum(ranges.time, 0)
    open_ = np.maximum(first, since - delay + 1)
    old_row, old_ticks = _found(there, ranges, TickRange(first, np.minimum(ranges.last, open_ - 1)))
    counts = np.maximum(ranges.last - open_ + 1, 0)
    make_room(counts)
    row, ticks = spread(open_, counts)
    row, ticks = np.concatenate([old_row, row]), np.concatenate([old_ticks, ticks])
    order = sorting(row)
    row = row.take(order)
    each = replace(ranges, time=first, last=None).take(row)
    return AtomsByTick(
        settled_as_of(known, replace(each, time=ticks.take(order))), np.bincount(row, minlength=ranges.count)
    )


def settled_as_of(known: Knowledge, atoms: Atoms) -> Atoms:
    """Atoms as of the tick by which they are decided, where that is earlier: they are the same later."""
    delay = known.rules.relations[atoms.relation].bounds.delay
    in_cycle = atoms.relation in known.rules.cycles
    if not in_cycle or atoms.as_of is None or atoms.last is not None or delay is None:
        return atoms
    return replace(atoms, as_of=np.minimum(atoms.as_of, np.maximum(atoms.time, 0) + delay))


def fails_by_members(node: Aggregation) -> bool:
    """Whether a comparison becomes false by members that are there, and never as none can come any more."""
    left, right = node.left, node.right
    if isinstance(right, Aggregate) or left.steps:
        return False
    rises = left.function == "count" or (
        left.function == "sum"
        and any(
            isinstance(e, Const) and isinstance(e.value, int | float) and e.value >= 0
            for e in left.least_values
        )
    )
    return rises and (node.operator in ("<", "<=") or (node.operator == "=" and right == Const(0)))


def _found(there: Atoms, ranges: Atoms, band: TickRange) -> tuple[Column, Column]:
    """The ranges that have some atoms within a band of each, and the ticks of these; each tick once."""
    given = [place for place, column in enumerate(ranges.arguments) if column is not None]
    mine = there if len(given) == len(ranges.arguments) else there.take(_first_of_each(there, given))
    sides = [[each.arguments[place] for place in given] for each in (ranges, mine)]
    columns = [[column for column in side if column is not None] for side in sides]
    keys = keys_of(columns) if given else [np.zeros(each.count, np.int64) for each in (ranges, mine)]
    row, at = band_pairs(keys[0], keys[1], band, mine.time)
    return row, mine.time.take(at)


def _first_of_each(atoms: Atoms, given: Sequence[int]) -> Column:
    """The first of the atoms that have the same arguments at some places, and the same tick."""
    (key,) = keys_of(
        [[column for place in given if (column := atoms.arguments[place]) is not None] + [atoms.time]]
    )
    return groups(key).first


def may_be_true(known: Knowledge, relation: str) -> Atoms | None:
    """The atoms of a relation that may be true, each once; None if nothing says which.

    They have a fact for each literal of a rule, or were decided before and are remembered.
    """
    found = known.memo.may_be_true
    if relation not in found:
        found[relation] = _with_facts(known, relation)
    return found[relation]


def _with_facts(known: Knowledge, relation: str) -> Atoms | None:
    decided = known.decided[relation]
    parts = [[*decided.columns, decided.ticks]]
    if any((column == OTHERS).any() for column in decided.columns):
        return None
    about = span(decided.until + 1, FOREVER)
    for prepared, background in zip(
        known.rules.patterns[relation], known.static.of_patterns[relation], strict=True
    ):
        pattern = prepared.pattern
        if prepared.clocked or pattern.unguarded:
            return None
        rows = wholes(prepared, ONE, known.found(prepared, about), background, known.values).rows
        time = pattern.time
        if not pattern.answered <= rows.bound.keys() or not (
            time.variable is None or time.variable in rows.bound
        ):
            return None
        cells = [term_column(term, rows, known.values) for term in pattern.answer]
        ticks = time_column(time, rows)
        later = marked(ticks > decided.until)
        parts.append([column.take(later) for column in (*cells, ticks)])
    *columns, ticks = map(np.concatenate, zip(*parts, strict=True))
    (key,) = keys_of([[*columns, ticks]])
    return Atoms(relation, tuple(columns), ticks).take(groups(key).first)
