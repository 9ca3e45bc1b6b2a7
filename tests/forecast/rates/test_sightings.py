"""antelog/forecast/rates/{sightings,slots}.py: what has come of each chain, and how full slots are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from antelog.forecast.rates import slots
from antelog.forecast.rates.odds import Odds, declared, possible_kinds
from antelog.forecast.rates.sightings import Sought, family_of, outcomes
from antelog.forecast.rates.slots import STRETCH
from antelog.forecast.rates.tally import closed
from tests.forecast.making import Fact, cells, chains, input_of, keys, sighted

SLOT = """input Temp(x: text, level: text, time) delay 2, one per x.
    P(X, T) :- Temp(X, high, T), not Temp(X, low, T+1). query P(X, T)."""


def test_many_ticks_are_looked_up_at_once() -> None:
    (chain,) = chains(SLOT)
    facts: list[Fact] = [("Temp", "a", "high", 0, 0), ("Temp", "b", "high", 1, 2), ("Temp", "b", "low", 2, 2)]
    found = sighted([family_of(chain)], facts)
    keys, nothing = [cells(found.values, ["a", "b"])], np.zeros(2, np.int64)
    possible = [None, np.array([True, False]), None]  # of `low` there is none for b: it is another fact
    sought = Sought(keys, [{}, {}, {}], [0, 1, 2], possible, nothing, np.array([9, 1]))
    together = outcomes(found, family_of(chain), sought, np.arange(3))
    assert together.tolist() == [[1, 0, 0], [0, 0, 0]]  # nothing of b had come
    later = replace(sought, as_of=nothing + 9)
    assert outcomes(found, family_of(chain), later, np.arange(3)).tolist() == [[1, 0, 0], [0, 1, 3]]
    assert outcomes(found, family_of(chain), later, np.array([2])).tolist() == [[0], [3]]


def test_keys_beyond_the_places_have_to_fit() -> None:
    text = """input Temp(x: text, y: text, time) one per x.
        P(X, Y, T) :- Temp(X, Y, T), not Temp(X, a, T+1). query P(X, Y, T)."""
    (chain,) = chains(text.replace(", not Temp(X, a, T+1)", ""))
    family = family_of(chain)
    assert (family.places, family.more) == ((0,), (1,))
    found = sighted([family], [("Temp", "wt2", "high", 0, 0)])
    asked = cells(found.values, ["wt2", "wt2"])
    beyond = [{1: cells(found.values, ["high", "low"])}, {}]
    sought = Sought([asked], beyond, [0, 1], [None, None], np.zeros(2, np.int64), np.zeros(2, np.int64))
    assert outcomes(found, family, sought, np.zeros(1, np.int64)).tolist() == [[1], [2]]


# ---- slots ----

TEXT = """input Temp(x: text, level: text, time) delay 1, one per x. chance Temp(_, high, _) = {}.
    P(X, T) :- Temp(X, high, T). query P(X, T)."""
TICKS = 4 * STRETCH


def learned(chance: str, levels: Sequence[str | None], *steps: int, half_life: float | None = None) -> Odds:
    """The odds of a in the last stretch, given the level of each tick, counted in steps that end at ticks."""
    (chain,) = chains(text := TEXT.format(chance))
    family = family_of(chain)
    facts: list[Fact] = [("Temp", "a", x, tick, tick) for tick, x in enumerate(levels) if x is not None]
    sightings, ledger, now = sighted([family], facts), slots.nothing_counted(family), -1
    for end in steps or (len(levels),):
        ledger = slots.counted(ledger, family, sightings, range(now, end), slowest=1, half_life=half_life)
        ledger, now = closed(ledger, end // STRETCH), end
    rows, source = keys(sightings.values, X=["a", "new"]), input_of(text)
    stretches, odds = np.full(2, now // STRETCH), declared(chain, source, rows)
    possible = possible_kinds(chain, source, rows)
    return slots.with_others(odds, ledger, chain, rows, stretches, half_life=half_life, possible=possible)


def test_a_slot_that_always_has_a_fact_has_another_where_it_has_not_the_declared_one() -> None:
    full, new = learned("30%, again 70%", ["high", "low"] * (TICKS // 2)).transitions
    assert full[:, 0].max() < 0.02
    np.testing.assert_allclose(full[:, 1], [0.3, 0.7, 0.3])
    np.testing.assert_allclose(full.sum(axis=1), 1)
    assert new[:, 2].max() < 1e-9, "nothing is known of it"


def test_a_slot_that_is_often_silent_has_none_as_often() -> None:
    moves = learned("30%", ["low", None] * (TICKS // 2)).transitions[0]
    np.testing.assert_allclose(moves, [[0.5, 0.3, 0.2]] * 3, atol=0.02)


def test_more_than_is_declared_cannot_be_missing() -> None:
    moves = learned("90%", ["low", None, None, None] * (TICKS // 4)).transitions[0]
    np.testing.assert_allclose(moves, [[0.1, 0.9, 0]] * 3, atol=1e-9)


@pytest.mark.parametrize("half_life", [None, 30.0])
@pytest.mark.parametrize("steps", [(TICKS // 2 + 1, TICKS), range(TICKS + 1)])
def test_cuts_change_no_count(steps: tuple[int, ...], half_life: float | None) -> None:
    levels = ["high", "low", None] * (TICKS // 3) + ["low"] * 2
    whole, cut = (learned("30%", levels, *each, half_life=half_life) for each in ((TICKS,), steps))
    np.testing.assert_allclose(cut.transitions, whole.transitions, atol=1e-12)
    np.testing.assert_allclose(cut.unexpected, whole.unexpected, atol=1e-12)


def test_facts_that_nothing_is_declared_of_are_counted_apart() -> None:
    levels = ["high"] * STRETCH + ["low"] * (TICKS - STRETCH)
    assert learned("30%", levels).unexpected.tolist() == [TICKS - 2 * STRETCH, 0]  # the last may still come
