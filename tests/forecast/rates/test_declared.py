"""antelog/forecast/rates/odds.py: the odds that the program itself declares."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from antelog.engine.values.encoding import OTHERS
from antelog.engine.values.values import Values
from antelog.forecast.rates.odds import (
    Odds,
    completed,
    declared,
    less_declared,
    memory,
    possible_kinds,
    transitions,
)
from tests.forecast.making import chains, input_of, keys, once_and_again

INPUT = "input Temp(x: text, level: text, time) delay 1{}."
RULE = "P(X, T) :- Temp(X, high, T). query P(X, T)."
CHANCES = "chance Temp(_, high, _) = 5%, again 80%."


def found(declarations: str, *devices: str, slot: str = "", rule: str = RULE) -> Odds:
    text = f"{INPUT.format(slot)} {declarations} {rule}"
    (chain,) = chains(text)
    return declared(chain, input_of(text), keys(Values(), X=devices))


def test_the_declaration_with_most_constants_decides() -> None:
    odds = found(
        f"{CHANCES} chance Temp(_, _, _) = 50%. chance Temp(wt4, high, _) = 10%. "
        "delay Temp(wt4, _, _) = 2 (70%, 20%, 8%).",
        "wt2",
        "wt4",
    )
    once, again = once_and_again(odds)
    assert once.tolist() == [[0.05], [0.1]]
    assert again.tolist() == [[0.8], [0.1]]  # without `again`, what came before does not matter
    assert odds.delay.tolist() == [[1], [2]]
    np.testing.assert_allclose(odds.shares, [[[0.5, 0.5, 0]], [[0.7, 0.2, 0.08]]])
    assert (odds.shares_declared.tolist(), odds.known.tolist()) == ([[False], [True]], [True, True])


def test_a_declaration_that_fits_some_facts_of_a_series_leaves_it_open() -> None:
    rule = "P(X, T) :- Temp(X, _, T). query P(X, T)."
    assert found(CHANCES, "wt2", rule=rule).known.tolist() == [False]
    assert found("chance Temp(_, _, _) = 5%.", "wt2", rule=rule).known.tolist() == [True]


def test_a_value_that_no_fact_has_has_no_facts() -> None:
    text = f"{INPUT.format('')} {CHANCES} {RULE}"
    (chain,) = chains(text)
    rows = replace(keys(Values(), X=["a"]), cells={"X": np.array([OTHERS])})
    odds = declared(chain, input_of(text), rows)
    once, again = once_and_again(odds)
    assert (once.tolist(), again.tolist(), odds.known.tolist()) == ([[0]], [[0]], [True])


def test_chances_in_a_slot_are_at_most_one_together() -> None:
    rule = "P(X, T) :- Temp(X, high, T), not Temp(X, low, T+1). query P(X, T)."
    # A declaration for any level counts for both of them, and for all other levels together.
    for percent, known in ((33, True), (34, False)):
        chance = f"chance Temp(_, _, _) = {percent}%."
        assert found(chance, "a", slot=", one per x", rule=rule).known.tolist() == [known]


def test_other_kinds_of_facts_in_a_slot() -> None:
    chances = f"{CHANCES} chance Temp(wt2, low, _) = 15%. chance Temp(wt4, high, _) = 1%."
    text = f"{INPUT.format(', one per x')} {chances} {RULE}"
    (chain,) = chains(text)
    assert [dict(s.series.constants).get(1) for s in chain.states] == ["high", "low", None]
    rows = keys(Values(), X=["wt2", "wt4"])
    # Of high ones the formula asks, so they are no other kind; of low ones one declaration speaks, for wt2.
    assert [mask.tolist() for mask in possible_kinds(chain, input_of(text), rows)] == [
        [True, True],
        [True, False],
        [True, True],
    ]
    odds = declared(chain, input_of(text), rows)
    np.testing.assert_allclose(once_and_again(odds)[0], [[0.05, 0.15, 0], [0.01, 0, 0]], atol=1e-10)
    # What is impossible is not learned, nor what is declared.
    assert odds.chance_declared.tolist() == [[True, True, False]] * 2


def test_what_is_declared_is_not_learned() -> None:
    text = f"{INPUT.format('')} delay Temp(wt4, _, _) = 2 (70%, 20%, 8%). {RULE}"
    (chain,) = chains(text)
    rows = keys(Values(), X=["wt2", "wt4"])
    odds = declared(chain, input_of(text), rows)
    same = np.full((2, 1), 0.25)
    learned = replace(
        odds,
        transitions=transitions(same, same * 3),
        shares=np.broadcast_to([0.6, 0.2, 0.2], (2, 1, 3)).copy(),
        known=np.ones(2, np.bool_),
    )
    both = completed(odds, learned)
    once, again = once_and_again(both)
    assert (once.tolist(), again.tolist()) == ([[0.25], [0.25]], [[0.75], [0.75]])
    # For wt2 what was learned, within its delay of 1; for wt4 what is declared.
    np.testing.assert_allclose(both.shares, [[[0.75, 0.25, 0]], [[0.7, 0.2, 0.08]]])


def test_what_is_learned_may_know_of_longer_delays() -> None:
    """Those of another input; and of shorter ones, for a fact may be later than any that has come."""
    text = f"{INPUT.format('')} {CHANCES} {RULE}"
    (chain,) = chains(text)
    rows = keys(Values(), X=["wt2"])
    odds = declared(chain, input_of(text), rows)
    for shares, known, wanted in (
        ([0.6, 0.2, 0.1, 0.1], True, [0.75, 0.25, 0, 0]),
        ([0.6, 0.2, 0.1, 0.1], False, [0.5, 0.5, 0, 0]),
        ([1.0], True, [1, 0]),
        ([1.0], False, [0.5, 0.5]),
    ):
        learned = replace(odds, shares=np.array([[shares]]), known=np.array([known]))
        both = completed(odds, learned)
        np.testing.assert_allclose(both.shares, [[wanted]])


def slot(declarations: str, rule: str = RULE) -> tuple[Odds, Odds]:
    """The declared odds of a slot, and learned ones: after nothing, high, and another fact."""
    text = f"{INPUT.format(', one per x')} {declarations} {rule}"
    (chain,) = chains(text)
    odds = declared(chain, input_of(text), keys(Values(), X=["a"]))
    moves = np.array([[[0.5, 0.2, 0.3], [0.1, 0.6, 0.3], [0.0, 0.1, 0.9]]])
    return odds, replace(odds, transitions=moves, known=np.ones(1, np.bool_))


def test_what_a_declaration_leaves_over_is_learned() -> None:
    odds, learned = slot(CHANCES)
    moves = completed(odds, learned, whole=False).transitions[0]
    np.testing.assert_allclose(
        moves,
        [
            [0.95 * 5 / 8, 0.05, 0.95 * 3 / 8],
            [0.2 * 1 / 4, 0.8, 0.2 * 3 / 4],
            [0, 0.05, 0.95],  # always one or the other
        ],
        atol=1e-12,
    )


def test_of_any_fact_of_a_slot_others_are_what_is_not_declared() -> None:
    odds, learned = slot(CHANCES)
    found = completed(odds, less_declared(learned, odds), whole=False)
    moves = found.transitions[0]
    np.testing.assert_allclose(moves, [[0.5, 0.05, 0.45], [0.1, 0.8, 0.1], [0, 0.05, 0.95]], atol=1e-12)


@pytest.mark.parametrize(
    ("declarations", "ticks"),
    [
        (CHANCES, 0),  # nothing is lost
        ("delay Temp(_, _, _) = 1 (60%, 40%). " + CHANCES, 0),
        ("delay Temp(_, _, _) = 1 (60%, 30%). chance Temp(_, high, _) = 5%.", 1),  # no tick rests on another
        ("delay Temp(_, _, _) = 1 (60%, 30%). chance Temp(_, high, _) = 5%, again 55%.", 40),
        ("delay Temp(_, _, _) = 1 (60%, 30%). chance Temp(_, high, _) = 0%, again 99.99%.", 300),
    ],
)
def test_how_long_a_lost_fact_matters(declarations: str, ticks: int) -> None:
    assert memory(input_of(f"{INPUT.format('')} {declarations} {RULE}")) == ticks
