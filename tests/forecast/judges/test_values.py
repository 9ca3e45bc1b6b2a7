"""antelog/forecast/judges/linear.py: the laws of chances hold for those that look at values, too.

Readings of some devices wander up and down, and some come late. The chances are learned while they come.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import antelog
from antelog.forecast.model_file import Model, part_of
from antelog.process import Engine
from tests.forecast.making import replayed
from tests.forecast.test_laws import same
from tests.forecast.test_model import own

PROGRAM = antelog.parse("""
input Temp(device: text, value: number, time) delay 2.
Hot(X, T) :- Temp(X, V, T), V >= 90, Temp(X, W, T+1), W >= 90, Temp(X, U, T+2), U >= 90.
Much(X, T) :- Temp(X, V, T), V >= 85, sum(W : Temp(X, W, T..T+3), W >= 0) >= 370.
query Hot(X, T) alert 60%.
query Much(X, T).
""")
TICKS = 300
DEVICES = ("a", "b", "c", "d")
ONCE, CUT, BY_TICK = [TICKS + 5], [3, 50, 51, 119, 120, TICKS + 5], list(range(TICKS + 6))


@cache
def readings(seed: int = 0) -> list[tuple[str, float, int, int]]:
    random, found = np.random.default_rng(seed), []
    for device in DEVICES:
        value = 90.0
        for tick in range(TICKS):
            value += float(random.normal() * 2 - (value - 90) * 0.1)
            arrival = tick + int(random.choice(3, p=[0.7, 0.2, 0.1]))
            if random.random() < 0.9:
                found.append((device, round(value, 1), tick, arrival))
    return sorted(found, key=lambda row: row[-1])


def run(engine: Any, ends: list[int], devices: str = "abcd") -> dict[str, pa.Table]:
    return replayed(engine, {"Temp": [row for row in readings() if row[0] in devices]}, ends)


@cache
def whole() -> dict[str, pa.Table]:
    return run(Engine(PROGRAM, model="learn"), ONCE)


@cache
def learned() -> Model:
    engine = Engine(PROGRAM, model="learn")
    run(engine, ONCE)
    return engine.model


@pytest.mark.parametrize("ends", [CUT, BY_TICK])
def test_chances_do_not_depend_on_how_a_run_is_cut(ends: list[int]) -> None:
    engine = Engine(PROGRAM, model="learn")
    found = run(engine, ends)
    for name, table in whole().items():
        same(table, found[name])
    for first, second in zip(
        *(run(Engine(PROGRAM, model=m), CUT).values() for m in (learned(), engine.model)), strict=True
    ):
        same(first, second)


@pytest.mark.parametrize("at", [59, 60, 161])
def test_a_saved_engine_goes_on_as_if_nothing_had_happened(tmp_path: Path, at: int) -> None:
    engine = Engine(PROGRAM, model="learn")
    first = run(engine, [at])
    engine.save(tmp_path / "state")
    second = run(Engine.restore(tmp_path / "state", PROGRAM), [TICKS + 5])
    for name, table in whole().items():
        same(table, pa.concat_tables([first[name], second[name]]))


def test_dealt_to_workers_chances_are_the_same() -> None:
    model = learned()
    together = run(Engine(PROGRAM, model=model), CUT)
    for devices in ("ac", "bd"):
        found = run(Engine(PROGRAM, model=part_of(model, own(devices))), CUT, devices)
        for name, table in together.items():
            mine = pa.array([device in devices for device in table["X"].to_pylist()])
            same(table.filter(mine), found[name])
