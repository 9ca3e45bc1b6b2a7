"""antelog/cli/arguments/units.py: in which unit times count since 1970, said on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest

from antelog import parse
from antelog.cli.arguments.units import unit_of, with_units
from antelog.run.values import SettingError
from tests.cli.trying import antelog

RULES = "{}input Temp(x{}, time). input On(x, time: s). Hot(X, T) :- Temp(X, T), On(X, T). query Hot(X, T)."
MINUTES = parse(RULES.format("tick 1 minute. ", ""))
PROGRAM = (
    "tick 10 minutes. input Temp(x, time) delay 1. Hot(X, T) :- Temp(X, T), Temp(X, T+1). query Hot(X, T)."
)


def test_a_unit_is_for_all_inputs_or_for_one() -> None:
    assert unit_of("ms") == ("", "ms")
    assert unit_of("Temp = us") == ("Temp", "us")
    program = with_units(MINUTES, [("", "ms"), ("Temp", "us")])
    assert [program.plan.counting(name).unit for name in ("Temp", "On")] == ["us", "ms"]
    assert MINUTES.plan.counting("On").unit == "s"
    assert with_units(MINUTES, []) is MINUTES


@pytest.mark.parametrize(
    ("text", "message"),
    [("millis", "Write ms."), ("Temp=sec", "Write s."), ("Temp=", "The units are s, ms, us, ns, ticks")],
)
def test_what_is_no_unit(text: str, message: str) -> None:
    with pytest.raises(SettingError, match="is not a unit of times") as error:
        unit_of(text)
    assert message in str(error.value)


def test_units_belong_to_the_program() -> None:
    with pytest.raises(click.BadParameter, match="Did you mean Temp"):
        with_units(MINUTES, [("Tmep", "ms")])
    with pytest.raises(click.BadParameter, match="does not say how long a tick is"):
        with_units(parse("input A(x, time). P(X, T) :- A(X, T). query P(X, T)."), [("", "ms")])


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
    told = antelog(
        "try", str(program), "--input", f"Temp={readings}", "--time-unit", "s", "--only", "confirmed"
    )
    assert json.loads(told.stdout)["answer"] == {"X": "a", "T": 2 * 1714603200 + 1}
