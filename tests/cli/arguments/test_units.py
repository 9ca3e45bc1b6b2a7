"""`--time-zone` and `--time-format` of `try` and `watch`: how times are read."""

import json
from pathlib import Path

import pytest

from tests.cli.trying import antelog

_UTC, _TWICE = (
    "times without an offset are taken as those of UTC",
    "Temp: 1 row without an offset in an hour that",
)


@pytest.mark.parametrize(
    ("declared", "options", "times", "notes"),
    [
        ("", (), ["2026-07-01T05:30:00+00:00", "2026-10-25T02:30:00+00:00"], {_UTC}),
        ('zone "UTC".', (), ["2026-07-01T05:30:00+00:00", "2026-10-25T02:30:00+00:00"], set()),
        ('zone "Europe/Berlin".', (), ["2026-07-01T05:30:00+02:00", "2026-10-25T02:30:00+02:00"], {_TWICE}),
        (
            'zone "Europe/Berlin".',
            ("--time-zone", "Temp=Asia/Tokyo", "--time-format", "%m/%d/%Y %H:%M"),
            ["2026-06-30T22:30:00+02:00", "2026-07-01T03:00:00+02:00", "2026-10-24T19:30:00+02:00"],
            set(),
        ),
    ],
)
@pytest.mark.parametrize("command", [("try",), ("watch", "--once", "--no-page")])
def test_zones_of_times(
    tmp_path: Path,
    command: tuple[str, ...],
    declared: str,
    options: tuple[str, ...],
    times: list[str],
    notes: set[str],
) -> None:
    program, readings = tmp_path / "p.alog", tmp_path / "temp.csv"
    program.write_text(
        f"tick 10 minutes. {declared} input Temp(x, time). Hot(X, T) :- Temp(X, T). query Hot(X, T)."
    )
    readings.write_text("x,time\na,2026-07-01 05:30\nb,07/01/2026 10:00\nc,25.10.2026 02:30\n")
    found = antelog(*command, str(program), "--input", f"Temp={readings}", *options)
    assert [json.loads(line)["time"] for line in found.stdout.splitlines()] == times
    assert {note for note in (_UTC, _TWICE) if found.stderr.count(note) == 1} == notes
    assert ("--time-format '%m/%d/%Y %H:%M' reads it with the month first" in found.stderr) == (not options)


def test_a_state_of_another_reading(tmp_path: Path) -> None:
    program, readings, state = tmp_path / "p.alog", tmp_path / "temp.csv", tmp_path / "state"
    program.write_text("tick 10 minutes. input Temp(x, time). Hot(X, T) :- Temp(X, T). query Hot(X, T).")
    readings.write_text("x,time\na,2026-07-01 05:30\n")
    watch = "watch", str(program), "--input", f"Temp={readings}", "--state", str(state), "--once", "--no-page"
    antelog(*watch)
    program.write_text(f'zone "Europe/Berlin". {program.read_text()}')
    said = "times of Temp without an offset are read in another zone. To go on with the new"
    assert said in antelog(*watch).stderr
    for more in (("--time-zone", "UTC"), ("--accept-changes",)):
        assert antelog(*watch, *more).exit_code == 0
