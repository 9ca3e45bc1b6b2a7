"""antelog/forecast/scores: sums that do not depend on cuts, and what users see of them; alerts by hand."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from math import isfinite, log
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antelog.errors import StateError
from antelog.forecast.scores.scored_lines import (
    PLACES,
    ScoredLines,
    alerts,
    by_threshold,
    least,
    places,
    with_chance,
)
from antelog.forecast.scores.scores import SCHEMA, Scores, from_dict, result, scored, table, to_dict
from tests.forecast.streams import Made, decided, stream

SMALL = decided(
    (7, 3, 0.6, 5, True), (7, 4, 0.9, 5, True), (8, 3, 0.3, 9, False), (9, 6, float("nan"), 9, True)
)
EDGES = {
    "nothing": decided(),
    "one line": decided((1, 2, 0.4, 3, True)),
    "no chance": decided((1, 2, float("nan"), 3, True)),
    "all confirmed": decided((1, 2, 0.7, 3, True), (2, 2, 0.8, 4, True)),
    "none confirmed": decided((1, 2, 0.7, 3, False), (2, 2, 0.8, 4, False)),
    "certain and right": decided((1, 2, 0.0, 3, False), (2, 2, 1.0, 4, True)),
    "certain and wrong": decided((1, 2, 0.0, 3, True), (2, 2, 1.0, 4, False)),
    "at once": decided((1, 2, 1.0, 2, True)),
}


def of(lines: ScoredLines) -> Scores:
    return scored(Scores(), lines)


def numbers(value: Any) -> list[float]:
    """All numbers in plain values."""
    if isinstance(value, dict):
        return [number for each in value.values() for number in numbers(each)]
    if isinstance(value, list):
        return [number for each in value for number in numbers(each)]
    return [value] if isinstance(value, float | int) else []


def test_a_row_for_each_query() -> None:
    found = table({"Malf": of(SMALL), "OK": Scores()})
    assert found.schema.equals(SCHEMA)
    malf, ok = found.to_pylist()
    assert [malf[n] for n in ("query", "lines", "without", "answers", "confirmed")] == ["Malf", 3, 1, 2, 1]
    assert malf["base_rate"] == pytest.approx(2 / 3)
    assert malf["brier"] == pytest.approx((0.16 + 0.01 + 0.09) / 3, abs=1e-8)
    assert malf["brier_base"] == pytest.approx(2 / 9)
    assert malf["brier_skill"] == pytest.approx(1 - 0.26 / 3 / (2 / 9), abs=1e-8)
    assert malf["log_loss"] == pytest.approx(-(log(0.6) + log(0.9) + log(0.7)) / 3, abs=1e-8)
    bins = [(each["low"], each["lines"], each["confirmed"]) for each in malf["bins"]]
    assert bins == [(0.3, 1, 0.0), (0.6, 1, 1.0), (0.9, 1, 1.0)]
    assert (ok["lines"], ok["brier"], ok["refuted"], ok["bins"]) == (0, None, None, [])


@pytest.mark.parametrize("name", EDGES)
def test_numbers_or_nothing(name: str) -> None:
    (row,) = table({"Malf": of(EDGES[name])}).to_pylist()
    assert all(isfinite(each) for each in numbers(row))
    assert row["refuted"] is None
    if name in {"all confirmed", "none confirmed", "one line", "at once"}:
        assert row["brier_skill"] is None
        assert row["log_loss_skill"] is None


def test_the_certain() -> None:
    right, wrong = (result(of(EDGES[f"certain and {each}"])) for each in ("right", "wrong"))
    assert (right.brier.mean, wrong.brier.mean) == (0, 1)
    assert right.log_loss.mean == pytest.approx(-log(1 - 1e-4), abs=1e-8)
    assert wrong.log_loss.mean == pytest.approx(-log(1e-4), abs=1e-8)
    assert not any(each.outside for each in right.calibration.bins)


@pytest.mark.parametrize("seed", range(5))
def test_cuts_change_nothing(seed: int) -> None:
    lines, random = stream(seed, Made(answers=300)), np.random.default_rng(seed)
    whole = to_dict(of(lines))
    parts = random.integers(0, 4, 300)[lines.answer]
    batches = [lines.take(parts == number) for number in range(4)]
    one_by_one = Scores()
    for batch in batches:
        one_by_one = scored(one_by_one, batch)
    assert to_dict(one_by_one) == whole
    first, second, third, last = map(of, batches)
    assert to_dict((last + second) + (third + first)) == whole
    assert to_dict(of(lines) + Scores()) == to_dict(Scores() + of(lines)) == whole


@pytest.mark.parametrize("lines", [*EDGES.values(), SMALL, stream(3)], ids=[*EDGES, "small", "stream"])
def test_there_and_back(lines: ScoredLines) -> None:
    plain = to_dict(of(lines))
    assert to_dict(from_dict(json.loads(json.dumps(plain)))) == plain


@pytest.mark.parametrize("chance", [-0.1, 1.1, float("inf")])
def test_no_chance(chance: float) -> None:
    with pytest.raises(ValueError, match="below 0 or above 1"):
        with_chance(decided((1, 2, chance, 3, True)))


LINES = stream(1, Made(answers=50))
SCORES = scored(Scores(threshold=0.75, program=alerts(LINES, (0.75,))), LINES)
PLAIN = to_dict(SCORES)


def put(*path: str | int, value: Any) -> Callable[[dict[str, Any]], None]:
    def change(given: Any) -> None:
        for step in path[:-1]:
            given = given[step]
        given[path[-1]] = value

    return change


WRONG = {
    "a text": put("losses", "lines", value="3"),
    "a fraction": put("losses", "brier", value=0.5),
    "no whole number": put("alerts", "answers", value=None),
    "too few bins": put("calibration", "lines", 0, value=[2]),
    "a threshold that is none": put("threshold", value="75 %"),
    "a lead out of place": put("alerts", "leads", 1, value=[[10**6, 1]]),
}


@pytest.mark.parametrize("name", WRONG)
def test_no_scores(name: str) -> None:
    plain = copy.deepcopy(PLAIN)
    WRONG[name](plain)
    with pytest.raises(StateError, match="these are not scores"):
        from_dict(plain)


def test_what_is_read_says_the_same() -> None:
    assert result(from_dict(PLAIN)) == result(SCORES)
    assert result(from_dict(PLAIN)).program_alert is not None


def test_alerts_by_hand() -> None:
    lines = decided(
        (1, 2, 0.55, 9, True),
        (1, 4, 0.85, 9, True),
        (1, 6, 0.40, 9, True),  # falls again: it was alerted all the same
        (2, 3, 0.80, 5, False),
        (3, 3, 0.10, 8, True),
        (4, 7, 0.95, 8, True),
    )
    found = {each.threshold: each for each in by_threshold(alerts(lines))}
    assert (found[0.5].alerts, found[0.5].precision, found[0.5].found) == (3, 2 / 3, 2 / 3)
    assert found[0.5].lead == (1, 1, 7)
    assert (found[0.8].alerts, found[0.8].lead) == (3, (1, 1, 5))
    assert (found[0.9].alerts, found[0.9].precision, found[0.9].found) == (1, 1, 1 / 3)
    assert found[0.95].alerts == 1, "a threshold is reached by what equals it"


@given(st.integers(0, 2**50 - 1))
def test_a_place_is_close(lead: int) -> None:
    (place,) = places(np.array([lead])).tolist()
    assert 0 <= place < PLACES
    assert least(place) <= lead < least(place + 1)
    assert least(place) == lead if lead < 256 else lead - least(place) < lead / 16
