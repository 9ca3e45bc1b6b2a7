"""antelog/cli/commands/try_.py: what the command prints, where to, and how it ends."""

import gzip
import json
import os
import subprocess
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.cli.trying import LOG, PROGRAM, READINGS, TURBINES, antelog, command, messages, try_
from tests.tables import cases

pytestmark = pytest.mark.usefixtures("here")


def test_changes() -> None:
    done = try_("--input", "Temp=temp.csv")
    assert (done.exit_code, messages(done)) == (0, "done: 3 facts\n")
    assert done.stdout.splitlines() == LOG
    assert try_("--input", "Temp=temp.csv", "--changes").stdout == done.stdout


@pytest.mark.parametrize("until", [0, 1, 2, 3, 30])
def test_until(until: int) -> None:
    done = try_("--input", "Temp=temp.csv", "--until", until)
    assert done.stdout.splitlines() == [line for line in LOG if json.loads(line)["tick"] <= until]


def test_only() -> None:
    done = try_("--input", "Temp=temp.csv", "--only", "confirmed,rejected")
    assert done.stdout.splitlines() == [LOG[2], *LOG[4:]]


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


def test_several_queries_in_the_order_of_the_program() -> None:
    Path("p.alog").write_text(
        PROGRAM + "Hot(X, T) :- Temp(X, high, T).\nquery Hot(X, T).\n", encoding="utf-8"
    )
    found = [json.loads(line) for line in try_("--input", "Temp=temp.csv").stdout.splitlines()]
    keys = [(line["tick"], ["Malf", "Hot"].index(line["query"]), *line["answer"].values()) for line in found]
    assert keys == sorted(keys)
    assert {line["query"] for line in found} == {"Malf", "Hot"}


def test_snapshots() -> None:
    done = try_("--input", "Temp=temp.csv", "--snapshots")
    assert (done.exit_code, messages(done)) == (0, "done: 3 facts\n")
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


def test_without_facts_there_is_tick_0() -> None:
    done = try_("--snapshots")
    assert (done.exit_code, done.stdout) == (0, '{"tick": 0, "query": "Malf", "answers": []}\n')
    assert done.stderr == "note: Temp has no facts; give them with --input Temp=FILE\ndone: 0 facts\n"


DOWN = """tick 1 minute.
static Device(device).
Device(pump).
input Heard(device, time).
Down(X, T) :- Device(X), not Heard(X, T-2..T).
query Down(X, T).
"""


@pytest.mark.parametrize("command", [("try",), ("watch", "--no-page", "--once")])
def test_a_program_with_a_tick_says_why_it_prints_nothing_without_facts(command: tuple[str, ...]) -> None:
    Path("p.alog").write_text(DOWN, encoding="utf-8")
    Path("heard.csv").write_text("device,time\n", encoding="utf-8")
    given = (*command, "p.alog", "--input", "Heard=heard.csv")
    done = antelog(*given)
    assert (done.exit_code, done.stdout) == (0, "")
    assert "note: no answers, for no time has passed: with a `tick` it begins with the first" in done.stderr
    if command == ("try",):
        done = antelog(*given, "--since", "1970-01-01 01:00Z", "--until", "1970-01-01 01:02Z")
        assert [json.loads(line)["answer"]["T"] for line in done.stdout.splitlines()] == [60, 61, 62]
        assert "note:" not in done.stderr


def test_a_program_that_always_has_something_open_ends(tmp_path: Path) -> None:
    readings = tmp_path / "t.csv"
    readings.write_text("device,level,time\nwt2,high,3\n", encoding="utf-8")
    ticks = [
        json.loads(x)["tick"]
        for x in antelog("try", TURBINES, "--input", f"Temp={readings}").stdout.splitlines()
    ]
    assert 3 < max(ticks) < 10


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


def test_an_arrival_that_no_file_has() -> None:
    done = try_("--input", "Temp=temp.csv", "--arrival", "when")
    assert (
        "note: temp.csv: has no column when, so its facts are taken to arrive at their own time"
        in done.stderr
    )
    assert "no column" not in try_("--input", "Temp=temp.csv").stderr


@cases(__file__, "wrong")
def test_wrong_commands(arguments: list[str], message: str) -> None:
    done = try_(*arguments)
    assert (done.exit_code, done.stdout) == (2, "")
    assert message in " ".join(done.stderr.split())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--input", "Temp=absent.csv"], "absent.csv: cannot be read: No such file or directory"),
        (
            ["--input", "Temp=other.csv"],
            "has no columns device, level, time for Temp(device, level, time); it has a, b.",
        ),
    ],
)
def test_wrong_data(arguments: list[str], message: str) -> None:
    Path("other.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    done = try_(*arguments)
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr.startswith(f"error: {message}") or message in done.stderr


FACTS = ("try", "p.alog", "--input", "Temp=temp.csv")


def environment(**more: str) -> dict[str, str]:
    return {n: v for n, v in os.environ.items() if n not in {"NO_COLOR", "FORCE_COLOR"}} | more


def test_colours_are_for_terminals() -> None:
    def printed(**more: str) -> bytes:
        call = command(*FACTS, "--format", "table")
        return subprocess.run(
            call, env=environment(**more), capture_output=True, timeout=60, check=True
        ).stdout

    assert b"\x1b[" in printed(FORCE_COLOR="1", TERM="xterm-256color")
    assert b"\x1b[32m" not in printed(FORCE_COLOR="1", NO_COLOR="1", TERM="xterm-256color")
    assert b"* Temp(wt2, high, 0)  o Temp(wt2, high, 1)" in printed(PYTHONIOENCODING="ascii", PYTHONUTF8="0")


def test_ascii_output_is_json_still() -> None:
    Path("temp.csv").write_text("device,level,time\nWärter,high,0\n", encoding="utf-8")
    plain = environment(PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    done = subprocess.run(command(*FACTS), env=plain, capture_output=True, timeout=60, check=True)
    assert json.loads(done.stdout.splitlines()[0])["answer"] == {"X": "Wärter", "T": 0}
