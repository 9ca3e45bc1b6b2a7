"""Refuses checkpoints of other programs before a stream starts, by a note among Spark's files."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from typing import Any

import msgspec
from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession

from antelog.compile.meaning import versions
from antelog.compile.nodes.plan import from_json, to_json
from antelog.engine.transition import refuse_other_ticks
from antelog.errors import OutputError, StateError
from antelog.spark.bucket.changing import refusal, sentences
from antelog.spark.endpoints.folders import file_system, unfinished_batch
from antelog.spark.failures import explaining_lost_java
from antelog.spark.job.job import Job, Predecessor, differences
from antelog.spark.running import Outputs

NAME = "antelog.json"


class _Note(msgspec.Struct, frozen=True, omit_defaults=True):
    """The rules of a run, and earlier ones that the state of some bucket may still be of."""

    identity: dict[str, str]
    plan: str
    before: tuple[_Note, ...] = ()


@explaining_lost_java()
def guard(
    spark: SparkSession,
    checkpoint: str,
    outputs: Outputs,
    *,
    accept: bool = False,
    note: Callable[[str], object] = lambda _: None,
) -> Outputs:
    """Writes the note of a new checkpoint. Raises StateError if an old one is of another program.

    Call it before the stream is started, and write the outputs that it returns: if you `accept` other rules,
    the stream goes on with them. `note` gets a sentence about each query that is changed.
    """
    files, folder = file_system(spark, checkpoint)
    path = folder.suffix(f"/{NAME}")
    used = files.exists(folder.suffix("/offsets"))
    there = files.exists(path)
    known = _read(files, path) if there else None
    if known is not None:
        found = _compare(checkpoint, outputs.job, known, accept=accept)
        changed = outputs.after([Predecessor(each.identity, from_json(each.plan)) for each in found.before])
        if found != known:
            if unfinished_batch(spark, checkpoint) is not None:  # its lines may be written in part
                raise StateError(
                    f"the checkpoint {checkpoint} has a micro-batch that the rules of before have not "
                    "finished. Run them once more, with --trigger available-now, and then the new ones"
                )
            before = changed.job.predecessor(known.identity)
            assert before is not None
            for sentence in sentences(changed.job, before):
                note(sentence)
            _put(files, folder, found)
        return changed
    if used and there:
        raise StateError(
            f"{NAME} in the checkpoint {checkpoint} is damaged, so it is unknown what the state there "
            "is for. Bring the file back from a copy, or use an empty folder and replay the facts"
        )
    if used:
        raise StateError(
            f"the checkpoint {checkpoint} was not written by antelog, or by another way to run it; "
            "use an empty folder"
        )
    # Where no batch was begun, a damaged note says nothing that matters.
    _put(files, folder, _Note(outputs.job.identity, to_json(outputs.job.plan)))
    return outputs


def _put(files: Any, folder: Any, note: _Note) -> None:
    """Writes a note under another name and renames it, so that a kill leaves none or all of it."""
    path, partial = folder.suffix(f"/{NAME}"), folder.suffix(f"/{NAME}.partial")
    with closing(files.create(partial, True)) as stream:
        stream.write(bytearray(msgspec.json.encode(note)))
    if files.exists(path):
        files.delete(path, False)
    if not files.rename(partial, path):
        raise OutputError(f"the checkpoint {folder} cannot be written: {NAME} cannot be put in its place")


def _compare(checkpoint: str, job: Job, note: _Note, *, accept: bool) -> _Note:
    """The note for the rules of a job: the known one, or a new one that has its rules as earlier ones.

    Raises StateError if the checkpoint is of another program, and that is not accepted or cannot be.
    """
    differing = differences(note.identity, job.identity)
    if differing is None:
        return note
    others = {name for name in job.identity if note.identity.get(name) != job.identity[name]}
    if others <= {"program", "background facts"} and "program" in others:
        old = from_json(note.plan)
        between = versions.compared(old, job.plan)
        if not accept and not between.is_harmless:
            raise StateError(
                f"the checkpoint {checkpoint} is of another program: {versions.sentence(between)}. To go on "
                "with the new one, add --accept-changes; else go on with what wrote it, or use an empty "
                "folder and replay the facts"
            )
        refuse_other_ticks(old, job.plan)
        why = refusal(old, job.plan)
        if why is not None:
            raise StateError(
                f"the checkpoint {checkpoint} cannot go on with these rules: {why}. Use an empty folder, "
                "and replay the facts"
            )
        earlier = tuple(each for each in note.before if each.identity != job.identity)
        return _Note(job.identity, to_json(job.plan), (*earlier, _Note(note.identity, note.plan)))
    if others:
        raise StateError(
            f"the checkpoint {checkpoint} was written for {differing}. Go on with what wrote it, or "
            "use an empty folder and replay the facts"
        )
    return note


def _read(files: Any, path: Any) -> _Note | None:
    """Reads a note; None if it is damaged."""
    try:
        with closing(files.open(path)) as stream:
            return msgspec.json.decode(bytes(stream.readAllBytes()), type=_Note)
    except msgspec.MsgspecError:
        return None
    except Py4JJavaError as error:
        if "ChecksumException" not in str(error):  # a file and its checksum, one of them cut short
            raise
        return None
