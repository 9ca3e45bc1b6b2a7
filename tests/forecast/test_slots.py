"""Slots: where one always has a fact, its silence says nothing against any; chances are right all the same.

A device has one reading a tick, of some level, and readings come late. The program declares how often they
are high, and nothing of other levels.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import antelog
from antelog.process import Engine
from tests.forecast.making import replayed
from tests.forecast.test_calibration_of_chances import DEVICES, FAR, TICKS, how_far, reported
from tests.forecast.test_laws import same

INPUT = "input Level(device: text, level: text, time) delay 2{}, one per device."
SHARES = (0.7, 0.2, 0.1)
RULES = """
Twice(X, T) :- Level(X, high, T), Level(X, high, T+1).
Calm(X, T)  :- Level(X, high, T), not Level(X, high, T+1), not Level(X, high, T+2).
query Twice(X, T).
query Calm(X, T).
"""
LEARNT = 100


def declaring(chance: str) -> str:
    return f"{INPUT.format(' (70%, 20%, 10%)')} chance Level(_, high, _) = {chance}. {RULES}"


@dataclass(frozen=True)
class Levels:
    """Levels, how devices get from each to each, and the share of the ticks that have a reading."""

    names: tuple[str, ...]
    moves: tuple[tuple[float, ...], ...]
    reported: float = 1.0

    def facts(self, seed: int, devices: int = DEVICES) -> pl.DataFrame:
        random = np.random.default_rng(seed)
        level, rows = np.zeros(devices, np.int64), []
        until = np.cumsum(self.moves, axis=1)
        until[:, -1] = 1
        for _ in range(TICKS):
            level = (random.random(devices)[:, None] > until[level]).sum(axis=1)
            rows.append(level)
        time, device = np.nonzero(random.random((TICKS, devices)) < self.reported)
        late = random.choice(3, len(time), p=SHARES)
        found = {"device": device, "level": np.array(self.names)[np.array(rows)[time, device]], "time": time}
        table = pl.DataFrame({**found, "arrival": time + late})
        return table.with_columns(pl.format("d{}", "device").alias("device")).sort("arrival")


TWO = Levels(("low", "high"), ((0.9, 0.1), (0.3, 0.7)))
APART = Levels(("low", "high"), ((0.6, 0.4), (0.6, 0.4)))
SELDOM = Levels(("low", "high"), ((0.6, 0.4), (0.6, 0.4)), 0.6)


def lines(program: str, given: pl.DataFrame, *, learn: bool) -> dict[str, pl.DataFrame]:
    """The open lines of each query once levels are learned, and what became of them."""
    found = reported(program, {"Level": given}, learn=learn)
    return {name: each.filter(pl.col("tick") >= LEARNT) for name, each in found.items()}


def right(found: dict[str, pl.DataFrame]) -> None:
    far = {name: how_far(each) for name, each in found.items()}
    assert all(far.values())
    assert max(each for classes in far.values() for each in classes.values()) < FAR, far


@pytest.mark.parametrize(
    ("levels", "chance"),
    [(APART, "40%"), (TWO, "10%, again 70%"), (SELDOM, "24%")],
    ids=["apart", "in spells", "seldom"],
)
def test_one_declared_level_is_enough(levels: Levels, chance: str) -> None:
    right(lines(declaring(chance), levels.facts(0), learn=False))


def test_silence_says_nothing_where_there_is_always_a_reading() -> None:
    """The declared chance is kept, whether or not a reading has come in time."""
    found = lines(declaring("40%"), APART.facts(2), learn=False)["Twice"]
    assert len(found) > 100
    assert found["chance"].is_between(0.38, 0.42).all()


def test_before_anything_was_seen_it_is_as_declared() -> None:
    """Nothing is known of other levels then: a tick without a high reading is one without any."""
    engine = Engine(antelog.parse(declaring("40%")))
    engine.advance(1, {"Level": [("a", "high", 0)]})
    (answer,) = engine.answers("Twice").to_pylist()
    assert answer["chance"] == pytest.approx(0.4 * 0.3 / (0.6 + 0.4 * 0.3))


def test_of_a_value_in_the_answer_other_facts_are_learned_too() -> None:
    """Where the answer says which level it is, all that is counted is whether there is a reading."""
    rules = "Twice(X, L, T) :- Level(X, L, T), Level(X, L, T+1). query Twice(X, L, T)."
    program = f"{INPUT.format(' (70%, 20%, 10%)')} chance Level(_, high, _) = 40%. {rules}"
    engine = Engine(antelog.parse(program))
    table = pl.DataFrame(engine.advance(TICKS + 10, {"Level": APART.facts(3).to_arrow()})["Twice"])
    late = table.filter((pl.col("L") == "high") & (pl.col("tick") >= LEARNT))
    chance = late.filter(pl.col("change").is_in(["possible", "revised"]))["chance"]
    assert len(chance) > 100
    assert chance.is_between(0.36, 0.42).all()
    assert table.filter(pl.col("L") == "low")["chance"].is_null().all()  # nothing is declared of it


# ---- laws ----

ONCE, CUT, BY_TICK = [TICKS + 5], [3, 50, 51, 119, 120, TICKS + 5], list(range(TICKS + 6))


def run(engine: Any, given: pl.DataFrame, ends: list[int]) -> dict[str, pa.Table]:
    return replayed(engine, {"Level": given.rows()}, ends)


@pytest.mark.parametrize("learn", [False, True])
@pytest.mark.parametrize("ends", [CUT, BY_TICK])
def test_cuts_change_no_chance(ends: list[int], learn: bool) -> None:
    program, given = antelog.parse(declaring("24%, again 30%")), SELDOM.facts(4, 4)
    model = "learn" if learn else None
    whole, cut = (run(Engine(program, model=model), given, each) for each in (ONCE, ends))
    for name in whole:
        same(whole[name], cut[name])


def test_of_declared_chances_those_of_a_device_rest_on_its_own_readings() -> None:
    """So they are the same in whatever bucket it is."""
    program, given = antelog.parse(declaring("24%, again 30%")), SELDOM.facts(4, 4)
    alone = given.filter(pl.col("device") == "d1")
    together, single = (run(Engine(program), each, ONCE) for each in (given, alone))
    for name in single:
        rows = together[name].filter(pa.compute.equal(together[name]["X"], "d1"))
        same(rows, single[name])
