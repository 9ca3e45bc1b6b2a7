"""Programs as table functions of Spark SQL."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, cast

import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql.functions import udtf
from pyspark.sql.udtf import UserDefinedTableFunction

from antelog.compile.nodes.plan import Plan
from antelog.errors import DataError, UnsupportedError
from antelog.given import TEXT, ArgumentKind, check
from antelog.process import functions_of, plan_of
from antelog.program import Program
from antelog.run.options import keywords, taken
from antelog.spark.job.checking import chances_of, check_static, job_of, rows_of
from antelog.spark.job.functions import sent
from antelog.spark.job.job import Data
from antelog.spark.job.options import FunctionOptions, OutputOptions
from antelog.spark.lost import explaining_lost_java
from antelog.spark.settings import quoted
from antelog.spark.sql.analysis import FunctionProgram, in_one_partition, key_columns, of_each_input
from antelog.spark.sql.partition import handler_of

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_OLDEST = (4, 1)
_SESSION = ArgumentKind("a SparkSession", lambda value: hasattr(value, "udtf"))


@explaining_lost_java()
def register(spark: SparkSession, name: str, program: Program, /, **options: Any) -> str:
    """Makes a program a table function of SQL: `SELECT * FROM name(TABLE(readings) PARTITION BY device)`.

    It returns the clause by which rows may be divided, such as "PARTITION BY `device`". The options are those
    of `antelog.spark`, but for `buckets` and those of streams.
    """
    check("register", {"spark": spark, "name": name}, {"spark": _SESSION, "name": TEXT})
    given = keywords(FunctionOptions, "register", options)
    plan = plan_of(program)
    if not _NAME.fullmatch(name):
        raise DataError(f"{name!r} is not a name for a function in SQL; use letters, digits and `_`")
    version = tuple(int(number) for number in re.findall(r"\d+", spark.version)[:2])
    if version < _OLDEST:
        raise UnsupportedError(
            f"Spark is version {spark.version}, and table functions of antelog need 4.1 or later. "
            "Use antelog.spark.changes for DataFrames"
        )
    static = given.static or {}
    check_static(plan, static)
    chosen = taken(OutputOptions, replace(given, static=None))
    prepared = FunctionProgram(
        name,
        plan,
        {each: rows_of(plan, each, frame) for each, frame in static.items()},
        sent(functions_of(program)),
        chances_of(plan.read, chosen),
        replace(chosen, model=None),
        _clause(plan),
    )
    _check_options(prepared)
    # With `useArrow` Spark makes a table of each row that a function takes, also where nothing comes out.
    function = cast("UserDefinedTableFunction", udtf(handler_of(prepared), useArrow=False))
    spark.udtf.register(name, function)
    return prepared.clause


def _check_options(program: FunctionProgram) -> None:
    """Raises DataError for options that fit no call."""
    plan = program.plan.read
    arrivals = {each.name: pa.int64() for each in plan.inputs}
    job_of(plan, Data(program.given, {}, arrivals), program.options, program.forecasts, batch=True)


def _clause(plan: Plan) -> str:
    if in_one_partition(plan):
        return "WITH SINGLE PARTITION"
    keys = {name: "NULL" if each is None else quoted(each) for name, each in key_columns(plan).items()}
    return f"PARTITION BY {of_each_input(keys)}"
