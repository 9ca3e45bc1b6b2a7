"""antelog on a standalone cluster: its workers are processes of their own, and one of them may be lost."""

from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import antelog
from benchmarks.cluster.cases import PROGRAM, Case, write
from benchmarks.cluster.machines import cluster
from benchmarks.cluster.measuring import stream

pytestmark = pytest.mark.long

CASE = Case("lost", "", sensors=300, ticks=24, batches=4, buckets=4, memory="1g", loses=True)


def test_a_stream_that_loses_a_worker_has_the_same_answers(tmp_path: Path) -> None:
    given = write(CASE, tmp_path / "given", scale=1)
    with cluster(2, tmp_path / "cluster", memory=CASE.memory) as machines:
        stream(CASE, given, tmp_path, machines)
        assert machines.workers[0].process.poll() is not None
        assert machines.workers[1].process.poll() is None
    found = pl.read_parquet(tmp_path / "out" / "**/*.parquet").select("P", "S", "T").rows()
    assert len(found) == given.confirmed > 20
    assert sorted(found) == sorted(_confirmed(given.beats))


def _confirmed(beats: Path) -> list[tuple[str, str, int]]:
    """The answers of the engine in this process, up to the last tick but one: a stream leaves that open."""
    engine = antelog.Engine(antelog.parse(PROGRAM))
    facts: pa.Table = pq.read_table(beats)
    lines = pl.from_arrow(engine.advance(CASE.ticks - 2, {"Beat": facts})["Silent"])
    assert isinstance(lines, pl.DataFrame)
    return lines.filter(pl.col("change") == "confirmed").select("P", "S", "T").rows()
