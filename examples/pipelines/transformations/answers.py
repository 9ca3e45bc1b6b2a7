"""Defines two tables: `changes` of answers, and `answers` with a row for each as it stands now."""

from pathlib import Path

from pyspark import pipelines as dp
from pyspark.sql import DataFrame, SparkSession

import antelog
import antelog.spark

HERE = Path(__file__).resolve().parent.parent
COLUMNS = "parcel string, depot string, gate string, time timestamp, arrival timestamp"

spark = SparkSession.active()
scans = spark.readStream.csv(str(HERE / "scans"), header=True, schema=COLUMNS)
# Not in the function: there Spark does not tell what columns a DataFrame has.
stuck = antelog.spark.changes(antelog.load(HERE / "parcels.alog"), {"Scan": scans})


@dp.table
def changes() -> DataFrame:
    return stuck


@dp.materialized_view
def answers() -> DataFrame:
    return antelog.spark.newest(spark.read.table("changes"), columns=stuck.columns)
