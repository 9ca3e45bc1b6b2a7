"""antelog/forecast/scores: what was saved is looked at before it is believed."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from antelog.errors import StateError
from antelog.forecast.scores.scores import Scores, from_dict, result, scored, to_dict
from antelog.forecast.scores.thresholds import ProgramAlerts, alerts
from tests.forecast.streams import Made, stream

LINES = stream(1, Made(answers=50))
SCORES = scored(Scores(program=ProgramAlerts(0.75, alerts(LINES, (0.75,)))), LINES)
PLAIN = to_dict(SCORES)


def put(*path: str | int, value: Any) -> Callable[[dict[str, Any]], None]:
    def change(given: Any) -> None:
        for step in path[:-1]:
            given = given[step]
        given[path[-1]] = value

    return change


WRONG = {
    "a count below 0": put("losses", "lines", value=-1),
    "a text": put("losses", "lines", value="3"),
    "a fraction": put("losses", "brier", value=0.5),
    "no whole number": put("alerts", "answers", value=None),
    "another field": put("more", value=1),
    "too few bins": put("calibration", "lines", value=[1, 2]),
    "a threshold that is none": put("program", "threshold", "chance", value="75 %"),
    "a lead out of place": put("alerts", "thresholds", 5, "leads", value=[[10**6, 1]]),
}


@pytest.mark.parametrize("name", WRONG)
def test_no_scores(name: str) -> None:
    plain = copy.deepcopy(PLAIN)
    WRONG[name](plain)
    with pytest.raises(StateError, match="these are no scores"):
        from_dict(plain)


@pytest.mark.parametrize("given", [None, [], {}, "scores", 3])
def test_nothing_like_scores(given: Any) -> None:
    with pytest.raises(StateError, match="these are no scores"):
        from_dict(given)


def test_what_is_read_says_the_same() -> None:
    assert result(from_dict(PLAIN)) == result(SCORES)
    assert result(from_dict(PLAIN)).program_alert is not None


def test_scores_of_before_say_nothing_of_the_program_s_alerts() -> None:
    older = {name: each for name, each in PLAIN.items() if name != "program"}
    assert result(from_dict(older)).program_alert is None
