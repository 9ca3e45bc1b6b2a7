"""antelog/spark/pipeline/stream_run.py: a checkpoint belongs to one program and its options."""

import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import antelog
from antelog import parse
from antelog.errors import DataError, OutputError, StateError
from antelog.spark import changes, guard, outputs
from antelog.spark.pipeline.requirements import LOCK, local_folder, locked
from tests.processes import Start
from tests.spark.streamed import run, stream_of

RULES = "input Temp(x: text, time). Hot(X, T) :- Temp(X, T), Temp(X, T+{}). query Hot(X, T)."
ONE, TWO = parse(RULES.format(1)), parse(RULES.format(2))
TABLE = pa.table({"x": ["a"], "time": pa.array([0], pa.int64())})


def test_checkpoints_are_guarded(spark: SparkSession, tmp_path: Path) -> None:
    frames = stream_of(spark, tmp_path / "in", [{"Temp": TABLE}])
    folder = tmp_path / "checkpoint"
    first = outputs(ONE, frames, buckets=2, checkpoint=str(folder))
    run(first, folder)
    guard(spark, str(folder), first)
    with pytest.raises(StateError, match=r"another program: Hot is changed\. .* add `accept=True`"):
        changes(TWO, frames, buckets=2, checkpoint=str(folder))
    with pytest.raises(StateError, match="2 buckets, not 3"):
        guard(spark, str(folder), outputs(ONE, frames, buckets=3))
    with pytest.warns(antelog.DataWarning, match="Hot is changed; open answers"):
        outputs(TWO, frames, buckets=2, checkpoint=str(folder), accept=True)
    with pytest.raises(DataError, match="`checkpoint` is for streams"):
        outputs(ONE, {"Temp": spark.createDataFrame(TABLE)}, checkpoint=str(folder))
    (folder / "antelog.json").unlink()
    with pytest.raises(StateError, match="not written by antelog"):
        guard(spark, str(folder), first)


@pytest.mark.long
@pytest.mark.parametrize("content", [b"", b'{"identity": {"form', b"[]", b"\xff"])
@pytest.mark.parametrize("checksum", [True, False])
def test_a_damaged_note(spark: SparkSession, tmp_path: Path, content: bytes, checksum: bool) -> None:
    """Where no batch was begun it is in nobody's way; later nobody knows what the state is for."""
    frames = stream_of(spark, tmp_path / "in", [{"Temp": TABLE}])
    folder = tmp_path / "checkpoint"
    first = outputs(ONE, frames, buckets=2)
    guard(spark, str(folder), first)
    note = folder / "antelog.json"
    whole = note.read_bytes()
    assert {each.name for each in folder.iterdir()} == {note.name, f".{note.name}.crc"}

    def damage() -> None:
        if not checksum:
            Path(folder, f".{note.name}.crc").unlink()
        note.write_bytes(content)

    damage()
    Path(folder, f"{note.name}.partial").write_bytes(content)  # of another start that was killed
    guard(spark, str(folder), first)
    assert note.read_bytes() == whole
    run(first, folder)
    damage()
    with pytest.raises(
        StateError, match=r"antelog\.json in the checkpoint .* is damaged.* use an empty folder"
    ):
        guard(spark, str(folder), first)


HOLDS = """
import sys
from antelog.spark.pipeline.requirements import locked
with locked(sys.argv[1]):
    print("has it", flush=True)
    sys.stdin.read()
"""


def test_a_second_process_is_told_who_has_it(tmp_path: Path, start: Start) -> None:
    state = tmp_path / "state"
    holding = [sys.executable, "-c", HOLDS, str(state)]
    other = start(holding, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert other.stdout is not None
    assert other.stdout.readline() == "has it\n"
    for place in (str(state), f"file://{state}"):
        with pytest.raises(StateError) as refused, locked(place):
            pass
        assert str(refused.value).startswith(f"the checkpoint {place} is in use by process {other.pid} on ")
        assert f"Stop that one (kill {other.pid}), or give this one a --checkpoint" in str(refused.value)
    other.kill()  # and leaves its file
    other.wait()
    with locked(str(state)):
        assert (state / LOCK).read_text(encoding="utf-8").startswith(f"process {os.getpid()} on ")
    with locked(str(state)):
        pass


def test_what_is_elsewhere_is_not_locked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert local_folder("s3a://bucket/state") is None
    assert local_folder("file:///a%20b") == Path("/a b")
    with locked("hdfs://head/state"), locked("hdfs://head/state"):
        assert not list(tmp_path.iterdir())
    monkeypatch.setenv("HADOOP_CONF_DIR", "/etc/hadoop")
    assert local_folder("state") is None


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match="cannot be written: "), locked(str(tmp_path / "file" / "state")):
        pass
