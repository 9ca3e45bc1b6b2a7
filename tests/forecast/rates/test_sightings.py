"""antelog/forecast/rates/{sightings,counts}.py: what has come of each chain, and what is learned of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from antelog.engine.columns.tables import Numbers
from antelog.engine.values.values import Values
from antelog.forecast.rates.counts import (
    SeriesCounts,
    SlotCounts,
    Weights,
    and_then,
    counted,
    kinds_of,
    no_counts,
    odds_of,
    slot_shares,
    slot_transitions,
    up_to,
)
from antelog.forecast.rates.odds import Keys, Odds, possible_kinds
from antelog.forecast.rates.sightings import Sightings, Sought, family_of, outcomes
from antelog.forecast.rates.tally import EPOCH, FORGOTTEN, KnownEpoch
from tests.forecast.making import Fact, cells, chains, input_of, keys, once_and_again, sighted

MANY = "input Temp(x: text, level: text, time) delay 2. P(X, T) :- Temp(X, high, T). query P(X, T)."
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


TEXT = """input Temp(x: text, level: text, time) delay 1, one per x. {}
    P(X, T) :- Temp(X, high, T). query P(X, T)."""
NOTHING = Weights(1.0, 1.0, 1.0)
FULL = Weights(20.0, 5.0, 5.0)


def counts(
    facts: list[list[float]], ticks: float, *, after: list[float] | None = None, late: Numbers | None = None
) -> SlotCounts:
    """One slot: of each kind the facts after none, and after each kind, and the ticks after each."""
    found = np.array([facts], np.float64)
    some = found[:, 1:].sum(axis=2) if after is None else np.array([after])
    given = np.zeros((found.shape[2], 2)) if late is None else late
    return SlotCounts(np.array([ticks], np.float64), some, found, given[None])


def nothing(kinds: int) -> SlotCounts:
    return counts([[0.0] * kinds] * (kinds + 1), 0)


def test_what_a_key_does_is_drawn_towards_all_keys() -> None:
    every = counts([[0.0, 0], [3000, 3000], [3000, 3000]], 12000)
    (nobody,) = slot_transitions(nothing(2), every, FULL)
    np.testing.assert_allclose(nobody[1:, 1:], 0.5, atol=1e-3)
    (own,) = slot_transitions(counts([[0.0, 0], [5, 0], [0, 0]], 5), every, FULL)
    assert own[1, 1] == pytest.approx(0.75, abs=1e-3)  # five times of five, and half of five


def test_a_key_that_is_often_silent_is_so_after_facts_it_had_seldom() -> None:
    every = counts([[500.0, 500], [2000, 2000], [2000, 2000]], 9000)
    own = counts([[20.0, 0], [20, 0], [0, 0]], 60, after=[40, 0])
    (moves,) = slot_transitions(own, every, FULL)
    (usual,) = slot_transitions(nothing(2), every, FULL)
    assert moves[2, 0] > usual[2, 0] + 0.2  # the other kind never came


def test_kinds_that_are_seldom_are_as_late_as_others() -> None:
    every = counts([[0.0, 0], [500, 0], [0, 0]], 1000, late=np.array([[700.0, 300.0], [0.0, 0.0]]))
    (shares,) = slot_shares(nothing(2), every, 5.0)
    np.testing.assert_allclose(shares, [[0.7, 0.3]] * 2, atol=0.01)


def learned(text: str, facts: list[Fact]) -> Odds:
    (chain,) = chains(text)
    family = family_of(chain)
    sightings = sighted([family], facts)
    found = and_then(no_counts(family, 1), counted(sightings, family, 0, 1))
    rows, known = keys(sightings.values, X=["a"]), KnownEpoch(0, None)
    return odds_of(up_to(found, known), chain, rows, known, possible_kinds(chain, input_of(text), rows))


def test_odds_of_a_slot_are_of_its_facts_and_of_another() -> None:
    levels = ["high", "low"] * (EPOCH // 2)
    facts: list[Fact] = [("Temp", "a", level, tick, tick) for tick, level in enumerate(levels)]
    odds = learned(TEXT.format(""), facts)
    (moves,) = odds.transitions
    assert moves[1].argmax() == 2  # after high comes another
    assert moves[2].argmax() == 1
    assert (moves[1:, 0] < 0.1).all()
    assert odds.known.tolist() == [True]


def test_kinds_of_facts_that_a_declaration_names_are_counted_apart() -> None:
    text = TEXT.format("chance Temp(_, low, _) = 30%.")
    facts: list[Fact] = [("Temp", "a", ["low", "mid"][tick % 2], tick, tick) for tick in range(EPOCH)]
    (moves,) = learned(text, facts).transitions
    assert (moves[2].argmax(), moves[3].argmax()) == (3, 2)  # low, another, low, another
    assert (moves[1:, 1] < 0.1).all()  # never high


def test_facts_of_a_kind_that_cannot_be_count_as_another() -> None:
    (chain,) = chains(TEXT.format("chance Temp(_, low, _) = 30%."))
    yes, some = np.ones(2, np.bool_), np.array([True, False])
    kinds = kinds_of(chain, family_of(chain), [yes, some, yes])
    assert kinds[0].tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    assert kinds[1].tolist() == [[1, 0, 0], [0, 0, 1], [0, 0, 1]]


(CHAIN,) = chains(MANY)
FAMILY = family_of(CHAIN)
HOT: list[Fact] = [("Temp", "a", "high", 3, 3), ("Temp", "a", "high", 4, 4), ("Temp", "a", "high", 5, 7)]


def used(facts: list[Fact], epochs: int = 1, half_life: float | None = None) -> tuple[SeriesCounts, Values]:
    sightings = sighted([FAMILY], facts)
    counts = no_counts(FAMILY, 2)
    for epoch in range(epochs):
        counts = and_then(counts, counted(sightings, FAMILY, epoch, 2))
    return up_to(counts, KnownEpoch(epochs - 1, half_life)), sightings.values


def odds_after(facts: list[Fact], *devices: str, epoch: int = 0) -> Odds:
    counts, values = used(facts, epoch + 1)
    return _odds_of(counts, keys(values, X=devices), KnownEpoch(epoch, None))


def _odds_of(counts: SeriesCounts, rows: Keys, as_of: KnownEpoch) -> Odds:
    return odds_of(counts, CHAIN, rows, as_of, [np.ones(rows.count, np.bool_)])


def row(sightings: Sightings, epoch: int) -> list[float]:
    """What an epoch adds for all keys: facts, ticks after one, facts after one, and how late."""
    numbers: list[float] = counted(sightings, FAMILY, epoch, 2).numbers.sum(axis=0).tolist()
    return numbers


def test_epochs_do_not_count_what_lies_between_them_twice() -> None:
    last, next_ = ("Temp", "a", "high", EPOCH - 1, EPOCH - 1), ("Temp", "a", "high", EPOCH, EPOCH)
    sightings = sighted([FAMILY], [last, next_])
    assert row(sightings, 0) == [1, 0, 0, 1, 0, 0]  # the tick after it is the next epoch's
    assert row(sightings, 1) == [1, 2, 1, 1, 0, 0]


def test_odds_are_drawn_towards_those_of_all_keys() -> None:
    found = odds_after(HOT, "a", "b")
    # All keys: 20 ticks of one device, 3 hot, 2 of them after a hot one.
    once, again = 1.5 / 18, (2 + 1.5 / 18) / 4
    shares = np.array([2 + 1 / 3, 1 / 3, 1 + 1 / 3]) / 4
    rates = once_and_again(found)
    assert rates[0][:, 0].tolist() == pytest.approx([(1 + 20 * once) / (17 + 20), once])
    assert rates[1][:, 0].tolist() == pytest.approx([(2 + 5 * again) / (3 + 5), again])
    np.testing.assert_allclose(found.shares[:, 0], [([2, 0, 1] + 5 * shares) / 8, shares])
    assert found.known.tolist() == [True, True]


def test_what_all_keys_share_outlives_those_that_are_forgotten() -> None:
    counts, values = used(HOT)
    late = FORGOTTEN + 1
    counts = up_to(counts, KnownEpoch(late, None))
    assert (counts.tally.count, counts.shared.count) == (0, 1)
    found = _odds_of(counts, keys(values, X=["a"]), KnownEpoch(late, None))
    once, again = once_and_again(found)
    assert again[0, 0] == pytest.approx((2 + once[0, 0]) / 4)
