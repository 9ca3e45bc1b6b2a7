"""Tables of databases as sinks: changes are appended, states of answers are merged.

All tasks write to a second table in parallel. From there the rows come into the target in one transaction, so
a reader sees a batch as a whole or not at all, and a batch that comes again changes nothing: rows of its
run and number are replaced, and so are states of its answers. The statements are of standard SQL.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from py4j.java_gateway import JavaObject
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from antelog.run.address import Jdbc
from antelog.spark.endpoints.answer_tables import FIRST, key_of
from antelog.spark.endpoints.endpoints import BATCH, RUN, properties_of


def append_rows(rows: DataFrame, sink: Jdbc, run: str, batch: int) -> None:
    """Writes rows of plain columns, in place of those that the table has of this run and batch."""
    rows = rows.withColumn(RUN, f.lit(run)).withColumn(BATCH, f.lit(batch).cast("bigint"))
    with _moved(rows, sink, run) as (connection, _):
        quote = _quoter(connection)
        of_batch = f"{quote(RUN)} = ? AND {quote(BATCH)} = ?"
        out = connection.prepareStatement(f"DELETE FROM {sink.table} WHERE {of_batch}")
        out.setString(1, run)
        out.setLong(2, batch)
        out.executeUpdate()


def merge_rows(states: DataFrame, sink: Jdbc, run: str) -> None:
    """Writes states of answers in plain columns, in place of older ones of the same answers."""
    with _moved(states, sink, run) as (connection, second):
        statement, quote = connection.createStatement(), _quoter(connection)
        for each in merging(sink.table, second, states.columns, quote):
            statement.executeUpdate(each)


def merging(target: str, second: str, columns: Sequence[str], quote: Callable[[str], str]) -> Iterator[str]:
    """The statements that leave newer states in a second table, and take these answers out of the target."""
    same = " AND ".join(f"{target}.{name} = {second}.{name}" for name in map(quote, key_of(columns)))
    tick = quote("tick")
    yield (
        f"DELETE FROM {second} WHERE EXISTS "
        f"(SELECT 1 FROM {target} WHERE {same} AND {target}.{tick} > {second}.{tick})"
    )
    for name in [quote(each) for each in columns if each in FIRST]:
        earlier = f"FROM {target} WHERE {same} AND {target}.{name} < {second}.{name}"
        yield (
            f"UPDATE {second} SET {name} = (SELECT MIN({target}.{name}) {earlier}) "
            f"WHERE EXISTS (SELECT 1 {earlier})"
        )
    yield f"DELETE FROM {target} WHERE EXISTS (SELECT 1 FROM {second} WHERE {same})"


@contextmanager
def _moved(rows: DataFrame, sink: Jdbc, run: str) -> Iterator[tuple[JavaObject, str]]:
    """A transaction at whose end the rows are in the table; both are made if need be.

    Yields the connection and the name of the second table, which has the rows.
    """
    # As long a name as any database takes, and one for each run, lest two of them meet.
    second = f"{sink.table}_{run.replace('-', '')[:8]}"
    rows.limit(0).write.mode("append").jdbc(sink.url, sink.table, properties=properties_of(sink))
    rows.write.mode("overwrite").jdbc(sink.url, second, properties=properties_of(sink))
    with _connection(rows.sparkSession, sink) as connection:
        yield connection, second
        columns = ", ".join(map(_quoter(connection), rows.columns))
        statement = connection.createStatement()
        statement.executeUpdate(f"INSERT INTO {sink.table} ({columns}) SELECT {columns} FROM {second}")
        connection.commit()
        statement.executeUpdate(f"DROP TABLE {second}")
        connection.commit()


@contextmanager
def _connection(spark: SparkSession, sink: Jdbc) -> Iterator[JavaObject]:
    """A connection made by Spark, which finds the drivers."""
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


def _quoter(connection: JavaObject) -> Callable[[str], str]:
    """A function that puts a name into the quotes of a database."""
    mark = connection.getMetaData().getIdentifierQuoteString().strip()
    return lambda name: f"{mark}{name}{mark}"
