"""Refuses checkpoints of other programs, by a note among Spark's files.

The state has the same identity, but Spark reads that only when it is processing already. The note is written
under another name and renamed, so that a process that is killed meanwhile leaves none or all of it.
"""

from __future__ import annotations

from typing import Any

import msgspec
from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession

from antelog.compile.show.explain import details
from antelog.compile.show.plan_json import from_json, to_json
from antelog.errors import OutputError, PlanError, StateError
from antelog.spark.endpoints.folders import file_system
from antelog.spark.job.job import Job, differences
from antelog.spark.lost import explaining_lost_java
from antelog.spark.running import Outputs

NAME = "antelog.json"
_PARTIAL = f"{NAME}.partial"


class _Note(msgspec.Struct, frozen=True):
    identity: dict[str, str]
    plan: str


@explaining_lost_java()
def guard(spark: SparkSession, checkpoint: str, outputs: Outputs) -> None:
    """Writes the note of a new checkpoint. Raises StateError if an old one is of another program.

    To be called before the stream is started.
    """
    files, folder = file_system(spark, checkpoint)
    path = folder.suffix(f"/{NAME}")
    used = files.exists(folder.suffix("/offsets"))
    there = files.exists(path)
    note = _read(files, path) if there else None
    if note is not None:
        _compare(checkpoint, outputs.job, note)
    elif used and there:
        raise StateError(
            f"{NAME} in the checkpoint {checkpoint} is damaged, so it is unknown what the state there "
            "is for. Bring the file back from a copy, or take an empty folder and replay the facts"
        )
    elif used:
        raise StateError(
            f"the checkpoint {checkpoint} was not written by antelog, or by another way to run it; "
            "take an empty folder"
        )
    else:  # where no batch was begun, a damaged note says nothing that matters
        note = _Note(outputs.job.identity, to_json(outputs.job.plan))
        partial = folder.suffix(f"/{_PARTIAL}")
        _write(files, partial, msgspec.json.encode(note))
        if there:
            files.delete(path, False)
        if not files.rename(partial, path):
            raise OutputError(
                f"the checkpoint {checkpoint} cannot be written: {NAME} cannot be put in its place"
            )


def _write(files: Any, path: Any, content: bytes) -> None:
    stream = files.create(path, True)
    try:
        stream.write(bytearray(content))
    finally:
        stream.close()


def _compare(checkpoint: str, job: Job, note: _Note) -> None:
    differing = differences(note.identity, job.identity)
    if differing is not None:
        same_version = note.identity.get("format") == job.identity["format"]
        other_program = note.identity.get("program") != job.identity["program"]
        rules = _rules(note.plan, job) if same_version and other_program else ""
        raise StateError(
            f"the checkpoint {checkpoint} was written for {differing}{rules}. Go on with what wrote it, or "
            "take an empty folder and replay the facts"
        )


def _rules(plan: str, job: Job) -> str:
    """The first lines in which the plans of two programs differ."""
    try:
        old = [str(line) for line in details(from_json(plan))]
    except PlanError:
        return ""
    new = [str(line) for line in details(job.plan)]
    gone = next((line.strip() for line in old if line not in new), None)
    come = next((line.strip() for line in new if line not in old), None)
    parts = [f"it had `{gone}`" if gone else "", f"now there is `{come}`" if come else ""]
    return ": " + ", ".join(part for part in parts if part) if gone or come else ""


def _read(files: Any, path: Any) -> _Note | None:
    """The note; None if it is damaged, as by a kill while an older version wrote it."""
    try:
        stream = files.open(path)
        try:
            content = bytes(stream.readAllBytes())
        finally:
            stream.close()
        return msgspec.json.decode(content, type=_Note)
    except msgspec.MsgspecError:
        return None
    except Py4JJavaError as error:
        if "ChecksumException" not in str(error):  # a file and its checksum, one of them cut short
            raise
        return None
