"""Rules that are changed while a pipeline on Spark is stopped: once each, also if it is killed then."""

import json
import os
import random
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import antelog
from antelog.language.syntax import Value
from tests.spark.killing import command, run_and_kill, run_to_end

KILLS = int(os.environ.get("ANTELOG_TESTS_KILLS", "1"))
pytestmark = [pytest.mark.long, pytest.mark.timeout(600 + 120 * KILLS)]
OLD = """\
input Temp(device: text, level: number, time) delay 2.
Malf(X, T) :- Temp(X, V, T), V > 5, Temp(X, W, T+2), W > 5.
Cold(X, T) :- Temp(X, V, T), V < 2, Temp(X, W, T+3), W < 2.
Keep(X, T) :- Temp(X, V, T), V > 7, not Temp(X, _, T+1).
query Malf(X, T).
query Cold(X, T).
query Keep(X, T).
"""
NEW = """\
input Temp(device: text, level: number, time) delay 2.
Gap(X, T) :- Temp(X, _, T).
Keep(X, T) :- not Gap(X, T+1), Temp(X, V, T), 7 < V.
Malf(X, T) :- Temp(X, V, T), V > 6, Temp(X, W, T+2), W > 6.
Hot(X, T) :- Temp(X, V, T), V > 8, Temp(X, W, T+1), W > 8.
query Malf(X, T).
query Hot(X, T).
query Keep(X, T).
"""
TICKS = 6
HALF = min(4, 1 + KILLS)  # the number of files before the change, and after it
Fact = tuple[Value, ...]
Line = tuple[int, str, str, str]


def made_up(dice: random.Random) -> list[list[Fact]]:
    files = []
    for number in range(2 * HALF):
        rows = list[Fact]()
        for tick in range(TICKS * number, TICKS * (number + 1)):
            rows += [
                (f"wt{n}", dice.randrange(10), max(0, tick - dice.choice([0, 0, 1, 2])), tick)
                for n in range(6)
            ]
        files.append(rows)
    return files


def write(rows: Iterable[Fact], path: Path) -> None:
    lines = ["device,level,time,arrival", *(",".join(map(str, row)) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def expected(files: list[list[Fact]]) -> Counter[Line]:
    """The lines of one engine whose rules change once the first half of the files is finished."""
    engine, found = antelog.Engine(antelog.parse(OLD)), list[Line]()
    rows = [fact for file in files for fact in file]
    cut, last = HALF * TICKS - 2, 2 * HALF * TICKS - 2
    found += lines_of(engine.advance(cut, {"Temp": _frame(rows, -1, cut)}))
    change = engine.change_rules(antelog.parse(NEW), accept=True)
    assert change is not None
    found += [*lines_of(change.closed), *lines_of(change.changes)]
    found += lines_of(engine.advance(last, {"Temp": _frame(rows, cut, last)}))
    return Counter(found)


def _frame(rows: list[Fact], after: int, until: int) -> pa.Table:
    names = ("device", "level", "time", "arrival")
    part = [dict(zip(names, row, strict=True)) for row in rows if after < int(row[3]) <= until]
    return pa.Table.from_pylist(part)


def lines_of(tables: Mapping[str, pa.Table]) -> Iterator[Line]:
    for name, table in tables.items():
        for row in table.to_pylist():
            yield row["tick"], row["change"], name, json.dumps({"X": row["X"], "T": row["T"]})


def written(folder: Path) -> Counter[Line]:
    rows: list[dict[str, Any]] = [
        json.loads(line)
        for path in folder.rglob("*.json")
        if not path.name.startswith(".")
        for line in path.read_text("utf-8").splitlines()
    ]
    return Counter((row["tick"], row["change"], row["query"], row["answer"]) for row in rows)


def test_the_lines_are_those_of_one_process(tmp_path: Path) -> None:
    dice = random.Random(11)
    files = made_up(dice)
    (tmp_path / "facts").mkdir()
    for name, text in (("old.alog", OLD), ("new.alog", NEW)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    for number, rows in enumerate(files[:HALF]):
        write(rows, tmp_path / "facts" / f"{number}.csv")
    options = [
        *("--input", "Temp=facts/*.csv", "--stream", "--checkpoint", "state", "--output", "json:changes"),
        *("--trigger", "available-now", "--chunk", 1, "--master", "local[2]", "--buckets", 2),
    ]
    run_to_end(["run", "old.alog", *options], tmp_path)
    for number, rows in enumerate(files[HALF:], HALF):
        write(rows, tmp_path / "facts" / f"{number}.csv")
    refused = subprocess.run(
        command("run", "new.alog", *options), cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert refused.returncode == 1
    assert "Malf is changed; Hot is new; Cold is gone; Keep is the same" in refused.stderr
    changed = ["run", "new.alog", *options, "--accept-changes"]
    for _ in range(KILLS):
        if run_and_kill(changed, tmp_path, dice):
            break
    run_to_end(changed, tmp_path)
    assert written(tmp_path / "changes") == expected(files)
