"""The records that a stream of changes writes to a feed, compared with the lines of an engine."""

import json
from pathlib import Path

import pyarrow.compute as pc
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from antelog.files import ARRIVAL
from antelog.run.store.feed import FeedReader, FolderFeed
from antelog.spark import changes
from tests.run.cases import Case
from tests.run.runners import between, in_steps, lines_of, named
from tests.spark.comparing import in_order
from tests.spark.streamed import run_to_end, stream_of


def compare_feed(spark: SparkSession, case: Case, folder: Path) -> None:
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
    # A stream waits for the last tick of each input to be over.
    last = min(pc.max(table.column(ARRIVAL)).as_py() for table in case.facts.values())
    assert in_order(found) == in_order(each for each in lines if each["tick"] < last)
