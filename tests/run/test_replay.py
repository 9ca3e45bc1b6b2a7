"""antelog/run/replay.py: recorded facts in Python, as the command has them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest import mock

import duckdb
import polars as pl
import pyarrow as pa
import pytest

import antelog
from antelog.errors import ArgumentError, DataError
from antelog.run.workers import divided
from tests.cli.trying import LOG, PROGRAM, READINGS, try_
from tests.run.workers.at_once import AtOnce


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


ROWS = [("wt2", "high", 0, 0), ("wt2", "high", 1, 2), ("wt4", "high", 1, 1)]
TABLE = pa.table([*map(list, zip(*ROWS, strict=True))], ["device", "level", "time", "arrival"])


@pytest.mark.parametrize(
    ("given", "called"),
    [
        (ROWS, {}),
        (iter(ROWS), {}),
        (TABLE.to_pylist(), {}),
        (TABLE, {}),
        (TABLE.to_pandas(), {}),
        (pl.from_arrow(TABLE), {}),
        (duckdb.from_arrow(TABLE), {}),
        (TABLE.append_column("note", [[[1]] * 3]), {}),
        (TABLE.rename_columns(["sensor", "level", "time", "arrival"]), {"device": "sensor"}),
        (
            TABLE.rename_columns(["sensor", "level", "time", "came"]),
            {"Temp.device": "sensor", "arrival": "came"},
        ),
        ("parts/*.csv", {}),
        ("parts", {}),
    ],
)
@pytest.mark.usefixtures("here")
def test_frames_and_patterns_give_the_lines_of_their_file(given: Any, called: dict[str, str]) -> None:
    Path("parts").mkdir()
    (header, first, *others) = READINGS.splitlines()
    Path("parts", "a.csv").write_text("\n".join([header, first]))
    Path("parts", "b.csv").write_text("\n".join([header, *others]))
    replay = antelog.replay(antelog.load("p.alog"), {"Temp": given}, map=called)
    assert list(replay.lines()) == LOG


@pytest.mark.usefixtures("here")
def test_frames_are_named_in_messages() -> None:
    program = antelog.load("p.alog")
    for given, called, message in (
        (
            TABLE.rename_columns(["a", "level", "time", "arrival"]),
            {},
            "the frame of Temp: has no column device",
        ),
        (TABLE, {"device": "sensor"}, "the frame of Temp: has no column sensor, which device is mapped to"),
        (TABLE, {"devise": "sensor"}, "no input of the program has a column devise. Did you mean device?"),
        (
            [("a", "b")],
            {},
            "the frame of Temp: has 2 columns; Temp has device, level, time, and one more may",
        ),
        ("no*.csv", {}, "there is no such file"),
        (TABLE.rename_columns(["device", "levl", "time", "x"]), {}, "as in `map={'Temp.level': 'levl'}`"),
    ):
        with pytest.raises(DataError, match=re.escape(message)):
            list(antelog.replay(program, {"Temp": given}, map=called))
    found = antelog.replay(program, {"Temp": [("wt2", "high", at) for at in ("soon", "late", 1)]})
    with pytest.warns(antelog.DataWarning, match="the frame of Temp: 2 of 3 rows"):
        list(found)


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
    with pytest.raises(ArgumentError, match=r"what Temp is given is 7, .* or a frame"):
        antelog.replay(program, {"Temp": 7})
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


@pytest.mark.parametrize("workers", [1, 2])
def test_a_list_mixes_whole_and_other_numbers(workers: int) -> None:
    text = "input Temp(x, level: number, time).\nHot(X, T) :- Temp(X, V, T), V > 20.\nquery Hot(X, T)."
    rows = [("a", 21, 0), ("b", 22.5, 1), ("c", 2**60 + 1, 1), ("d", "hot", 1)]
    with mock.patch.object(divided, "ChildProcess", AtOnce):
        replay = antelog.replay(antelog.parse(text), {"Temp": rows}, workers=workers)
        evidence = [json.loads(line)["explanations"][0]["evidence"] for line in replay.lines()]
    assert evidence == [["Temp(a, 21, 0)"], ["Temp(b, 22.5, 1)"], ["Temp(c, 1152921504606846977, 1)"]]
    assert replay.rejects.counts == {"malformed": 1}
