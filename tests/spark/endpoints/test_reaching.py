"""antelog/spark/endpoints/endpoints.py: what is not there is told within seconds, without Spark."""

import gzip
import os
import socket
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from antelog.errors import AntelogError, DataError, OutputError, UnsupportedError
from antelog.files.naming import Form
from antelog.run.address import Files, Jdbc
from antelog.run.sources.kafka import Kafka
from antelog.spark.endpoints import folders
from antelog.spark.endpoints.endpoints import Sink, Source, reach
from tests.servers import free_port


def reached(*sources: Source, to: Sink | None = None, master: str = "local[2]") -> None:
    reach(sources, [] if to is None else [to], {}, master)


def test_what_is_down_is_told_at_once() -> None:
    port = free_port()
    down: list[tuple[Source, str]] = [
        (Kafka(f"127.0.0.1:{port}", "temp"), "no broker of Kafka answers at"),
        (Jdbc(f"jdbc:postgresql://127.0.0.1:{port}/plant", "t"), "no database answers at"),
    ]
    for source, said in down:
        message = f"{source}: {said} 127.0.0.1:{port} (connection refused). Start it, or check host and port"
        with pytest.raises(DataError) as failed:
            reached(source)
        assert str(failed.value) == message
    with pytest.raises(UnsupportedError, match=f"no master of Spark answers at 127.0.0.1:{port}"):
        reached(master=f"spark://127.0.0.1:{port}")
    with pytest.raises(DataError, match=r"no-such-host\.invalid:9092 \(no machine of that name is known\)"):
        reached(Kafka("no-such-host.invalid", "temp"))


def test_one_of_several_brokers_is_enough() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        reached(Kafka(f"127.0.0.1:{free_port()},127.0.0.1:{port}", "temp"))
        reached(Jdbc(f"jdbc:postgresql://127.0.0.1:{port}/plant", "t"), master=f"spark://127.0.0.1:{port}")
    reached(Jdbc("jdbc:h2:mem:x", "t"))  # it is in Java itself


def test_paths_of_this_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = str(tmp_path)
    file = tmp_path / "a.csv"
    file.write_text("x\n", encoding="utf-8")
    reached(Files(here, Form.CSV), Files(f"{here}/gone/*.csv", Form.CSV), Files("s3a://b/c", Form.CSV))
    reached(to=Files(f"{here}/new/folder", Form.JSON))
    wrong: list[tuple[Files | None, Files | None, type[AntelogError], str]] = [
        (Files(f"{here}/gone.csv", Form.CSV), None, DataError, "gone.csv: there is no such file or folder"),
        (None, Files(f"{file}/out", Form.JSON), OutputError, "a.csv is a file; give a folder"),
    ]
    for source, sink, kind, said in wrong:
        with pytest.raises(kind, match=said):
            reach([source] if source else [], [sink] if sink else [], {}, "local[*]")
    reach([Files("gone.csv", Form.CSV)], [], {"spark.hadoop.fs.defaultFS": "hdfs://head"}, "local[*]")
    reached(Files("gone.csv", Form.CSV), master="yarn")
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(DataError, match=r"a\.csv: no permission to read it"):
        reached(Files(str(file), Form.CSV))
    with pytest.raises(OutputError, match="out: no permission to write into"):
        reached(to=Files(f"{here}/out", Form.JSON))


DATA = b"\xef\xbb\xbfdevice,level\r\n  \n\nwt1,\xff\rwt2,\xc3\xa4\x0c\n\twt3\nlast,1"
LINES = ["device,level", "wt1,\ufffd", "wt2,ä\x0c", "\twt3", "last,1"]


def _jobs(spark: SparkSession) -> int:
    return len(spark.sparkContext.statusTracker().getJobIdsForGroup(None))


@pytest.mark.parametrize("count", [2, 20])
@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz", "a [1].csv"])
def test_first_lines_are_the_same_without_a_job(
    spark: SparkSession, tmp_path: Path, name: str, count: int
) -> None:
    path = tmp_path / name
    path.write_bytes(gzip.compress(DATA) if name.endswith(".gz") else DATA)
    asked = str(path).replace("[", r"\[").replace("]", r"\]")
    before = _jobs(spark)
    assert folders.head(spark, asked, count) == LINES[:count]
    assert (_jobs(spark) == before) == (name == "a.csv")
