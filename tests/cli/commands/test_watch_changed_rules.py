"""`antelog watch --accept-changes`: rules that were changed since the state was saved."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from antelog.run.store.feed import FeedReader, StoredFeedAt
from antelog.watch.board.board import Board
from tests.cli.trying import antelog

OLD = """\
input Temp(device, level: number, time) delay 2.
Malf(X, T) :- Temp(X, V, T), V > 90, Temp(X, W, T+2), W > 90.
Cold(X, T) :- Temp(X, V, T), V < 5, Temp(X, W, T+3), W < 5.
Keep(X, T) :- Temp(X, V, T), V > 95, Temp(X, W, T+1), W > 95.
query Malf(X, T).
query Cold(X, T).
query Keep(X, T).
"""
NEW = """\
input Temp(device, level: number, time) delay 2.
Warm(X, T) :- Temp(X, V, T), V > 95.
Malf(X, T) :- Temp(X, V, T), V > 91, Temp(X, W, T+2), W > 91.
Hot(X, T) :- Temp(X, V, T), V > 92, Temp(X, W, T+4), W > 92.
Keep(X, T) :- Warm(X, T+1), Warm(X, T).
query Malf(X, T) critical.
query Hot(X, T).
query Keep(X, T).
"""
FIRST = "device,level,time\na,93,1\na,2,2\na,96,3\nb,91,3\nc,96,4\na,3,4\n"
MORE = "c,97,5\na,98,5\nb,99,5\na,97,7\nc,2,9\n"
ARGUMENTS = ("--input", "Temp=temp.csv", "--once", "--state", "s", "--output", "out.jsonl", "--no-page")


@pytest.fixture(autouse=True)
def stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run of the old rules that has ended, and facts that came since."""
    monkeypatch.chdir(tmp_path)
    Path("old.alog").write_text(OLD, encoding="utf-8")
    Path("new.alog").write_text(NEW, encoding="utf-8")
    Path("temp.csv").write_text(FIRST, encoding="utf-8")
    assert watch("old.alog").exit_code == 0
    with Path("temp.csv").open("a", encoding="utf-8") as file:
        file.write(MORE)


def watch(program: str, *more: str) -> Result:
    return antelog("watch", program, *ARGUMENTS, *more)


def lines() -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path("out.jsonl").read_text(encoding="utf-8").splitlines()]


def test_changed_rules_are_refused_query_by_query() -> None:
    before = Path("out.jsonl").read_bytes()
    done = watch("new.alog")
    assert done.exit_code == 1
    assert (
        "error: s is of other rules than new.alog: Malf is changed; Hot is new; Cold is gone; Keep is the "
        "same. To go on with the new ones, add --accept-changes; to begin anew, give another --state\n"
    ) in done.stderr
    assert Path("out.jsonl").read_bytes() == before
    assert watch("old.alog").exit_code == 0


def test_accepted_ones_go_on() -> None:
    before = lines()
    done = watch("new.alog", "--accept-changes")
    assert done.exit_code == 0
    assert [line for line in done.stderr.splitlines() if line.startswith("note: ")][1:] == [
        "note: the rules were changed after tick 3",
        "note: Malf is changed; complete from tick 6 on; 1 open answer of before goes on; 1 is closed",
        "note: Hot is new; complete from tick 4 on",
        "note: Cold is gone; 1 is closed",
        "note: Keep goes on as before",
    ]
    change = [line for line in lines()[len(before) :] if line["tick"] == 3]
    assert [(line["change"], line["query"], *line["answer"].values()) for line in change] == [
        ("closed", "Malf", "b", 3),
        ("closed", "Cold", "a", 2),
        ("revised", "Malf", "a", 3),
        ("possible", "Hot", "a", 1),
        ("possible", "Hot", "a", 3),
    ]
    assert watch("new.alog").exit_code == 0  # the state is of the new rules now


def test_rules_that_are_only_written_otherwise_need_no_consent() -> None:
    Path("new.alog").write_text(OLD.replace("V > 90, Temp(X, W, T+2)", "90 < V, Temp(X, W, T+2)"), "utf-8")
    done = watch("new.alog")
    assert done.exit_code == 0
    assert "changed" not in done.stderr
    assert not [line for line in lines() if line["change"] == "closed"]


def test_the_page_is_told() -> None:
    arguments = ("--input", "Temp=temp.csv", "--once", "--state", "t")
    for program in ("old.alog", "new.alog"):
        done = antelog("watch", program, *arguments, "--accept-changes")
        assert done.exit_code == 0, done.stderr
        if program == "old.alog":
            with Path("temp.csv").open("a", encoding="utf-8") as file:
                file.write("c,97,11\n")
    board, reader = Board(), FeedReader(StoredFeedAt(Path("t")))
    while records := reader.read():
        board.take(records)
    assert board.head.source.text == NEW
    assert board.rules_changed is not None
    assert board.rules_changed["queries"][-1] == "Keep goes on as before"
    assert not [each for each in board.open.values() if each.query == "Cold"]


def test_a_state_without_a_feed_goes_on_with_one() -> None:
    done = antelog("watch", "new.alog", *ARGUMENTS[:-1], "--accept-changes")
    assert done.exit_code == 0, done.stderr
    records = FeedReader(StoredFeedAt(Path("s"))).read()
    assert "head" in records[0]
    assert {record["query"] for record in records if record.get("change") == "revised"} == {"Malf"}


def test_a_listing_says_what_is_closed() -> None:
    words = ("--no-page", "--format", "table", "--accept-changes")
    done = antelog("watch", "new.alog", *ARGUMENTS[:5], *words)
    assert done.exit_code == 0, done.stderr
    assert "  closed     Cold  X = a, T = 2\n" in done.stdout


RUN = """
import os, sys
from pathlib import Path
from antelog.run.store import database
made, last, count = database.created, int(sys.argv[1]), 0

def counted(*arguments, **options):
    found = made(*arguments, **options)
    def statement(text):
        global count
        count += 1
        if count == last:
            os._exit(9)
    found.set_trace_callback(statement)
    return found

database.created = counted
from antelog.cli.main import main
try:
    main(sys.argv[2:])
finally:
    Path("count").write_text(str(count))
"""


def killed_at(statement: int) -> int:
    """Changes the rules in a process that ends with this statement of its database; its status."""
    command = [sys.executable, "-c", RUN, str(statement), "watch", "new.alog", *ARGUMENTS, "--accept-changes"]
    return subprocess.run(command, check=False, capture_output=True).returncode


def as_before() -> None:
    for name in ("s", "out.jsonl"):
        shutil.copy(f"{name}.before", name)
    for rest in Path().glob("s-*"):
        rest.unlink()


@pytest.mark.slow
def test_killed_at_the_change_nothing_is_lost_and_nothing_comes_twice() -> None:
    for name in ("s", "out.jsonl"):
        shutil.copy(name, f"{name}.before")
    assert killed_at(0) == 0
    statements, expected = int(Path("count").read_text()), Path("out.jsonl").read_bytes()
    for number in range(10):
        as_before()
        assert killed_at(statements * (number + 1) // 11) == 9
        done = watch("new.alog", "--accept-changes")
        assert done.exit_code == 0, done.stderr
        assert Path("out.jsonl").read_bytes() == expected
