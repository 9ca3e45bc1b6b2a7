"""Which derivations of an answer are worth telling: those that no other makes needless.

One derivation makes another needless if its hypotheses are a strict subset of the other's, or
the same and its evidence is a strict subset. A hypothesis with open variables covers every
literal it can become.
"""

from __future__ import annotations

import numpy as np

from antelog.compile.plan import Const, Literal, Time, Var
from antelog.engine.changes import Candidates, Moments, Views
from antelog.engine.tables import Mask, pairs
from antelog.engine.truth import Derivations, term_column, time_column
from antelog.engine.values import Values


def minimal(found: Candidates, at: Moments, seen: Views, values: Values) -> Mask:
    """For each view, whether it is alive and no other of its moment makes it needless."""
    keep = seen.alive.copy()
    done = np.zeros(len(at.tick), np.bool_)
    done[at.view_at[seen.complete]] = True
    keep &= seen.complete | ~done[at.view_at]
    crowded = np.zeros(len(at.tick), np.int64)
    np.add.at(crowded, at.view_at[keep], 1)
    rivals = np.flatnonzero(keep & (crowded[at.view_at] > 1))
    if len(rivals) == 0:
        return keep
    here, there = pairs(at.view_at[rivals], at.view_at[rivals])
    here, there = rivals[here[here != there]], rivals[there[here != there]]
    keep[there[_beats(found, at, seen, here, there, values)]] = False
    return keep


def _beats(
    found: Candidates, at: Moments, seen: Views, one: np.ndarray, other: np.ndarray, values: Values
) -> Mask:
    """For each pair of views, whether the first makes the second needless."""
    beats = np.zeros(len(one), np.bool_)
    first, second = found.block[at.view_of[one]], found.block[at.view_of[other]]
    for b in np.unique(first).tolist():
        for c in np.unique(second[first == b]).tolist():
            mine = np.flatnonzero((first == b) & (second == c))
            rows = found.row[at.view_of[one[mine]]], found.row[at.view_of[other[mine]]]
            covers, covered = _covers(found.blocks[b], found.blocks[c], *rows, values)
            true = seen.true[b][:, seen.position[one[mine]]], seen.true[c][:, seen.position[other[mine]]]
            fewer = _within(covers, ~true[0], ~true[1])
            same = fewer & _within(covered, ~true[1], ~true[0])
            smaller = _within(covers, true[0], true[1]) & ~_within(covered, true[1], true[0])
            beats[mine] = (fewer & ~same) | (same & smaller)
    return beats


def _within(covers: np.ndarray, one: Mask, other: Mask) -> Mask:
    """For each pair, whether every literal chosen on the one side is covered by one on the other."""
    hit = (covers & other[None, :, :]).any(axis=1)
    return np.asarray((hit | ~one).all(axis=0))


def _covers(
    one: Derivations, other: Derivations, row: np.ndarray, other_row: np.ndarray, values: Values
) -> tuple[np.ndarray, np.ndarray]:
    """For each literal of the one and of the other: does the first cover the second, and vice versa?"""
    here, there = _literals(one), _literals(other)
    covers = np.zeros((len(here), len(there), len(row)), np.bool_)
    covered = np.zeros((len(there), len(here), len(row)), np.bool_)
    for i, literal in enumerate(here):
        for j, opposite in enumerate(there):
            if type(literal) is type(opposite) and literal.predicate == opposite.predicate:
                covers[i, j] = _fits(literal, one, row, opposite, other, other_row, values)
                covered[j, i] = _fits(opposite, other, other_row, literal, one, row, values)
    return covers, covered


def _literals(block: Derivations) -> list[Literal]:
    return [*(place.atom for place in block.layout.places), *block.layout.negations]


def _fits(
    literal: Literal,
    block: Derivations,
    row: np.ndarray,
    opposite: Literal,
    other: Derivations,
    other_row: np.ndarray,
    values: Values,
) -> Mask:
    """Whether one literal is the other, or can become it by giving variables of its own a value."""
    fits = np.ones(len(row), np.bool_)
    terms = zip((*literal.arguments, literal.time), (*opposite.arguments, opposite.time), strict=True)
    for one, two in terms:
        if one is None or two is None:
            fits &= one is two
        elif _open(one, block) and _own(one, literal, block):
            continue
        elif _open(one, block) or _open(two, other):
            same_pattern = block.layout is other.layout and one == two
            fits &= same_pattern and _open(one, block) and _open(two, other)
        else:
            fits &= _column(one, block, row, values) == _column(two, other, other_row, values)
    return fits


def _open(term: Var | Const | Time, block: Derivations) -> bool:
    name = term.name if isinstance(term, Var) else term.variable if isinstance(term, Time) else None
    return name is not None and name not in block.rows.bound


def _own(term: Var | Const | Time, literal: Literal, block: Derivations) -> bool:
    """Whether an open variable occurs in one literal only and nothing is asked of it."""
    name = term.name if isinstance(term, Var) else term.variable if isinstance(term, Time) else None
    pattern = block.layout.pattern
    used = [
        other
        for other in _literals(block)
        if other is not literal
        and name in {getattr(a, "name", None) for a in other.arguments} | {other.time.variable}
    ]
    compared = any(name in _operands(c) for c in pattern.comparisons)
    answered = (
        any(isinstance(a, Var) and a.name == name for a in pattern.answer) or pattern.time.variable == name
    )
    return not used and not compared and not answered


def _operands(comparison: object) -> set[str | None]:
    sides = (getattr(comparison, "left", None), getattr(comparison, "right", None))
    return {getattr(s, "name", None) or getattr(s, "variable", None) for s in sides}


def _column(term: Var | Const | Time, block: Derivations, row: np.ndarray, values: Values) -> np.ndarray:
    rows = block.rows.take(row)
    return time_column(term, rows) if isinstance(term, Time) else term_column(term, rows, values)
