"""antelog/engine/step/atoms.py: when atoms under negation become true or false; nothing of it is stored."""

from __future__ import annotations

import numpy as np
import pytest

from antelog.engine.step import atoms
from antelog.engine.step.atoms import derived, truth
from antelog.engine.step.derivations import Atoms, Derivations, Knowledge
from tests.engine.stages import Stage, stage, ticks

RULES = """
input Temp(device, level, time) delay 1.
Shdn(X, T) :- Temp(X, high, T-1), Temp(X, high, T).
OK(X, T) :- Temp(X, _, T), not Shdn(X, T+1).
query OK(X, T).
"""
SHDN = "Shdn(X, T)"
FACTS = [("Temp", "wt2", "high", 3, 3), ("Temp", "wt2", "high", 4, 5), ("Temp", "wt3", "high", 3, 3)]


def shut_down(given: Stage, devices: str, ticks: list[int], as_of: list[int] | None = None) -> Atoms:
    """Atoms of Shdn."""
    (name,) = (r.name for r in given.plan.relations if not r.is_query)
    then = None if as_of is None else np.array(as_of)
    return Atoms(name, (given.cells(*devices.split()),), np.array(ticks), as_of=then)


def test_an_atom_is_true_with_its_first_derivation_and_false_with_its_last() -> None:
    given = stage(RULES, FACTS)
    found = truth(given.known, shut_down(given, "wt2 wt3 wt4", [4, 4, 4]))
    assert ticks(found.true_at) == [5, None, None]
    # wt3 lacks a fact about 4, which may come until 5; wt4 one about 3, which may come until 4.
    assert ticks(found.false_at) == [None, 5, 4]


def test_the_same_atom_is_worked_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    given, sought = stage(RULES, FACTS), list[int]()

    def counting(known: Knowledge, some: Atoms) -> list[Derivations]:
        sought.append(some.count)
        return derived(known, some)

    monkeypatch.setattr(atoms, "derived", counting)
    known, wanted = given.known, shut_down(given, "wt2 wt3 wt2", [4, 4, 4])
    twice, again = truth(known, wanted), truth(known, wanted.take(np.array([0])))
    assert ticks(twice.true_at) == [5, None, 5]
    assert ticks(again.true_at) == [5]
    assert sought == [2]


@pytest.mark.parametrize("slot", ["", ", one per device"])
def test_what_atoms_were_is_the_same_whether_their_derivations_are_kept_or_found_again(slot: str) -> None:
    facts = [*FACTS, ("Temp", "wt3", "low", 4, 4)]
    given = stage(RULES.replace("delay 1", f"delay 1{slot}"), facts)
    known, devices, about = given.known, "wt2 wt3 wt2 wt4", [4, 4, 4, 4]
    before = shut_down(given, devices, about, [4, 3, 5, 2])
    again = truth(given.known, before)
    truth(known, shut_down(given, devices, about))
    kept = truth(known, before)
    assert [ticks(column) for column in kept] == [ticks(column) for column in again]
    assert ticks(kept.true_at) == [None, None, 5, None]  # what came at 5 was not there at 4
