"""antelog/spark/failures.py: files that cannot be read."""

import pytest
from pyspark.sql import SparkSession

from antelog.accounts import PARTICULAR
from antelog.spark.endpoints.sinks import commonest
from antelog.spark.failures import is_same, plain, shown, unreadable

SAID = """An error occurred while calling o130.collectToPython.
: org.apache.spark.SparkException: [FAILED_READ_FILE.NO_HINT] Encountered error while reading file {file}. \
 SQLSTATE: KD001
	at org.apache.spark.sql.errors.QueryExecutionErrors$.cannotReadFilesError(QueryExecutionErrors.scala:920)
Caused by: java.util.concurrent.ExecutionException: it failed
	... 3 more
Caused by: {cause}
	at org.apache.parquet.hadoop.ParquetFileReader.readFooter(ParquetFileReader.java:622)
"""
LOCAL, REMOTE = "file:///in/b%20b.parquet", "s3a://plant/in/b.parquet"
DAMAGED = (
    "java.lang.RuntimeException: file:/in/b b.parquet is not a Parquet file. Expected magic number at tail"
)
BROKEN_OFF = "java.net.SocketTimeoutException: Read timed out"


def failure(file: str = LOCAL, cause: str = DAMAGED) -> str:
    return SAID.format(file=file, cause=cause)


@pytest.mark.parametrize(
    ("cause", "damaged"),
    [
        (DAMAGED, True),
        ("java.io.EOFException: Unexpected end of input stream", True),
        ("java.io.EOFException", True),
        ("java.io.IOException: gzip stream CRC failure", True),
        ("java.io.IOException: not a gzip file", True),
        ("java.util.zip.ZipException: invalid block type", True),
        ("org.apache.parquet.io.ParquetDecodingException: could not read page", True),
        ("org.apache.spark.sql.execution.SchemaColumnConvertNotSupportedException: column: [x]", True),
        ("org.apache.hadoop.fs.ChecksumException: Checksum error", True),
        ("java.io.FileNotFoundException: File file:/in/b b.parquet does not exist", False),
        ("java.io.FileNotFoundException: /in/b b.parquet (Permission denied)", False),
        ("org.apache.hadoop.security.AccessControlException: Permission denied", False),
        ("java.net.ConnectException: Connection refused", False),
        (BROKEN_OFF, False),
        ("java.io.IOException: Connection reset by peer", False),
        ("java.lang.OutOfMemoryError: Java heap space", False),
    ],
)
def test_whether_a_file_is_damaged_or_cannot_be_reached(cause: str, damaged: bool) -> None:
    found = unreadable(Exception(failure(cause=cause)))
    assert found is not None
    assert (found.file, found.damaged) == ("file:/in/b%20b.parquet", damaged)


def test_a_file_that_cannot_be_read_is_named() -> None:
    assert plain(Exception(failure())) == (
        "/in/b b.parquet: cannot be read: it is not a Parquet file. Expected magic number at tail"
    )
    assert shown(REMOTE) == REMOTE
    assert unreadable(Exception("the table is gone")) is None
    found = unreadable(Exception(failure()))
    assert found is not None
    assert is_same(found, "file:/in/b b.parquet")
    assert not is_same(found, "file:/in/b.parquet")


def test_of_the_reasons_for_rejects_the_commonest_is_found(spark: SparkSession) -> None:
    details = ["value `a 1` is odd", "lacks x", "value `b` is odd"]
    rejects = spark.createDataFrame(
        [(each, f"row {i}") for i, each in enumerate(details)], "detail string, row string"
    )
    row, count = commonest(rejects, PARTICULAR)
    assert (row["row"], count) == ("row 0", 2)
