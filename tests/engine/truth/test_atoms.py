"""antelog/engine/truth/atoms.py: when atoms under negation become true or false; nothing of it is stored."""

from __future__ import annotations

import numpy as np
import pytest

from antelog.engine.truth.atoms import asked_atoms
from tests.engine.stages import stage, ticks

RULES = """
input Temp(device, level, time) delay 1.
Shdn(X, T) :- Temp(X, high, T-1), Temp(X, high, T).
OK(X, T) :- Temp(X, _, T), not Shdn(X, T+1).
query OK(X, T).
"""
SHDN = "Shdn(X, T)"
FACTS = [("Temp", "wt2", "high", 3, 3), ("Temp", "wt2", "high", 4, 5), ("Temp", "wt3", "high", 3, 3)]


def test_an_atom_is_true_with_its_first_derivation_and_false_with_its_last() -> None:
    given = stage(RULES, FACTS)
    (name,) = (r.name for r in given.plan.relations if not r.asked)
    wanted = [given.cells("wt2", "wt3", "wt4"), np.array([4, 4, 4])]
    truth = given.judge.truth(name, wanted)
    assert ticks(truth.true_at) == [5, None, None]
    # wt3 lacks a fact about 4, which may come until 5; wt4 one about 3, which may come until 4.
    assert ticks(truth.false_at) == [None, 5, 4]


def test_the_same_atom_is_worked_out_once() -> None:
    given = stage(RULES, FACTS)
    (name,) = (r.name for r in given.plan.relations if not r.asked)
    judge = given.judge
    wanted = [given.cells("wt2", "wt3", "wt2"), np.array([4, 4, 4])]
    twice = judge.truth(name, wanted)
    again = judge.truth(name, [column[:1] for column in wanted])
    assert ticks(twice.true_at) == [5, None, 5]
    assert ticks(again.true_at) == [5]
    ((table, _),) = judge._memo.values()
    assert len(table[0]) == 2


@pytest.mark.parametrize("slot", ["", ", one per device"])
def test_what_atoms_were_is_the_same_whether_their_derivations_are_kept_or_found_again(slot: str) -> None:
    facts = [*FACTS, ("Temp", "wt3", "low", 4, 4)]
    given = stage(RULES.replace("delay 1", f"delay 1{slot}"), facts)
    (name,) = (r.name for r in given.plan.relations if not r.asked)
    now = [given.cells("wt2", "wt3", "wt2", "wt4"), np.array([4, 4, 4, 4])]
    before = [*now, np.array([4, 3, 5, 2])]
    again, judge = given.judge.truth(name, before), given.judge
    judge.truth(name, now)
    kept = judge.truth(name, before)
    assert [ticks(column) for column in kept] == [ticks(column) for column in again]
    assert ticks(kept.true_at) == [None, None, 5, None]  # what came at 5 was not there at 4


def test_rows_ask_for_the_atoms_of_their_negations() -> None:
    given = stage(RULES, FACTS)
    prepared, _ = given.pattern("OK")
    rows = next(part.rows for part in given.partials("OK") if {"X", "T"} <= part.rows.bound.keys())
    first = rows.take(np.array([0]))
    cells, times = asked_atoms(prepared.asked[0].references[0], first, given.values)
    assert (cells.tolist(), times.tolist()) == (first.bound["X"].tolist(), (first.bound["T"] + 1).tolist())
