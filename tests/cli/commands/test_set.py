"""`--set`: values of limits, in every command that takes a program, and in files for `--config`."""

import json
from pathlib import Path

import pytest

from tests.cli.trying import antelog, diagnostics

PROGRAM = """\
include "fleet.alog".
Hot(X, T) :- Temp(X, V, T), V >= hot.
query Hot(X, T).
"""
FLEET = "limit hot = 90.\ninput Temp(device, value: number, time).\n"
READINGS = "device,value,time\na,87,1\na,95,2\n"
FILES = {"rules/p.alog": PROGRAM, "rules/fleet.alog": FLEET, "temp.csv": READINGS}
pytestmark = pytest.mark.usefixtures("files")


def ticks(*arguments: str) -> list[int]:
    done = antelog(*arguments)
    assert done.exit_code == 0, done.stderr
    lines = map(json.loads, done.stdout.splitlines())
    return [line["tick"] for line in lines if line["change"] == "confirmed"]


@pytest.mark.parametrize("command", [("try",), ("watch", "--once", "--no-page")])
def test_a_limit_has_another_value(command: tuple[str, ...]) -> None:
    given = (*command, "rules/p.alog", "--input", "Temp=temp.csv")
    assert ticks(*given) == [2]
    assert ticks(*given, "--set", "hot=85") == [1, 2]
    assert ticks(*given, "--set", "hot=96") == []


def test_check_and_pictures_show_it() -> None:
    assert "V >= 85.5" in antelog("check", "rules/p.alog", "--set", "hot=85.5").stdout
    done = antelog("draw", "rules/p.alog", "--plan", "--set", "hot=85", "--output", "p.svg")
    assert done.exit_code == 0, done.stderr


@pytest.mark.parametrize("command", ["check", "try"])
def test_what_does_not_fit_is_refused(command: str) -> None:
    inputs = () if command == "check" else ("--input", "Temp=temp.csv")
    done = antelog(command, "rules/p.alog", *inputs, "--set", "hott=85")
    assert (done.exit_code, done.stderr) == (1, "error: the program has no limit hott. Did you mean hot?\n")
    for value, reason in (("warm", "`warm` is not a number"), ("1e999", "`1e999` is not a number")):
        done = antelog(command, "rules/p.alog", *inputs, "--set", f"hot={value}")
        assert (done.exit_code, reason in done.stderr) == (2, True)


def test_other_numbers_are_another_program() -> None:
    given = ("watch", "rules/p.alog", "--input", "Temp=temp.csv", "--once", "--no-page", "--state", "s")
    assert antelog(*given).exit_code == 0
    done = antelog(*given, "--set", "hot=85")
    assert done.exit_code == 1
    assert "Hot is changed" in done.stderr
    Path("rules/fleet.alog").write_text(FLEET.replace("90", "85"), encoding="utf-8")
    assert antelog(*given).exit_code == 1
    assert antelog(*given, "--set", "hot=90").exit_code == 0


def test_in_a_file() -> None:
    text = 'program = "rules/p.alog"\noutput = ["console"]\n[input]\nTemp = "temp.csv"\n[set]\nhot = 85\n'
    assert diagnostics(text) == ()
    (found,) = diagnostics(text.replace("85", '"warm"'))
    assert found.code == "E703"
