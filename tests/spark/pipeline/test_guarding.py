"""antelog/spark/pipeline/guarding.py: a checkpoint belongs to one program and its options."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from antelog import StateError, parse
from antelog.spark import guard, outputs
from tests.spark.streamed import run, stream_of

RULES = "input Temp(x: text, time). Hot(X, T) :- Temp(X, T), Temp(X, T+{}). query Hot(X, T)."
ONE, TWO = parse(RULES.format(1)), parse(RULES.format(2))
TABLE = pa.table({"x": ["a"], "time": pa.array([0], pa.int64())})


def test_checkpoints_are_guarded(spark: SparkSession, tmp_path: Path) -> None:
    frames = stream_of(spark, tmp_path / "in", [{"Temp": TABLE}])
    folder = tmp_path / "checkpoint"
    first = outputs(ONE, frames, buckets=2)
    guard(spark, str(folder), first)
    run(first, folder)
    guard(spark, str(folder), first)
    with pytest.raises(StateError, match=r"another program: Hot is changed\. To go on with"):
        guard(spark, str(folder), outputs(TWO, frames, buckets=2))
    with pytest.raises(StateError, match="2 buckets, not 3"):
        guard(spark, str(folder), outputs(ONE, frames, buckets=3))
    (folder / "antelog.json").unlink()
    with pytest.raises(StateError, match="not written by antelog"):
        guard(spark, str(folder), first)


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
        StateError, match=r"antelog\.json in the checkpoint .* is damaged.* take an empty folder"
    ):
        guard(spark, str(folder), first)
