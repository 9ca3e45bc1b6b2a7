"""antelog/run/replay.py: recorded facts in Python, as the command has them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import antelog
from antelog.errors import ArgumentError, DataError
from tests.cli.trying import PROGRAM, READINGS, try_


@pytest.mark.usefixtures("here")
def test_it_gives_the_lines_of_try() -> None:
    program = antelog.load("p.alog")
    for options, flags in (
        ({}, []),
        ({"only": ["confirmed"]}, ["--only", "confirmed"]),
        ({"until": 2}, ["--until", 2]),
    ):
        lines = list(antelog.replay(program, {"Temp": "temp.csv"}, **options).lines())
        assert lines == try_("--input", "Temp=temp.csv", *flags).stdout.splitlines()


@pytest.mark.usefixtures("here")
def test_it_gives_steps_and_counts_what_was_set_aside() -> None:
    Path("temp.csv").write_text(READINGS + "wt9,high,0,9\n")
    found = antelog.replay(antelog.parse(PROGRAM), {"Temp": Path("temp.csv")})
    changes = sum(step.tables["Malf"].num_rows for step in found)
    assert changes == sum(len(try_("--input", "Temp=temp.csv").stdout.splitlines()) for _ in "1")
    assert found.rejects.counts == {"late": 1}
    assert found.engine.now >= 9


@pytest.mark.usefixtures("here")
def test_what_is_wrong_is_said() -> None:
    program = antelog.load("p.alog")
    with pytest.raises(DataError, match=r"has no input Tmp\. Did you mean Temp"):
        antelog.replay(program, {"Tmp": "temp.csv"})
    with pytest.raises(ArgumentError, match="the file of Temp is 7"):
        antelog.replay(program, {"Temp": 7})  # type: ignore[dict-item] # what is to be refused
    with pytest.raises(DataError, match=r"no\.csv: cannot be read"):
        list(antelog.replay(program, {"Temp": "no.csv"}))


@pytest.mark.usefixtures("here")
def test_files_of_no_use_are_said_at_the_end() -> None:
    program, names = antelog.load("p.alog"), "device,level,time,arrival\n"
    Path("temp.csv").write_text(f"{names}wt2,high,soon,1\nwt2,high,soon,2\n")
    with pytest.raises(DataError, match=r"^temp\.csv: none of its 2 rows can be used: the time `soon`"):
        list(antelog.replay(program, {"Temp": "temp.csv"}))
    Path("temp.csv").write_text(f"{names}wt2,high,0,9\n")
    with pytest.warns(
        antelog.DataWarning, match=r"^temp\.csv: 1 of 1 rows was set aside: .*as in line 2"
    ) as said:
        list(antelog.replay(program, {"Temp": "temp.csv"}))
    assert said[0].filename == __file__


def test_it_needs_no_command_line() -> None:
    code = "import sys, antelog; antelog.replay; print(any(m.startswith('antelog.cli') for m in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
