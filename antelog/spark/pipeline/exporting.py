"""The checkpoint of a stream as a savepoint, read by Spark."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from antelog.compile.nodes.plan import from_json
from antelog.engine.savepoint import Savepoint
from antelog.errors import StateError
from antelog.forecast.model_file import Model
from antelog.functions import UserFunction
from antelog.spark.bucket.whole import Stored, job_of, whole
from antelog.spark.endpoints.folders import entries, file_system, unfinished_batch
from antelog.spark.failures import plainly
from antelog.spark.pipeline.configuration import settings_of
from antelog.spark.pipeline.session import session
from antelog.spark.pipeline.stream_run import NAME, read_note


def exported(checkpoint: str, functions: Mapping[str, UserFunction], model: Path | None) -> Savepoint:
    """Reads a checkpoint in a session of its own. Raises StateError if there is no state in it."""
    with session("antelog", settings_of((), buckets=1)) as spark, plainly():
        return savepoint_of(spark, checkpoint, functions, None if model is None else Model.load(model))


def savepoint_of(
    spark: SparkSession, checkpoint: str, functions: Mapping[str, UserFunction], model: Model | None = None
) -> Savepoint:
    files, folder = file_system(spark, checkpoint)
    place = folder.suffix(f"/{NAME}")
    note = read_note(files, place) if files.exists(place) else None
    if note is None:
        raise StateError(
            f"{checkpoint} is not a checkpoint of antelog: it has no {NAME}, which `antelog run` writes, and "
            "`antelog.spark.guard`"
        )
    if unfinished_batch(spark, checkpoint) is not None:
        raise StateError(
            f"the checkpoint {checkpoint} has a micro-batch that is not finished. Run it once more, with "
            "--trigger available-now, and then export it"
        )
    stored = _stored(spark, checkpoint) if entries(spark, f"{checkpoint}/commits") else {}
    if not stored:
        raise StateError(f"the checkpoint {checkpoint} has no state yet: no micro-batch had a row")
    found = whole(job_of(from_json(note.plan), note.identity, stored, functions, model), stored)
    return replace(found, run={**found.run, "spark": _offsets(spark, checkpoint)})


def _stored(spark: SparkSession, checkpoint: str) -> Stored:
    """The head and the parts of each bucket in the store of Spark."""
    # The reader of states needs what Spark keeps account of them with, which starts with the first stream.
    _ = spark.streams.active
    reader = spark.read.format("statestore")
    head, parts = (
        reader.option("stateVarName", each).load(checkpoint).collect() for each in ("head", "parts")
    )
    found = {row.key.bucket: [bytes(row.value.content)] for row in head}
    for row in parts:
        found[row.key.bucket].append(bytes(row.list_element.content))
    return found


def _offsets(spark: SparkSession, checkpoint: str) -> list[Any]:
    """How far each source has been read, in the order of the inputs."""
    last = max(int(name) for name in entries(spark, f"{checkpoint}/offsets") if name.isdecimal())
    (row,) = spark.read.text(f"{checkpoint}/offsets/{last}", wholetext=True).collect()
    return [None if line == "-" else json.loads(line) for line in row.value.splitlines()[2:]]
