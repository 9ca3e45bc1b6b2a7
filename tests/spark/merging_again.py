"""Merges and appends batches to tables, some of them again: in a process that has their archives."""

import os
import sys
from itertools import pairwise
from pathlib import Path

import pyarrow as pa
from pyspark.sql import DataFrame

import antelog
from antelog.spark import changes, merge, newest
from antelog.spark.endpoints.endpoints import TABLES
from antelog.spark.endpoints.tables import append_rows
from tests.spark import tables

PROGRAM = antelog.parse("""
    tick 1 minute.
    input Temp(x: text, time) delay 2.
    Twice(X, T) :- Temp(X, T), Temp(X, T+1).
    query Twice(X, T).
    Calm(X, T) :- not Temp(X, T).
    query Calm(X, T).
""")
BEGIN = 30_000_000
FACTS = pa.table(
    {
        "x": [*"abcabdae"],
        "time": [BEGIN + tick for tick in (1, 1, 1, 2, 3, 4, 6, 6)],
        "arrival": [BEGIN + tick for tick in (1, 1, 2, 2, 3, 5, 6, 7)],
    }
)
CUTS = (0, 3, 5, 99)


def main(kind: str, folder: str) -> None:
    os.chdir(folder)
    spark = tables.session(Path(folder), connect=kind == "connect")
    found = changes(PROGRAM, {"Temp": spark.createDataFrame(FACTS)}, until=BEGIN + 9)
    log = spark.createDataFrame(found.toArrow(), found.schema)
    batches = [
        log.where(f"tick >= {BEGIN + first} AND tick < {BEGIN + last}") for first, last in pairwise(CUTS)
    ]
    expected = _rows(newest(log))
    assert len(expected) > 20
    for form, why in tables.known_forms().items():
        if why:
            continue
        sql, address, first = tables.PLACES[form]
        if first:
            spark.sql(first)
        for number in (0, 1, 1, 2, 2, 0):
            merge(batches[number], address.format("answers"))
        assert _rows(spark.table(sql.format(folder, "answers"))) == expected
        if kind == "classic":
            for number in (0, 1, 1, 2, 2):
                append_rows(batches[number], TABLES.read(address.format("changes")), "run", number)
            assert _rows(spark.table(sql.format(folder, "changes"))) == _rows(log)
        print(form)  # noqa: T201 - read by the test
    spark.stop()


def _rows(frame: DataFrame) -> list[str]:
    return sorted(str(row) for row in frame.select(*sorted(frame.columns)).collect())


if __name__ == "__main__":
    main(*sys.argv[1:])
