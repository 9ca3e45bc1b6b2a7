"""Tables as streams: each part of an input is a file, each file a micro-batch."""

import os
import shutil
import uuid
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from antelog.program import Program
from antelog.spark import Outputs
from antelog.spark.job.job import ARRIVED
from tests.spark.comparing import Fact, tables_of

Part = Mapping[str, pa.Table]

ATTEMPTS = 5  # so often a stream is started without a batch coming of it


def frames_of(spark: SparkSession, program: Program, facts: Sequence[Fact]) -> dict[str, DataFrame]:
    return {
        name: spark.createDataFrame(named(table)).repartition(3)
        for name, table in tables_of(program.plan, facts).items()
    }


def named(table: pa.Table) -> pa.Table:
    return table.rename_columns([n if n != ARRIVED else "arrival" for n in table.column_names])


def stream_of(spark: SparkSession, folder: Path, parts: Sequence[Part]) -> dict[str, DataFrame]:
    """A stream for each input, whose micro-batches are these parts."""
    # A column that has whole numbers in one file and others in the next one is a column of doubles.
    schemas = {
        name: pa.unify_schemas(
            [part[name].schema for part in parts if name in part], promote_options="permissive"
        )
        for name in parts[0]
    }
    for number, part in enumerate(parts):
        add(folder, number, {name: table.cast(schemas[name]) for name, table in part.items()})
    return {name: read(spark, folder / name) for name in parts[0]}


def add(folder: Path, number: int, part: Part) -> None:
    for name, table in part.items():
        path = folder / name / f"{number}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(table, path)
        os.utime(path, (1000 + 10 * number,) * 2)  # Spark takes the oldest first


def read(spark: SparkSession, folder: Path) -> DataFrame:
    schema = spark.read.parquet(str(folder)).schema
    return spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).parquet(str(folder))


def run(outputs: Outputs, checkpoint: Path) -> StreamingQuery:
    """Runs a stream to the end of what is there now; the packed frame becomes a table of the query's name."""

    def start() -> StreamingQuery:
        writer = outputs.frame.writeStream.format("memory").queryName("t" + uuid.uuid4().hex)
        writer = writer.option("checkpointLocation", str(checkpoint)).outputMode("append")
        return writer.trigger(availableNow=True).start()

    return run_to_end(start, checkpoint)


def run_to_end(start: Callable[[], StreamingQuery], checkpoint: Path) -> StreamingQuery:
    """Starts a query and waits for its end; anew, a few times, if the machine was too busy to start it."""
    failure = None
    for _ in range(ATTEMPTS):
        query = start()
        try:
            query.awaitTermination()
        except StreamingQueryException as error:
            # Spark gives a stream's Python ten seconds to start, which may be too few on a busy machine.
            if "failed to connect back" not in str(error) or query.recentProgress:
                raise
            failure = error
            for each in ("offsets", "sources", "state"):
                shutil.rmtree(checkpoint / each, ignore_errors=True)
        else:
            return query
    raise AssertionError(
        f"Spark did not start the stream's Python within ten seconds, {ATTEMPTS} times in a row: "
        "the machine is too busy for this test, or its Python does not start"
    ) from failure


def result(spark: SparkSession, outputs: Outputs, query: StreamingQuery) -> Outputs:
    return outputs.of(spark.table(query.name))
