"""The answers there must be, by brute force: from tables of what is true of each device at each tick."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchmarks.counting import NEVER, first_arrivals
from benchmarks.streams import Facts, Numbers

Truth = NDArray[np.bool_]

ACKNOWLEDGED_WITHIN = 5
RISE, POPULAR = 5, 60
WINDOW, MANY, HIGH_MEAN = 60, 25, 55
AMOUNTS = 100
"""Amounts are whole numbers below this."""


def in_a_row(facts: Facts, devices: int, ticks: int) -> pl.DataFrame:
    return _reported(_three(facts, devices, ticks), _names(facts))


def not_in_a_row(facts: Facts, devices: int, ticks: int) -> pl.DataFrame:
    return _reported(_true(facts, devices, ticks) & ~_three(facts, devices, ticks), _names(facts))


def unacknowledged(alarms: Facts, acks: Facts, devices: int, ticks: int) -> pl.DataFrame:
    alarm, ack = _true(alarms, devices, ticks), _true(acks, devices, ticks)
    answered = np.zeros_like(alarm)
    for distance in range(1, ACKNOWLEDGED_WITHIN + 1):
        answered[:, :-distance] |= ack[:, distance:]
    return _reported(alarm & ~answered, _names(alarms))


def joined(heats: Facts, pressures: Facts, feeds: Numbers, devices: int, ticks: int) -> pl.DataFrame:
    heat, pressure = _true(heats, devices, ticks), _true(pressures, devices, ticks)
    edge, time = np.nonzero(heat[feeds[:, 0], :-1] & pressure[feeds[:, 1], 1:])
    names = _names(heats)
    return pl.DataFrame({"a": names[feeds[edge, 0]], "b": names[feeds[edge, 1]], "t": time})


def leads(
    scores: Numbers, near: Numbers, shops: Sequence[tuple[str, str]], regions: NDArray[np.str_]
) -> pl.DataFrame:
    """`scores` are by product, region and tick; `near` has pairs of regions."""
    rises = scores[:, :, 1:] >= scores[:, :, :-1] + RISE
    trend = np.zeros(scores.shape, dtype=bool)
    trend[:, :, 2:] = rises[:, :, :-1] & rises[:, :, 1:]
    reached = np.zeros_like(trend)
    for here, there in near:
        reached[:, here] |= trend[:, there]
    wanted = reached & (scores < POPULAR)
    number = {str(region): index for index, region in enumerate(regions)}
    found = []
    for shop, region in shops:
        product, time = np.nonzero(wanted[:, number[str(region)]])
        found.append(
            pl.DataFrame({"a": [shop] * len(time), "b": np.char.add("p", product.astype(str)), "t": time})
        )
    return pl.concat(found)


def many_within(facts: Facts, devices: int, ticks: int) -> pl.DataFrame:
    paid = _true(facts, devices, ticks)
    return _reported(paid & (_within(paid.astype(np.int64)) >= MANY), _names(facts))


def dear_within(facts: Facts, devices: int, ticks: int) -> pl.DataFrame:
    paid, amounts = _true(facts, devices, ticks), np.zeros((devices, ticks), np.int64)
    amounts[facts.objects[0], facts.time] = facts.objects[1]
    return _reported(paid & (_within(amounts) > HIGH_MEAN * _within(paid.astype(np.int64))), _names(facts))


def _within(amounts: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each device and tick the sum over the window that ends there."""
    before = np.pad(amounts.cumsum(axis=1), ((0, 0), (WINDOW, 0)))
    found: NDArray[np.int64] = before[:, WINDOW:] - before[:, :-WINDOW]
    return found


def _three(facts: Facts, devices: int, ticks: int) -> Truth:
    """For each device and tick whether three high readings begin there."""
    high = _true(facts.take(facts.objects[1] == 0), devices, ticks)
    three = np.zeros_like(high)
    three[:, :-2] = high[:, :-2] & high[:, 1:-1] & high[:, 2:]
    return three


def _true(facts: Facts, devices: int, ticks: int) -> Truth:
    return first_arrivals(facts, devices, ticks, int(NEVER)) < NEVER


def _names(facts: Facts) -> NDArray[np.str_]:
    return facts.names[0][1]


def _reported(true: Truth, names: NDArray[np.str_]) -> pl.DataFrame:
    device, time = np.nonzero(true)
    return pl.DataFrame({"a": names[device], "t": time})
