"""Ways of making facts whose true chances are known by a formula: seasons, drifts, rates of keys, sums, …

Each returns facts and an *oracle*. It knows the process with all its numbers, what was drawn up to the tick
of a line as far as facts showed it, and nothing else. So in the long run nobody can be better.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import erf, exp, sqrt

import numpy as np
import polars as pl
import pyarrow as pa

from antelog.engine.columns.tables import Column, Mask
from antelog.language.moments import Timescale
from benchmarks.forecast.telling import Facts, Numbers

Oracle = Callable[[pl.DataFrame], Numbers]
"""The chances of lines: see `benchmarks.forecast.telling`."""


@dataclass(frozen=True, eq=False)
class Made:
    facts: Facts
    oracle: Oracle


_DAYS = 19_723
"""From 1970 to Monday, the first of January 2024."""

BERLIN = "Europe/Berlin"


def _facts(there: Mask, begin: int = 0) -> pa.Table:
    """Facts that come at once, given at which tick (a row) which key (a column) has one."""
    time, key = np.nonzero(there)
    return pa.table({"key": key, "time": time + begin, "arrival": time + begin})


def _columns(lines: pl.DataFrame, begin: int = 0) -> tuple[Column, Column, Column]:
    """The key, the answer's tick and the line's tick of each line."""
    key, time, tick = (lines[name].cast(pl.Int64).to_numpy() for name in ("number", "time", "tick"))
    return key, time - begin, tick - begin


def _every(chance: Numbers, key: Column, after: Column, until: Column) -> Numbers:
    """The chance that all ticks after one up to another have what each (a row) has for itself by key."""
    logs = np.log(np.maximum(chance, 1e-300))
    total = np.concatenate([np.zeros((1, logs.shape[1])), np.cumsum(logs, axis=0)])
    found: Numbers = np.exp(total[until + 1, key] - total[np.minimum(after, until) + 1, key])
    return found


def _of_keys(by_tick: Numbers, keys: int) -> Numbers:
    return np.repeat(by_tick[:, None], keys, axis=1)


# ---- seasons: each tick has a chance of its own ----


def flights(seed: int, keys: int = 8, days: int = 60) -> Made:
    """Hours with flights, nearly all by day and hardly any by night."""
    begin, hour = 24 * _DAYS, np.arange(24 * days) % 24
    chance = _of_keys(np.where((hour >= 6) & (hour < 22), 0.95, 0.03), keys)
    there = np.random.default_rng(seed).random(chance.shape) < chance

    def oracle(lines: pl.DataFrame) -> Numbers:
        key, time, tick = _columns(lines, begin)
        return _every(chance, key, tick, time + 2)

    return Made({"Flight": _facts(there, begin)}, oracle)


def desk(seed: int, keys: int = 10, weeks: int = 20) -> Made:
    """Requests at any hour, which are replied to in office hours; clocks are put forward meanwhile."""
    begin, hours, random = 24 * _DAYS, 7 * 24 * weeks, np.random.default_rng(seed)
    clock = [Timescale(3_600_000_000, BERLIN).time(begin + hour) for hour in range(hours)]
    office = np.array([each.weekday() < 5 and 8 <= each.hour < 17 for each in clock])
    chance = _of_keys(np.where(office, 0.5, 0.03), keys)
    asked, replied = random.random(chance.shape) < 0.1, random.random(chance.shape) < chance

    def oracle(lines: pl.DataFrame) -> Numbers:
        key, time, tick = _columns(lines, begin)
        return 1 - _every(1 - chance, key, tick, time + 4)

    return Made({"Ask": _facts(asked, begin), "Reply": _facts(replied, begin)}, oracle)


def shop(seed: int, keys: int = 10, weeks: int = 80) -> Made:
    """Days with sales: most on Saturday, few on Sunday and Monday."""
    chance = _of_keys(np.tile([0.2, 0.75, 0.75, 0.75, 0.8, 0.9, 0.05], weeks), keys)
    there = np.random.default_rng(seed).random(chance.shape) < chance

    def oracle(lines: pl.DataFrame) -> Numbers:
        key, time, tick = _columns(lines, _DAYS)
        return _every(1 - chance, key, tick, time + 2)

    return Made({"Sale": _facts(there, _DAYS)}, oracle)


# ---- drift, rare events, spells that have an age ----


def slow(seed: int, keys: int = 8, ticks: int = 4000) -> Made:
    """A fact follows another with 90 %, falling to 30 % and rising again in 4,000 ticks; else with 10 %."""
    again = _of_keys(0.6 + 0.3 * np.cos(2 * np.pi * np.arange(ticks) / 4000), keys)
    random, there = np.random.default_rng(seed), np.zeros((ticks, keys), np.bool_)
    for tick in range(1, ticks):
        there[tick] = random.random(keys) < np.where(there[tick - 1], again[tick], 0.1)

    def oracle(lines: pl.DataFrame) -> Numbers:
        key, time, tick = _columns(lines)
        return _every(again, key, tick, time + 2)

    return Made({"Ping": _facts(there)}, oracle)


def rare(seed: int, keys: int = 100, ticks: int = 2000) -> Made:
    """Alarms, of which one in a thousand is followed by a failure within five ticks."""
    random, chance = np.random.default_rng(seed), np.full((ticks, keys), 0.0002)
    alarm, failed = random.random(chance.shape) < 0.1, random.random(chance.shape) < chance

    def oracle(lines: pl.DataFrame) -> Numbers:
        key, time, tick = _columns(lines)
        return 1 - _every(1 - chance, key, tick, time + 5)

    return Made({"Alarm": _facts(alarm), "Fail": _facts(failed)}, oracle)


def spells(seed: int, keys: int = 15, ticks: int = 1500) -> Made:
    """Spells of four to eight ticks, each as likely; a new one begins with 12 %."""
    random, there = np.random.default_rng(seed), np.zeros((ticks, keys), np.bool_)
    age, left = np.zeros((ticks, keys), np.int64), np.zeros(keys, np.int64)
    for tick in range(1, ticks):
        begins = ~there[tick - 1] & (random.random(keys) < 0.12)
        left = np.where(begins, random.integers(4, 9, keys), np.maximum(left - 1, 0))
        there[tick] = left > 0
        age[tick] = np.where(there[tick], age[tick - 1] + 1, 0)
    as_long = np.clip((9 - np.arange(20)) / 5, 0, 1)

    def oracle(lines: pl.DataFrame) -> Numbers:
        key, time, tick = _columns(lines)
        own = age[tick, key]
        found: Numbers = as_long[own + time + 3 - tick] / as_long[own]
        return found

    return Made({"On": _facts(there)}, oracle)


# ---- keys: many, with rates of their own, or all under the same weather ----


def orders(seed: int, keys: int, each: int, slot: int, shape: float) -> Made:
    """Orders, which a customer pays within three ticks with a rate of its own, drawn from Beta(shape, shape).

    The oracle knows how rates were drawn, and what became of the customer's orders before.
    """
    random = np.random.default_rng(seed)
    rate = random.beta(shape, shape, (keys, 1))
    time = np.arange(each) * slot + random.integers(0, slot - 3, (keys, each))
    paid = random.random((keys, each)) < rate
    before: Column = np.cumsum(paid, axis=1) - paid
    key, late = np.repeat(np.arange(keys), each), random.integers(1, 4, keys * each)
    at, good = time.ravel(), paid.ravel()
    order = {"key": key, "time": at, "arrival": at}
    payment = {"key": key[good], "time": (at + late)[good], "arrival": (at + late)[good]}

    def oracle(lines: pl.DataFrame) -> Numbers:
        key, time, tick = _columns(lines)
        assert (tick == time).all()
        found: Numbers = (before[key, time // slot] + shape) / (time // slot + 2 * shape)
        return found

    return Made({"Order": pa.table(order), "Paid": pa.table(payment)}, oracle)


def weather(seed: int, keys: int = 20, ticks: int = 1200) -> Made:
    """Keys that are hot with 80 % under one weather and 10 % under another, which changes with 2 % a tick.

    No fact tells the weather; the oracle infers it from how many keys are hot.
    """
    random = np.random.default_rng(seed)
    stay, hot = np.array([[0.98, 0.02], [0.02, 0.98]]), np.array([0.8, 0.1])
    kind = np.cumsum(random.random(ticks) < 0.02) % 2
    there = random.random((ticks, keys)) < hot[kind][:, None]
    likely: Numbers = np.array([0.5, 0.5])
    known = []
    for count in there.sum(axis=1).tolist():
        likely = (likely @ stay) * hot**count * (1 - hot) ** (keys - count)
        likely = likely / likely.sum()
        known.append(likely)
    one = stay @ hot
    ahead = np.stack([np.ones(2), one, stay @ (hot * one)])

    def oracle(lines: pl.DataFrame) -> Numbers:
        _, time, tick = _columns(lines)
        found: Numbers = (np.array(known)[tick] * ahead[time + 2 - tick]).sum(axis=1)
        return found

    return Made({"Hot": _facts(there)}, oracle)


# ---- sums of several facts a tick ----


def payments(
    seed: int, values: Sequence[int], needed: int, keys: int = 15, ticks: int = 1500, window: int = 10
) -> Made:
    """Some 0.8 to 1.6 payments a tick, by card, of values that are all as likely; log-ins ask for a sum."""
    random, rates = np.random.default_rng(seed), np.linspace(0.8, 1.6, keys)
    login = random.random((ticks, keys)) < 0.05
    number = random.poisson(rates, (ticks, keys))
    time, key = (np.repeat(each.ravel(), number.ravel()) for each in np.indices(number.shape))
    amount = random.choice(values, len(key))
    sums = np.zeros((ticks + 1, keys), np.int64)
    np.add.at(sums, (time + 1, key), amount)
    sums = np.cumsum(sums, axis=0)
    # The chances, by key and the ticks left, that a sum is below each number.
    below = np.stack([_sums_below(rate, values, needed, window) for rate in rates])

    def oracle(lines: pl.DataFrame) -> Numbers:
        key, time, tick = _columns(lines)
        lacking = needed - (sums[tick + 1, key] - sums[time, key])
        found: Numbers = 1 - below[key, time + window - 1 - tick, np.maximum(lacking, 0)]
        return found

    pay = {"key": key, "n": np.arange(len(key)), "amount": amount, "time": time, "arrival": time}
    return Made({"Login": _facts(login), "Pay": pa.table(pay)}, oracle)


def _sums_below(rate: float, values: Sequence[int], most: int, ticks: int) -> Numbers:
    """The chances that so many ticks (a row) have a sum below each number up to `most` (a column)."""
    once = [exp(-rate)]
    for total in range(1, most):
        parts = (value * once[total - value] for value in values if value <= total)
        once.append(rate / total * sum(parts) / len(values))
    sums, rows = np.eye(1, most)[0], []
    for _ in range(ticks):
        rows.append(np.append(0.0, np.cumsum(sums)))
        sums = np.convolve(sums, once)[:most]
    return np.stack(rows)


# ---- values ----


def warm(seed: int, mean: float, keys: int, ticks: int) -> Made:
    """Values that are drawn back to their mean, of which three in a row are asked to be 90 or more."""
    random, back, noise = np.random.default_rng(seed), 0.9, 2.5
    value = np.empty((ticks, keys))
    value[0] = mean
    for tick in range(1, ticks):
        value[tick] = mean + back * (value[tick - 1] - mean) + random.normal(0, noise, keys)
    grid = np.linspace(90, 90 + 12 * noise, 1201)
    after = mean + back * (grid - mean)
    once = np.array([(1 + erf((each - 90) / noise / sqrt(2))) / 2 for each in after])
    density = np.exp(-(((grid[None, :] - after[:, None]) / noise) ** 2) / 2) / noise / sqrt(2 * np.pi)
    twice = np.trapezoid(density * once, grid, axis=1)

    def oracle(lines: pl.DataFrame) -> Numbers:
        key, time, tick = _columns(lines)
        now = value[tick, key]
        found: Numbers = np.where(tick == time, np.interp(now, grid, twice), np.interp(now, grid, once))
        return found

    time, key = np.indices(value.shape)
    facts = {"key": key.ravel(), "value": value.ravel(), "time": time.ravel(), "arrival": time.ravel()}
    return Made({"Reading": pa.table(facts)}, oracle)


def load(seed: int, keys: int = 20, ticks: int = 2000) -> Made:
    """Motors that trip, and start again within four ticks if their load is low."""
    random = np.random.default_rng(seed)
    level = np.empty((ticks, keys))
    level[0] = 50
    for tick in range(1, ticks):
        level[tick] = 50 + 0.95 * (level[tick - 1] - 50) + random.normal(0, 7, keys)
    again = 1 / (1 + np.exp((level - 50) / 8))
    trip = np.zeros((ticks, keys), np.bool_)
    slot = np.arange(0, ticks - 10, 10)
    at = slot[:, None] + random.integers(0, 6, (len(slot), keys))
    key = np.broadcast_to(np.arange(keys), at.shape)
    trip[at, key] = True
    good = random.random(at.shape) < again[at, key]
    start = np.zeros_like(trip)
    start[(at + random.integers(1, 5, at.shape))[good], key[good]] = True

    def oracle(lines: pl.DataFrame) -> Numbers:
        key, time, tick = _columns(lines)
        assert (tick == time).all()
        found: Numbers = again[time, key]
        return found

    every, number = np.indices(level.shape)
    loads = {
        "key": number.ravel(), "percent": level.ravel(), "time": every.ravel(), "arrival": every.ravel()
    }  # fmt: skip
    return Made({"Trip": _facts(trip), "Start": _facts(start), "Load": pa.table(loads)}, oracle)


def lags(seed: int, keys: int = 20, each: int = 100) -> Made:
    """Alarms: 80 % are seen within five ticks, 80 % of these closed within ten if seen soon, else 30 %."""
    random = np.random.default_rng(seed)
    at = (np.arange(each) * 20)[:, None] + random.integers(0, 5, (each, keys))
    key = np.broadcast_to(np.arange(keys), at.shape)
    late = random.integers(1, 6, at.shape)
    seen = random.random(at.shape) < 0.8
    closed = seen & (random.random(at.shape) < np.where(late <= 2, 0.8, 0.3))
    end = at + late + random.integers(1, 11, at.shape)
    facts = {}
    for name, some, time in (("Alarm", seen | True, at), ("Seen", seen, at + late), ("Closed", closed, end)):
        facts[name] = pa.table({"key": key[some], "time": time[some], "arrival": time[some]})

    def oracle(lines: pl.DataFrame) -> Numbers:
        key, time, tick = _columns(lines)
        number = time // 20
        # The line at which an alarm is seen, and those after it, as long as it is not closed.
        waited = tick - time - late[number, key]
        once, open_ = np.where(late <= 2, 0.8, 0.3)[number, key], 1 - np.maximum(waited, 0) / 10
        found: Numbers = np.where(
            tick == time, 0.8 * (0.4 * 0.8 + 0.6 * 0.3), once * open_ / (1 - once + once * open_)
        )
        assert ((tick == time) | (waited >= 0)).all()
        return found

    return Made(facts, oracle)
