"""antelog/forecast/reports: scores in plain words, and as JSON."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from antelog.forecast.reports import words
from antelog.forecast.reports.words import ENOUGH, percent, report_text, short_streams
from antelog.forecast.scores.calibration import CalibrationResult
from antelog.forecast.scores.scored_lines import alerts
from antelog.forecast.scores.scores import Scores, report_json, result, scored, table
from tests.forecast.making import plan_of
from tests.forecast.streams import Made, decided, stream

MINUTES = 10 * 60 * 1_000_000
RIGHT, SURE = (scored(Scores(), stream(2, Made(answers=4000, sure=sure))) for sure in (1.0, 2.0))
EDGES = {
    "nothing": Scores(),
    "one": scored(Scores(), decided((1, 2, 0.4, 3, True))),
    "certain": scored(Scores(), decided((1, 2, 0.0, 3, True), (2, 2, 1.0, 3, True))),
    "without": scored(Scores(), decided((1, 2, float("nan"), 3, True))),
    "right": RIGHT,
    "sure": SURE,
}


@pytest.mark.parametrize(
    ("share", "text"),
    [(0, "0 %"), (0.004, "0.4 %"), (0.0001, "0 %"), (0.724, "72 %"), (0.997, "99.7 %"), (1, "100 %")],
)
def test_percent(share: float, text: str) -> None:
    assert percent(share) == text


@pytest.mark.parametrize(
    ("ticks", "tick", "text"),
    [
        (1, None, "1 tick"),
        (1234, None, "1,234 ticks"),
        (0, MINUTES, "none"),
        (3, MINUTES, "30 minutes"),
        (144, MINUTES, "1 day"),
        (2000, MINUTES, "2 weeks"),
    ],
)
def test_leads(ticks: int, tick: int | None, text: str) -> None:
    assert words.lead(ticks, tick) == text


def test_quarters_share_their_unit() -> None:
    assert words.leads(2, 3, 4, MINUTES) == "30 minutes (20 to 40 minutes)"
    assert words.leads(2, 3, 6, MINUTES) == "30 minutes (20 minutes to 1 hour)"
    assert words.leads(1, 1, 2, None) == "1 tick (1 to 2 ticks)"


def test_the_verdicts() -> None:
    assert words.verdict(result(RIGHT)).startswith("Close: off by ")
    assert words.verdict(result(SURE)) == (
        "Misleading: these chances are too sure by 10.7 points, 7.7 to 13.4, more than chance explains."
    )
    bins = result(SURE).calibration.bins
    doubtful = CalibrationResult(bins, False, 0.05, 0.06, lambda: ((0.0, 0.09), 0.04))
    assert "Perhaps wrong: these chances are too sure by 4 points, 0 to 9" in words.calibrated(doubtful)
    small = replace(doubtful, drawn=lambda: ((0.0, 0.09), 0.015))
    assert words.calibrated(small) == "Close so far: off by 1.5 points, 0 to 9."
    assert {"chances too low", "chances too high"} <= {*map(words.mark, result(SURE).calibration.bins)}
    assert "Too little to tell whether" in words.verdict(result(EDGES["one"]))
    few = CalibrationResult((), None, 0.187)
    assert words.calibrated(few) == (
        "Too little to tell: were all chances wrong by 19 points, these answers might not show it."
    )


def test_chances_that_are_right_and_say_nothing() -> None:
    lines = decided(*((n, n, 0.04, n + 3, n % 25 == 0) for n in range(1000)))
    found = result(scored(Scores(), lines))
    limits = "No better than the base rate; no alert at 50 % would have rung."
    assert words.verdict(found) == f"Close: off by 0 points, 0 to 1.3. {limits}"
    assert words.finding(found) == "doubtful"
    assert limits in " ".join(report_text({"Malf": scored(Scores(), lines)}).split())
    one = words.verdict(result(EDGES["one"]))
    assert one.endswith("ten blocks of time at least. No alert at 50 % would have rung.")


@pytest.mark.parametrize("name", EDGES)
@pytest.mark.parametrize("tick", [None, MINUTES])
def test_a_terminal_has_80_columns(name: str, tick: int | None) -> None:
    text = report_text({"Malf": EDGES[name]}, tick)
    assert max(map(len, text.splitlines())) <= 80
    assert "nan" not in text
    assert text.endswith("\n")
    assert not text.endswith("\n\n")


def test_what_a_text_says() -> None:
    lines = decided(
        *((n, n, 0.72, n + 3, n % 4 != 0) for n in range(100)),
        *((n, n, 0.1, n, False) for n in range(100, 150)),
    )
    text = " ".join(report_text({"Malf": scored(Scores(), lines)}, MINUTES).split())
    assert "150 lines of 150 answers with a chance; 75 of them were confirmed." in text
    assert "The base rate is 50 %" in text
    assert "Of the answers with a chance of 70 to 75 %, 75 % were confirmed (95 % range 6" in text
    assert "70 % 100 75 % 100 % 30 minutes (30 to 30 minutes)" in text


ALERTED = replace(RIGHT, threshold=0.75, program=alerts(stream(2, Made(answers=4000)), (0.75,)))


def test_alerts_of_the_program_come_first() -> None:
    alert = result(ALERTED).program_alert
    assert alert is not None
    assert alert.lead is not None
    text = " ".join(report_text({"Malf": ALERTED}, MINUTES).split())
    ahead = words.lead(alert.lead[1], MINUTES)
    said = (
        f"{alert.alerts:,} alerts at 75 %, the program's threshold: {percent(alert.precision)} were right. "
        f"{percent(alert.found)} of the confirmed answers were alerted, half of these at least {ahead} ahead."
    )
    assert said in text
    assert text.index(said) < text.index("Brier score")
    assert "the program's threshold" not in report_text({"Malf": RIGHT}, MINUTES)
    rang = replace(alert, alerts=0, precision=None, found=0.0, lead=None)
    assert words.program_alert(rang, None) == "No alert at 75 %, the program's threshold, has rung."
    wrong = replace(alert, alerts=1, precision=0.0, found=0.0, lead=None)
    assert words.program_alert(wrong, None) == (
        "1 alert at 75 %, the program's threshold: 0 % was right. 0 % of the confirmed answers were alerted."
    )


def test_how_far_chances_are_off() -> None:
    found = CalibrationResult((), None, None, 0.0213, lambda: ((0.0, 0.034), 0.02))
    assert (words.points(0.0213), words.points(0.01)) == ("2.1 points", "1 point")
    assert words.error_interval(found) == "95 % interval 0 to 3.4"
    assert (
        words.error_interval(replace(found, drawn=None))
        == "no interval: that takes ten blocks of time at least"
    )
    assert "Expected calibration error:" in report_text({"Malf": RIGHT})


def test_what_chances_rest_on() -> None:
    source = "tick 1 hour. input Temp(x, v: number, time). P(X, T) :- Temp(X, V, T), V > 9. query P(X, T)."
    looks = {"linear": ", the last 6 values, the hour", "outcomes": ""}
    for judge, more in looks.items():
        line = {"query": "P", "answer": {"X": 1}, "chance_from": judge}
        assert words.rests_on(line, plan_of(source), 351) == f"rests on rates of 351 like it{more}"


def test_json() -> None:
    found = json.loads(report_json({"Malf": ALERTED}, MINUTES))
    assert found == {"tick_microseconds": MINUTES, "queries": table({"Malf": ALERTED}).to_pylist()}
    (row,) = found["queries"]
    assert row["program_alert"]["threshold"] == 0.75
    assert row["calibration_error_low"] <= row["calibration_error"] <= row["calibration_error_high"]


HOUR = 3600 * 1_000_000
FROM = "learned chances are of use from some 75 on"


@pytest.mark.parametrize(
    ("decided", "ticks", "tick", "note"),
    [
        (0, 500, None, f"no answer is decided; {FROM}"),
        (1, 500, None, f"1 answer is decided; {FROM}, about 37,000 ticks more at this pace"),
        (12, 613, None, f"12 answers are decided; {FROM}, about 3,200 ticks more at this pace"),
        (50, 48, HOUR, f"50 answers are decided; {FROM}, about 1 day more at this pace"),
    ],
)
def test_how_much_more_it_takes(decided: int, ticks: int, tick: int | None, note: str) -> None:
    assert list(short_streams({"Malf": decided, "Hot": ENOUGH}, ticks, tick)) == [f"Malf: {note}"]
