"""`--functions FILE.py`: functions of users, in every command that evaluates rules."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.cli.trying import antelog, spark_command

PROGRAM = """\
input Place(truck, lat: number, lon: number, time).
function near(lat1, lon1, lat2, lon2).
Home(X, T) :- Place(X, A, B, T), near(A, B, 52.5, 13.4).
query Home(X, T).
"""
FUNCTIONS = """\
import antelog
import numpy as np

WIDTH = 0.01

@antelog.function
def near(lat1: np.ndarray, lon1: np.ndarray, lat2: np.ndarray, lon2: np.ndarray) -> np.ndarray:
    return (abs(lat1 - lat2) < WIDTH) & (abs(lon1 - lon2) < WIDTH)
"""
SOUTH = FUNCTIONS.replace("    return", "    if lat1.min() < 50: raise ValueError('south')\n    return")
PLACES = "truck,lat,lon,time\nt1,52.501,13.4,1\nt2,48.1,11.5,2\n"
FILES = {"p.alog": PROGRAM, "fleet.py": FUNCTIONS, "places.csv": PLACES}
pytestmark = pytest.mark.usefixtures("files")


GIVEN = ("p.alog", "--input", "Place=places.csv")


@pytest.mark.parametrize("given", [("try",), ("watch", "--once", "--no-page")])
def test_functions_are_found_in_a_file(given: tuple[str, ...]) -> None:
    done = antelog(*given, *GIVEN, "--functions", "fleet.py")
    assert done.exit_code == 0, done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line["answer"] for line in lines] == [{"X": "t1", "T": 1}]


@pytest.mark.slow
def test_workers_of_spark_get_them_by_value() -> None:
    Path("fleet.py").write_text(SOUTH, encoding="utf-8")
    given = spark_command(*GIVEN, "--functions", "fleet.py", "--output", "console")
    done = subprocess.run(given, capture_output=True, text=True, check=False, timeout=900)
    assert done.returncode == 0, done.stderr
    assert "confirmed  Home  X = t1, T = 1" in done.stdout
    assert "warning: 1 call of functions failed, and has no value\n  " + RAISED.format(":") in done.stderr


RAISED = "near(48.1, 11.5, 52.5, 13.4){} raised ValueError: south (line 8 of fleet.py: `"


@pytest.mark.parametrize("given", [("try", "--rejects", "aside.jsonl"), ("watch", "--once", "--no-page")])
def test_a_call_that_fails_has_no_value_and_is_said(given: tuple[str, ...]) -> None:
    Path("fleet.py").write_text(SOUTH, encoding="utf-8")
    done = antelog(*given, *GIVEN, "--functions", "fleet.py")
    assert done.exit_code == 0, done.stderr
    assert [json.loads(line)["answer"]["X"] for line in done.stdout.splitlines()] == ["t1"]
    assert "warning: 1 call of functions failed, and has no value\n  " + RAISED.format(":") in done.stderr
    if given[0] == "try":
        (aside,) = map(json.loads, Path("aside.jsonl").read_text("utf-8").splitlines())
        assert (aside["predicate"], aside["reason"], aside["row"]) == (
            "near",
            "failed",
            RAISED.partition("{")[0],
        )


def test_more_of_them_than_may_fail_stop_the_run() -> None:
    Path("fleet.py").write_text(SOUTH, encoding="utf-8")
    done = antelog("watch", "--once", "--no-page", *GIVEN, "--functions", "fleet.py", "--most-failed", 0)
    assert done.exit_code == 1
    said = "error: 1 of 2 calls of functions failed in one step, and at most 0 % may: " + RAISED.format("")
    assert said in done.stderr
    assert done.stderr.rstrip().endswith("Mend the function, or allow more with a larger --most-failed")


def test_without_them_the_rules_can_be_checked_and_not_run() -> None:
    assert antelog("check", "p.alog").exit_code == 0
    done = antelog("try", *GIVEN)
    assert done.exit_code == 1
    assert "the program calls near, and no such function is given" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("def nearby(a): ...\n", "there is none of that name in fleet.py. Did you mean nearby?"),
        (
            FUNCTIONS.replace(", lon2: np.ndarray", ""),
            "declares near with 4 arguments, and Python has `near(",
        ),
        ("def near(:\n", "fleet.py, line 1: "),
        (
            "1 / 0\n",
            "fleet.py cannot be run: ZeroDivisionError: division by zero (line 1 of fleet.py: `1 / 0`)",
        ),
    ],
)
def test_functions_that_do_not_fit_or_fail_end_the_command(text: str, said: str) -> None:
    Path("fleet.py").write_text(text, encoding="utf-8")
    done = antelog("try", *GIVEN, "--functions", "fleet.py")
    assert done.exit_code == 1
    assert said in done.stderr
    assert "Traceback" not in done.stderr
