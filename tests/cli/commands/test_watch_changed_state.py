"""antelog/run/store/{store,database}.py: a state that another program has changed is an error of one line."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.trying import antelog

WATCH = ("watch", "p.alog", "--input", "Temp=temp.csv", "--once", "--no-page", "--state", "s")


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("DELETE FROM rows", "rows that were recorded are missing or were changed: 0 of 1 are there"),
        ("UPDATE rows SET input = 'Other'", "rows that were recorded are missing or were changed"),
        ("UPDATE rows SET content = 5", "a value of `content` is of another type"),
        ("UPDATE rows SET content = NULL", "a value of `content` is of another type"),
        ("UPDATE rows SET file = CAST(X'ff' AS TEXT)", "rows that were recorded are missing or were changed"),
        ("UPDATE state SET known = 'text'", "a value of `known` is of another type"),
        ("UPDATE state SET generation = 'next'", "a value of `generation` is of another type"),
        ("UPDATE state SET recorded = 7", "1 of 7 are there"),
        ("UPDATE pieces SET content = 0.5", "a value of `content` is of another type"),
        ("DROP TABLE rows", "rows that were recorded are missing"),
    ],
)
@pytest.mark.usefixtures("here")
def test_a_state_that_was_changed_is_refused(statement: str, said: str) -> None:
    with Path("temp.csv").open("a") as facts:
        facts.write("wt2,high,9,9\n")  # waits for the end of its tick
    assert antelog(*WATCH).exit_code == 0
    with closing(sqlite3.connect("s")) as database, database:
        assert database.execute("SELECT count(*) FROM rows").fetchone() == (1,)
        database.execute(statement)
    done = antelog(*WATCH)
    assert (done.exit_code, said in done.stderr, "Traceback" in done.stderr) == (1, True, False), done.stderr


@pytest.mark.usefixtures("here")
def test_changes_may_go_to_what_is_not_a_file() -> None:
    for said in ("done: 2 facts", "going on from s"):
        done = antelog(*WATCH, "--output", "/dev/null")
        assert (done.exit_code, done.stdout, said in done.stderr) == (0, "", True), done.stderr
