"""antelog/cli/commands/diff.py: exit status, answers on recorded facts, JSON."""

import json
from pathlib import Path

import pytest
from click.testing import Result

from tests.cli.trying import PROGRAM, READINGS, antelog, messages

LONGER = PROGRAM.replace("Temp(X, high, T+1).", "Temp(X, high, T+1), Temp(X, high, T+2).")
FILES = {"old.alog": PROGRAM, "new.alog": LONGER, "temp.csv": READINGS}
pytestmark = pytest.mark.usefixtures("files")


def diff(*options: object) -> Result:
    return antelog("diff", "old.alog", "new.alog", *options)


def test_it_ends_well_however_the_programs_differ() -> None:
    done = diff()
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout.startswith("Malf: changed\n")
    assert antelog("diff", "old.alog", "old.alog").exit_code == 0


def test_check_tells_whether_they_mean_the_same() -> None:
    assert diff("--check").exit_code == 1
    assert antelog("diff", "--check", "old.alog", "old.alog").exit_code == 0


def test_answers_that_differ_on_recorded_facts() -> None:
    done = diff("--input", "Temp=temp.csv")
    assert done.exit_code == 0
    assert done.stdout.splitlines()[-4:] == [
        "Confirmed on these facts",
        "  Malf: 1 only by the old rules, 0 only by the new ones, 0 at another tick, 0 the same",
        "    - Malf(wt2, 0)  confirmed at 2",
        "1 query: 1 changed",
    ]
    assert messages(done) == "old.alog:\ndone: 3 facts\nnew.alog:\ndone: 3 facts\n"


def test_the_first_ones_are_listed() -> None:
    Path("new.alog").write_text(PROGRAM.replace(", Temp(X, high, T+1)", ""), encoding="utf-8")
    done = diff("--input", "Temp=temp.csv", "--most", 1)
    assert done.stdout.splitlines()[-5:-1] == [
        "  Malf: 0 only by the old rules, 2 only by the new ones, 1 at another tick, 0 the same",
        "    + Malf(wt4, 1)  confirmed at 1",
        "    + and 1 more",
        "    ~ Malf(wt2, 0)  confirmed at 0, was at 2",
    ]


def test_json() -> None:
    found = json.loads(diff("--format", "json", "--input", "Temp=temp.csv").stdout)
    assert [each["change"] for each in found["queries"]] == ["changed"]
    assert found["answers"][0]["only_old"] == [{"answer": "Malf(wt2, 0)", "old": 2, "new": None}]


def test_an_input_and_a_limit_of_one_program_only() -> None:
    text = "limit wanted = 3.\ninput Other(device, time).\n" + PROGRAM.replace("query", "query")
    Path("new.alog").write_text(text + "query Q(X, T).\nQ(X, T) :- Other(X, T).\n", encoding="utf-8")
    Path("other.csv").write_text("device,time\na,1\n", encoding="utf-8")
    done = diff("--input", "Temp=temp.csv", "--input", "Other=other.csv", "--set", "wanted=4")
    assert done.exit_code == 0
    assert "    + Q(a, 1)  confirmed at 1" in done.stdout.splitlines()


@pytest.mark.parametrize(
    ("options", "status", "words"),
    [
        (("--input", "Tmp=temp.csv"), 2, "neither program has an input Tmp. Did you mean Temp?"),
        (("--set", "hot=3"), 1, "neither program has a limit hot."),
        (("--most", "0"), 2, "--most"),
    ],
)
def test_mistakes(options: tuple[str, ...], status: int, words: str) -> None:
    done = diff(*options)
    assert done.exit_code == status
    assert words in done.stderr
