"""antelog/spark/endpoints/jdbc_sink.py: states that are older, or come again, change nothing."""

from __future__ import annotations

import random
import sqlite3

from antelog.spark.endpoints.jdbc_sink import merging

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
