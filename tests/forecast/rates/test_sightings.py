"""antelog/forecast/rates/sightings.py: what has come of each chain, looked up by key and tick."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from antelog.engine.facts.history import gather
from antelog.engine.values.values import Values
from antelog.forecast.rates.series import Chain
from antelog.forecast.rates.sightings import (
    Sightings,
    Sought,
    family_of,
    forgotten,
    nothing_seen,
    outcomes,
    seen,
)
from tests.forecast.making import Fact, cells, chains, facts_of, sighted

MANY = "input Temp(x: text, level: text, time) delay 2. P(X, T) :- Temp(X, high, T). query P(X, T)."
SLOT = """input Temp(x: text, level: text, time) delay 2, one per x.
    P(X, T) :- Temp(X, high, T), not Temp(X, low, T+1). query P(X, T)."""
READ = "input Read(x: text, v: number, time) delay 2. P(X, T) :- Read(X, V, T), V >= 90. query P(X, T)."


def shown(chain: Chain, sightings: Sightings, *asked: tuple[str, int, int]) -> list[int]:
    """What a chain by device had shown for (device, tick, as of)."""
    device, tick, as_of = zip(*asked, strict=True)
    states = len(chain.states)
    sought = Sought(
        [cells(sightings.values, device)],
        [{}] * states,
        list(range(states)),
        [None] * states,
        np.array(tick),
        np.array(as_of),
    )
    found: list[int] = outcomes(sightings, family_of(chain), sought, np.zeros(1, np.int64))[:, 0].tolist()
    return found


def test_a_fact_is_seen_from_its_arrival_on() -> None:
    (chain,) = chains(MANY)
    found = sighted([family_of(chain)], [("Temp", "wt2", "high", 7, 8), ("Temp", "wt2", "low", 6, 6)])
    assert shown(chain, found, ("wt2", 7, 7), ("wt2", 7, 8), ("wt3", 7, 9), ("wt2", 6, 9)) == [0, 1, 0, 0]


def test_a_slot_shows_which_fact_it_has() -> None:
    (chain,) = chains(SLOT)
    facts: list[Fact] = [("Temp", "a", level, t, t) for t, level in enumerate(("high", "low", "mid"))]
    found = sighted([family_of(chain)], facts)
    assert shown(chain, found, *(("a", tick, 9) for tick in range(4))) == [1, 2, 3, 0]


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


def test_tests_are_looked_at_once() -> None:
    (chain,) = chains(READ)
    found = sighted([family_of(chain)], [("Read", "a", 90, 0, 0), ("Read", "a", 89.5, 1, 1)])
    assert shown(chain, found, ("a", 0, 5), ("a", 1, 5)) == [1, 0]


def test_many_facts_of_a_key_and_tick_are_one_which_came_with_the_first() -> None:
    (chain,) = chains(READ)
    family = family_of(chain)
    facts: Sequence[Fact] = [("Read", "a", 95, 5, 7), ("Read", "a", 97, 5, 6)]
    for found in (sighted([family], facts), sighted([family], facts[1:], facts[:1])):
        own = gather(found.history, family.name, None)
        assert (own.time.tolist(), own.arrival.tolist()) == ([5], [6])


def test_cells_are_those_of_the_forecast() -> None:
    (chain,) = chains(MANY)
    engine = Values()
    facts = facts_of(engine, [("other", "high", 1, 1), ("wt2", "high", 1, 1)])
    start = nothing_seen([family_of(chain)])
    start.values.cell("wt2")  # has the first number here, and another one in the engine
    found = seen(start, [family_of(chain)], {"Temp": facts}, engine)
    assert shown(chain, found, ("wt2", 1, 1), ("other", 1, 1), ("none", 1, 1)) == [1, 1, 0]


def test_what_is_forgotten() -> None:
    (chain,) = chains(MANY)
    family = family_of(chain)
    found = sighted([family], [("Temp", "a", "high", 1, 1), ("Temp", "a", "high", 2, 2)])
    assert shown(chain, forgotten(found, {family.name: 2}), ("a", 1, 9), ("a", 2, 9)) == [0, 1]


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
