"""A table of a database as a sink: each batch comes in by one transaction.

The rows of a batch are first written to a table beside, by all tasks in parallel. Then one transaction
takes out what the target has of this run and batch, and moves the rows in. Whoever reads sees a batch
as a whole or not at all, and a batch that comes again takes its own place.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from py4j.java_gateway import JavaObject
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from antelog.run.address import Jdbc
from antelog.spark.endpoints.endpoints import properties_of

RUN, BATCH = "antelog_run", "antelog_batch"
"""Columns of the target: which pipeline wrote a row, and in which batch."""


def write_rows(frame: DataFrame, sink: Jdbc, run: str, batch: int) -> None:
    """Put the rows of a batch into the table, which is created if it is not there."""
    spark = frame.sparkSession
    rows = frame.withColumn(RUN, f.lit(run)).withColumn(BATCH, f.lit(batch).cast("bigint"))
    # As long a name as any database takes, and one for each run, lest two of them meet.
    beside = f"{sink.table}_{run.replace('-', '')[:8]}"
    rows.limit(0).write.mode("append").jdbc(sink.url, sink.table, properties=properties_of(sink))
    rows.write.mode("overwrite").jdbc(sink.url, beside, properties=properties_of(sink))
    with _connection(spark, sink) as connection:
        columns = ", ".join(_quoted(connection, name) for name in rows.columns)
        of_batch = f"{_quoted(connection, RUN)} = ? AND {_quoted(connection, BATCH)} = ?"
        out = connection.prepareStatement(f"DELETE FROM {sink.table} WHERE {of_batch}")
        out.setString(1, run)
        out.setLong(2, batch)
        out.executeUpdate()
        statement = connection.createStatement()
        statement.executeUpdate(f"INSERT INTO {sink.table} ({columns}) SELECT {columns} FROM {beside}")
        connection.commit()
        statement.executeUpdate(f"DROP TABLE {beside}")
        connection.commit()


@contextmanager
def _connection(spark: SparkSession, sink: Jdbc) -> Iterator[JavaObject]:
    """A connection of Spark's own making, so that drivers are found where Spark finds them."""
    jvm = spark.sparkContext._jvm
    assert jvm is not None
    settings = jvm.java.util.HashMap(properties_of(sink))
    options = jvm.org.apache.spark.sql.execution.datasources.jdbc.JDBCOptions(
        sink.url, sink.table, jvm.scala.jdk.CollectionConverters.MapHasAsScala(settings).asScala().toMap(None)
    )
    dialect = jvm.org.apache.spark.sql.jdbc.JdbcDialects.get(sink.url)
    connection = dialect.createConnectionFactory(options).apply(-1)
    try:
        connection.setAutoCommit(False)
        yield connection
    finally:
        connection.close()


def _quoted(connection: JavaObject, name: str) -> str:
    mark = connection.getMetaData().getIdentifierQuoteString().strip()
    return f"{mark}{name}{mark}"
