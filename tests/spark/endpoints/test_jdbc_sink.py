"""antelog/spark/endpoints/tables.py: states that are older, or come again, change nothing."""

import random
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

from antelog import parse
from antelog.files.naming import Form
from antelog.run.address import Files
from antelog.spark import Outputs, outputs, to_parquet
from antelog.spark.endpoints.sinks import MicroBatch, write_changes
from antelog.spark.endpoints.tables import merging

COLUMNS = ("query", "tick", "time", "status", "since", "since_time", "answer", "others")
State = tuple[str, int, int, str, int, int, str, str]


def test_the_newest_state_stays_whatever_comes_again() -> None:
    dice = random.Random(5)
    for _ in range(50):
        batches = [_batch(dice, number) for number in range(6)]
        again = [each for batch in batches for each in [batch] * dice.randrange(1, 3)]
        assert _merged([*again, *dice.choices(batches, k=6)]) == _expected(batches)


def _batch(dice: random.Random, number: int) -> list[State]:
    """The newest lines of some answers in the ticks of a batch."""
    found = []
    for answer in dice.sample("abcd", 3):
        first, last = sorted((number * 10 + dice.randrange(10), number * 10 + dice.randrange(10)))
        status = dice.choice(("open", "rejected", "confirmed"))
        others = dice.choice(("[]", '["X"]'))
        found.append(("Q", last, last * 60, status, first, first * 60, answer, others))
    return found


def _merged(batches: list[list[State]]) -> set[State]:
    connection = sqlite3.connect(":memory:")
    columns = ", ".join(f'"{name}"' for name in COLUMNS)
    for table in ("answers", "second"):
        connection.execute(f"CREATE TABLE {table} ({columns})")
    for batch in batches:
        connection.execute("DELETE FROM second")
        connection.executemany(f"INSERT INTO second VALUES ({', '.join('?' * len(COLUMNS))})", batch)
        for statement in merging("answers", "second", COLUMNS, lambda name: f'"{name}"'):
            connection.execute(statement)
        connection.execute(f"INSERT INTO answers ({columns}) SELECT {columns} FROM second")
    rows = connection.execute("SELECT * FROM answers").fetchall()
    connection.close()
    assert len(rows) == len(set(rows))
    return set(rows)


def _expected(batches: list[list[State]]) -> set[State]:
    by_answer: dict[tuple[str, str], list[State]] = {}
    for batch in batches:
        for state in batch:
            by_answer.setdefault(state[-2:], []).append(state)
    found = set()
    for states in by_answer.values():
        last, first = max(states, key=lambda each: each[1]), min(states, key=lambda each: each[4])
        found.add((*last[:4], *first[4:6], *last[6:]))
    return found


PROGRAM = """\
tick 1 minute.
input Temp(device, level, time) delay 1.
Malf(X, T) :- Temp(X, high, T), Temp(X, high, T+1).
Same(X, N, T) :- Temp(X, N, T), Temp(X, N, T+1), Temp(X, N, T+2).
query Malf(X, T).
query Same(X, N, T).
"""


@pytest.fixture(scope="module")
def seen(spark: SparkSession) -> Iterator[Outputs]:
    rows = [(f"wt{i % 5}", ("high", "low")[i % 3 == 0], i // 5) for i in range(60)]
    frame = spark.createDataFrame(rows, "device string, level string, time long")
    found = outputs(parse(PROGRAM), {"Temp": frame}, clock="event")
    packed = found.frame.persist()
    yield found.of(packed)
    packed.unpersist()


def _lines(frame: DataFrame) -> list[str]:
    return sorted(map(str, frame.collect()))


def _files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_the_files_have_the_rows_and_types_that_sparks_would_have(seen: Outputs, tmp_path: Path) -> None:
    write_changes(seen, Files(str(tmp_path / "out"), Form.PARQUET), MicroBatch("run", 17))
    found = seen.frame.sparkSession.read.parquet(str(tmp_path / "out" / "batch=17"))
    assert found.schema == seen.changes.schema
    assert _lines(found) == _lines(seen.changes) != []
    assert (tmp_path / "out" / "batch=17" / "_SUCCESS").exists()
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["batch=17"], "nothing is left over"
    assert "part-" not in str(_files(tmp_path)), "it was not Spark that wrote them"


def test_a_batch_that_comes_again_takes_the_place_of_what_was_cut_short(
    seen: Outputs, tmp_path: Path
) -> None:
    (tmp_path / "batch=0").mkdir()
    (tmp_path / "batch=0" / "half.parquet").write_bytes(b"cut off")
    (tmp_path / ".antelog-old").mkdir()
    (tmp_path / ".antelog-old" / "half.parquet").write_bytes(b"cut off")
    for _ in range(2):
        to_parquet(seen, str(tmp_path), 0)
    found = seen.frame.sparkSession.read.parquet(str(tmp_path / "batch=0"))
    assert found.count() == seen.changes.count()
    assert [path.name for path in tmp_path.iterdir()] == ["batch=0"]
    to_parquet(seen.of(seen.frame.limit(0)), str(tmp_path), 0)
    assert [*tmp_path.iterdir()] == [], "without changes there is no folder"


@pytest.mark.long
def test_what_arrow_cannot_compress_is_written_by_spark(seen: Outputs, tmp_path: Path) -> None:
    conf = seen.frame.sparkSession.conf
    known = conf.get("spark.sql.parquet.compression.codec", "snappy") or "snappy"
    conf.set("spark.sql.parquet.compression.codec", "lz4")
    try:
        write_changes(seen, Files(str(tmp_path / "out"), Form.PARQUET), MicroBatch("run", 0))
    finally:
        conf.set("spark.sql.parquet.compression.codec", known)
    assert all(path.name.startswith(("part-", ".part-")) for path in tmp_path.rglob("*.parquet"))
    found = seen.frame.sparkSession.read.parquet(str(tmp_path / "out"))
    assert found.count() == seen.changes.count() > 0
