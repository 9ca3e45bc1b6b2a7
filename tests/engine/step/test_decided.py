"""antelog/engine/step/derivations.py: what is remembered of relations that rest on their own negation."""

from __future__ import annotations

import numpy as np

from antelog.engine.step.derivations import ALWAYS, DecidedAtoms, nothing_decided
from antelog.engine.values.encoding import OTHERS

A, B, C = 11, 12, 13


def decided(*rows: tuple[int, int, bool]) -> DecidedAtoms:
    cells, ticks, true = (np.array(column) for column in zip(*rows, strict=True))
    return DecidedAtoms(5, (cells,), ticks, true.astype(np.bool_), np.full(len(rows), ALWAYS))


def asked(known: DecidedAtoms, cells: list[int], tick: int) -> list[bool]:
    true, _ = known.lookup([np.array(cells)], np.full(len(cells), tick))
    return [bool(each) for each in true]


def test_an_atom_that_is_not_remembered_is_false() -> None:
    known = decided((A, 3, True))
    assert asked(known, [A, B], 3) == [True, False]
    assert asked(known, [A, B], 4) == [False, False]


def test_a_value_without_an_atom_of_its_own_is_as_all_others() -> None:
    known = decided((OTHERS, 3, True), (A, 3, False))
    assert asked(known, [A, B, C], 3) == [False, True, True]


def test_atoms_come_and_go() -> None:
    known = nothing_decided(1).and_then(decided((A, 3, True), (B, 5, True)))
    assert known.until == 5
    assert asked(known, [A, B], 3) == [True, False]
