"""antelog/cli/show/outcomes.py: what a replay found, at its end."""

import re
from pathlib import Path

import pytest

from antelog.cli.show.outcomes import QuerySummary, say_outcomes
from tests.cli.trying import PROGRAM, try_

LEGEND = [
    "before confirmed: how long a confirmed answer was open (median).",
    "before deadline: head start over waiting for the deadline (median).",
]


def summary(*arguments: object) -> list[str]:
    done = try_("--input", "Temp=temp.csv", *arguments)
    first, *others = done.stderr.splitlines()
    assert done.exit_code == 0
    assert first.startswith("done: 3 facts")
    return others


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    "look", [[], ["--snapshots"], ["--snapshots", "--since", "3"], ["--format", "table"]]
)
def test_answers_are_counted_by_outcome_whatever_is_shown(look: list[str]) -> None:
    """Malf(wt2, 0) is open from 0 on, confirmed at 2, and at 2 no fact about it could come any more."""
    assert summary(*look) == [
        "      confirmed  rejected  open  changes  before confirmed  before deadline",
        "Malf          1         2     0        6           2 ticks          2 ticks",
        *LEGEND,
    ]


@pytest.mark.usefixtures("here")
def test_what_is_open_at_the_last_tick_is_counted() -> None:
    assert summary("--until", "1")[-1].split() == ["Malf", "0", "0", "2", "2"]


@pytest.mark.usefixtures("here")
def test_times_are_in_units_of_time() -> None:
    Path("p.alog").write_text("tick 90 seconds.\n" + PROGRAM, encoding="utf-8")
    assert summary()[1].endswith("3 minutes        3 minutes")
    assert summary("--only", "confirmed")[1].split() == ["Malf", "1", "none"]


@pytest.mark.usefixtures("here")
def test_only_what_is_asked_for_is_counted_and_that_is_said() -> None:
    assert summary("--only", "confirmed") == [
        "      confirmed  before deadline",
        "Malf          1          0 ticks",
        "Counts confirmed lines only, because of --only.",
        "before deadline: head start over waiting for the deadline (median).",
    ]
    assert summary("--only", "rejected,possible")[:2] == [
        "      rejected  possible",
        "Malf         2         3",
    ]
    assert summary("--only", "possible,confirmed")[1].split()[3:] == ["2", "ticks", "2", "ticks"]


def test_columns_stand_below_each_other(capsys: pytest.CaptureFixture[str]) -> None:
    found = {
        "Malf": QuerySummary({"confirmed": 1234, "rejected": 2}, {"possible": 10_000}, 1.5, None),
        "Q": QuerySummary({}, {}),
    }
    say_outcomes(found, None)
    head, *rows = capsys.readouterr().err.splitlines()[:3]
    assert [re.split(r" {2,}", row) for row in (head.strip(), *rows)] == [
        ["confirmed", "rejected", "open", "changes", "before confirmed"],
        ["Malf", "1,234", "2", "0", "10,000", "1.5 ticks"],
        ["Q", "0", "0", "0", "0", "-"],
    ]
    assert len({len(row) for row in (head, *rows)}) == 1


def test_without_changes_nothing_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    say_outcomes({"Malf": QuerySummary({}, {})}, None)
    assert capsys.readouterr().err == ""
