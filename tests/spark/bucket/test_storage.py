"""antelog/spark/bucket/stream.py: a bucket that is not as it was written is refused."""

import random
from collections.abc import Iterator
from typing import Any

import msgspec
import pyarrow as pa
import pytest

from antelog import StateError, parse
from antelog.arrow.arrays import to_blob
from antelog.engine import sealed
from antelog.spark.bucket import stream as bucket_stream
from antelog.spark.bucket.state import start
from antelog.spark.bucket.stream import BucketHead, Stored, head_from, head_to_bytes
from antelog.spark.job.job import differences
from tests.spark.comparing import job_of
from tests.spark.simulated import Stream

RULES = "input Temp(x: text, time) delay 3. Hot(X, T) :- Temp(X, T), Temp(X, T+2). query Hot(X, T)."
JOB = job_of(parse(RULES).plan, {"Temp": pa.table({"x": ["a"], "time": pa.array([0], pa.int64())})}, 1)
OTHER = job_of(parse(RULES.replace("T+2", "T+1")).plan, {"Temp": pa.table({"x": ["a"], "time": [0]})}, 1)

NEXT = 10


def _batch(stream: Stream, tick: int) -> list[dict[str, Any]]:
    table = pa.table({"x": ["a", "b"], "time": pa.array([tick, tick], pa.int64())})
    return stream.batch({"Temp": table}).changes


@pytest.fixture
def stream(monkeypatch: pytest.MonkeyPatch) -> Stream:
    """One that keeps a snapshot and two parts more."""
    monkeypatch.setattr(bucket_stream, "ROOM", 5)
    monkeypatch.setattr(bucket_stream, "SMALL", 5)
    stream = Stream(JOB, random.Random(1))
    for tick in range(NEXT):
        _batch(stream, tick)
    assert [sealed.is_sealed(part) for part in stream.stored(0)[1]] == [True, False, False]
    return stream


def _refused(stream: Stream, head: bytes, parts: list[bytes], why: str) -> None:
    stream.store(0, head, parts)
    with pytest.raises(StateError, match=why):
        _batch(stream, NEXT)


def test_what_is_whole_goes_on(stream: Stream) -> None:
    head, parts = stream.stored(0)
    reported = _batch(stream, NEXT)
    stream.store(0, head, parts)
    assert reported
    assert _batch(stream, NEXT) == reported


def _flipped(content: bytes) -> Iterator[bytes]:
    for at in range(len(content)):
        yield content[:at] + bytes([content[at] ^ 1 << at % 8]) + content[at + 1 :]


def test_any_wrong_bit_is_noticed(stream: Stream) -> None:
    head, parts = stream.stored(0)
    for wrong in _flipped(head):
        with pytest.raises(StateError):
            head_from(wrong, JOB)
    for at, part in enumerate(parts):
        for wrong in list(_flipped(part))[::50]:
            _refused(stream, head, [*parts[:at], wrong, *parts[at + 1 :]], "is damaged")


def test_parts_that_are_swapped_doubled_or_gone_are_noticed(stream: Stream) -> None:
    head, (snapshot, one, other) = stream.stored(0)
    for parts in [
        [snapshot, other, one],
        [snapshot, one, other, other],
        [snapshot, one],
        [snapshot, other],
        [one, other],
        [],
    ]:
        _refused(stream, head, parts, "what the checkpoint keeps of a bucket is damaged")


def test_a_head_of_another_shape_is_refused(stream: Stream) -> None:
    head, parts = stream.stored(0)
    fields = msgspec.msgpack.decode(sealed.unseal(head, "it"))
    fields["time"]["now"] = ""
    wrong = sealed.seal(msgspec.msgpack.encode(fields))
    _refused(stream, wrong, parts, r"the head the checkpoint keeps of a bucket .*\$\.time\.now")


def test_of_another_version_only_that_is_said() -> None:
    """An older version has other plans as well, and so another digest of the same program."""
    older = {**JOB.identity, "format": "4", "program": "0123456789ab", "buckets": "8"}
    with pytest.raises(
        StateError,
        match=f"is a state of version 4, but this antelog reads version {sealed.VERSIONS['state']}",
    ):
        differences(older, JOB.identity)
    assert differences({**older, "format": JOB.identity["format"]}, JOB.identity) == (
        f"another program (0123456789ab, not {JOB.identity['program']}) and 8 buckets, not 1"
    )


def test_the_store_of_an_older_version_is_refused(stream: Stream) -> None:
    head, parts = stream.stored(0)
    _refused(stream, bytes(sealed.unseal(head, "it")), parts, "is not a state that antelog wrote")
    fields = msgspec.msgpack.decode(sealed.unseal(head, "it"))
    del fields["identity"]["format"]
    _refused(
        stream, sealed.seal(msgspec.msgpack.encode(fields)), parts, "of version None, but this antelog reads"
    )


def test_rows_of_other_types_are_refused(stream: Stream) -> None:
    head, parts = stream.stored(0)
    wrong = [*parts, to_blob(pa.table({"x": ["a"], "time": [0]}).replace_schema_metadata({"input": "Temp"}))]
    known = head_from(head, JOB)
    without = msgspec.structs.replace(known, stored=Stored())
    sized: BucketHead = without.after(wrong, known.stored.appended, anew=True)
    _refused(stream, head_to_bytes(sized), wrong, "has facts of Temp whose columns had other types")


def test_a_snapshot_of_another_program_is_refused(stream: Stream) -> None:
    head, parts = stream.stored(0)
    known = msgspec.structs.replace(head_from(head, JOB), stored=Stored())
    wrong = [*bucket_stream.snapshot(OTHER, start(OTHER, 0)), *parts[1:]]
    of_wrong = head_to_bytes(known.after(wrong, 0, anew=True))
    _refused(stream, of_wrong, wrong, "the snapshot .* was saved by other rules than these")
