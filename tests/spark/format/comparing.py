"""The lines of the data source and of its feed, compared with those of an engine.

By hand, on Spark and on Spark Connect.

`tests/spark/sql/comparing.py` compares the same lines with a table function and with `changes`, and
`tests/run/test_runners.py` with `antelog try`.
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow.csv as pc_csv
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.datasource import CaseInsensitiveDict
from pyspark.sql.streaming.query import StreamingQuery

from antelog import Engine
from antelog.files import ARRIVAL
from antelog.run.store import FeedReader, FolderFeed
from antelog.spark import changes
from antelog.spark.format.batch_reader import BatchReader
from antelog.spark.format.data_source import AntelogSource
from tests.run.cases import Case
from tests.run.runners import between, in_steps, lines_of, named, rows_of
from tests.spark.sql.comparing import in_order, table_of
from tests.spark.streamed import run_to_end, stream_of

Rows = list[dict[str, Any]]


def options_of(case: Case) -> dict[str, str]:
    """The options with which the data source runs a case."""
    inputs = {f"input.{name}": str(path) for name, path in case.inputs.items()}
    functions = {} if case.functions is None else {"functions": str(case.functions)}
    return {"program": str(case.path), "arrival": case.arrival, **inputs, **functions}


def expected(case: Case, until: int | None = None) -> Rows:
    """The lines of an engine."""
    if until is None:
        return in_order(rows_of(in_steps(case, [])))
    return in_order(rows_of([Engine(case.program, arrival=ARRIVAL).advance(until, case.facts)]))


def source(options: Mapping[str, str]) -> AntelogSource:
    """The data source with these options, as Spark hands them over."""
    return AntelogSource(CaseInsensitiveDict(options))


def batch_reader(options: Mapping[str, str]) -> BatchReader:
    """The reader of a batch, as it comes to a worker."""
    made = source(options)
    found: BatchReader = pickle.loads(pickle.dumps(made.reader(made.schema())))
    return found


def read_here(options: Mapping[str, str]) -> Rows:
    """The lines that the data source reads in this process, task after task."""
    reader = batch_reader(options)
    return in_order(
        row
        for partition in reader.partitions()
        for batch in reader.read(partition)
        for row in batch.to_pylist()
    )


def read(spark: SparkSession, options: Mapping[str, str]) -> DataFrame:
    return spark.read.format("antelog").options(**options).load()


def parts_of(case: Case, folder: Path) -> Iterator[dict[str, str]]:
    """The files of a case's facts, which come part after part; the options that follow them."""
    options = {**options_of(case), "arrival": "arrival", "state": str(folder / "states")}
    ends = sorted({int(each) for each in case.arrivals})[:: max(1, len(set(case.arrivals.tolist())) // 5)]
    for name in case.inputs:
        (folder / name).mkdir()
        options[f"input.{name}"] = f"csv:{folder / name}"
    before = -1
    for number, end in enumerate([*ends, 2**60]):
        for name, table in named(between(case.facts, before, end)).items():
            if table.num_rows:
                pc_csv.write_csv(table, folder / name / f"{number:03}.csv")
        before = end
        yield options


def compare(spark: SparkSession, case: Case) -> None:
    """All lines of a case, and the names of their columns."""
    found = read(spark, {**options_of(case), "numPartitions": "3"})
    assert found.columns == changes(case.program, table_of(spark, case.facts)).columns
    assert in_order(found.toArrow().to_pylist()) == expected(case)


def compare_feed(spark: SparkSession, case: Case, folder: Path) -> None:
    """The records that a stream of changes writes to a feed, in several batches."""
    middle = case.last // 2
    parts = [between(case.facts, *ends) for ends in ((-1, middle), (middle, case.last))]
    frames = stream_of(spark, folder / "in", [named(part) for part in parts])
    stream, checkpoint = changes(case.program, frames, buckets=2), folder / "checkpoint"

    def start() -> StreamingQuery:
        writer = stream.writeStream.format("antelog").option("checkpointLocation", str(checkpoint))
        writer = writer.option("feed", str(folder / "feed")).option("program", str(case.path))
        return writer.trigger(availableNow=True).start()

    run_to_end(start, checkpoint)
    found = [each for each in FeedReader(FolderFeed(folder / "feed")).read() if "change" in each]
    lines = [json.loads(line) for line in lines_of(case, in_steps(case, []))]
    # A stream waits for the last tick to be over.
    assert in_order(found) == in_order(each for each in lines if each["tick"] < case.last)
