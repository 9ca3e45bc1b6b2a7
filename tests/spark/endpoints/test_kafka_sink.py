"""antelog/spark/endpoints/kafka_sink.py: the messages of changes."""

from __future__ import annotations

import json

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as f

from antelog import Engine, parse
from antelog.run.sinks.json_lines import Style, change_lines
from antelog.run.sinks.result import StepResult
from antelog.spark import changes
from antelog.spark.endpoints.kafka_sink import messages_of
from tests.spark.streamed import frames_of

pytestmark = pytest.mark.filterwarnings("ignore:the program runs as one bucket:UserWarning")


@pytest.mark.slow
def test_messages_have_the_time_of_their_tick(spark: SparkSession) -> None:
    rules = "input Hot(x: text, time) delay 1. Q(X, T) :- Hot(X, T), Hot(X, T+1). query Q(X, T)."
    for length, tick in (("", 3), ('tick 500 ms. zone "Europe/Berlin". ', 3_500_000_001)):
        program = parse(length + rules)
        reported = changes(program, frames_of(spark, program, [("Hot", ("a", tick), tick)]), until=tick)
        (message, *_) = (
            reported.orderBy(f.desc("T")).select(*messages_of(reported, program.plan.zone)).collect()
        )
        engine = Engine(program)
        step = StepResult(tick, engine.advance(tick, {"Hot": [("a", tick)]}))
        line = json.loads(change_lines(list(program.plan.queries), step, Style()).splitlines()[-1])
        assert json.loads(message["value"]) == line | {"because": None}
        assert ("time" in line) == bool(length)
        assert json.loads(message["key"]) == {"query": "Q", "answer": {"X": "a", "T": tick}}


@pytest.mark.slow
def test_messages_tell_all_others_from_what_is_open(spark: SparkSession) -> None:
    program = parse("input Hot(x: text, time) delay 1. Calm(X, T) :- not Hot(X, T). query Calm(X, T).")
    reported = changes(program, frames_of(spark, program, [("Hot", ("a", 0), 0)]), until=1)
    assert reported.columns[reported.columns.index("others") - 1] == "T"
    messages = {
        row["key"]: json.loads(row["value"]) for row in reported.select(*messages_of(reported)).collect()
    }
    others = {f'{{"query":"Calm","answer":{{"X": null, "T": {tick}}},"others":["X"]}}' for tick in (0, 1)}
    assert messages.keys() == others | {'{"query":"Calm","answer":{"X": "a", "T": 1}}'}
    assert {tuple(value.get("others", ())) for value in messages.values()} == {("X",), ()}


@pytest.mark.slow
def test_lines_have_the_severity_and_the_words_of_their_query(spark: SparkSession) -> None:
    program = parse(
        "input Hot(x: text, time) delay 1. Q(X, T) :- Hot(X, T), Hot(X, T+1). R(X, T) :- Hot(X, T). "
        'query Q(X, T) critical "{X} is \\"hot\\" till {decided_by}". query R(X, T).'
    )
    reported = changes(program, frames_of(spark, program, [("Hot", ("a", 3), 3)]), until=3)
    lines = [json.loads(row["value"]) for row in reported.select(*messages_of(reported)).collect()]
    step = StepResult(3, Engine(program).advance(3, {"Hot": [("a", 3)]}))
    expected = map(json.loads, change_lines(list(program.plan.queries), step, Style()).splitlines())
    labels = {
        (each["query"], each["answer"]["T"]): (each.get("severity"), each.get("text")) for each in expected
    }
    assert labels["Q", 3] == ("critical", 'a is "hot" till 5')
    assert labels["R", 3] == (None, None)
    found = {(each["query"], each["answer"]["T"]): (each.get("severity"), each.get("text")) for each in lines}
    assert found == labels
    rows = {(row["query"], row["T"]): (row["severity"], row["text"]) for row in reported.collect()}
    assert rows == labels
