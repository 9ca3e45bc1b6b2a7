"""antelog/spark/endpoints/tables.py: tables of Delta and Iceberg as inputs, background and outputs.

The installed Spark may have no edition of them, as the newest often has: they were run with PySpark 4.1.
"""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

import antelog
from tests.spark import tables
from tests.spark.killing import run_to_end

PROGRAM = """\
input Temp(x: text, level: text, time) delay 2.
static Known(x: text).
Malf(X, T) :- Known(X), Temp(X, high, T), Temp(X, high, T+1).
query Malf(X, T).
"""
FACTS = [
    (device, "high" if (tick * number) % 5 else "low", tick, tick)
    for tick in range(12)
    for number, device in enumerate(("a", "b", "c", "d"), 1)
]
LAST = FACTS[-1][-1] - 1  # the last tick that a stream finishes
KNOWN = [("a",), ("b",), ("c",)]
COLUMNS = "query, tick, {}, answer, X, T, explanations, if_silent, decided_by, because"


@pytest.mark.long
@pytest.mark.parametrize("kind", ["classic", "connect"])
def test_merging_again(tmp_path: Path, kind: str) -> None:
    """Micro-batches that come again, and older ones, change nothing; nor does one that is appended again."""
    if all(tables.known_forms().values()):
        pytest.skip(next(iter(tables.known_forms().values())))
    if kind == "connect":
        pytest.importorskip("pyspark.sql.connect.session", exc_type=ImportError)  # of pyspark[connect]
    done = subprocess.run(
        [sys.executable, "-m", "tests.spark.merging_again", kind, tmp_path],
        cwd=tables.ROOT, capture_output=True, text=True, timeout=580, check=False,
    )  # fmt: skip
    forms = [form for form, why in tables.known_forms().items() if not why]
    assert done.stdout.split() == forms, done.stderr[-3000:]


@pytest.mark.long
@pytest.mark.parametrize("form", tables.PLACES)
def test_from_table_to_table(tmp_path: Path, form: str) -> None:
    """A stream that goes on: its changes are there once, and its answers have their last state."""
    if why := tables.known_forms()[form]:
        pytest.skip(why)
    (tmp_path / "p.alog").write_text(PROGRAM, encoding="utf-8")
    sql, address, first = tables.PLACES[form]

    def named(name: str) -> str:
        return sql.format(tmp_path, name)

    def created(name: str, columns: str, *parts: Sequence[tuple[object, ...]]) -> list[str]:
        made = f"CREATE TABLE IF NOT EXISTS {named(name)} ({columns}) USING {form}"
        rows = (", ".join(map(_values, part)) for part in parts)
        # Each part becomes a file, which is then a batch of the stream.
        return [
            made,
            *(f"INSERT INTO {named(name)} SELECT /*+ COALESCE(1) */ * FROM VALUES {r}" for r in rows),
        ]

    parts = [[fact for fact in FACTS if begin <= fact[-1] < begin + 4] for begin in range(0, 12, 4)]
    columns = "x STRING, level STRING, time BIGINT, arrival BIGINT"
    begin = [first] if first else []
    tables.asked(
        tmp_path, *begin, *created("readings", columns, *parts), *created("known", "x STRING", KNOWN)
    )
    once = ["run", "p.alog", "--input", f"Temp={address.format('readings')}"]
    once += ["--static", f"Known={address.format('known')}"]
    once += ["--master", "local[2]", "--buckets", "2", *tables.options(tables.settings(tmp_path))]
    stream = [*once, "--stream", "--trigger", "available-now", "--chunk", "1"]
    to_answers = ["--output-mode", "answers", "--output", address.format("answers")]
    to_changes = ["--output", address.format("changes"), "--checkpoint", "state-changes"]
    said = run_to_end([*stream, *to_answers, "--checkpoint", "state-answers"], tmp_path)
    assert f"done: {len(parts)} batches" in said
    run_to_end([*stream, *to_changes], tmp_path)
    # What is read once finds in the table what it merges.
    run_to_end([*once, *to_answers, "--until", str(LAST)], tmp_path)
    log, answers = tables.asked(
        tmp_path,
        f"SELECT {COLUMNS.format('change')} FROM {named('changes')}",
        f"SELECT {COLUMNS.format('status, since')} FROM {named('answers')}",
    )
    assert _ordered(log) == _ordered(_changes())
    assert _ordered(answers) == _ordered(_states())
    assert {row["status"] for row in answers} == {"open", "confirmed", "rejected"}


def _changes() -> list[tables.Row]:
    engine = antelog.Engine(antelog.parse(PROGRAM), static={"Known": KNOWN})
    log = engine.advance(LAST, {"Temp": [fact for fact in FACTS if fact[-1] <= LAST]})["Malf"]
    return [
        {"query": "Malf", "answer": json.dumps({"X": row["X"], "T": row["T"]}), **row}
        for row in log.to_pylist()
    ]


def _states() -> list[tables.Row]:
    found: dict[object, tables.Row] = {}
    for row in sorted(_changes(), key=lambda row: int(row["tick"])):
        kind = row.pop("change")
        first = found.get(row["answer"], {"since": row["tick"]})["since"]
        status = kind if kind in ("confirmed", "rejected") else "open"
        found[row["answer"]] = {**row, "status": status, "since": first}
    return list(found.values())


def _ordered(rows: list[tables.Row]) -> list[str]:
    return sorted(json.dumps(row, sort_keys=True) for row in rows)


def _values(row: tuple[object, ...]) -> str:
    return f"({', '.join(repr(value) for value in row)})"
