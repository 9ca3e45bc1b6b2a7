"""`antelog try` as a user meets it: what it prints, where to, and how it ends."""

import gzip
import itertools
import json
import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from antelog.language.printer import value_text
from tests.cli.trying import LOG, PROGRAM, READINGS, TURBINES, antelog, try_

# ---- changes ----


@pytest.mark.usefixtures("here")
def test_changes() -> None:
    done = try_("--input", "Temp=temp.csv")
    assert (done.exit_code, done.stderr) == (0, "done: 3 facts\n")
    assert done.stdout.splitlines() == LOG
    assert try_("--input", "Temp=temp.csv", "--changes").stdout == done.stdout


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("until", [0, 1, 2, 3, 30])
def test_until(until: int) -> None:
    done = try_("--input", "Temp=temp.csv", "--until", until)
    assert done.stdout.splitlines() == [line for line in LOG if json.loads(line)["tick"] <= until]


@pytest.mark.usefixtures("here")
def test_only() -> None:
    done = try_("--input", "Temp=temp.csv", "--only", "confirmed,rejected")
    assert done.stdout.splitlines() == [LOG[2], *LOG[4:]]


@pytest.mark.usefixtures("here")
def test_the_order_of_rows_does_not_matter() -> None:
    header, *rows = READINGS.splitlines()
    for order in itertools.permutations(rows):
        Path("other.csv").write_text("\n".join([header, *order]), encoding="utf-8")
        assert try_("--input", "Temp=other.csv").stdout.splitlines() == LOG


@pytest.mark.usefixtures("here")
def test_the_forms_of_files_give_the_same() -> None:
    rows = [
        dict(zip(("device", "level", "time", "arrival"), r.split(","), strict=True))
        for r in READINGS.splitlines()[1:]
    ]
    typed = [{**row, "time": int(row["time"]), "arrival": int(row["arrival"])} for row in rows]
    Path("temp.jsonl").write_text("\n".join(map(json.dumps, typed)), encoding="utf-8")
    pq.write_table(pa.Table.from_pylist(typed), "temp.parquet")
    Path("temp.csv.gz").write_bytes(gzip.compress(READINGS.encode()))
    for name in ("temp.jsonl", "temp.parquet", "temp.csv.gz"):
        assert try_("--input", f"Temp={name}").stdout.splitlines() == LOG


@pytest.mark.usefixtures("here")
def test_several_queries_in_the_order_of_the_program() -> None:
    Path("p.alog").write_text(
        PROGRAM + "Hot(X, T) :- Temp(X, high, T).\nquery Hot(X, T).\n", encoding="utf-8"
    )
    found = [json.loads(line) for line in try_("--input", "Temp=temp.csv").stdout.splitlines()]
    keys = [(line["tick"], ["Malf", "Hot"].index(line["query"]), *line["answer"].values()) for line in found]
    assert keys == sorted(keys)
    assert {line["query"] for line in found} == {"Malf", "Hot"}


@pytest.mark.usefixtures("here")
def test_explanations() -> None:
    Path("p.alog").write_text(
        "input P(x, time) delay 3.\n"
        "A(X, T) :- P(X, T), P(X, T+1).\n"
        "A(X, T) :- P(X, T), P(X, T+2), P(X, T+3).\n"
        "query A(X, T).\n",
        encoding="utf-8",
    )
    Path("p.csv").write_text("x,time\na,0\n", encoding="utf-8")
    every, one = (
        json.loads(try_("--input", "P=p.csv", "--until", 0, *more).stdout)
        for more in ((), ("--explanations", 1))
    )
    assert [len(e["hypotheses"]) for e in every["explanations"]] == [1, 2]
    assert "more" not in every
    assert one["explanations"] == every["explanations"][:1]
    assert list(one) == [*list(every)[:5], "more", *list(every)[5:]]
    assert one["more"] == 1
    assert try_("--input", "P=p.csv", "--until", 0, "--explanations", 2).stdout == json.dumps(every) + "\n"


@pytest.mark.usefixtures("here")
def test_numbers_are_short_and_texts_are_whole() -> None:
    Path("p.alog").write_text("A(X, V, T) :- P(X, V, T), V >= 1.\nquery A(X, V, T).\n", encoding="utf-8")
    Path("p.csv").write_text('x,v,time\n"say ""ä""",91.0,0\nb,1.5,0\n', encoding="utf-8")
    found = [json.loads(line) for line in try_("--input", "P=p.csv").stdout.splitlines()]
    assert [line["answer"] for line in found] == [
        {"X": "b", "V": 1.5, "T": 0},
        {"X": 'say "ä"', "V": 91, "T": 0},
    ]
    assert '"V": 91,' in try_("--input", "P=p.csv").stdout
    assert found[1]["explanations"][0]["evidence"] == ['P("say \\"ä\\"", 91, 0)']


@pytest.mark.usefixtures("here")
def test_numbers_and_texts_in_one_column() -> None:
    Path("p.alog").write_text("A(X, T) :- P(X, T).\nquery A(X, T).\n", encoding="utf-8")
    Path("p.csv").write_text("x,time\nwt1,0\n7,0\n8,1\n7,2\nn/a,2\n", encoding="utf-8")

    def evidence(lines: list[dict[str, Any]]) -> list[tuple[int, list[str]]]:
        return sorted((line["tick"], line["explanations"][0]["evidence"]) for line in lines)

    changes = [json.loads(line) for line in try_("--input", "P=p.csv").stdout.splitlines()]
    shots = [json.loads(line) for line in try_("--input", "P=p.csv", "--snapshots").stdout.splitlines()]
    answers = [{"tick": shot["tick"], **answer} for shot in shots for answer in shot["answers"]]
    want = [(0, "P(7, 0)"), (0, "P(wt1, 0)"), (1, "P(8, 1)"), (2, 'P("n/a", 2)'), (2, "P(7, 2)")]
    assert evidence(changes) == evidence(answers) == [(tick, [text]) for tick, text in want]


CALM = """input Alarm(x, time) delay 1.
Calm(X, T) :- not Alarm(X, T).
query Calm(X, T).
"""


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(("rows", "named"), [("wt2,0\n", ["wt2"]), ("n/a,0\n3,0\n", [3, "n/a"])])
def test_all_others(rows: str, named: list[str | int]) -> None:
    """Values of several kinds are told as texts in the language's syntax, and shown as what they are."""
    Path("p.alog").write_text(CALM, encoding="utf-8")
    Path("Alarm.csv").write_text(f"x,time\n{rows}", encoding="utf-8")
    given = ("--input", "Alarm=Alarm.csv", "--until", "0")
    *rejected, possible = map(json.loads, try_(*given).stdout.splitlines())
    assert [(each["change"], each["answer"]["X"], "others" in each) for each in rejected] == [
        ("rejected", value, False) for value in named
    ]
    assert (possible["answer"], possible["others"]) == ({"X": None, "T": 0}, ["X"])
    (line,) = try_(*given, "--snapshots").stdout.splitlines()
    (answer,) = json.loads(line)["answers"]
    assert (answer["others"], answer["except"]) == (["X"], [{"X": value} for value in named])
    listed = try_(*given, "--snapshots", "--format", "table").stdout
    assert "Calm  X = all others, T = 0   confirmed at 1 if nothing comes, decided by 1\n" in listed
    assert f"all but {', '.join(map(value_text, named))}\n" in listed


# ---- snapshots ----


@pytest.mark.usefixtures("here")
def test_snapshots() -> None:
    done = try_("--input", "Temp=temp.csv", "--snapshots")
    assert (done.exit_code, done.stderr) == (0, "done: 3 facts\n")
    lines = done.stdout.splitlines()
    assert [json.loads(line)["tick"] for line in lines] == [0, 1, 2, 3]
    first = LOG[0].removeprefix('{"tick": 0, "change": "possible", "query": "Malf", ')
    assert lines[0] == f'{{"tick": 0, "query": "Malf", "answers": [{{{first}]}}'
    assert [(a["answer"], "if_silent" in a) for a in json.loads(lines[2])["answers"]] == [
        ({"X": "wt2", "T": 0}, False),
        ({"X": "wt2", "T": 1}, True),
        ({"X": "wt4", "T": 1}, True),
    ]
    assert lines[3] == '{"tick": 3, "query": "Malf", "answers": []}'


@pytest.mark.usefixtures("here")
def test_without_facts_there_is_tick_0() -> None:
    done = try_("--snapshots")
    assert (done.exit_code, done.stdout) == (0, '{"tick": 0, "query": "Malf", "answers": []}\n')
    assert done.stderr == "note: Temp has no facts; give them with --input Temp=FILE\ndone: 0 facts\n"


def test_a_program_that_always_has_something_open_ends(tmp_path: Path) -> None:
    readings = tmp_path / "t.csv"
    readings.write_text("device,level,time\nwt2,high,3\n", encoding="utf-8")
    ticks = [
        json.loads(x)["tick"]
        for x in antelog("try", TURBINES, "--input", f"Temp={readings}").stdout.splitlines()
    ]
    assert 3 < max(ticks) < 10


# ---- rows that are set aside ----


@pytest.mark.usefixtures("here")
def test_rows_are_set_aside() -> None:
    Path("bad.csv").write_text(
        READINGS + "wt2,high\nwt2,high,0,7\nwt2,high,9,8\nwt2,high,x,8\n", encoding="utf-8"
    )
    done = try_("--input", "Temp=bad.csv", "--rejects", "out.csv")
    assert done.exit_code == 0
    assert [line for line in done.stdout.splitlines() if json.loads(line)["tick"] < 4] == LOG
    assert done.stderr.splitlines() == [
        "done: 7 facts (3 used, 1 late, 1 early, 2 malformed)",
        "warning: 4 rows were set aside (1 early, 1 late, 2 malformed)",
        "  bad.csv:5: has 2 values, not 4",
        "  bad.csv:8: the time `x` is not a whole number",
        "  bad.csv:6: arrived at tick 7, 6 ticks after its deadline",
        "  bad.csv:7: arrived at tick 8, 1 tick before its time",
        "  all of them are in out.csv",
    ]
    assert Path("out.csv").read_text(encoding="utf-8").splitlines() == [
        "file,line,predicate,reason,detail,row",
        'bad.csv,5,Temp,malformed,"has 2 values, not 4","wt2,high"',
        'bad.csv,8,Temp,malformed,the time `x` is not a whole number,"wt2,high,x,8"',
        'bad.csv,6,Temp,late,"arrived at tick 7, 6 ticks after its deadline","Temp(wt2, high, 0)"',
        'bad.csv,7,Temp,early,"arrived at tick 8, 1 tick before its time","Temp(wt2, high, 9)"',
    ]


@pytest.mark.usefixtures("here")
def test_few_of_many_are_shown() -> None:
    Path("bad.csv").write_text(READINGS + "wt2\n" * 8, encoding="utf-8")
    lines = try_("--input", "Temp=bad.csv").stderr.splitlines()
    assert lines[0] == "done: 11 facts (3 used, 8 malformed)"
    assert lines[1] == "warning: 8 rows were set aside (8 malformed)"
    assert lines[-1] == "  and 3 more; --rejects FILE keeps them all"
    assert len(lines) == 8


@pytest.mark.usefixtures("here")
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


# ---- static facts, timestamps ----


@pytest.mark.usefixtures("here")
def test_static_facts() -> None:
    Path("p.alog").write_text(
        "static Site(x, place).\nSite(a, here).\nA(X, P, T) :- E(X, T), Site(X, P).\nquery A(X, P, T).\n",
        encoding="utf-8",
    )
    Path("e.csv").write_text("a,0\nb,0\n", encoding="utf-8")
    Path("s.csv").write_text("place,x\nthere,b\n7,a\n", encoding="utf-8")
    found = try_("--input", "E=e.csv", "--static", "Site=s.csv").stdout.splitlines()
    answers = {tuple(json.loads(line)["answer"].values()) for line in found}
    assert {(x, str(p), t) for x, p, t in answers} == {("a", "here", 0), ("b", "there", 0), ("a", "7", 0)}


@pytest.mark.usefixtures("here")
def test_timestamps() -> None:
    Path("p.alog").write_text("tick 1 hour.\n" + PROGRAM, encoding="utf-8")
    Path("temp.csv").write_text(
        "device,level,time,seen\n"
        "wt2,high,1970-01-01 00:10,1970-01-01 00:50\n"
        "wt2,high,1970-01-01 01:10,1970-01-01 02:50\n"
        "wt4,high,1970-01-01 01:10,1970-01-01T01:20Z\n",
        encoding="utf-8",
    )
    assert try_("--input", "Temp=temp.csv", "--arrival", "seen").stdout.splitlines() == LOG


@pytest.mark.usefixtures("here")
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
    assert re.search(r"arrived at tick \d+ \(2024-03-01 09:00\)", done.stderr)
    (_, row) = Path("out.csv").read_text(encoding="utf-8").splitlines()
    assert row.endswith('"Temp(wt4, high, 2024-03-01 01:00)"')


# ---- a listing for people ----


@pytest.mark.usefixtures("here")
def test_a_listing_of_changes() -> None:
    done = try_("--input", "Temp=temp.csv", "--format", "table")
    assert (done.exit_code, done.stderr) == (0, "done: 3 facts\n")
    blocks = done.stdout.split("\n\n")
    assert blocks[0] == (
        "tick 0\n"
        "  possible   Malf  X = wt2, T = 0   rejected at 2 if nothing comes, decided by 2\n"
        "             ● Temp(wt2, high, 0)  ○ Temp(wt2, high, 1)"
    )
    assert blocks[2].startswith(
        "tick 2\n  confirmed  Malf  X = wt2, T = 0\n             ● Temp(wt2, high, 0)  ● Temp(wt2, high, 1)\n"
    )
    assert "             because ✗ Temp(wt4, high, 2)\n" in blocks[3]


@pytest.mark.usefixtures("here")
def test_a_listing_of_snapshots() -> None:
    done = try_("--input", "Temp=temp.csv", "--format", "table", "--snapshots")
    blocks = done.stdout.split("\n\n")
    assert "  open       Malf  X = wt2, T = 1   rejected at 3 if nothing comes" in blocks[2]
    assert blocks[3] == "tick 3\n  nothing is open\n"


@pytest.mark.usefixtures("here")
def test_a_listing_has_times() -> None:
    rules = "tick 1 day.\ninput P(x, day).\nQ(X, T) :- P(X, T), P(X, T+1).\nquery Q(X, T).\n"
    Path("days.alog").write_text(rules, encoding="utf-8")
    Path("p.csv").write_text("x,day\na,2024-03-04\n", encoding="utf-8")
    assert antelog("try", "days.alog", "--input", "P=p.csv", "--format", "table").stdout.startswith(
        "tick 19786, 2024-03-04\n"
        "  possible   Q  X = a, T = 2024-03-04   "
        "rejected at 2024-03-05 if nothing comes, decided by 2024-03-05\n"
        "             ● P(a, 2024-03-04)  ○ P(a, 2024-03-05)\n"
    )


@pytest.mark.usefixtures("here")
def test_late_facts_have_times_too() -> None:
    rules = "tick 1 day.\ninput P(x, day).\nQ(X, T) :- P(X, T).\nquery Q(X, T).\n"
    Path("days.alog").write_text(rules, encoding="utf-8")
    Path("p.csv").write_text("x,day,arrival\na,2024-03-04,2024-03-06\n", encoding="utf-8")
    done = antelog("try", "days.alog", "--input", "P=p.csv")
    assert "p.csv:2: arrived at tick 19788 (2024-03-06), 2 ticks after its deadline" in done.stderr


@pytest.mark.usefixtures("here")
def test_an_arrival_that_no_file_has() -> None:
    done = try_("--input", "Temp=temp.csv", "--arrival", "when")
    assert (
        "note: temp.csv: has no column when, so its facts are taken to arrive at their own time"
        in done.stderr
    )
    assert "no column" not in try_("--input", "Temp=temp.csv").stderr


@pytest.mark.usefixtures("here")
def test_a_listing_of_nothing_says_so() -> None:
    Path("cold.csv").write_text("device,level,time\nwt2,low,0\n", encoding="utf-8")
    note = "note: there were no changes to show\n"
    assert try_("--input", "Temp=cold.csv", "--format", "table").stderr == f"{note}done: 1 fact\n"
    assert try_("--input", "Temp=cold.csv").stderr == "done: 1 fact\n"
    assert note not in try_("--input", "Temp=temp.csv", "--format", "table").stderr
