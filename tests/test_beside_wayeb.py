"""The benchmark beside Wayeb: what is asked of both is the same, and who knows the truth is best.

Wayeb itself is not asked; without `python -m benchmarks.wayeb.install` it is not there.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import antelog
from benchmarks.options import RESULTS
from benchmarks.wayeb import own, page
from benchmarks.wayeb.__main__ import main, read
from benchmarks.wayeb.install import PLACE
from benchmarks.wayeb.questions import QUESTIONS, Question
from benchmarks.wayeb.scoring import own_chances, scores, wayeb_chances
from benchmarks.wayeb.streams import Machines, write
from benchmarks.wayeb.ways import ANTELOG, FULL, LIVE, SUFFIX, WAYS

each_question = pytest.mark.parametrize("question", QUESTIONS.values(), ids=lambda each: each.name)


def test_a_stream_has_a_line_for_each_reading_in_order(tmp_path: Path) -> None:
    write(np.array([[True, False], [False, False]]), tmp_path / "stream.csv")
    lines = (tmp_path / "stream.csv").read_text().split()
    assert lines == ["High,0,m0", "Low,0,m1", "Low,1,m0", "Low,1,m1"]


def test_readings_are_as_likely_as_they_are_said_to_be() -> None:
    machines = Machines(50, spread=0.8)
    high = machines.readings(1)
    after_two = high[:-2] & high[1:-1]
    share = (high[2:] & after_two).sum(axis=0) / after_two.sum(axis=0)
    assert np.abs(share - machines.high_after[:, 1, 1]).max() < 0.2
    assert np.corrcoef(share, machines.high_after[:, 1, 1])[0, 1] > 0.9


def test_what_is_asked_and_what_came() -> None:
    low_high_high_high = np.array([0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0], np.bool_)[:, None]
    run, soon = QUESTIONS["run"], QUESTIONS["soon"]
    # From the fourth reading on; three, and five, before the end nobody knows what comes.
    assert run.asked(low_high_high_high)[:, 0].tolist() == [True, True, True, False, False, True]
    assert run.came(low_high_high_high)[:, 0].tolist() == [True, True, True, False, False, False]
    assert soon.asked(low_high_high_high)[:, 0].tolist() == [True] * 4
    assert soon.came(low_high_high_high)[:, 0].tolist() == [True, True, True, True]


def test_the_pattern_for_wayeb() -> None:
    pattern = QUESTIONS["soon"].pattern
    assert pattern.startswith(";(IsEventTypePredicate(High),IsEventTypePredicate(High),")
    assert pattern.endswith("{order:2}{partitionBy:machine}")


@each_question
def test_the_truth_is_what_comes_about_on_average(question: Question) -> None:
    machines = Machines(200)
    readings = machines.readings(3)
    truth, came = question.truth(readings, machines), question.came(readings)
    for chance in np.unique(truth):
        at = truth == chance
        if at.sum() > 5_000:
            assert abs(came[at].mean() - chance) < 0.02


@each_question
def test_antelog_answers_each_question_and_nearly_as_well_as_can_be(
    question: Question, tmp_path: Path
) -> None:
    machines, ticks = Machines(10), 140
    readings = machines.readings(2, ticks)
    write(machines.readings(1, ticks), tmp_path / "train.csv")
    write(readings, tmp_path / "test.csv")
    (tmp_path / "program").write_text(question.program)
    program, model, out = (str(tmp_path / name) for name in ("program", "model", "out"))
    own.main(["learn", program, str(tmp_path / "train.csv"), model])
    said = {}
    for step in (70, 100):
        own.main(["follow", program, str(tmp_path / "test.csv"), model, out, str(step)])
        said[str(step)] = own_chances(Path(out), question, readings.shape)
    assert np.array_equal(said["70"], said["100"], equal_nan=True)
    found = scores(question, readings, machines, said)["scores"]
    assert found["100"]["brier"] < found["base"]["brier"] * 0.85
    assert found["100"]["brier"] < found["truth"]["brier"] * 1.15


@each_question
def test_antelog_confirms_what_came(question: Question, tmp_path: Path) -> None:
    """So that both are asked the same, not only something that is as likely."""
    machines = Machines(5)
    readings = machines.readings(2, 100)
    write(readings, tmp_path / "test.csv")
    engine = antelog.Engine(antelog.parse(question.program), only=["confirmed"])
    answers = {
        (answer["T"], int(answer["X"][1:]))
        for lines in own.reported(engine, str(tmp_path / "test.csv"), 100)
        for answer in lines.to_pylist()
    }
    came, asked = question.came(readings), question.asked(readings)
    for tick, machine in zip(*np.nonzero(asked), strict=True):
        at = tick + 3
        # An answer to `run` is about the first high reading; how far that is depends on what was read.
        begin = at if not question.begun else at + 1 - _high_before(readings, at, machine)
        assert ((begin, machine) in answers) == came[tick, machine]


def _high_before(readings: np.ndarray, tick: int, machine: int) -> int:
    count = 0
    while readings[tick - count, machine]:
        count += 1
    return count


def test_a_question_without_an_answer_is_an_error() -> None:
    machines = Machines(2)
    readings = machines.readings(1, 50)
    with pytest.raises(ValueError, match="have no answer"):
        scores(QUESTIONS["soon"], readings, machines, {"nobody": np.full(readings.shape, np.nan)})


def test_chances_of_wayebs_may_begin_later(tmp_path: Path) -> None:
    np.array([0.5, 0.25]).astype("<f8").tofile(tmp_path / "chances")
    found = wayeb_chances(tmp_path / "chances", (2, 2))
    assert np.isnan(found[0]).all()
    assert found[1].tolist() == [0.5, 0.25]


def test_each_way_learns_and_follows_with_the_same_model(tmp_path: Path) -> None:
    question = QUESTIONS["run"]
    for way in WAYS.values():
        model = str(tmp_path / f"run-{ANTELOG if way.name == LIVE else way.name}.model")
        assert model in way.learns(tmp_path, question, "train.csv")
        assert model in way.follows(tmp_path, question, "test.csv")
    assert str(PLACE / "classes") in WAYS[FULL].learns(tmp_path, question, "train.csv")[2]
    assert not WAYS[ANTELOG].missing


def test_the_page_is_made_of_the_results() -> None:
    found = read(RESULTS / "wayeb.json")
    assert (page.DOCS / page.NAME).read_text(encoding="utf-8") == page.as_markdown(found)


def test_who_is_cheaper_and_better_is_said_whoever_it_is() -> None:
    cheap, dear = (
        {"learn": [0, seconds, 9], "follow": [0, 2 * seconds, 9], "begins": [1, 1, 1]} for seconds in (1, 4)
    )
    setting = {"versions": {}, "commit": "0000001", "date": "2026-01-02", "cpu": "a fast one"}
    costs = {"readings": 1_000, "rounds": 3, "setting": setting, "run": {ANTELOG: cheap, FULL: dear}}
    costs["soon"] = {ANTELOG: dear, FULL: cheap}
    scores = {judge: {"brier": 0.1, "log": 0.3} for judge in (FULL, SUFFIX, "truth", "base")}
    scored = {"asked": 10, "came": 0.1, "scores": {**scores, ANTELOG: {"brier": 0.05, "log": 0.1}}}
    text = " ".join(page.as_markdown({"small": costs, "alike": {"run": scored, "soon": scored}}).split())
    assert "for *run* 0.2 and 0.2 times as many, for *soon* 4.0 and 4.0 times as many" in text
    assert "are alike it is 50.0% better for *run*" in text
    assert "| 8.0 (0.0 to 9.0) | 125 |" in text
    assert "*1,000 readings: medians of 3 rounds in turn, commit 0000001, 2026-01-02, a fast one" in text


def test_a_trial_writes_no_page_before_enough_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["benchmarks.wayeb", "--page", "--results", str(tmp_path)])
    assert main() == 0
    assert "have to be known" in capsys.readouterr().out
    assert not list(tmp_path.iterdir())
