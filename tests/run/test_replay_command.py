"""antelog/run/driver.py by `antelog try`: where a replay starts, what it keeps, rejects."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from antelog.files import records
from antelog.run import reading, waiting
from tests.cli.trying import PROGRAM, messages, try_

TIMED = """device,level,time
wt2,high,2024-02-29 10:05
wt2,high,2024-02-29 11:05
"""
FIRST = 474_778  # the hours from 1970 to 29 February 2024, 10:00


def ticks(*arguments: object) -> list[int]:
    done = try_("--input", "Temp=temp.csv", "--snapshots", *arguments)
    assert done.exit_code == 0
    assert re.fullmatch(r"done: . facts.*\n", messages(done))
    return [json.loads(line)["tick"] for line in done.stdout.splitlines()]


@pytest.fixture
def timed(here: None) -> None:  # noqa: ARG001 - it goes to the folder
    Path("p.alog").write_text('tick 1 hour. zone "UTC".\n' + PROGRAM, encoding="utf-8")
    Path("temp.csv").write_text(TIMED, encoding="utf-8")


# ---- where snapshots start ----


@pytest.mark.usefixtures("timed")
def test_snapshots_of_timestamps_start_with_the_first_arrival() -> None:
    assert ticks() == list(range(FIRST, FIRST + 4))
    blocks = try_("--input", "Temp=temp.csv", "--snapshots", "--format", "table").stdout.split("\n\n")
    times = ["2024-02-29 10:00", "11:00", "12:00", "13:00"]
    assert [block.splitlines()[0] for block in blocks] == times


@pytest.mark.usefixtures("timed")
@pytest.mark.parametrize(
    ("since", "until", "expected"),
    [
        ("2024-02-29 11:00", None, range(FIRST + 1, FIRST + 4)),
        (FIRST - 2, "2024-02-29T10:59Z", [FIRST]),
        ("2024-02-29 13:00", None, range(FIRST + 3, FIRST + 4)),
        (FIRST + 9, None, []),
        (FIRST + 9, FIRST + 10, range(FIRST + 9, FIRST + 11)),
    ],
)
def test_since(since: object, until: object, expected: Any) -> None:
    more = [] if until is None else ["--until", until]
    assert ticks("--since", since, *more) == list(expected)


@pytest.mark.usefixtures("here")
def test_what_is_shown_does_not_depend_on_where_it_starts() -> None:
    everything = try_("--input", "Temp=temp.csv", "--snapshots").stdout.splitlines()
    for since in range(5):
        shown = try_("--input", "Temp=temp.csv", "--snapshots", "--since", since).stdout.splitlines()
        assert shown == everything[since:]


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--snapshots", "--since", "2024-02-29"], "'--since': `2024-02-29` is a timestamp, and the program"),
        (["--snapshots", "--since", "noon"], "'--since': the tick `noon` is not a whole number"),
        (["--until", "1.5"], "'--until': the tick `1.5` is not a whole number"),
        (["--limit", "0"], "'--limit'"),
    ],
)
def test_wrong_bounds(arguments: list[str], message: str) -> None:
    done = try_("--input", "Temp=temp.csv", *arguments)
    assert (done.exit_code, done.stdout) == (2, "")
    assert message in " ".join(done.stderr.split())


# ---- a limit ----


@pytest.mark.usefixtures("here")
def test_a_limit_is_kept_to_and_reported() -> None:
    lines = "".join(f"wt{i},high,{i // 3},{i // 3}\n" for i in range(12))
    Path("temp.csv").write_text("device,level,time,arrival\n" + lines, encoding="utf-8")
    done = try_("--input", "Temp=temp.csv", "--snapshots", "--limit", "4")
    assert done.exit_code == 0
    assert messages(done) == (
        "done: 12 facts\n"
        "warning: 9 facts of Temp about ticks 0 to 2 had to be dropped; a larger --limit keeps more\n"
    )
    assert "(limit)" not in try_("--input", "Temp=temp.csv", "--limit", "100").stdout


@pytest.mark.usefixtures("here")
def test_what_is_given_up_is_told_as_rejected() -> None:
    rules = "Q(X, T) :- Temp(X, Y, T), Off(X, T2), T < T2. query Q(X, T)."
    Path("p.alog").write_text(f"input Temp(device, level, time) delay 1. {rules}", encoding="utf-8")
    done = try_("--input", "Temp=temp.csv", "--limit", "2")
    reported = [json.loads(line) for line in done.stdout.splitlines()]
    assert [
        (e["tick"], e["change"], e["answer"]["X"], e["answer"]["T"], e.get("because")) for e in reported
    ] == [
        (0, "possible", "wt2", 0, None),
        (1, "possible", "wt4", 1, None),
        (2, "rejected", "wt2", 0, ["(limit)"]),
        (2, "possible", "wt2", 1, None),
    ]
    assert messages(done).endswith(
        "note: Off has no facts; give them with --input Off=FILE\n"
        "done: 3 facts\n"
        "warning: 1 fact of Temp about tick 0 had to be dropped; a larger --limit keeps more\n"
    )


# ---- the lines of rejects ----


def rejected() -> list[tuple[str, int, str, str]]:
    rows = [json.loads(line) for line in Path("out.jsonl").read_text(encoding="utf-8").splitlines()]
    return [(row["file"], row["line"], row["reason"], row["row"]) for row in rows]


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("blank", [0, 7])
@pytest.mark.parametrize("snapshots", [False, True])
def test_late_facts_have_lines_in_files_read_in_pieces(
    monkeypatch: pytest.MonkeyPatch, blank: int, snapshots: bool
) -> None:
    monkeypatch.setattr(waiting, "STEP", 10)
    monkeypatch.setattr(reading, "ROOM", 50)
    monkeypatch.setattr(records.pieces, "__defaults__", (100,))
    lines = ["device,level,time,arrival"]
    late = []
    for i in range(200):
        if blank and i % blank == 0:
            lines.append("")
        is_late = i % 20 == 13
        lines.append(f"wt{i},high,{i // 4 - 3 if is_late else i // 4},{i // 4}")
        if is_late:
            late.append(("temp.csv", len(lines), "late", f"Temp(wt{i}, high, {i // 4 - 3})"))
    Path("temp.csv").write_text("\n".join(lines), encoding="utf-8")
    more = ["--snapshots"] if snapshots else []
    done = try_("--input", "Temp=temp.csv", "--rejects", "out.jsonl", *more)
    assert done.exit_code == 0
    assert rejected() == late
    assert f"temp.csv:{late[0][1]}: arrived at tick 3, 2 ticks after its deadline" in done.stderr


@pytest.mark.usefixtures("here")
def test_late_facts_have_lines_whatever_the_form() -> None:
    Path("temp.jsonl").write_text(
        '{"device": "a", "level": "high", "time": 4, "arrival": 4}\n\n'
        '{"device": "b", "level": "high", "time": 0, "arrival": 4}\n',
        encoding="utf-8",
    )
    assert try_("--input", "Temp=temp.jsonl", "--rejects", "out.jsonl").exit_code == 0
    assert rejected() == [("temp.jsonl", 3, "late", "Temp(b, high, 0)")]
    table = pa.table({"device": ["a", "b"], "level": ["high"] * 2, "time": [4, 0], "arrival": [4, 4]})
    pq.write_table(table, "temp.parquet")
    assert try_("--input", "Temp=temp.parquet", "--rejects", "out.jsonl").exit_code == 0
    assert rejected() == [("temp.parquet", 2, "late", "Temp(b, high, 0)")]
