"""Confirmed answers on recorded streams are those that DuckDB finds by SQL, once all facts are there."""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pytest

from tests.cli.trying import antelog
from tests.run.cases import RECORDS


@dataclass(frozen=True)
class Record:
    """A file of records, and its facts in SQL: their columns, then `time` and `arrival` in ticks."""

    path: str
    facts: str


@dataclass(frozen=True)
class Question:
    """Rules about the facts, and the same question in SQL, whose rows are the answers."""

    rules: str
    sql: str


PHONES = """
    SELECT "S.Device.ID" AS phone, "S.Message.ID" AS message,
        "S.Client.Detection.Time" // {tick} AS time, "S.Message.received.time.ms" // {tick} AS arrival
    FROM read_csv('{path}', delim=';')"""
ONE_A_TICK = f"""
    SELECT phone, arg_min(message, (arrival, message)) AS message, time, min(arrival) AS arrival
    FROM ({PHONES}) GROUP BY phone, time"""
RECORDED = {
    "phones-1": Record("ooo-dataset/d-1.csv", PHONES.replace("{tick}", "500")),
    "phones-2": Record("ooo-dataset/d-2.csv", PHONES.replace("{tick}", "500")),
    "pulses-1": Record("ooo-dataset/d-1.csv", PHONES.replace("{tick}", "100")),
    "pulses-2": Record("ooo-dataset/d-2.csv", PHONES.replace("{tick}", "100")),
    "single-1": Record("ooo-dataset/d-1.csv", ONE_A_TICK.replace("{tick}", "500")),
    "single-2": Record("ooo-dataset/d-2.csv", ONE_A_TICK.replace("{tick}", "500")),
    "quakes": Record(
        "usgs-feed-history/usgs_all_week_changes.csv",
        """
        SELECT cell, max(mag) AS mag, time, min(arrival) AS arrival FROM (
            SELECT floor(lat / 10)::INT || ' ' || floor(lon / 10)::INT AS cell, mag,
                epoch_ms(event_utc) // 3600000 AS time, epoch_ms(seen_utc) // 3600000 AS arrival
            FROM read_csv('{path}') WHERE kind = 'new' AND baseline = 0 AND mag IS NOT NULL)
        GROUP BY cell, time""",
    ),
}
"""The phones in ticks of 500 and 100 ms; `single` has the first message of each phone and tick only."""

DATA = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
QUESTIONS = {name: Question(each["rules"], each["sql"]) for name, each in DATA.items()}
ASKED = [
    ("velocity of phones", "phones-1"),
    ("velocity of phones", "phones-2"),
    ("silence of phones", "pulses-1"),
    ("silence of phones", "pulses-2"),
    ("silence of quakes", "quakes"),
    ("latest message", "single-1"),
    ("latest message", "single-2"),
    ("latest quake", "quakes"),
]
SLOTS = {"single-1": ", one per phone", "single-2": ", one per phone", "quakes": ", one per cell"}


@pytest.mark.parametrize(("question", "record"), ASKED, ids=[f"{q} {r}" for q, r in ASKED])
def test_confirmed_answers_are_those_of_sql(question: str, record: str, tmp_path: Path) -> None:
    recorded, asked = RECORDED[record], QUESTIONS[question]
    path = RECORDS / recorded.path
    if not path.exists():
        pytest.skip(f"{path} is not there")
    database = duckdb.connect()
    database.execute(f"CREATE TABLE facts AS {recorded.facts.replace('{path}', str(path))}")
    measures = "SELECT min(time), max(arrival), max(arrival - time), count(*) FROM facts"
    (measured,) = database.execute(measures).fetchall()
    first, last, delay, count = measured
    database.execute(f"UPDATE facts SET time = time - {first}, arrival = arrival - {first}")
    database.execute(f"COPY (FROM facts ORDER BY arrival) TO '{tmp_path / 'facts.parquet'}'")
    names = [name for name, *_ in database.execute("DESCRIBE facts").fetchall()]
    columns = ", ".join(names[:-1])
    program = f"input Fact({columns}) delay {delay}{SLOTS.get(record, '')}.\n{asked.rules}\n"
    rules = tmp_path / "rules.alog"
    rules.write_text(program, encoding="utf-8")

    until = last - first + delay + 100
    arguments = ("--input", f"Fact={tmp_path / 'facts.parquet'}", "--until", str(until))
    done = antelog("try", str(rules), *arguments, "--only", "confirmed")
    assert done.exit_code == 0, done.stderr
    assert f"done: {count:,} facts\n" in done.stderr, "none was set aside"
    found = [tuple(json.loads(line)["answer"].values()) for line in done.stdout.splitlines()]
    expected = database.execute(asked.sql).fetchall()
    assert len(found) == len(set(found))
    assert set(found) == set(expected)
    assert len(expected) > 10
