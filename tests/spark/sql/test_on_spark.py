"""antelog/spark/sql.py: a table function returns the lines of `changes` and of an engine on each example."""

from contextlib import nullcontext

import pyarrow as pa
import pytest
from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql import DataFrame, SparkSession

from antelog import Program, parse
from antelog.spark import answers, changes, register, rejects
from tests.run import cases
from tests.spark.comparing import in_order
from tests.spark.sql.comparing import compare, lines

pytestmark = pytest.mark.filterwarnings("ignore:the program runs as one bucket:UserWarning")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.long] * (name != "orders")) for name in cases.EXAMPLES]
)
def test_of_each_example(spark: SparkSession, name: str) -> None:
    compare(spark, cases.example(name))


TWICE = parse("""
    tick 10 minutes.
    input Temp(device: text, level, time) delay 2.
    Twice(X, T) :- Temp(X, high, T), Temp(X, high, T+1).
    query Twice(X, T).
""")
MOMENTS = ["2026-03-29 00:55", "2026-03-29T01:05:30Z", "2026-10-25 02:15:00.5+02:00", "no time", None, "29"]


def _micros(*moments: str) -> pa.Array:
    return pa.array(moments, pa.string()).cast(pa.timestamp("us", "UTC"))


TIMES = {
    "texts": pa.array(MOMENTS),
    "ticks": pa.array([1, 2, 3, None, -4, 5], pa.int32()),
    "parts of seconds": pa.array([1_774_745_700.25, 1_774_746_330.75, 7.0, None, 0.5, 1e300]),
    "moments": _micros(
        "2026-03-08T06:55:00Z", "2026-03-08T07:05:00Z", "2026-11-01T05:30:00Z",
        "2026-11-01T06:30:00Z", "1969-12-31T00:00:00Z", "2026-11-01T06:40:00Z",
    ),
    "local moments": pa.array([f"2026-11-01 0{hour}:30:00" for hour in range(6)]),
    "days": pa.array(range(20_000, 20_006), pa.int32()).cast(pa.date32()),
}  # fmt: skip


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=[pytest.mark.long] * (kind != "texts")) for kind in TIMES]
)
def test_times_are_read_as_in_a_batch(spark: SparkSession, kind: str) -> None:
    """In the zone of the session, New York, an hour comes twice."""
    levels = ["high"] * 5 + [None]
    frame = spark.createDataFrame(
        pa.table({"device": ["a", "a", "b", "b", "a", "a"], "level": levels, "time": TIMES[kind]})
    )
    if kind == "local moments":
        frame = frame.withColumn("time", frame.time.cast("timestamp_ntz"))
    frame.createOrReplaceTempView("facts")
    with pytest.warns(UserWarning, match="no zone") if kind == "local moments" else nullcontext():
        _agree(spark, TWICE, {"Temp": frame}, "facts", 3_000_000)


def _agree(
    spark: SparkSession, program: Program, inputs: dict[str, DataFrame], table: str, until: int
) -> None:
    """The function's lines, answers and rejects are those of a batch, also in their columns."""
    register(spark, "f", program)
    batches = {
        "changes": changes(program, inputs, until=until),
        "answers": answers(program, inputs, until=until),
        "rejects": rejects(program, inputs, until=until),
    }
    for kind, batch in batches.items():
        frame = spark.sql(f"SELECT * FROM f(TABLE({table}), until => {until}, lines => '{kind}')")
        assert frame.schema == batch.schema
        assert in_order(frame.toArrow().to_pylist()) == in_order(batch.toArrow().to_pylist())


VALUES = parse("""
    input A(x, time) delay 1.
    input B(thing, size, time) delay 1.
    static Known(x).
    Both(X, S, T) :- A(X, T), B(X, S, T+1), Known(X).
    query Both(X, S, T).
    Any(X, T) :- A(X, T).
    query Any(X, T).
""")
"""A program whose inputs call their keys by different names."""


def test_values_of_all_types_come_out_as_in_a_batch(spark: SparkSession) -> None:
    spark.sql("""
        CREATE OR REPLACE TEMP VIEW a AS SELECT * FROM VALUES
            (1, 0, 0), (2, 1, 1), (NULL, 1, 1), (3, 5, 9), (1, 1, 2) AS t(x, time, arrival)
    """)
    spark.sql("""
        CREATE OR REPLACE TEMP VIEW b AS SELECT * FROM VALUES
            (1.0D, 1.5, 1, 1), (2.0D, 2.25, 2, 3), (4.0D, 0.0, 1, 1), (1.0D, 1.5, 1, 1)
            AS t(thing, size, time, arrival)
    """)
    known = spark.createDataFrame([(1,), (2,)], "x int")
    spark.sql("SELECT 'A' AS input, * FROM a").unionByName(
        spark.sql("SELECT 'B' AS input, * FROM b"), allowMissingColumns=True
    ).createOrReplaceTempView("facts")
    clause = register(spark, "f", VALUES, static={"Known": known})
    inputs = {"A": spark.table("a"), "B": spark.table("b")}
    batch = changes(VALUES, inputs, static={"Known": known})
    expected = in_order(batch.toArrow().to_pylist())
    for table in ("TABLE(facts)", f"TABLE(facts) {clause}", "TABLE(facts) PARTITION BY hash(0)"):
        assert lines(spark, f"SELECT * FROM f({table})") == expected
    assert {row["query"] for row in expected} == {"Both", "Any"}
    both = changes(VALUES, inputs, static={"Known": known}, query="Both")
    found = spark.sql("SELECT * FROM f(TABLE(facts), query => 'Both')")
    assert found.schema == both.schema
    assert in_order(found.toArrow().to_pylist()) == in_order(both.toArrow().to_pylist())


@pytest.mark.parametrize(
    "clause",
    ["PARTITION BY (device, level)", pytest.param("PARTITION BY (device, time)", marks=pytest.mark.long)],
)
def test_a_clause_that_divides_a_key_is_refused(spark: SparkSession, clause: str) -> None:
    rows = [(device, level, time) for device in "ab" for time in range(3) for level in ("high", "low")]
    frame = spark.createDataFrame(rows, "device string, level string, time int")
    frame.createOrReplaceTempView("facts")
    register(spark, "f", TWICE)
    assert _refusal(spark, f"SELECT * FROM f(TABLE(facts) {clause})") == (
        "the PARTITION BY of f divides rows that belong together. Leave it out, or write "
        "PARTITION BY `device`"
    )


@pytest.mark.long
def test_rows_of_no_input_are_refused(spark: SparkSession) -> None:
    frame = spark.sql("SELECT 'a' AS input, 1 AS x, 1 AS thing, 1.0 AS size, 0 AS time")
    frame.createOrReplaceTempView("facts")
    register(spark, "f", VALUES)
    assert _refusal(spark, "SELECT * FROM f(TABLE(facts))") == (
        "the column `input` has 'a', which is not an input of the program. Did you mean A? Leave other rows "
        "out: TABLE(SELECT * FROM … WHERE input IN (…))"
    )


def test_streams_are_refused(spark: SparkSession) -> None:
    """With PARTITION BY, Spark refuses them before it looks at the function."""
    rate = spark.readStream.format("rate").load()
    rate.selectExpr("'a' AS device", "'high' AS level", "value AS time").createOrReplaceTempView("stream")
    register(spark, "f", TWICE)
    for clause, words in (
        ("", "use antelog.spark.changes"),
        ("PARTITION BY device", "Sorting is not supported"),
    ):
        found = spark.sql(f"SELECT * FROM f(TABLE(stream) {clause})")
        with pytest.raises(AnalysisException, match=words):
            found.writeStream.format("memory").queryName("never").start()


def _refusal(spark: SparkSession, statement: str) -> str:
    """The words of antelog in an error; there is no traceback in it."""
    with pytest.raises(PySparkException) as caught:
        spark.sql(statement).collect()
    text = str(caught.value)
    assert "Traceback" not in text
    return text.partition("antelog.errors.DataError: ")[2].partition("\n")[0].partition(" SQLSTATE")[0]
