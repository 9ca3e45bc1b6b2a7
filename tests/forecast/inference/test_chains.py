"""antelog/forecast/inference/forms.py: which series of a formula are one chain, and which have their own."""

from __future__ import annotations

import pytest

from antelog.compile.literals.terms import Const, Var
from antelog.compile.prepared.rules import prepared
from antelog.forecast.inference.forms import chains_of, leaf_of
from antelog.forecast.inference.formulas import UnknownChanceError, formula_of
from tests.forecast.making import chains, plan_of, state

MANY = "input Temp(x: text, level: text, time). P(X, T) :- {}. query P(X, T)."
SLOT = "input Temp(x: text, level: text, time) one per x. {} P(X, T) :- {}. query P(X, T)."


def test_series_that_no_fact_can_meet_together_are_chains_of_their_own() -> None:
    high, low = chains(MANY.format("Temp(X, high, T), not Temp(X, low, T+1)"))
    assert (high.states, low.states) == ((state("Temp", "X", "high"),), (state("Temp", "X", "low"),))
    assert (high.places, high.terms, high.slotted, high.outcomes) == ((0,), (Var("X"),), False, 2)


def test_what_shares_a_slot_is_one_chain() -> None:
    (one,) = chains(SLOT.format("", "Temp(X, high, T), not Temp(X, low, T+1)"))
    other = state("Temp", "X", "_")
    assert one.states == (state("Temp", "X", "high"), state("Temp", "X", "low"), other)
    assert (one.formula_states, one.kinds) == (2, 1)
    assert one.outcomes == 4  # nothing, high, low, and another fact of the slot


def test_kinds_of_facts_that_declarations_speak_of_are_states_besides() -> None:
    chance = "chance Temp(_, _, _) = 5%. chance Temp(_, low, _) = 9%."
    (one,) = chains(SLOT.format(chance, "Temp(X, high, T)"))
    assert one.states == (state("Temp", "X", "high"), state("Temp", "X", "low"), state("Temp", "X", "_"))
    assert (one.formula_states, one.kinds) == (1, 2)


def test_a_slot_may_be_a_constant() -> None:
    text = "input Temp(x: text, level: text, time) one per x. P(T) :- Temp(wt4, high, T). query P(T)."
    (one,) = chains(text)
    assert (one.places, one.terms) == ((0,), (Const("wt4"),))


def test_leaves_know_their_chain_and_state() -> None:
    rules = prepared(plan_of(SLOT.format("", "Temp(X, high, T), not Temp(X, low, T+1)")))
    literals = formula_of(rules, "P").literals
    found = list(chains_of(literals, rules.inputs))
    assert [leaf_of(literal, found) for literal in literals] == [(0, 1), (0, 2)]


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("Temp(X, _, T), Temp(X, high, T+1)", "one fact may stand for two"),
        ("Temp(Y, X, T)", "any fact of several slots"),
        (", ".join(f"Temp(X, l{i}, T+{i})" for i in range(8)), "too many kinds"),
    ],
)
def test_where_facts_hang_together_in_another_way(body: str, why: str) -> None:
    with pytest.raises(UnknownChanceError, match=why):
        chains(SLOT.format("", body))


def test_so_many_kinds_are_not_too_many() -> None:
    (one,) = chains(SLOT.format("", ", ".join(f"Temp(X, l{i}, T+{i})" for i in range(7))))
    assert len(one.states) == 8
