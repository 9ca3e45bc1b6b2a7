"""antelog/forecast/model_file.py: what was learned in a file, and in the parts and mergers of workers."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import antelog
from antelog.engine import sealed
from antelog.engine.columns.tables import Column, Mask
from antelog.engine.values.values import Values
from antelog.errors import StateError
from antelog.forecast.columns import OUTCOMES
from antelog.forecast.judges.outcomes import OutcomeStatistics
from antelog.forecast.model_file import Mine, Model, merged, part_of
from antelog.process import Engine
from tests.forecast.making import plan_of, with_what_was_found_meanwhile

RULES = """
input Temp(device: text, level: text, time) delay 1.
Malf(X, T) :- Temp(X, high, T), Temp(X, high, T+1).
query Malf(X, T).
"""
FACTS = [("wt2", "high", tick) for tick in range(0, 100, 3)]


@cache
def learned() -> Model:
    engine = Engine(antelog.parse(RULES), model="learn")
    engine.advance(120, {"Temp": FACTS})
    return engine.model


def parts(model: Model) -> dict[str, bytes]:
    return dict(sealed.unpack(model.to_bytes(), "the model"))


def chances(model: Model) -> list[float]:
    engine = Engine(antelog.parse(RULES), model=model)
    found = engine.advance(3, {"Temp": [("wt2", "high", 0), ("wt9", "high", 1)]})["Malf"]
    chance: list[float] = found.column("chance").to_pylist()
    return chance


def test_there_and_back(tmp_path: Path) -> None:
    path = tmp_path / "turbines.model"
    learned().save(path)
    found = Model.load(path)
    assert found.to_bytes() == learned().to_bytes()
    assert found.half_life == learned().half_life
    assert chances(found) == chances(learned())
    assert any(0 < chance < 1 for chance in chances(found))


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(StateError, match="no such file; `antelog learn` writes a model"):
        Model.load(tmp_path / "none.model")
    with pytest.raises(StateError, match="cannot be read"):
        Model.load(tmp_path)


def test_a_damaged_file() -> None:
    content = learned().to_bytes()
    cut = (content[:-1], content + b"x", content[:200] + b"x" + content[201:], b"")
    for wrong in (*cut, b"nothing of this kind"):
        with pytest.raises(StateError, match=r"is damaged|is not a model that antelog wrote"):
            Model.from_bytes(wrong)


def test_a_file_of_another_kind_or_version() -> None:
    with pytest.raises(StateError, match="is not a model that antelog wrote"):
        Model.from_bytes(Engine(antelog.parse(RULES), model="learn").to_bytes())
    other = learned().to_bytes().replace(b"model 0007", b"model 0006", 1)
    with pytest.raises(
        StateError, match="is a model of version 6, but this antelog reads version 7; learn it"
    ):
        Model.from_bytes(other)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (RULES + "input Ping(x, time).", "this one has Ping among its inputs, and it has not"),
        (RULES.replace("Malf", "Hot"), "it has Malf among its queries, and this one has not"),
        (RULES + "static Site(x). Site(a).", "this one has Site among its static predicates"),
        (RULES.replace("delay 1", "delay 2"), "Temp is not the same in both"),
        (RULES.replace("T+1", "T+2"), "Malf is not the same in both"),
    ],
)
def test_a_model_of_another_program(text: str, why: str) -> None:
    with pytest.raises(StateError, match=f"m.model was learned for another program: {why}"):
        learned().of(plan_of(text), "m.model")


PUMPS = antelog.parse("""
input Hot(pump, time) delay 3.
Failing(P, T) :- Hot(P, T), Hot(P, T+1), Hot(P, T+2).
query Failing(P, T).
""")


def test_the_first_chances_are_not_those_of_the_answers_that_came_true_so_far() -> None:
    """One answer in a hundred comes true. At first only such ones are decided."""
    random, engine = np.random.default_rng(1), antelog.Engine(PUMPS, model="learn")
    facts = [
        (f"p{pump}", tick, tick + int(random.choice(4, p=[0.6, 0.25, 0.1, 0.05])))
        for pump in range(300)
        for tick in range(12)
        if random.random() < 0.15
    ]
    rows = engine.advance(12, {"Hot": facts})["Failing"].to_pylist()
    early = [row["tick"] for row in rows if row["change"] == "confirmed"]
    chances = [row["chance"] for row in rows if row["change"] in ("possible", "revised")]
    known = [chance for chance in chances if chance is not None]
    assert min(early) < 6
    assert len(known) > 100
    assert np.mean(known) < 0.1


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


def learned_of(devices: str, half_life: float | None = None) -> Model:
    """Without the linear judge, which learns from what a worker's own judges say."""
    engine = Engine(PROGRAM, model="learn", half_life=half_life, judges=["outcomes"])
    engine.advance(END, {"Temp": readings(devices)})
    return engine.model


def chances_of(model: Model) -> list[object]:
    engine = Engine(PROGRAM, model=model)
    facts = [(device, level, tick, tick) for device, level, tick, _ in readings("abcdef") if tick < 60]
    table = engine.advance(70, {"Temp": [*facts, ("new", "high", 9, 9)]})["Hot"]
    return list(table.column("chance").to_pylist())


@pytest.mark.parametrize("half_life", [None, 40.0])
def test_models_of_different_keys_together_are_the_model_of_all(half_life: float | None) -> None:
    whole = learned_of("abcde", half_life)
    together = merged([learned_of(devices, half_life) for devices in ("ad", "b", "ce")])
    expected = chances_of(with_what_was_found_meanwhile(whole, together))
    assert any(chance is not None for chance in expected)
    np.testing.assert_allclose(
        np.array(chances_of(together), np.float64), np.array(expected, np.float64), rtol=1e-9
    )


def test_a_model_goes_into_parts_and_together_again() -> None:
    whole = learned_of("abcde")
    parts = [part_of(whole, own(each)) for each in ("ace", "bd", "")]
    for part in parts:
        counts, every = part.judges["Hot"][OUTCOMES], whole.judges["Hot"][OUTCOMES]
        assert isinstance(counts, OutcomeStatistics)
        assert isinstance(every, OutcomeStatistics)
        assert len(np.unique(counts.by_key.tally.keys[1])) in (3, 2, 0)
        assert len(part.values) < len(whole.values) or part is parts[0]
        assert counts.of_all.tally.sums.tolist() == every.of_all.tally.sums.tolist()
    assert chances_of(part_of(whole, None)) == chances_of(whole)
    assert chances_of(parts[0])[:1] == chances_of(whole)[:1]


def own(devices: str) -> Mine:
    def mine(cells: Column, values: Values) -> Mask:
        return np.isin(cells, [values.cell(device) for device in devices])

    return mine


ORDERS = """
input Placed(order, time).
input Paid(order, time) delay 1.
Late(O, T) :- Placed(O, T), not Paid(O, T+1), not Paid(O, T+2).
query Late(O, T).
"""


def test_orders_of_long_ago_take_no_room() -> None:
    engine = Engine(antelog.parse(ORDERS), model="learn")
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
