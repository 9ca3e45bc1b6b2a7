"""antelog/engine/step/{matching,rows,atoms}.py: rows of patterns, comparisons, and the truth of atoms."""

from __future__ import annotations

import numpy as np
import pytest

from antelog.compile.literals import Comparison
from antelog.compile.literals.terms import Const, Operand, Sum, Time, Var
from antelog.engine.step import atoms
from antelog.engine.step.atoms import derived, truth
from antelog.engine.step.derivations import Atoms, Derivations, Knowledge
from antelog.engine.step.matching import within
from antelog.engine.step.rows import holds, passing
from antelog.engine.values.encoding import OTHERS
from antelog.engine.values.values import Values
from tests.engine.stages import Stage, stage, ticks

RULES = (
    "input p(x, time) delay 3. input r(y, time) delay 3. q(X, Y, T) :- p(X, T), r(Y, T). query q(X, Y, T)."
)


def tables(given: Stage, relation: str) -> list[list[dict[str, object]]]:
    prepared, _ = given.pattern(relation)
    return [given.read(prepared, part.rows) for part in given.partials(relation)]


def test_evidence_gives_values_to_as_many_variables_as_it_has() -> None:
    given = stage(RULES, [("p", "a", 0, 0), ("r", "b", 0, 0)])
    assert tables(given, "q") == [
        [{}],
        [{"T": 0, "X": "a"}],
        [{"T": 0, "Y": "b"}],
        [{"T": 0, "X": "a", "Y": "b"}],
    ]
    last = given.partials("q")[-1]
    assert last.arrived.tolist() == [[0], [0]]  # when the facts of both literals came


def test_rows_that_wait_for_what_can_come_no_more_are_none() -> None:
    given = stage(RULES, [("p", "a", 0, 3)])
    assert tables(given, "q") == [[{}], []]


def test_rows_with_a_gap_that_stays_make_no_others() -> None:
    """Of eight readings in a row, those that can be missing are the latest ones: not one set of each size."""
    steps = " ".join(f"R(V{i}, T+{i}), V{i} > 0," for i in range(8))
    text = f"input R(v: number, time) delay 1. q(T) :- {steps.rstrip(',')}. query q(T)."
    given = stage(text, [("R", 5, tick, tick) for tick in range(9)])
    assert 0 < len(given.partials("q")) < 50


def test_bounds_between_times_are_a_band_of_the_join() -> None:
    text = "input p(x, time). q(X, T) :- p(X, T), p(X, U), U > T, U <= T+3. query q(X, T)."
    given = stage(text, [("p", "a", 4, 4)])
    prepared, _ = given.pattern("q")
    first, second = given.known.found(prepared, None)
    found = within(prepared, first.rows, second.rows)
    assert found is not None
    assert (found.variable, found.band.first.tolist(), found.band.last.tolist()) == ("U", [5], [7])


# ---- comparisons ----

X, Y = Var("X"), Var("Y")


@pytest.mark.parametrize(
    ("left", "operator", "right", "so"),
    [
        (X, "<", Y, [True, False, True, False]),  # a number and a text have no order
        (X, "!=", Y, [True, False, True, True]),
        (Sum("X", 0.5), ">=", Const(2), [False, True, False, True]),
        (X, "=", Const("a"), [False, False, True, False]),
        (Const("b"), "<=", Y, [False, False, True, True]),
    ],
)
def test_each_row_is_compared(left: Operand, operator: str, right: Operand, so: list[bool]) -> None:
    values = Values()
    bound = {
        "X": np.array([values.cell(v) for v in (1, 1.5, "a", 7)], np.int64),
        "Y": np.array([values.cell(v) for v in (2, 1.5, "b", "c")], np.int64),
    }
    assert holds(Comparison(left, operator, right), bound, 4, values).tolist() == so


def test_all_others_are_none_of_the_values() -> None:
    values = Values()
    bound = {"X": np.array([OTHERS, values.cell("a")], np.int64)}
    assert holds(Comparison(X, "!=", Const("a")), bound, 2, values).tolist() == [True, False]
    assert holds(Comparison(X, "=", Const("a")), bound, 2, values).tolist() == [False, True]


def test_only_what_has_values_is_compared() -> None:
    bound = {"T": np.array([3, 4, 5], np.int64)}
    tests = [
        Comparison(Time("T", 0), ">", Time(None, 3)),
        Comparison(Time("T", 0), "<", Time("U", 0)),  # nothing is known of U
        Comparison(Time("T", 0), "<", Time(None, 5)),
    ]
    assert passing(tests, bound, 3, Values()).tolist() == [False, True, False]
    assert passing([], bound, 3, Values()).all()


# ---- when atoms under negation become true or false ----

SHUT_DOWN = """
input Temp(device, level, time) delay 1.
Shdn(X, T) :- Temp(X, high, T-1), Temp(X, high, T).
OK(X, T) :- Temp(X, _, T), not Shdn(X, T+1).
query OK(X, T).
"""
FACTS = [("Temp", "wt2", "high", 3, 3), ("Temp", "wt2", "high", 4, 5), ("Temp", "wt3", "high", 3, 3)]


def shut_down(given: Stage, devices: str, ticks: list[int], as_of: list[int] | None = None) -> Atoms:
    """Atoms of Shdn."""
    (name,) = (r.name for r in given.plan.relations if not r.is_query)
    then = None if as_of is None else np.array(as_of)
    return Atoms(name, (given.cells(*devices.split()),), np.array(ticks), as_of=then)


def test_an_atom_is_true_with_its_first_derivation_and_false_with_its_last() -> None:
    given = stage(SHUT_DOWN, FACTS)
    found = truth(given.known, shut_down(given, "wt2 wt3 wt4", [4, 4, 4]))
    assert ticks(found.true_at) == [5, None, None]
    # wt3 lacks a fact about 4, which may come until 5; wt4 one about 3, which may come until 4.
    assert ticks(found.false_at) == [None, 5, 4]


def test_the_same_atom_is_worked_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    given, sought = stage(SHUT_DOWN, FACTS), list[int]()

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
    given = stage(SHUT_DOWN.replace("delay 1", f"delay 1{slot}"), facts)
    known, devices, about = given.known, "wt2 wt3 wt2 wt4", [4, 4, 4, 4]
    before = shut_down(given, devices, about, [4, 3, 5, 2])
    again = truth(given.known, before)
    truth(known, shut_down(given, devices, about))
    kept = truth(known, before)
    assert [ticks(column) for column in kept] == [ticks(column) for column in again]
    assert ticks(kept.true_at) == [None, None, 5, None]  # what came at 5 was not there at 4
