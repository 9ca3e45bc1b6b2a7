"""antelog/cli/show/set_aside.py: what is said of rows that are set aside."""

import json
import re
from pathlib import Path

import pytest

from antelog.cli.show.set_aside import say_what_was_set_aside
from antelog.files import Reject
from antelog.language.moments import Timescale
from tests.cli.trying import LOG, PROGRAM, READINGS, antelog, messages, try_

pytestmark = pytest.mark.usefixtures("here")


def test_rows_are_set_aside() -> None:
    Path("bad.csv").write_text(
        READINGS + "wt2,high\nwt2,high,0,7\nwt2,high,9,8\nwt2,high,x,8\n", encoding="utf-8"
    )
    done = try_("--input", "Temp=bad.csv", "--rejects", "out.csv")
    assert done.exit_code == 0
    assert [line for line in done.stdout.splitlines() if json.loads(line)["tick"] < 4] == LOG
    assert messages(done).splitlines() == [
        "done: 7 facts (3 used, 1 late, 1 early, 2 malformed)",
        "warning: 4 rows were set aside (2 malformed, 1 early, 1 late)",
        "  bad.csv:5: has 2 values, not 4",
        "  bad.csv:8: the time `x` is not a whole number",
        "  bad.csv:6: arrived at tick 7, 6 ticks after its deadline",
        "  bad.csv:7: arrived at tick 8, 1 tick before its time",
        "  all of them are in out.csv",
        "note: `delay 7` would have kept the late fact of Temp; answers are confirmed later then",
    ]
    assert Path("out.csv").read_text(encoding="utf-8").splitlines() == [
        "file,line,predicate,reason,detail,row",
        'bad.csv,5,Temp,malformed,"has 2 values, not 4","wt2,high"',
        'bad.csv,8,Temp,malformed,the time `x` is not a whole number,"wt2,high,x,8"',
        'bad.csv,6,Temp,late,"arrived at tick 7, 6 ticks after its deadline","Temp(wt2, high, 0)"',
        'bad.csv,7,Temp,early,"arrived at tick 8, 1 tick before its time","Temp(wt2, high, 9)"',
    ]


def test_few_of_many_are_shown() -> None:
    Path("bad.csv").write_text(READINGS + "wt2\n" * 8, encoding="utf-8")
    lines = messages(try_("--input", "Temp=bad.csv")).splitlines()
    assert lines[0] == "done: 11 facts (3 used, 8 malformed)"
    assert lines[1] == "warning: 8 rows were set aside (8 malformed)"
    assert lines[-1] == "  and 3 more; --rejects FILE keeps them all"
    assert len(lines) == 8


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("wt2,high", "bad.csv:5: has 2 values, not 4"),
        ("wt2,high,0,7", "bad.csv:5: arrived at tick 7, 6 ticks after its deadline"),
    ],
)
def test_strict(row: str, message: str) -> None:
    Path("bad.csv").write_text(f"{READINGS}{row}\n", encoding="utf-8")
    done = try_("--input", "Temp=bad.csv", "--strict")
    assert (done.exit_code, done.stderr) == (1, f"error: {message}\n")
    assert try_("--input", "Temp=temp.csv", "--strict").exit_code == 0


def test_late_facts_have_their_time_as_the_file_had_it() -> None:
    Path("p.alog").write_text("tick 1 hour.\n" + PROGRAM, encoding="utf-8")
    Path("temp.csv").write_text(
        "device,level,time,arrival\n"
        "wt2,high,2024-03-01 09:10,2024-03-01 09:50\n"
        "wt4,high,2024-03-01 01:10,2024-03-01 09:55\n",
        encoding="utf-8",
    )
    done = try_("--input", "Temp=temp.csv", "--rejects", "out.csv")
    assert "warning: 1 row was set aside (1 late)" in done.stderr
    assert re.search(r"arrived at 2024-03-01 09:00, \d+ hours after its deadline", done.stderr)
    (_, row) = Path("out.csv").read_text(encoding="utf-8").splitlines()
    assert row.endswith('"Temp(wt4, high, 2024-03-01 01:00)"')


def test_ticks_that_a_row_speaks_of_have_no_times(capsys: pytest.CaptureFixture[str]) -> None:
    late = Reject("stdin", None, "P", "late", "arrived at tick 19788, 2 ticks late", 'P("tick 19788", 9)')
    wrong = Reject("p.csv", 7, "P", "malformed", "the time `tick 19788` is not a whole number", "x")
    counts, days = {"late": 1, "malformed": 1}, Timescale(86_400_000_000)
    say_what_was_set_aside(counts, [late, wrong], days, where=None, option="--rejects")
    assert capsys.readouterr().err.splitlines()[1:3] == [
        '  stdin: P("tick 19788", 9): arrived at 2024-03-06, 2 days late',
        "  p.csv:7: the time `tick 19788` is not a whole number",
    ]


def test_a_summary_says_which_delay_would_have_kept_late_facts() -> None:
    late = "".join(f"wt2,high,{tick},{tick + 3}\n" for tick in range(3, 22))
    Path("late.csv").write_text(f"{READINGS}{late}wt2,high,30,39\n", encoding="utf-8")
    for first, words in (("", ("3", "9")), ("tick 10 minutes.\n", ("30 minutes", "90 minutes"))):
        Path("short.alog").write_text(first + PROGRAM, encoding="utf-8")
        said = messages(antelog("try", "short.alog", "--input", "Temp=late.csv")).splitlines()
        (note,) = [line for line in said if "delay" in line]
        assert note == (
            f"note: `delay {words[0]}` would have kept 95 % of the late facts of Temp, "
            f"`delay {words[1]}` all; answers are confirmed later then"
        )
    Path("longer.alog").write_text(PROGRAM.replace("delay 1.", "delay 9."), encoding="utf-8")
    assert "late" not in messages(antelog("try", "longer.alog", "--input", "Temp=late.csv"))


def test_no_delay_is_a_remedy_for_times_that_are_no_ticks() -> None:
    Path("late.csv").write_text(f"{READINGS}wt2,high,3,4000000000\n", encoding="utf-8")
    assert "would have kept" not in messages(try_("--input", "Temp=late.csv", "--until", "9"))
