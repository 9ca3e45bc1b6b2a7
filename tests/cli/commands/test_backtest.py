"""antelog/cli/commands/backtest.py: the table, JSON, the page, and one line for whatever is wrong."""

import json
import re
import shlex
from contextlib import AbstractContextManager
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
import pytest
from click.testing import Result

import antelog
from antelog.errors import ArgumentError
from antelog.files import naming
from tests.cli.trying import antelog as run

PROGRAM = """\
tick 1 hour.
limit hot = 90.
input Temp(device: text, value: number, time) delay 0, one per device.
Hot(X, T) :- Temp(X, V, T), V >= hot.
Fails(X, T) :- Hot(X, T), Hot(X, T+1).
query Fails(X, T) critical "{X} is about to fail".
"""


def _readings() -> str:
    """Four days of two pumps: p1 fails at hour 30 and 70 after two hot hours, p2 is hot once, and wrongly."""
    hot = {("p1", 26): 95, ("p1", 27): 96, ("p1", 66): 92, ("p1", 67): 93, ("p2", 40): 91, ("p2", 80): 88}
    rows = [
        f"{device},{hot.get((device, hour), 60)},2026-03-{1 + hour // 24:02} {hour % 24:02}:00Z"
        for hour in range(96)
        for device in ("p1", "p2")
    ]
    return "\n".join(["device,value,time", *rows, ""])


FAILURES = """\
machine,time,kind
p1,2026-03-02 06:00Z,bearing
p1,2026-03-03 22:00Z,bearing
p2,2026-03-02 20:00Z,seal
"""
FILES = {"p.alog": PROGRAM, "temp.csv": _readings(), "failures.csv": FAILURES}
pytestmark = pytest.mark.usefixtures("files")
FACTS = ("--input", "Temp=temp.csv", "-i", "failures.csv", "--key", "machine")


def backtest(*options: object, lead: str = "1h..6h") -> Result:
    return run("backtest", "p.alog", *FACTS, "--lead", lead, *options)


def test_the_table() -> None:
    done = backtest()
    assert (done.exit_code, done.stderr) == (0, "")
    assert [re.sub(r" {3,}", " | ", line) for line in done.stdout.splitlines()] == [
        "Fails critical | caught | right alerts | false alarms | how early",
        "  once possible | 3 of 3 (53 to 100 %) | 3 of 3 (53 to 100 %) | 0 a day | 4 hours (4 to 4 hours)",
        "  confirmed | 2 of 3 (25 to 92 %) | 2 of 2 (43 to 100 %) | 0 a day | 3 hours (3 to 3 hours)",
        "",
        "An alert is right from 1 hour to 6 hours before an incident.",
        "In brackets is the range within which the share lies by 90 % (Wilson).",
        "With fewer than 10 incidents these figures cannot tell rules apart: give more.",
        "",
        (
            "To tune its limits and conditions: antelog suggest p.alog --incidents failures.csv "
            "--input Temp=temp.csv --lead 1h..6h --key machine"
        ),
    ]


def test_the_last_line_has_all_that_the_program_was_run_with() -> None:
    given = (
        "--set",
        "hot=88",
        "--time-zone",
        "Europe/Berlin",
        "--map",
        "device=device",
        "--where",
        "kind=bearing",
    )
    line = backtest(*given, "--settle", "2h", "--within").stdout.splitlines()[-1]
    words = shlex.split(line.partition(": ")[2])
    assert words[:3] == ["antelog", "suggest", "p.alog"]
    pairs = {*pairwise(words)}
    assert {("--set", "hot=88"), ("--time-zone", "Europe/Berlin"), ("--map", "device=device")} <= pairs
    assert {("--where", "kind=bearing"), ("--settle", "2h"), ("--key", "machine")} <= pairs
    assert "--within" in words
    assert run(*words[1:]).exit_code == 0


def test_json_has_the_figures_of_the_design() -> None:
    found = json.loads(backtest("--format", "json").stdout)
    possible, confirmed = found["queries"]
    assert possible | {"intervals": None, "false_per_day": None} == {
        "query": "Fails", "level": "possible", "caught": 3, "incidents": 3, "right": 3, "too_late": 0,
        "false": 0, "neither": 0, "false_per_day": None, "lead": [4, 4, 4], "intervals": None,
    }  # fmt: skip
    assert (confirmed["caught"], confirmed["lead"]) == (2, [3, 3, 3])
    assert found["missed"] == []
    assert found["split"] is None
    assert found["left_out"] == {"before": 0, "after": 0, "at_end": 0, "crossing": 0, "across": 0}


def test_a_kind_of_incident_alone() -> None:
    found = json.loads(backtest("--where", "kind=seal", "--format", "json").stdout)["queries"][0]
    assert (found["incidents"], found["caught"], found["false"]) == (1, 1, 2)
    assert found["false_per_day"] == pytest.approx(2 / ((96 + 96 - 7) / 2 / 24)), "one pump is settling"


def test_a_lead_says_what_was_too_late_and_what_was_missed() -> None:
    done = backtest(lead="5h..6h")
    found = json.loads(backtest("--format", "json", lead="5h..6h").stdout)
    assert [(each["caught"], each["too_late"], each["right"]) for each in found["queries"]] == [
        (0, 3, 0),
        (0, 2, 0),
    ]
    assert [each["key"] for each in found["missed"]] == ["p1", "p1", "p2"]
    assert found["missed"][2]["begin"] == "2026-03-02T20:00:00+00:00"
    assert "  p2  2026-03-02 20:00  Fails(p2, 2026-03-02 16:00) was open from 2026-03-02 16:00" in done.stdout
    assert (
        "there was Hot(p2, 2026-03-02 16:00); there lacked Hot(p2, 2026-03-02 17:00) (60 >= 90)"
        in done.stdout
    )


def test_values_of_a_limit() -> None:
    Path("failures.csv").write_text(FAILURES + "p2,2026-03-04 12:00Z,seal\n", encoding="utf-8")
    done = backtest("--vary", "hot=80..95")
    assert "* was best in the seen part" in done.stdout
    found = json.loads(backtest("--vary", "hot=80..95", "--format", "json").stdout)
    rows = {(each["level"], each["limit"]): each for each in found["queries"]}
    assert len(rows) == 2 * 16
    assert [each["limit"] for each in found["queries"][:16]] == list(range(80, 96))
    assert found["split"]["begin"] == "2026-03-03T00:00:00+00:00"
    seen = {(each["level"], each["limit"]): each for each in found["seen"]}
    # In the first half p1 fails after 95 and 96 degrees, and p2 after 91.
    assert [seen["possible", value]["caught"] for value in (80, 90, 92, 95)] == [2, 2, 1, 1]
    assert [rows["possible", value]["caught"] for value in (80, 88, 89, 93)] == [2, 2, 1, 1]
    assert rows["possible", 94]["caught"] == 0
    assert {limit for (level, limit), each in seen.items() if each["best"] and level == "possible"} == {
        *range(80, 92)
    }


def test_each_value_is_run_as_if_alone() -> None:
    varied = json.loads(backtest("--vary", "hot=88..92", "--split", "2026-03-02", "--format", "json").stdout)
    for value in (88, 90, 92):
        alone = backtest("--set", f"hot={value}", "--split", "2026-03-02", "--format", "json")
        rows = [each for each in varied["queries"] if each["limit"] == value]
        assert [{k: v for k, v in each.items() if k not in ("best", "limit")} for each in rows] == json.loads(
            alone.stdout
        )["queries"]


@pytest.mark.parametrize("options", [(), ("--vary", "hot=88..92")], ids=str)
def test_files_are_read_once_also_if_something_was_missed(
    options: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    read, original = list[str](), naming.opened

    def opened(path: Path) -> AbstractContextManager[tuple[BinaryIO, BinaryIO]]:
        read.append(path.name)
        return original(path)

    monkeypatch.setattr("antelog.files.reading.opened", opened)
    found = json.loads(backtest("--format", "json", *options, lead="5h..6h").stdout)
    assert any(each["why"] for each in found["missed"])
    assert read.count("temp.csv") == 1


def test_a_model_that_is_given_is_judged_by_what_it_has_not_seen() -> None:
    run("learn", "p.alog", "--input", "Temp=temp.csv", "--output", "p.model")
    found = json.loads(backtest("--model", "p.model", "--format", "json").stdout)
    assert found["split"]["begin"] == "2026-03-03T00:00:00+00:00"
    assert found["queries"][0]["incidents"] == 1
    done = backtest("--model", "p.model", "--vary", "hot=80..90")
    assert done.stderr == (
        "error: a model is learned for one value of each limit: with --vary take --model learn\n"
    )


def test_chances_learned_on_the_way_have_rows_of_their_own() -> None:
    found = json.loads(backtest("--model", "learn", "--format", "json").stdout)
    levels = [each["level"] for each in found["queries"]]
    assert (levels[0], levels[-1], found["split"]) == ("possible", "confirmed", None)
    assert levels[1:-1] == sorted(levels[1:-1])


def test_a_page() -> None:
    assert backtest("-o", "page.html", lead="5h..6h").exit_code == 0
    page = Path("page.html").read_text(encoding="utf-8")
    assert "<script" not in page
    assert not re.findall(r"(?:src|href)=\"(?!#)", page)
    linked = re.findall(r'href="#(axis-\d+)"', page)
    assert len(linked) == 3, "each missed incident leads to the axis of its key"
    assert set(linked) == set(re.findall(r'id="(axis-\d+)"', page))
    assert "incident 2026-03-02 20:00: missed" in page
    assert "alert 2026-03-02 02:00: right, but too late" in page


def test_rows_that_cannot_be_used_are_set_aside() -> None:
    Path("failures.csv").write_text(
        "machine,start,end\np1,2026-03-02 06:00Z,2026-03-02 07:00Z\np1,soon,2026-03-02 07:00Z\n"
        "p1,2026-03-02 09:00Z,2026-03-02 08:00Z\np1,2026-03-02 09:00Z,never\n",
        encoding="utf-8",
    )
    done = backtest()
    assert done.exit_code == 0
    assert done.stderr.splitlines() == [
        "warning: 3 rows were set aside (3 malformed)",
        "  failures.csv:3: the time `soon` is not a whole number or a timestamp",
        "  failures.csv:5: the end `never` is not a whole number or a timestamp",
        "  failures.csv:4: its end is before its start",
    ]
    assert "1 of 1" in done.stdout


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("machine,at\n", (), "failures.csv: has no column time, nor start and end. It has machine, at."),
        ("machine,tme\np1,0\n", (), "failures.csv: has no column time, nor start and end. Did you mean tme?"),
        ("machine,time\n", (), "failures.csv: has no incident. Give a row for each, with its time"),
        ("device,time\np1,2026-03-02\n", (), "failures.csv: has no column machine. It has device, time."),
        (
            "machine,time\nP1,2026-03-02 01:00Z\n", (),
            ("failures.csv: no incident is of a key that facts have: it has P1, and they have p1. Is its key "
            "another column? Name it: --key device"),
        ),
        (
            "machine,time\np1,2026-03-01 01:00Z\n", (),
            ("failures.csv: no incident can be judged: facts are from 2026-03-01 00:00 to 2026-03-04 23:00, "
            "incidents begin from 2026-03-01 01:00 to 2026-03-01 01:00, and each needs the most of the lead "
            "before it"),
        ),
        (FAILURES, ("--lead", "6h"), "`6h` is not a lead. Write the least and the most: 1h..1d"),
        (FAILURES, ("--lead", "6h.."), "`6h..` is not a lead. Write the least and the most: 1h..1d"),
        (
            FAILURES, ("--lead", "-5h..-3h"),
            "`-5h..-3h` is over before an incident begins. The most is 0 or more: 1h..1d",
        ),
        ("", (), "failures.csv: is empty. Give a header with the key and time, and a row for each incident"),
        (
            "machine,time,kind\np1,2026-03-02,none\n", (),
            "failures.csv: has no incident. Give a row for each, with its time",
        ),
        (FAILURES, ("--lead", "6h..1h"), "`6h..1h` holds no tick. The least comes first: 1h..1d"),
        (FAILURES, ("--lead", "1..6"), "`1` is not a duration. Write one like 30m or 24 hours"),
        (
            FAILURES, ("--settle", "-1h"),
            "`-1h`: after an incident no time can be less than none. Write 0 or more",
        ),
        (FAILURES, ("--key", "Y=machine"), "besides its time no query has a variable Y. They have X."),
        (FAILURES, ("--where", "kid=seal"), "failures.csv: has no column kid. Did you mean kind?"),
        (FAILURES, ("--where", "kind=sea"), "failures.csv: no incident has kind sea. Did you mean seal?"),
        (FAILURES, ("--query", "Fail"), "the program has no query Fail. Did you mean Fails?"),
        (FAILURES, ("--vary", "ht=1..2"), "the program has no limit ht. It has hot."),
        (FAILURES, ("--vary", "hot=2"), "`hot=2` is not a range of values. Write it like hot=70..100"),
        (
            FAILURES, ("--split", "2026-04-01"),
            ("the unseen part cannot begin at 2026-04-01 00:00: the facts are from 2026-03-01 00:00 to "
            "2026-03-04 23:00"),
        ),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_in_a_line(text: str, options: tuple[str, ...], message: str) -> None:
    Path("failures.csv").write_text(text, encoding="utf-8")
    done = backtest(*options)
    assert done.exit_code == 1
    assert [line for line in done.stderr.splitlines() if not line.startswith("note: ")] == [
        f"error: {message}"
    ]


def test_no_file_and_no_facts() -> None:
    Path("temp.csv").write_text("device,value,time\n", encoding="utf-8")
    assert "error: there are no facts; give them with --input Temp=FILE" in backtest().stderr
    Path("failures.csv").unlink()
    assert backtest().stderr == "error: failures.csv: cannot be read: No such file or directory\n"


# ---- as a library ----


def test_the_library() -> None:
    program = antelog.load("p.alog")
    found = antelog.backtest(
        program, {"Temp": "temp.csv"}, "failures.csv", lead="1h..6h", key="machine", vary="hot=88..90"
    )
    assert {"query", "level", "limit", "caught", "false_rate", "lead_median"} <= {*found.queries.column_names}
    assert found.queries.filter(pa.compute.equal(found.queries["part"], "seen")).num_rows == 6
    assert found.incidents.select(["key", "counted", "caught"]).to_pylist() == [
        {"key": "p1", "counted": False, "caught": False},
        {"key": "p1", "counted": True, "caught": True},
        {"key": "p2", "counted": False, "caught": False},
    ]
    alerts = found.alerts.filter(pa.compute.equal(found.alerts["limit"], 88)).to_pylist()
    assert [(each["level"], each["key"], each["kind"]) for each in alerts] == [
        ("possible", "p1", "right"),
        ("possible", "p2", "false"),
        ("confirmed", "p1", "right"),
    ]
    assert str(found).startswith("Fails critical")
    assert found.to_dict()["queries"][0]["limit"] == 88


def test_frames_and_workers() -> None:
    program = antelog.parse(PROGRAM.replace("tick 1 hour.\n", ""))
    facts = [(device, 95, at) for device in ("a", "b", "c") for at in (10, 11, 40, 41, 60)]
    failures = [{"device": "a", "time": 15}, {"device": "b", "time": 43}]
    one, two = (
        antelog.backtest(program, {"Temp": facts}, failures, lead="1..5", workers=workers)
        for workers in (1, 2)
    )
    assert one.queries == two.queries
    assert one.alerts == two.alerts
    assert one.queries["caught"].to_pylist() == [2, 2]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"lead": 5}, "backtest: lead is 5, of type int; give a text, or None"),
        ({"lead": "1h..2h", "within": 1}, "backtest: within is 1, of type int; give True or False"),
        (
            {"lead": "1h..2h", "query": "Fails"},
            "backtest: query is 'Fails', of type str; give a list of texts",
        ),
    ],
)
def test_arguments_of_the_wrong_kind(options: dict[str, object], message: str) -> None:
    with pytest.raises(ArgumentError, match=re.escape(message)):
        antelog.backtest(antelog.load("p.alog"), {"Temp": "temp.csv"}, "failures.csv", **options)  # type: ignore[arg-type]


def test_messages_name_arguments_of_python() -> None:
    program, given = antelog.load("p.alog"), {"Temp": "temp.csv"}
    with pytest.raises(antelog.DataError, match=r"say how long .* as in `lead=1h\.\.1d`"):
        antelog.backtest(program, given, "failures.csv")
    with pytest.raises(antelog.DataError, match="Name it: `key=device`"):
        antelog.backtest(program, given, [{"device": "x", "time": "2026-03-02 00:00Z"}], lead="1h..6h")
