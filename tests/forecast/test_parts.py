"""antelog/forecast/model_file.py: what workers learn of different keys is what one learns of all."""

from __future__ import annotations

import random

import numpy as np
import pytest

import antelog
from antelog.engine.columns.tables import Column, Mask
from antelog.engine.values.values import Values
from antelog.forecast.model_file import Mine, Model, merged, part_of
from antelog.forecast.rates.tally import EPOCH
from antelog.process import Engine
from tests.forecast.making import with_what_was_found_meanwhile

PROGRAM = antelog.parse("""
input Temp(device: text, level: text, time) delay 1.
Hot(X, T) :- Temp(X, high, T), Temp(X, high, T+1).
query Hot(X, T).
""")
Fact = tuple[str, str, int, int]
END = 4_400


def readings(devices: str = "abcde") -> list[Fact]:
    """Two bursts far apart. Of what came in the first, two devices are forgotten when the second begins."""
    dice, found = random.Random(0), []
    for device in "abcde":
        for tick in (*range(200), *(range(3_900, 4_200) if device not in "bd" else ())):
            level = "high" if dice.random() < 0.4 else "low"
            found.append((device, level, tick, tick + (dice.random() < 0.3)))
    return sorted((fact for fact in found if fact[0] in devices), key=lambda fact: fact[3])


def learned(devices: str, half_life: float | None = None, epoch: int = EPOCH) -> Model:
    engine = Engine(PROGRAM, model="learn", half_life=half_life, epoch=epoch)
    engine.advance(END, {"Temp": readings(devices)})
    return engine.model


def chances(model: Model) -> list[object]:
    engine = Engine(PROGRAM, model=model)
    facts = [(device, level, tick, tick) for device, level, tick, _ in readings("abcdef") if tick < 60]
    table = engine.advance(70, {"Temp": [*facts, ("new", "high", 9, 9)]})["Hot"]
    return list(table.column("chance").to_pylist())


@pytest.mark.parametrize(("half_life", "epoch"), [(None, EPOCH), (40.0, EPOCH), (40.0, 7)])
def test_models_of_different_keys_together_are_the_model_of_all(half_life: float | None, epoch: int) -> None:
    whole = learned("abcde", half_life, epoch)
    together = merged([learned(devices, half_life, epoch) for devices in ("ad", "b", "ce")])
    assert together.length == epoch
    assert together.epoch == whole.epoch
    expected = chances(with_what_was_found_meanwhile(whole, together))
    assert any(chance is not None for chance in expected)
    np.testing.assert_allclose(
        np.array(chances(together), np.float64), np.array(expected, np.float64), rtol=1e-9
    )


def test_a_model_goes_into_parts_and_together_again() -> None:
    whole = learned("abcde")
    parts = [part_of(whole, own(each)) for each in ("ace", "bd", "")]
    for part in parts:
        assert {len(each.tally.keys[0]) for each in part.series.values()} <= {3, 2, 0}
        assert len(part.values) < len(whole.values) or part is parts[0]
        for name, counts in part.series.items():
            assert counts.shared.count == whole.series[name].shared.count == 1
            assert counts.shared.last.tolist() == [whole.epoch]
    assert chances(part_of(whole, None)) == chances(whole)
    assert chances(parts[0])[:1] == chances(whole)[:1]


def own(devices: str) -> Mine:
    def mine(cells: Column, values: Values) -> Mask:
        return np.isin(cells, [values.cell(device) for device in devices])

    return mine


RULES = """
input Placed(order, time).
input Paid(order, time) delay 1.
Late(O, T) :- Placed(O, T), not Paid(O, T+1), not Paid(O, T+2).
query Late(O, T).
"""


def test_orders_of_long_ago_take_no_room() -> None:
    engine = Engine(antelog.parse(RULES), model="learn")
    sizes, chances = [], []
    for tick in range(0, 12_000, 40):
        placed = [(f"o{tick}-{i}", tick) for i in range(50)]
        paid = [(order, tick + 1) for order, _ in placed if not order.endswith("7")]
        log = engine.advance(tick + 3, {"Placed": placed, "Paid": paid})["Late"].to_pylist()
        sizes.append(len(engine.forecaster.known.sightings.values))
        chances += [row["chance"] for row in log if row["change"] == "possible"]
    assert max(sizes) < 10_000 < 50 * 300
    # One in ten is never paid.
    assert all(abs(chance - 0.1) < 0.02 for chance in chances[-200:])


STATIC = """
static Site(x: text, y: text). Site(wt2, north). Site(wt4, south).
static Empty(x: text).
input A(x: text, time).
chance A(_, _) = 5%.
P(X, T) :- Site(X, Y), not Empty(X), A(X, T).
query P(X, T).
"""


def test_many_static_facts_stay_when_other_values_are_forgotten() -> None:
    engine = Engine(antelog.parse(STATIC), static={"Site": [(f"s{i}", "east") for i in range(5_000)]})
    engine.advance(0, {"A": [("s1", 0)]})
    values = engine.forecaster.known.sightings.values
    engine.advance(1, {"A": [("s2", 1)]})
    assert engine.forecaster.known.sightings.values is values  # nothing is written anew
