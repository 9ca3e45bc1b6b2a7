"""The benchmark beside Wayeb: both are asked the same, and who knows the truth is best."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import antelog
from benchmarks.options import RESULTS
from benchmarks.wayeb import own, page
from benchmarks.wayeb.__main__ import read
from benchmarks.wayeb.questions import QUESTIONS, Question
from benchmarks.wayeb.scoring import own_chances, scores
from benchmarks.wayeb.streams import Machines, write

each_question = pytest.mark.parametrize("question", QUESTIONS.values(), ids=lambda each: each.name)


def test_what_is_asked_and_what_came() -> None:
    low_high_high_high = np.array([0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0], np.bool_)[:, None]
    run, soon = QUESTIONS["run"], QUESTIONS["soon"]
    # From the fourth reading on; three, and five, before the end nobody knows what comes.
    assert run.asked(low_high_high_high)[:, 0].tolist() == [True, True, True, False, False, True]
    assert run.came(low_high_high_high)[:, 0].tolist() == [True, True, True, False, False, False]
    assert soon.asked(low_high_high_high)[:, 0].tolist() == [True] * 4
    assert soon.came(low_high_high_high)[:, 0].tolist() == [True, True, True, True]


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


def test_the_page_is_made_of_the_results() -> None:
    found = read(RESULTS / "wayeb.json")
    assert (page.DOCS / page.NAME).read_text(encoding="utf-8") == page.as_markdown(found)
