"""antelog/spark/sql.py: calls and their arguments, without a Spark."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from pyspark.sql import SparkSession
from pyspark.sql.types import IntegerType, MapType, StringType, StructType
from pyspark.sql.udtf import AnalyzeArgument

import antelog
from antelog.errors import AntelogError, ArgumentError, DataError
from antelog.spark import register
from antelog.spark.sql import NO_STREAM, AnalysedCall

MALF = """
    tick 10 minutes.
    input Temp(device: text, level: text, time) delay 1.
    Malf(X, T) :- Temp(X, high, T), Temp(X, high, T+1).
    query Malf(X, T).
    Hot(X, T) :- Temp(X, high, T).
    query Hot(X, T).
"""
READINGS = "device string, level string, time long"
QUIET = """
    input Temp(device: text, time) delay 1.
    Hot(X, T) :- Temp(X, T).
    query Hot(X, T).
    Quiet(T) :- not Temp(_, T).
    query Quiet(T).
"""
SEEN = "device string, time integer"
PAIRS = """
    input A(x, time).
    input B(thing, size, time).
    input C(time).
    Both(X, S, T) :- A(X, T), B(X, S, T).
    query Both(X, S, T).
"""
SEVERAL = "input string, x integer, thing double, size double, time integer"
ONE_EACH = """
    input Reading(value, time) one per tick.
    High(T) :- Reading(V, T), V > 9.
    query High(T).
"""


MESSAGES = Path(__file__).with_name("wrong_calls.txt")


class Registered:
    def __init__(self, text: str, *, name: str = "f", version: str = "4.3.0", **options: Any) -> None:
        session = SimpleNamespace(version=version, udtf=SimpleNamespace(register=self._take))
        self.clause = register(cast("SparkSession", session), name, antelog.parse(text), **options)

    def _take(self, name: str, function: Any) -> None:
        self.name, self.handler = name, function.func

    def call(self, columns: str, **named: Any) -> AnalysedCall:
        table = AnalyzeArgument(schema(columns), None, True, False)
        given = {
            name: each if isinstance(each, AnalyzeArgument) else constant(each)
            for name, each in named.items()
        }
        return cast("AnalysedCall", self.handler.analyze(table, **given))


def schema(columns: str) -> StructType:
    found = StructType()
    for each in columns.split(", "):
        name, type_ = each.split()
        found = found.add(name, MapType(StringType(), StringType()) if type_ == "map" else type_)
    return found


def constant(value: object) -> AnalyzeArgument:
    return AnalyzeArgument(StringType(), value, False, True)


@pytest.mark.parametrize(
    ("text", "clause"),
    [
        (MALF, "PARTITION BY `device`"),
        (PAIRS, "PARTITION BY CASE input WHEN 'A' THEN `x` WHEN 'B' THEN `thing` WHEN 'C' THEN NULL END"),
        (QUIET, "WITH SINGLE PARTITION"),
        (ONE_EACH, "WITH SINGLE PARTITION"),
    ],
)
def test_the_clause_is_returned(text: str, clause: str) -> None:
    found = Registered(text)
    assert (found.name, found.clause) == ("f", clause)


MIXED = SEVERAL.replace("thing double", "thing string")
AS_NUMBERS = (
    "CASE input WHEN 'A' THEN CAST(`x` AS DOUBLE) WHEN 'B' THEN CAST(`thing` AS DOUBLE) "
    "WHEN 'C' THEN NULL END"
)
AS_TEXTS = (
    "CASE input WHEN 'A' THEN CAST(CAST(`x` AS DOUBLE) AS STRING) WHEN 'B' THEN CAST(`thing` AS STRING) "
    "WHEN 'C' THEN NULL END"
)


@pytest.mark.parametrize(
    ("text", "columns", "key"),
    [
        (MALF, READINGS, "`device`"),
        (PAIRS, SEVERAL, AS_NUMBERS),
        (PAIRS, MIXED, AS_TEXTS),
        (ONE_EACH, "value integer, time integer", "pmod(hash(`value`), 1)"),
    ],
)
def test_spark_is_asked_to_count_the_rows_of_each_key(text: str, columns: str, key: str) -> None:
    *_, of_row, count = Registered(text).call(columns).select
    assert of_row.name == key
    assert count.name == f"count(*) OVER (PARTITION BY {key})"
    assert count.alias == NO_STREAM


def test_columns_are_those_of_all_queries_or_of_one() -> None:
    two = Registered(MALF.replace("Hot(X, T)", "Hot(D, T)").replace("Temp(X, high, T).", "Temp(D, high, T)."))
    names = ["query", "tick", "time", "change", "answer", "X", "T", "T_time", "D", "explanations"]
    assert two.call(READINGS).schema.names[:10] == names
    of_hot = [*names[:5], "D", "T", "T_time", "explanations"]
    assert two.call(READINGS, query="Hot").schema.names[:9] == of_hot


def test_only_what_a_query_rests_on_is_asked_for_a_span() -> None:
    quiet = Registered(QUIET)
    assert quiet.call(SEEN, query="Hot").job.until is None
    assert quiet.call(SEEN, lines="rejects").job.until is None
    assert quiet.call(SEEN, since=0, until=9).job.until == 9
    assert Registered(QUIET, until=7).call(SEEN).job.until == 7


def test_times_of_calls_are_ticks_and_timestamps() -> None:
    job = Registered(MALF).call(READINGS, since="1970-01-01 00:20", until=7).job
    assert (job.begin, job.until) == (2, 7)


PER_ROW = AnalyzeArgument(IntegerType(), None, False, False)
CALLS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "no such query": (MALF, READINGS, {"query": "Mal"}),
    "no such argument": (MALF, READINGS, {"untill": 9}),
    "no such kind of lines": (MALF, READINGS, {"lines": "x"}),
    "no time": (MALF, READINGS, {"until": "soon"}),
    "a negative time": (MALF, READINGS, {"since": -1}),
    "a fraction": (MALF, READINGS, {"until": 1.5}),
    "a time for each row": (MALF, READINGS, {"until": PER_ROW}),
    "a timestamp without a tick": (QUIET, SEEN, {"until": "2026-01-01"}),
    "time begins at 0": (QUIET, SEEN, {"since": 3, "until": 9}),
    "no end": (QUIET, SEEN, {}),
    "no beginning and no end": (f"tick 10 minutes. {QUIET}", SEEN, {}),
    "no end of answers": (MALF, READINGS, {"lines": "answers"}),
    "a column is missing": (MALF, "device string, level string", {}),
    "a column of a wrong type": (MALF, READINGS.replace("device string", "device map"), {}),
    "no column of inputs": (PAIRS, SEVERAL.replace("input string, ", ""), {}),
    "inputs that are no texts": (PAIRS, SEVERAL.replace("input string", "input integer"), {}),
    "a name of no function": (MALF, READINGS, {"name": "mal functions"}),
    "a number as a name": (MALF, READINGS, {"name": 7}),
    "an old Spark": (MALF, READINGS, {"version": "4.0.2"}),
}


def test_wrong_calls(record: bool) -> None:
    found = "".join(f"# {case}\n{_message(*CALLS[case])}\n\n" for case in CALLS)
    if record:
        MESSAGES.write_text(found, encoding="utf-8")
    assert found == MESSAGES.read_text(encoding="utf-8")


def _message(text: str, columns: str, named: dict[str, Any]) -> str:
    session = {name: named.pop(name) for name in ("name", "version") if name in named}
    with pytest.raises(AntelogError) as caught:
        Registered(text, **session).call(columns, **named)
    return str(caught.value)


def test_a_table_comes_first() -> None:
    handler = Registered(MALF).handler
    for given in ((), (constant("readings"),), (constant("readings"), constant("9"))):
        with pytest.raises(DataError, match=r"f takes one table, then arguments by name: SELECT \* FROM f\("):
            handler.analyze(*given)


def test_options_are_those_that_a_function_has() -> None:
    with pytest.raises(TypeError, match="no option bukets"):
        Registered(MALF, bukets=3)
    for options, words in (
        ({"only": ("confirm",)}, "Did you mean confirmed"),
        ({"clock": "processing"}, "use the clock `event`"),
        ({"until": "soon"}, "until: the tick `soon`"),
    ):
        with pytest.raises(DataError, match=words):
            Registered(MALF, **options)
    with pytest.raises(ArgumentError, match="spark is None"):
        register(None, "f", antelog.parse(MALF))  # type: ignore[arg-type]  # what this is about
