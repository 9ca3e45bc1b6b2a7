"""antelog/forecast: learning beside a run, and what is refused."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pytest

import antelog
from antelog.errors import DataError, UnsupportedError
from antelog.forecast.model_file import packed
from antelog.process import Engine
from tests.forecast.making import replayed

RULES = """
input Read(x: text, v: number, time) delay 2.
input Ping(x: text, time).
Hot(X, T) :- Read(X, V, T), V >= 90, Read(X, W, T+1), W >= 90, not Ping(X, T+1).
query Hot(X, T) alert 60%.
"""
TICKS = 120


def facts() -> dict[str, list[tuple[Any, ...]]]:
    """Often two readings of one device and tick, of which the second comes later."""
    random, reads, pings = np.random.default_rng(0), [], []
    for tick in range(TICKS):
        for x in "ab":
            if random.random() < 0.6:
                reads += [(x, 95, tick, tick), (x, 97, tick, tick + 1 + tick % 2)]
            if random.random() < 0.3:
                pings.append((x, tick, tick))
    return {"Read": reads, "Ping": pings}


FACTS = facts()


def run(engine: Engine, ends: list[int]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = replayed(engine, FACTS, ends)["Hot"].to_pylist()
    return found


def test_what_is_learned_does_not_depend_on_cuts() -> None:
    """With inputs of different delays, and several facts of one key and tick."""
    program = antelog.parse(RULES)
    one, other = (Engine(program, model="learn") for _ in range(2))
    whole, cut = run(one, [TICKS + 3]), run(other, list(range(TICKS + 4)))
    chances = [[row.pop("chance") for row in rows] for rows in (whole, cut)]
    for rows in (whole, cut):
        for row in rows:
            row["forecast"] = [each["tick"] for each in row["forecast"] or ()]
    assert whole == cut
    first, second = (np.array(each, np.float64) for each in chances)
    np.testing.assert_allclose(first, second, atol=1e-12)
    assert one.scores().equals(other.scores())
    later = (run(Engine(program, model=each.model), [TICKS]) for each in (one, other))
    first, second = (np.array([row["chance"] for row in rows], np.float64) for rows in later)
    np.testing.assert_allclose(first, second, atol=1e-12)
    said = [row["chance_from"] for row in whole if row["change"] != "rejected"]
    assert "outcomes" in said


def test_open_answers_have_the_chances_of_the_last_tick() -> None:
    """As the log says there, but that what was settled at that tick counts, too; not as they were before."""
    engine = Engine(antelog.parse(RULES), model="learn", judges=["model", "outcomes"])
    run(engine, [89])
    before, moved = chances_of(engine.answers("Hot").to_pylist()), 0
    for tick in range(90, 110):
        said = chances_of(run(engine, [tick]))
        rows = engine.answers("Hot").to_pylist()
        answers = chances_of(rows)
        assert all((row["chance"] is None) == (row["chance_from"] is None) for row in rows)
        assert all(0 < chance < 1 for chance in answers.values())
        assert {key: answers[key] for key in said} == pytest.approx(said, abs=0.02)
        moved += sum(abs(said[key] - before[key]) > 0.1 for key in before.keys() & said.keys())
        before = answers
    assert moved > 0


def chances_of(rows: Iterable[Mapping[str, Any]]) -> dict[tuple[str, int], float]:
    """The chances of open answers, by their X and T."""
    still = (row for row in rows if row["change"] in {"open", "possible", "revised"})
    return {(row["X"], row["T"]): row["chance"] for row in still}


def test_a_forecast_grows_up_to_the_chance() -> None:
    rows = [row for row in run(Engine(antelog.parse(RULES), model="learn"), [TICKS]) if row["forecast"]]
    assert {row["chance_from"] for row in rows} == {"outcomes", "linear"}
    for row in rows:
        ticks, chances = zip(*(each.values() for each in row["forecast"]), strict=True)
        assert [*ticks] == sorted({*ticks})
        assert ticks[0] > row["tick"]
        assert [*chances] == sorted(chances)
        assert chances[-1] == pytest.approx(row["chance"])


def test_a_model_that_does_not_learn_stays_as_it_is() -> None:
    learning = Engine(antelog.parse(RULES), model="learn")
    run(learning, [100])
    model = learning.model
    fixed = Engine(antelog.parse(RULES), model=model)
    run(fixed, [100])
    assert packed(dict(fixed.model.judges["Hot"])) == packed(dict(model.judges["Hot"]))
    assert fixed.scores().column("lines").to_pylist()[0] > 0


def test_without_a_model() -> None:
    engine = Engine(antelog.parse(RULES))
    log = engine.advance(3, {"Read": [("a", 95, 0)]})["Hot"]
    assert "chance" not in log.column_names
    assert not engine.forecasts
    for ask in (lambda: engine.model, engine.scores):
        with pytest.raises(UnsupportedError, match='model="learn"'):
            ask()
    for options in ({"min_chance": 1}, {"most": 1}):
        given: dict[str, Any] = options
        with pytest.raises(UnsupportedError, match='model="learn"'):
            Engine(antelog.parse(RULES), **given)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"min_chance": 1.5}, "min_chance is 1.5, and a chance is from 0 to 1"),
        ({"most": 0}, "at least one answer has to be shown"),
    ],
)
def test_options_that_cannot_be(options: dict[str, Any], why: str) -> None:
    with pytest.raises(DataError, match=why):
        Engine(antelog.parse(RULES), model="learn", **options)


LOST = """
input Read(x: text, v: number, time).
delay Read(_, _, _) = 2 (60%, 20%, 10%).
chance Read(_, 95, _) = 40%, again 60%.
Hot(X, T) :- Read(X, 95, T), Read(X, 95, T+1).
query Hot(X, T).
"""


def test_what_holds_is_the_same_in_lines_and_answers() -> None:
    """Rejected answers have it in lines only."""
    engine, kinds = Engine(antelog.parse(LOST)), set()
    for end in range(TICKS):
        lines = run_one(engine, end)
        holds = {(row["X"], row["T"]): row["holds"] for row in engine.answers("Hot").to_pylist()}
        for row in lines:
            kinds.add(row["change"])
            assert row["holds"] is not None
            if row["change"] != "rejected":
                assert row["holds"] == pytest.approx(holds[row["X"], row["T"]], abs=1e-12)
    assert kinds == {"possible", "confirmed", "rejected"}


def run_one(engine: Engine, end: int) -> list[dict[str, Any]]:
    """The lines of a tick; all facts come within two ticks."""
    new = [row for row in FACTS["Read"] if row[-1] == end]
    lines: list[dict[str, Any]] = engine.advance(end, {"Read": new})["Hot"].to_pylist()
    return lines
