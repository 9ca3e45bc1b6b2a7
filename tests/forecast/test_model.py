"""antelog/forecast/model_file.py: what was learned in a file, for other facts of the same program."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import msgspec
import numpy as np
import pytest

import antelog
from antelog.engine import sealed
from antelog.errors import StateError
from antelog.forecast.model_file import VERSION, Model
from antelog.process import Engine
from tests.forecast.making import plan_of

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
    assert (found.epoch, found.half_life) == (learned().epoch, learned().half_life)
    assert chances(found) == chances(learned())
    assert any(0 < chance < 1 for chance in chances(found))


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(StateError, match="no such file; `antelog learn` writes a model"):
        Model.load(tmp_path / "none.model")
    with pytest.raises(StateError, match="cannot be read"):
        Model.load(tmp_path)


def test_a_damaged_file() -> None:
    content = learned().to_bytes()
    for wrong in (content[:-1], content + b"x", content[:200] + b"x" + content[201:], b""):
        with pytest.raises(StateError, match="is not a model, or a damaged one, or of another version"):
            Model.from_bytes(wrong)


def test_a_file_of_another_kind_or_version() -> None:
    with pytest.raises(StateError):
        Model.from_bytes(b"nothing of this kind")
    with pytest.raises(StateError):
        Model.from_bytes(Engine(antelog.parse(RULES), model="learn").to_bytes())
    head = msgspec.json.decode(parts(learned())["model.json"])
    for changed, why in (
        (
            {"version": VERSION + 1},
            f"a model of version {VERSION + 1}, but this antelog reads version {VERSION}",
        ),
        ({"kind": "antelog scores"}, "is not a model"),
    ):
        said = msgspec.json.encode({**head, **changed})
        with pytest.raises(StateError, match=why):
            Model.from_bytes(sealed.pack({**parts(learned()), "model.json": said}))


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
