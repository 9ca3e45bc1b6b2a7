"""antelog/spark/endpoints/kafka_sink.py: the messages of changes."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession

from antelog import parse
from antelog.program import Program
from antelog.spark import changes
from antelog.spark.endpoints.kafka_sink import messages_of
from antelog.spark.job.job import ARRIVED
from tests.spark.comparing import Fact, tables_of

pytestmark = pytest.mark.filterwarnings("ignore:the program runs as one bucket:UserWarning")


def _frames(spark: SparkSession, program: Program, facts: Sequence[Fact]) -> dict[str, DataFrame]:
    return {
        name: spark.createDataFrame(_named(table)).repartition(3)
        for name, table in tables_of(program.plan, facts).items()
    }


def _named(table: pa.Table) -> pa.Table:
    return table.rename_columns([n if n != ARRIVED else "arrival" for n in table.column_names])


@pytest.mark.slow
def test_messages_have_the_time_of_their_tick(spark: SparkSession) -> None:
    rules = "input Hot(x: text, time) delay 1. Q(X, T) :- Hot(X, T). query Q(X, T)."
    for length, time in (("", None), ("tick 1 hour. ", "1970-01-01T03:00:00.000Z")):
        program = parse(length + rules)
        told = changes(program, _frames(spark, program, [("Hot", ("a", 3), 3)]), until=3)
        (message,) = told.select(*messages_of(told)).collect()
        value = json.loads(message["value"])
        assert (value["tick"], value.get("timestamp"), value["change"]) == (3, time, "confirmed")
        assert json.loads(message["key"]) == {"query": "Q", "answer": {"X": "a", "T": 3}}


@pytest.mark.slow
def test_messages_tell_all_others_from_what_is_open(spark: SparkSession) -> None:
    program = parse("input Hot(x: text, time) delay 1. Calm(X, T) :- not Hot(X, T). query Calm(X, T).")
    told = changes(program, _frames(spark, program, [("Hot", ("a", 0), 0)]), until=0)
    assert told.columns[told.columns.index("others") - 1] == "T"
    messages = {row["key"]: json.loads(row["value"]) for row in told.select(*messages_of(told)).collect()}
    said = '"query":"Calm","answer":{"X": null, "T": 0},"others":["X"]'
    assert messages.keys() == {f"{{{said}}}", '{"query":"Calm","answer":{"X": "a", "T": 0}}'}
    assert {tuple(value.get("others", ())) for value in messages.values()} == {("X",), ()}
