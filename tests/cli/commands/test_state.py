"""`antelog state`: what `watch --state` keeps goes on as if nothing had been."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from antelog.run.store.database import OTHERS
from tests.cli.trying import antelog

RULES = """
input Temp(device, level, time) delay 1.
input Load(device, value, time).
Hot(X, T) :- Temp(X, high, T), Temp(X, high, T+1), Temp(X, high, T+2).
Heavy(X, V, T) :- Load(X, V, T), Temp(X, high, T+1).
query Hot(X, T).
query Heavy(X, V, T).
"""
ROWS = range(40)
LEVELS = [f"wt{n % 2},{'low' if n % 7 == 3 else 'high'},{n // 2}\n" for n in ROWS]
TEMP = "device,level,time\n" + "".join(LEVELS)
LOAD = "device,value,time\n" + "".join(f"wt{n % 2},{n if n % 3 else 'off'},{n // 2}\n" for n in ROWS)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("rules.alog").write_text(RULES)
    return tmp_path


def _watched(state: str, output: str, cut: int, *more: str) -> list[str]:
    """The lines after `watch` has read so many lines of each file."""
    for name, text in (("Temp", TEMP), ("Load", LOAD)):
        Path(f"{name}.csv").write_text("".join(text.splitlines(keepends=True)[:cut]))
    inputs = ["--input", "Temp=Temp.csv", "--input", "Load=Load.csv"]
    kept = ["--state", state, "--output", output, "--once", "--no-page"]
    found = antelog("watch", "rules.alog", *inputs, *kept, *more)
    assert found.exit_code == 0, found.stderr
    return Path(output).read_text().splitlines()


def _moved(state: str, number: int) -> str:
    assert (done := antelog("state", "export", state, f"saved{number}")).exit_code == 0, done.stderr
    done = antelog("state", "import", f"{number}.state", f"saved{number}")
    assert f"go on with `antelog watch … --state {number}.state`" in done.stderr
    return f"{number}.state"


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("more", [(), ("--model", "learn")])
def test_a_watcher_goes_on_elsewhere(more: tuple[str, ...]) -> None:
    expected = _watched("whole.state", "whole.jsonl", 41, *more)
    state = "first.state"
    for number, cut in enumerate((11, 12, 30)):
        _watched(state, "parts.jsonl", cut, *more)
        state = _moved(state, number)
    assert pq.read_table("saved0/waiting/Load.parquet").column_names == [
        *("device", "value", "time", "arrival", "line", "file")
    ]
    assert _watched(state, "parts.jsonl", 41, *more) == expected
    assert len(expected) > 30


@pytest.mark.usefixtures("here")
def test_the_page_and_its_alerts_go_along() -> None:
    _watched("first.state", "parts.jsonl", 20)
    with sqlite3.connect("first.state") as store:
        store.execute("INSERT INTO letters (receiver, key, body, about) VALUES ('slack', 'k', 'b', 'a')")
        store.execute("INSERT INTO acts VALUES (1, 'Hot', 'snooze', 'me', 1.5, NULL, 'note')")
    store.close()
    _moved("first.state", 1)
    found = [sqlite3.connect(name) for name in ("first.state", "1.state")]
    for table in OTHERS:
        one, other = (each.execute(f"SELECT * FROM {table}").fetchall() for each in found)
        assert one == other, table
    for each in found:
        each.close()


def _refused(*words: str) -> str:
    found = antelog("state", *words)
    assert found.exit_code == 1
    return found.stderr


@pytest.mark.usefixtures("here")
def test_what_cannot_be_carried_over_is_said() -> None:
    _watched("first.state", "parts.jsonl", 20)
    _moved("first.state", 1)
    assert "saved1 is there already; a savepoint needs" in _refused("export", "first.state", "saved1")
    assert "1.state is there already; give the name of a new file" in _refused("import", "1.state", "saved1")
    assert "none is not a savepoint: it has no savepoint.json" in _refused("import", "2.state", "none")
    assert "is not on this machine" in _refused("import", "s3a://bucket/checkpoint", "saved1")
    assert "rules.alog is not a state that antelog wrote" in _refused("export", "rules.alog", "saved2")
    assert "missing.state: there is no such file" in _refused("export", "missing.state", "saved2")
    done = antelog("state", "import", "checkpoint/", "saved1")
    assert "checkpoint/ begins after tick 8: go on with `antelog run" in done.stderr
    assert 'Spark reads Temp from its start; it had been read up to {"offset":' in done.stderr
    assert "alerts and acknowledgements are for `watch`" not in done.stderr  # there is no feed
    assert "checkpoint is there already" in _refused("import", "checkpoint/", "saved1")
    Path("other.alog").write_text(RULES.replace("T+2", "T+3"))
    other = ["--program", "other.alog"]
    assert "was saved by other rules than" in _refused("import", "3.state", "saved1", *other)
    assert not Path("3.state").exists()
