"""The lines of a table function, compared with those of an engine; on Spark itself and on Spark Connect."""

from typing import Any

from pyspark.sql import DataFrame, SparkSession

from antelog import Engine
from antelog.files import ARRIVAL
from antelog.spark import changes, register
from tests.run.cases import Case
from tests.run.runners import Facts, in_steps, named, rows_of
from tests.spark.comparing import in_order

SPANNED = ("frost", "outbreak", "turbines")
"""The examples whose lines depend on where time begins or ends: with chances, or clock-driven."""


def table_of(spark: SparkSession, facts: Facts) -> dict[str, DataFrame]:
    """Makes the view `facts` of the frames that it returns; with several, the column `input` says which."""
    frames = {name: spark.createDataFrame(table) for name, table in named(facts).items()}
    whole: DataFrame | None = None
    for name, frame in frames.items():
        each = frame.selectExpr(f"'{name}' AS input", "*") if len(frames) > 1 else frame
        whole = each if whole is None else whole.unionByName(each, allowMissingColumns=True)
    assert whole is not None
    whole.createOrReplaceTempView("facts")
    return frames


def lines(spark: SparkSession, statement: str) -> list[dict[str, Any]]:
    return in_order(spark.sql(statement).toArrow().to_pylist())


def compare(spark: SparkSession, case: Case) -> None:
    """All lines of a case, with a clause and without; also up to its last arrival, and of each query."""
    frames = table_of(spark, case.facts)
    clause = register(spark, "f", case.program)
    first, last = int(case.arrivals[0]), case.last
    since = f"since => {first}, " if case.program.plan.tick is not None else ""
    whole = in_order(rows_of(in_steps(case, [])))
    end = max([last, *(row["tick"] for row in whole)])
    assert whole
    batch = changes(case.program, frames)
    assert in_order(batch.toArrow().to_pylist()) == whole
    span = f"{since}until => {end}"
    assert spark.sql(f"SELECT * FROM f(TABLE(facts), {span})").schema == batch.schema
    for table in ("TABLE(facts)", f"TABLE(facts) {clause}", "TABLE(facts) WITH SINGLE PARTITION"):
        assert lines(spark, f"SELECT * FROM f({table}, {span})") == whole
    until = f"SELECT * FROM f(TABLE(facts), {since}until => {last})"
    assert lines(spark, until) == _until(case, last)
    if case.name not in SPANNED:
        assert lines(spark, f"SELECT * FROM f(TABLE(facts) {clause})") == whole
    queries = [each.name for each in case.program.plan.queries]
    for query in queries if len(queries) > 1 else []:
        of_query = [row for row in whole if row["query"] == query]
        assert lines(spark, f"SELECT * FROM f(TABLE(facts), {span}, query => '{query}')") == of_query


def _until(case: Case, last: int) -> list[dict[str, Any]]:
    return in_order(rows_of([Engine(case.program, arrival=ARRIVAL).advance(last, case.facts)]))
