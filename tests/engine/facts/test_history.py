"""antelog/engine/facts/history.py: the facts that still matter, by input and tick."""

from __future__ import annotations

import numpy as np

from antelog.engine.columns.spans import NOWHERE, span, union
from antelog.engine.facts.history import (
    Facts,
    History,
    Stream,
    added,
    fresh,
    gather,
    gather_each,
    rows_of,
    without,
)

EMPTY: History = {"P": Stream(1, {})}


def facts(*rows: tuple[int, int, int]) -> Facts:
    """Facts as (value, time, arrival)."""
    x, time, arrival = (np.array(column, np.int64) for column in zip(*rows, strict=True))
    return Facts((x,), time, arrival)


def rows(found: Facts) -> list[tuple[int, ...]]:
    return sorted(zip(*(c.tolist() for c in (*found.columns, found.time, found.arrival)), strict=True))


def test_facts_are_found_by_tick_and_by_what_they_have() -> None:
    history = added(EMPTY, {"P": facts((7, 1, 1), (8, 1, 2), (7, 5, 5))})
    assert rows(gather(history, "P", span(0, 4))) == [(7, 1, 1), (8, 1, 2)]
    assert rows(gather(history, "P", None, constants=((0, 7),))) == [(7, 1, 1), (7, 5, 5)]
    assert rows_of(history) == 3
    assert rows_of(EMPTY) == 0  # what was handed over stays as it was


def test_what_is_there_already_is_not_fresh() -> None:
    history = added(EMPTY, {"P": facts((7, 1, 1))})
    assert rows(fresh(history, "P", facts((7, 1, 3), (7, 2, 3)))) == [(7, 2, 3)]


def test_facts_about_early_ticks_are_forgotten() -> None:
    history = added(EMPTY, {"P": facts((7, 1, 1), (7, 5, 5))})
    assert rows(gather(without(history, {"P": 2}), "P", None)) == [(7, 5, 5)]


def test_a_far_tick_costs_no_more_than_a_near_one() -> None:
    history = added(EMPTY, {"P": facts((7, 1, 1), (7, 2**50, 2**50))})
    assert len(history["P"].slices) == 2
    assert rows(gather(history, "P", span(2, 2**52))) == [(7, 2**50, 2**50)]


def test_facts_several_ask_for_are_the_ones_each_would_find() -> None:
    history = added(EMPTY, {"P": facts(*((x, tick, tick) for tick in range(40) for x in (7, 8)))})
    history = added(history, {"P": facts((9, 5, 6), (7, 5, 7))})
    # The second and the third are stretches of all that are asked for, the last has a gap.
    wanted = [None, span(3, 6), span(38, 50), NOWHERE, union((span(1, 1), span(9, 9)))]
    for constants in ((), ((0, 7),)):
        for asked in (wanted, wanted[1:], wanted[1:2]):
            found = gather_each(history, "P", asked, constants)
            for facts_, about in zip(found, asked, strict=True):
                assert rows(facts_) == rows(gather(history, "P", about, constants))
