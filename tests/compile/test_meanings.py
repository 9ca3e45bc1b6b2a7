"""antelog/compile/meaning: the same meaning, however a program is written; and another one for another."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antelog.compile.meanings import Fate, QueryDifference, compared
from antelog.diagnostics import Source
from antelog.language import read, syntax
from antelog.language.printer import to_text
from tests import tables
from tests.compile.plans import plan_of, possible_plan
from tests.random_mixtures import mixtures
from tests.strategies import Case, cases

BASE = """
input Temp(device, level: number, time) delay 2.
input Shdn(device, time).
static Turbine(x).
static Watched(x).
Turbine(wt1).
Watched(X) :- Turbine(X).
Hot(X, T) :- Temp(X, V, T), V > 90.
Malf(X, T) :- Watched(X), Hot(X, T), Temp(X, V, U), U > T, U <= T+5, V >= 95, not Shdn(X, T-1..T).
Malf(X, T) :- Hot(X, T), max(W : Temp(X, W, T-9..T), W > 3, W < 200) >= 120.
query Malf(X, T).
"""


def differences(old: str, new: str) -> dict[str, QueryDifference]:
    return {each.name: each for each in compared(plan_of(old), plan_of(new)).queries}


def fate(old: str, new: str, query: str = "Malf") -> Fate:
    return differences(old, new)[query].fate


@tables.cases(__file__, "same")
def test_the_same_in_other_words(before: str, after: str) -> None:
    assert before in BASE
    new = BASE.replace(before, after)
    assert fate(BASE, new) is Fate.SAME
    assert compared(plan_of(BASE), plan_of(BASE)).is_same


@tables.cases(__file__, "another")
def test_another_meaning(before: str, after: str) -> None:
    assert before in BASE
    assert fate(BASE, BASE.replace(before, after)) is Fate.CHANGED


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("time) delay 2.", "time) delay 3."),
        ("time) delay 2.", "time) delay 2. delay Temp(wt4, _, _) = 5."),
        ("time) delay 2.", "time) delay 2, one per device."),
    ],
)
def test_other_times_of_decisions_are_kept_apart(before: str, after: str) -> None:
    found = differences(BASE, BASE.replace(before, after))["Malf"]
    assert (found.fate, found.inputs) == (Fate.RETIMED, ("Temp",))


def test_queries_that_come_and_go_and_those_called_otherwise() -> None:
    old = "P(X, T) :- A(X, T). Q(X, T) :- B(X, T). query P(X, T). query Q(X, T)."
    new = "R(Y, T) :- A(Y, T). S(X, T) :- B(X, T+1). query R(Y, T). query S(X, T)."
    found = differences(old, new)
    assert {name: (each.fate, each.twin) for name, each in found.items()} == {
        "R": (Fate.ADDED, "P"),
        "S": (Fate.ADDED, None),
        "P": (Fate.GONE, "R"),
        "Q": (Fate.GONE, None),
    }


def test_literals_that_can_change_places() -> None:
    old = "P(T) :- A(I, T), A(J, T), A(K, T), I != J, J != K, I != K. query P(T)."
    new = "P(S) :- A(Z, S), A(Y, S), A(X, S), Y != X, Z != Y, X != Z. query P(S)."
    other = "P(T) :- A(I, T), A(J, T), A(K, T), I != J, J != K. query P(T)."
    assert fate(old, new, "P") is Fate.SAME
    assert fate(old, other, "P") is Fate.CHANGED


def test_predicates_that_rest_on_their_past() -> None:
    old = "Off(T+1) :- Press(T+1), not Off(T). query Off(T)."
    assert fate(old, "Off(T) :- not Off(T-1), Press(T). query Off(T).", "Off") is Fate.SAME
    assert fate(old, "Off(T) :- not Off(T-2), Press(T). query Off(T).", "Off") is Fate.CHANGED


# ---- random programs ----


def renamed(node: Any) -> Any:
    """A node of the syntax tree with other variables."""
    match node:
        case syntax.Variable(name):
            return replace(node, name=f"{name}x")
        case syntax.Shifted(variable):
            return replace(node, variable=f"{variable}x")
        case tuple():
            return tuple(map(renamed, node))
        case _ if is_dataclass(node) and not isinstance(node, type):
            kept = {each.name: renamed(getattr(node, each.name)) for each in fields(node) if each.compare}
            return replace(node, **kept)
        case _:
            return node


def shuffled(case: Case, order: st.DataObject) -> str:
    """The program with its statements in another order, and its rules' literals and variables as well."""
    statements = order.draw(st.permutations(case.checked.document.statements))
    found = [
        replace(each, body=tuple(order.draw(st.permutations(each.body))))
        if isinstance(each, syntax.Rule)
        else each
        for each in map(renamed, statements)
    ]
    return to_text(syntax.Document(tuple(found)))


@pytest.mark.slow
@given(cases() | mixtures(), st.data())
def test_another_order_and_other_variables(case: Case, order: st.DataObject) -> None:
    before = possible_plan(case.checked)
    # What the parser makes of `T+N` is no text that one can write.
    after = possible_plan(read(Source(shuffled(case, order))))
    assert [each.fate for each in compared(before, after).queries] == [Fate.SAME] * len([*before.queries])


def test_a_predicate_in_between_may_leave_out_columns() -> None:
    declared = "input R(x, v, time). query P(X, T). "
    old = f"{declared}P(X, T) :- R(X, V, T), not R(X, _, T+1), not R(_, V, T-2..T-1)."
    rules = "Any(X, T) :- R(X, _, T). Had(V, T) :- R(_, V, T)."
    new = f"{declared}{rules} P(X, T) :- R(X, V, T), not Any(X, T+1), not Had(V, T-2..T-1)."
    assert fate(old, new, "P") is Fate.SAME
