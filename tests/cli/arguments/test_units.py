"""`--time-unit` of `try` and `watch`: the unit in which times count since 1970."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.trying import antelog

PROGRAM = (
    "tick 10 minutes. input Temp(x, time) delay 1. Hot(X, T) :- Temp(X, T), Temp(X, T+1). query Hot(X, T)."
)


@pytest.mark.parametrize(
    ("times", "options", "note"),
    [
        (("1714603200000", "1714603800000"), (), "Temp: times are read as milliseconds since 1970"),
        (("1714603200.25", "1714603800"), (), "Temp: times are read as seconds since 1970"),
        (("1714603200000", "1714603800000"), ("--time-unit", "Temp=ms"), None),
        (("100000000000", "100000600000"), ("--time-unit", "ms"), None),
        (("2857672", "2857673"), (), None),
    ],
)
@pytest.mark.parametrize("command", [("try",), ("watch", "--once", "--no-page")])
def test_what_times_count(
    tmp_path: Path,
    command: tuple[str, ...],
    times: tuple[str, ...],
    options: tuple[str, ...],
    note: str | None,
) -> None:
    program, readings = tmp_path / "p.alog", tmp_path / "temp.jsonl"
    program.write_text(PROGRAM)
    readings.write_text("".join(f'{{"x": "a", "time": {time}}}\n' for time in times))
    found = antelog(*command, str(program), "--input", f"Temp={readings}", "--only", "confirmed", *options)
    first = 166666 if times[0] == "100000000000" else 2857672
    assert [json.loads(line)["answer"] for line in found.stdout.splitlines()] == [{"X": "a", "T": first}]
    assert [line for line in found.stderr.splitlines() if "since 1970" in line] == (
        [f"note: {note}"] if note else []
    )


@pytest.mark.parametrize("command", [("try",), ("watch", "--once", "--no-page")])
def test_ticks_beyond_3000_are_said_with_the_remedy(tmp_path: Path, command: tuple[str, ...]) -> None:
    program, readings = tmp_path / "p.alog", tmp_path / "temp.csv"
    program.write_text(PROGRAM)
    readings.write_text("x,time,arrival\na,100000600000,100000600000\na,100000000000,100000600000\n")
    found = antelog(*command, str(program), "--input", f"Temp={readings}")
    said = "if it counts milliseconds since 1970, write `time: ms` in `input Temp(…)`, or --time-unit Temp=ms"
    note, late = (line for line in found.stderr.splitlines() if said in line)
    assert note.startswith("note: Temp has a time in the year 1,903,30")
    assert "599999 ticks after its deadline" in late


def test_a_number_with_a_fraction_may_be_seconds(tmp_path: Path) -> None:
    program, readings = tmp_path / "p.alog", tmp_path / "temp.csv"
    program.write_text(PROGRAM.replace("10 minutes", "500 ms"))
    readings.write_text("x,time\na,1714603200.5\na,1714603201.0\n")
    found = antelog("try", str(program), "--input", f"Temp={readings}")
    assert "to read it as seconds since 1970, write `time: s` in its input, or --time-unit s" in found.stderr
    reported = antelog(
        "try", str(program), "--input", f"Temp={readings}", "--time-unit", "s", "--only", "confirmed"
    )
    assert json.loads(reported.stdout)["answer"] == {"X": "a", "T": 2 * 1714603200 + 1}
