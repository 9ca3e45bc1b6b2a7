"""antelog/spark/job/checking.py: each function takes its own options, and says so of the others."""

import inspect
import pickle
from pathlib import Path
from typing import Any, get_args

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import antelog.spark
from antelog import DataError, parse
from antelog.run.clock import ClockName
from antelog.run.options import keywords, taken
from antelog.spark import CLOCKS, changes, outputs
from antelog.spark.job import checking
from antelog.spark.job.checking import ChangeOptions, OutputOptions
from antelog.spark.job.job import Data, sent
from tests.random_functions import FUNCTIONS
from tests.spark.streamed import stream_of


def test_functions_have_the_options_as_keywords() -> None:
    names = list(inspect.signature(antelog.spark.learn).parameters)
    assert names == ["program", "inputs", "static", "arrival", "until", "clock", "begin", "buckets"]
    assert "lag" in inspect.signature(antelog.spark.changes).parameters


def test_options_of_a_function_are_those_of_a_run() -> None:
    given = keywords(checking.LearnOptions, "learn", {"buckets": 4, "until": 7})
    assert taken(OutputOptions, given, only=()) == OutputOptions(buckets=4, until=7, only=())
    assert taken(OutputOptions, ChangeOptions(query="Malf", lag=3)) == OutputOptions(lag=3)


@pytest.mark.parametrize(
    ("taken", "given", "said"),
    [
        (ChangeOptions, "buckts", "f() has no option buckts. Did you mean buckets?"),
        (checking.RejectOptions, "only", "f() has no option only. It has static, arrival,"),
        (checking.AnswerOptions, "lag", "f() has no option lag. "),
    ],
)
def test_an_option_a_function_has_not(taken: type, given: str, said: str) -> None:
    with pytest.raises(TypeError) as error:
        keywords(taken, "f", {given: 1})
    assert str(error.value).startswith(said)


def test_several_functions_of_one_module_are_sent() -> None:
    found = Data({}, {}, set(), {}, sent(FUNCTIONS)).functions
    assert {name: each.takes for name, each in found.items()} == dict.fromkeys(FUNCTIONS, "values")
    assert (found["half"](8), found["tag"]("a"), found["near"](1, 9)) == (4, "t-a", False)


RULES = "input Temp(x: text, time). Hot(X, T) :- Temp(X, T), Temp(X, T+{}). query Hot(X, T)."
ONE = parse(RULES.format(1))
TABLE = pa.table({"x": ["a"], "time": pa.array([0], pa.int64())})


def test_data_that_does_not_fit_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    good = spark.createDataFrame([("a", 0)], "x string, time int")
    stream = stream_of(spark, tmp_path, [{"Temp": TABLE}])["Temp"]
    refused: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
        ("Did you mean Temp", {"Tmep": good}, {}),
        ("lack the column time; they have x, tiem. Did you mean tiem", {"Temp": good.toDF("x", "tiem")}, {}),
        ("column x of Temp is of type list", {"Temp": good.selectExpr("array(x) x", "time")}, {}),
        (
            "column time of Temp is of type string; times are whole",
            {"Temp": good.selectExpr("x", "'5' time")},
            {},
        ),
        ("column time of Temp is of type bool; times are", {"Temp": good.selectExpr("x", "true time")}, {}),
        (
            r"column x of Temp is of type decimal128\(9, 2\), and the program declares it as text: cast it",
            {"Temp": good.selectExpr("cast(1.5 AS DECIMAL(9, 2)) x", "time")},
            {},
        ),
        ("does not say how long a tick is", {"Temp": good.selectExpr("x", "current_timestamp() time")}, {}),
        ("at least one input", {}, {}),
        ("hand over a DataFrame of Spark", {"Temp": TABLE}, {}),
        ("Did you mean event", {"Temp": good}, {"clock": "evnt"}),
        ("no input has a column of arrivals", {"Temp": good}, {"clock": "arrival"}),
        ("a batch is not processed", {"Temp": good}, {"clock": "processing"}),
        ("needs the length of a tick", {"Temp": stream}, {"clock": "processing"}),
        ("`until` is for batches", {"Temp": stream}, {"until": 3}),
        ("without it, time begins at 0", {"Temp": good}, {"begin": 3}),
        ("begin is -1", {"Temp": good}, {"begin": -1}),
        ("buckets is 0", {"Temp": good}, {"buckets": 0}),
        ("is not a duration", {"Temp": stream}, {"idle": "soon"}),
    ]
    for why, inputs, options in refused:
        with pytest.raises(DataError, match=why):
            changes(ONE, inputs, **options)


def test_a_program_without_a_key_runs_as_one_bucket(spark: SparkSession) -> None:
    program = parse("input Temp(x: text, time). Hot(T) :- Temp(X, T), Temp(Y, T+1). query Hot(T).")
    frame = spark.createDataFrame([("a", 0), ("b", 1)], "x string, time int")
    with pytest.warns(UserWarning, match="one bucket, on one core: .* no argument"):
        found = outputs(program, {"Temp": frame}, only=("confirmed",))
    assert [row.answer for row in found.changes.collect()] == ['{"T": 0}']


def test_a_worker_reads_a_job_once(spark: SparkSession, tmp_path: Path) -> None:
    frames = stream_of(spark, tmp_path, [{"P": pa.table({"x": ["a"], "time": [1]})}])
    job = outputs(parse("input P(x, time). Q(X, T) :- P(X, T). query Q(X, T)."), frames).job
    sent_twice = [pickle.loads(pickle.dumps(job)) for _ in range(2)]
    assert sent_twice[0] is sent_twice[1]
    assert sent_twice[0].identity == job.identity
    assert get_args(ClockName) == CLOCKS
