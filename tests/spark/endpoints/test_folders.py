"""antelog/spark/endpoints/folders.py: the first lines of files, read here or by Spark, are the same."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from antelog.errors import DataError
from antelog.files.naming import Form
from antelog.run.address import Files
from antelog.spark.endpoints import folders

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
    found = list(folders.heads(spark, Files(asked, Form.CSV), count, stream=False))
    assert found == [LINES[:count]]
    assert (_jobs(spark) == before) == (name == "a.csv")


def test_a_file_that_spark_passes_over_is_left_to_it(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "_a.csv").write_bytes(DATA)
    plain = list(folders.heads(spark, Files(str(tmp_path / "_a.csv"), Form.CSV), 2, stream=False))
    assert plain == [[row.value for row in spark.read.text(str(tmp_path / "_a.csv")).limit(2).collect()]]
    with pytest.raises(DataError):
        list(folders.heads(spark, Files(str(tmp_path / "none.csv"), Form.CSV), 2, stream=False))
