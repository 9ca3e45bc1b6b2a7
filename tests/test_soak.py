"""What the long run rests on: rows whose faults are known beforehand, and the verdict."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pyarrow.compute as pc
import pytest

from antelog import parse, replay
from benchmarks.faulty import PROGRAM, Made, Readings
from benchmarks.verdict import Minute, Run, as_markdown, complaints

READINGS = Readings(devices=40, faults=0.2)
LAST = 29


def test_rows_are_what_they_are_said_to_be(tmp_path: Path) -> None:
    first, second = READINGS.file(0, 9), READINGS.file(10, LAST)
    made = first[1] + second[1]
    file = tmp_path / "Temp.csv"
    file.write_text(first[0] + second[0].partition("\n")[2])
    program = parse(PROGRAM)
    run, alerts = replay(program, {"Temp": file}, until=LAST), 0
    for step in run:
        alerts += pc.sum(pc.equal(step.tables["Alert"]["change"], "confirmed")).as_py() or 0
    unread, counts = run.rejects.counts, run.engine.counts["Temp"]
    assert counts.admitted + counts.repeated == made.used + made.repeated + made.unneeded
    assert (counts.late, counts.early) == (made.late, made.early)
    assert unread["malformed"] == made.malformed
    assert min(made.late, made.early, made.malformed, made.repeated, made.unneeded) > 0
    assert alerts == READINGS.alerts(LAST) > 0


def test_a_file_can_be_made_again() -> None:
    assert READINGS.file(5, 9) == Readings(40, 0.2).file(5, 9) != Readings(40, 0.2, seed=2).file(5, 9)


def test_so_many_rows_are_faulty_as_was_asked_for() -> None:
    text, made = Readings(200, 0.05).file(100, 129)
    assert made.rows == text.count("\n") - 1
    # Repeated rows that no rule asks for are not told from others.
    assert 0.035 < (made.late + made.early + made.malformed + made.repeated) / made.rows < 0.06


FLAT = Minute(
    seconds=60, driver=200, jvm=800, workers=300, kept=900, predicted=1000, state_bytes=5000,
    batches=6, given=100, waiting=0, cores=0.2,
)  # fmt: skip
MADE = Made(used=80, repeated=5, unneeded=10, late=3, early=1, malformed=1)
COUNTED = Counter(given=100, admitted=80, repeated=5, unneeded=10, late=3, early=1, malformed=1)
FINE = Run("made up", (FLAT,) * 9, MADE, COUNTED, alerts=7, confirmed=7)


def test_a_flat_run_is_called_so() -> None:
    growing_at_first = tuple(replace(FLAT, jvm=jvm) for jvm in (100, 400, 600, 800, 800, 800, 820, 810, 830))
    sizes = (900, 2_400, 300, 1_900, 400, 1_000, 300, 2_300, 700)
    teeth = tuple(replace(FLAT, state_bytes=size) for size in sizes)
    for run in (FINE, replace(FINE, minutes=growing_at_first), replace(FINE, minutes=teeth)):
        assert complaints(run) == []
        assert "**Flat.**" in as_markdown(run)


@pytest.mark.parametrize(
    ("run", "why"),
    [
        (
            replace(FINE, minutes=tuple(replace(FLAT, jvm=800 + 50 * i) for i in range(9))),
            "jvm grows: 1,000 in the second third, 1,150 in the last",
        ),
        (
            replace(FINE, minutes=(FLAT, FLAT, replace(FLAT, kept=1001))),
            "after 60 s the state has 1,001 facts, predicted were 1,000 at most",
        ),
        (replace(FINE, made=replace(MADE, late=4)), "4 rows were made to be late, 3 were counted"),
        (replace(FINE, made=replace(MADE, late=4)), "101 rows were made, 100 were read"),
        (
            replace(FINE, minutes=(FLAT, FLAT, replace(FLAT, state_bytes=6_000))),
            "the state grows: 5,000 bytes at most before the last third, 6,000 in it",
        ),
        (replace(FINE, confirmed=6), "there are 7 alerts, 6 were confirmed"),
    ],
)
def test_what_is_wrong_is_told(run: Run, why: str) -> None:
    assert why in complaints(run)
    assert "**Not flat:**\n- " in as_markdown(run)
    assert why in as_markdown(run)
