"""Runs a pipeline as a streaming query, on a checkpoint of its own program, which may become a savepoint."""

from __future__ import annotations

import json
import time
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from antelog.compile import meanings
from antelog.compile.nodes.plan import from_json, to_json
from antelog.engine import savepoint
from antelog.engine.savepoint import Savepoint
from antelog.engine.transition import refuse_other_ticks
from antelog.errors import DataWarning, OutputError, StateError
from antelog.forecast.model_file import Model
from antelog.functions import UserFunction
from antelog.program import Program
from antelog.run.options import takes
from antelog.spark.bucket.stream import refusal, sentences
from antelog.spark.bucket.whole import Stored, job_of, seeds, whole
from antelog.spark.endpoints.folders import entries, file_system, unfinished_batch
from antelog.spark.endpoints.sinks import MicroBatch
from antelog.spark.failures import Unreadable, explaining_lost_java, plainly, unreadable
from antelog.spark.job import checking
from antelog.spark.job.job import Job, Predecessor, differences
from antelog.spark.pipeline.configuration import settings_of
from antelog.spark.pipeline.metrics import unread
from antelog.spark.pipeline.session import session
from antelog.spark.running import Outputs, found_of
from antelog.spark.settings import ALIKE, COUNTS, HOLDING, LOCAL_CHECKPOINT
from antelog.writing import temporary_folder

Counts: TypeAlias = dict[str, Any]  # whole numbers or None by the names of `COUNTS`

# Spark says this if a stream's Python takes more than ten seconds to start, which no setting changes.
_BUSY = "Python worker failed to connect back"
_ATTEMPTS = 5  # the most starts of a query that brings forth no batch
_PAUSE = 0.2  # seconds between two looks at a query
_TRIGGERS: dict[str | None, dict[str, Any]] = {
    None: {"processingTime": "0 seconds"},  # as soon as possible
    "once": {"once": True},
    "available-now": {"availableNow": True},
}


@dataclass(frozen=True)
class Progress:
    """A finished micro-batch; `waiting` has the numbers of messages and files that sources still had."""

    number: int
    seconds: float
    waiting: dict[str, int]
    counts: Counts


@dataclass(eq=False)
class StreamRun:
    """A running query; `start` starts it where its checkpoint ends."""

    start: Callable[[], StreamingQuery]
    counts: dict[int, Counts] = field(default_factory=dict)  # of batches that are not reported yet
    failures: list[Exception] = field(default_factory=list)  # of writing results
    leave_out: Callable[[Unreadable], None] | None = None  # for the next start

    def __post_init__(self) -> None:
        self.query = self.start()
        self._attempts = 1
        self._failed: Counter[str] = Counter()

    def progress(self, stop: Callable[[], bool]) -> Iterator[Progress]:
        """Reports finished batches until the query ends or `stop` returns true. Raises the query's error."""
        while not stop() and (self.query.isActive or self._starts_again()):
            time.sleep(_PAUSE)
            yield from self.rest()
        if self.query.isActive:
            return
        yield from self.rest()
        if self.failures:
            raise self.failures[0]
        with plainly():
            failed = self.query.exception()
            if failed is not None:
                raise failed

    def rest(self) -> Iterator[Progress]:
        """Reports the finished batches that were not reported yet."""
        for done in self.query.recentProgress:
            counts = self.counts.pop(done["batchId"], None)
            if counts is None:
                continue
            self._attempts = 0
            waiting: Counter[str] = Counter()
            for source in done["sources"]:
                waiting.update(unread(source["metrics"]))
            seconds = (done["durationMs"] or {}).get("triggerExecution", 0) / 1000
            yield Progress(done["batchId"], seconds, dict(+waiting), counts)

    def _starts_again(self) -> bool:
        """Restarts the query if it failed on a file, or because the machine was too busy to start it."""
        failed = self.failures[0] if self.failures else self.query.exception()
        if failed is None:
            return False
        file = unreadable(failed)
        if file is not None:
            if not self._goes_on_without(file):
                return False
        elif self.failures or _BUSY not in str(failed) or self._attempts >= _ATTEMPTS:
            return False
        else:
            self._attempts += 1
        self.failures.clear()
        self.query = self.start()
        return True

    def _goes_on_without(self, file: Unreadable) -> bool:
        """Leaves out a file that is damaged, if it came through a network only at its second failure."""
        if self.leave_out is None or not file.damaged:
            return False
        self._failed[file.file] += 1
        enough = 1 if file.is_local else 2
        if self._failed[file.file] == enough:
            self.leave_out(file)
        return self._failed[file.file] <= enough

    def stop(self, patience: float) -> None:
        """Stops between two batches; after `patience` seconds within one, which then comes again."""
        end = time.monotonic() + patience
        while self.query.isActive and self.query.status["isTriggerActive"] and time.monotonic() < end:
            time.sleep(_PAUSE / 4)
        # A query that fails while it is stopped leaves nothing that a restart does not repeat.
        with suppress(PySparkException):
            self.query.stop()


def follow(
    outputs: Outputs,
    write: Callable[[Outputs, MicroBatch, Counts], None],
    *,
    checkpoint: str,
    trigger: str | None,  # `once`, `available-now`, or a time between two batches; None: no pause
    name: str | None = None,  # of the query, on Spark's page and in metrics
    anew: Callable[[Collection[str]], Outputs] | None = None,
) -> StreamRun:
    """Starts a query that writes the outputs of each micro-batch; `anew` makes them without some files."""
    spark = outputs.frame.sparkSession
    system, _ = file_system(spark, checkpoint)
    if system.getScheme() == "file":
        for setting, value in LOCAL_CHECKPOINT.items():
            if spark.conf.get(setting, None) is None:
                spark.conf.set(setting, value)
    counts: dict[int, Counts] = {}
    failures: list[Exception] = []
    left_out: list[Unreadable] = []
    reported: dict[str, int] = {}

    def start() -> StreamingQuery:
        again = unfinished_batch(spark, checkpoint)
        now = anew({file.file for file in left_out}) if anew is not None and left_out else outputs

        def each(frame: DataFrame, number: int) -> None:
            run = frame.sparkSession.sparkContext.getLocalProperty("sql.streaming.queryId")
            begun = again[1] if again is not None and again[0] == number else None
            frame.persist()
            try:
                seen = now.of(frame)
                spark.sparkContext.setJobDescription(f"batch {number}: the rules")
                found = totals(seen)
                # The batch that failed for a file is the next one, and comes again if it is interrupted.
                lost = tuple(file for file in left_out if reported.setdefault(file.file, number) == number)
                write(seen, MicroBatch(str(run), number, begun, lost), found)
                counts[number] = found
            except Exception as error:
                failures.append(error)
                raise
            finally:
                frame.unpersist()

        writer = now.frame.writeStream.foreachBatch(each).option("checkpointLocation", checkpoint)
        writer = writer.queryName(name) if name else writer
        with plainly():
            return writer.trigger(**_TRIGGERS.get(trigger, {"processingTime": trigger})).start()

    return StreamRun(start, counts, failures, None if anew is None else left_out.append)


def totals(outputs: Outputs) -> Counts:
    """The counts of all buckets together, added here, as Spark would need a shuffle for a few rows."""
    rows = outputs.counts.collect()
    known = {name: [row[name] for row in rows if row[name] is not None] for name in (*COUNTS, HOLDING)}
    return {
        name: (max if name in (*ALIKE, HOLDING) else sum)(each) if each else None
        for name, each in known.items()
    }


# ---- checkpoints of other programs are refused before Spark starts, by a note among its files ----

NAME = "antelog.json"


class _Note(msgspec.Struct, frozen=True, omit_defaults=True):
    """The rules of a run, and earlier ones that the state of some bucket may still be of."""

    identity: dict[str, str]
    plan: str
    before: tuple[_Note, ...] = ()


@explaining_lost_java()
@takes(checking.OutputOptions)
def outputs(program: Program, inputs: Mapping[str, DataFrame], options: checking.OutputOptions) -> Outputs:
    """The changes, rejects and counts of a program, from one run. It has the options of `antelog.spark`."""
    return _guarded(found_of(*checking.checked(program, inputs, options)), options)


@explaining_lost_java()
@takes(checking.ChangeOptions)
def changes(program: Program, inputs: Mapping[str, DataFrame], options: checking.ChangeOptions) -> DataFrame:
    """The changes of all queries, or of one `query`. It has the other options of `antelog.spark`, too."""
    found = _guarded(found_of(*checking.checked(program, inputs, options)), options)
    return found.changes if options.query is None else found.query(options.query)


def _guarded(found: Outputs, options: checking.OutputOptions) -> Outputs:
    """The outputs that go on from a checkpoint, if that is known; warns of queries that are changed."""
    if options.checkpoint is None:
        return found
    say = partial(warnings.warn, category=DataWarning, stacklevel=8)
    return guard(found.frame.sparkSession, options.checkpoint, found, accept=options.accept, note=say)


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
    if files.exists(folder.suffix(f"/{savepoint.FOLDER}")):
        outputs = _begun(outputs, files, folder, used=used)
    there = files.exists(path)
    known = read_note(files, path) if there else None
    if known is not None:
        found = _compare(checkpoint, outputs.job, known, accept=accept)
        changed = outputs.after([Predecessor(each.identity, from_json(each.plan)) for each in found.before])
        if found != known:
            if unfinished_batch(spark, checkpoint) is not None:  # its lines may be written in part
                raise StateError.of("checkpoint.unfinished-before", checkpoint=checkpoint)
            before = changed.job.predecessor(known.identity)
            assert before is not None
            for sentence in sentences(changed.job, before):
                note(sentence)
            _put(files, folder, found)
        return changed
    if used and there:
        raise StateError.of("checkpoint.damaged-note", name=NAME, checkpoint=checkpoint)
    if used:
        raise StateError.of("checkpoint.not-ours", checkpoint=checkpoint)
    # Where no batch was begun, a damaged note says nothing that matters.
    _put(files, folder, _Note(outputs.job.identity, to_json(outputs.job.plan)))
    return outputs


def _begun(outputs: Outputs, files: Any, folder: Any, *, used: bool) -> Outputs:
    """Outputs whose buckets begin with the savepoint in a checkpoint."""
    job, place = outputs.job, folder.suffix(f"/{savepoint.FOLDER}")
    with temporary_folder() as beside:
        _, here = file_system(outputs.frame.sparkSession, str(beside))
        files.copyToLocalFile(False, place, here, True)
        found = savepoint.read(beside / savepoint.FOLDER, functions=job.data.functions)
    if used and not found.engine.plan.means(job.plan):
        return outputs  # the rules were changed since, and the buckets have gone on from it
    return found_of(replace(job, seeds=seeds(job, found)), outputs.frames)


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
    """The note for the rules of a job: the known one, or a new one that has its rules as earlier ones."""
    differing = differences(note.identity, job.identity)
    if differing is None:
        return note
    others = {name for name in job.identity if note.identity.get(name) != job.identity[name]}
    if others <= {"program", "background facts"} and "program" in others:
        old = from_json(note.plan)
        between = meanings.compared(old, job.plan)
        if not accept and not between.is_harmless:
            raise StateError.of(
                "checkpoint.other-program", checkpoint=checkpoint, differences=meanings.sentence(between)
            )
        refuse_other_ticks(old, job.plan)
        why = refusal(old, job.plan)
        if why is not None:
            raise StateError.of("checkpoint.cannot-go-on", checkpoint=checkpoint, why=why)
        earlier = tuple(each for each in note.before if each.identity != job.identity)
        return _Note(job.identity, to_json(job.plan), (*earlier, _Note(note.identity, note.plan)))
    if others:
        raise StateError.of("checkpoint.of-another-run", checkpoint=checkpoint, differing=differing)
    return note


def read_note(files: Any, path: Any) -> _Note | None:
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


# ---- a checkpoint as a savepoint ----


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
        raise StateError.of("checkpoint.no-note", checkpoint=checkpoint, name=NAME)
    if unfinished_batch(spark, checkpoint) is not None:
        raise StateError.of("checkpoint.unfinished", checkpoint=checkpoint)
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
