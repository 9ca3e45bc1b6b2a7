"""Cases that are reported late, counted by a Spark query and watched by rules.

python outbreak.py cases.csv
"""

import os
import sys
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as f

import antelog
import antelog.spark

RULES = Path(__file__).with_name("outbreak.alog")
LEVELS = (8, 12)  # cases in a week: a reason to look, and a reason to act


def session() -> SparkSession:
    os.environ["PYSPARK_PYTHON"] = sys.executable  # the workers' Python is this one
    builder = SparkSession.builder.appName("outbreak").config("spark.ui.showConsoleProgress", "false")
    for name, value in antelog.spark.SETTINGS.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def reached(cases: DataFrame) -> DataFrame:
    """When the cases known of a week reached a level: the week in which the case that did it was reported."""
    known = f.row_number().over(Window.partitionBy("onset_week").orderBy("report_week"))
    at_level = cases.withColumn("level", known).where(f.col("level").isin(*LEVELS))
    return at_level.select("level", "onset_week", f.col("report_week").alias("arrival"))


def monday(tick: str) -> f.Column:
    """The day on which a week begins: week 0 has the first of January 1970."""
    return f.date_add(f.lit("1969-12-29").cast("date"), f.col(tick).cast("int") * 7)


def main() -> None:
    spark = session()
    cases = spark.read.csv(
        sys.argv[1], header=True, schema="onset_week TIMESTAMP, report_week TIMESTAMP, gender STRING"
    )
    changes = antelog.spark.changes(antelog.load(RULES), {"Reached": reached(cases)}, query="Outbreak")
    shown = changes.select(
        monday("tick").alias("week"), "change", monday("T").alias("first"), "L", "explanations"
    )
    for row in shown.orderBy("week", "first", "L").collect():
        missing = {len(explanation.hypotheses) for explanation in row.explanations}
        line = f"{row.week}  {row.change:<9}  {row.L:>2} cases a week from {row.first}"
        print(f"{line}, weeks still missing: {min(missing)}")


if __name__ == "__main__":
    main()
