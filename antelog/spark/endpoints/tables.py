"""The states of answers, and tables of Delta, Iceberg and databases: changes are appended, states are merged.

A batch that comes again changes nothing: Delta knows the last batch of a run, Iceberg has it as a property of
a snapshot, and in a database the rows of the batch are replaced in one transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from py4j.java_gateway import JavaObject
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f

from antelog.engine.step.query import DECIDED, STILL_OPEN
from antelog.errors import DataError, UnsupportedError
from antelog.forecast.columns import LIKELY, UNLIKELY
from antelog.language.moments import TIME, timed
from antelog.run.address import Jdbc, Table
from antelog.run.values import SettingError
from antelog.spark.bucket.unpacking import SINCE, STATUS
from antelog.spark.endpoints.endpoints import BATCH, RUN, TABLES, properties_of
from antelog.spark.endpoints.folders import file_system
from antelog.spark.failures import explaining_lost_java, require_changes
from antelog.spark.job.job import OTHERS
from antelog.spark.settings import quoted

FIRST = {SINCE: "tick", timed(SINCE): TIME}  # are about the first line of an answer, not about the newest


def key_of(names: Sequence[str]) -> list[str]:
    """The columns that name an answer, among those of changes or states."""
    return [name for name in ("query", "answer", OTHERS) if name in names]


@explaining_lost_java()
def newest(changes: DataFrame, *, columns: Sequence[str] | None = None) -> DataFrame:
    """The state of each answer that a batch of changes is about, a row for each.

    In place of `change` there is `status`: `open`, `confirmed`, `rejected` or `closed`. Two columns are
    added: `since`, the tick of the first line in the batch, and, where ticks have times, `since_time`. In
    `others` there is an empty list in place of null. Give `columns`, their names, in a declarative pipeline,
    where Spark does not tell them.
    """
    names = changes.columns if columns is None else [*columns]
    require_changes(names)
    if columns is None and changes.isStreaming:
        raise DataError.of("tables.no-newest")
    key = key_of(names)
    # Null would have to be compared in a way of its own, which not all databases have.
    rows = changes.withColumn(OTHERS, f.coalesce(OTHERS, f.array())) if OTHERS in names else changes
    line = f.struct(*(f.col(quoted(name)) for name in names if name not in key))
    first = {since: each for since, each in FIRST.items() if each in names}
    # An alert comes after the change of the same tick that it is about.
    place = f.struct("tick", f.col("change").isin(LIKELY, UNLIKELY))
    found = rows.groupBy(*key).agg(
        f.max_by(line, place).alias("line"), *(f.min(each).alias(since) for since, each in first.items())
    )
    return found.select(*(column for name in names for column in _columns(name, key, first)))


def _columns(name: str, key: Sequence[str], first: Iterable[str]) -> Iterator[Column]:
    if name in key:
        yield f.col(name)
    elif name == "change":
        kind = f.col("line.change")
        yield f.when(kind.isin(*DECIDED), kind).otherwise(STILL_OPEN).alias(STATUS)
        yield from map(f.col, first)
    else:
        yield f.col(f"line.{quoted(name)}").alias(name)


# ---- tables of Delta and Iceberg ----

_CAME = "came "  # the prefix of columns with new values; no variable has a space


def append_rows(frame: DataFrame, table: Table, run: str, batch: int | None) -> None:
    """Appends rows to a table, which is created if there is none."""
    if table.form == "delta":
        writer = frame.write.format(table.form).mode("append")
        if batch is not None:
            writer = writer.option("txnAppId", run).option("txnVersion", batch)
        writer.save(table.name) if table.is_folder else writer.saveAsTable(table.name)
        return
    _create(frame, table)
    # Iceberg does not know which batches it has, but each snapshot does.
    snapshots = frame.sparkSession.table(f"{table.name}.snapshots").where(f.col("summary")[RUN] == run)
    if batch is None or snapshots.where(f.col("summary")[BATCH].cast("bigint") >= batch).isEmpty():
        properties = {RUN: run, BATCH: str(batch)}
        options = {f"snapshot-property.{name}": value for name, value in properties.items()}
        frame.writeTo(table.name).options(**options).append()


def merge(changes: DataFrame, into: str) -> None:
    """Merges a batch of changes into a table of Delta or Iceberg, which has a row for each answer.

    `into` is `delta:NAME`, `delta:./FOLDER` or `iceberg:CATALOG.TABLE`. If there is no such table, it is
    created with the columns of `newest`.
    """
    try:
        table = TABLES.read(into)
    except SettingError as error:
        raise DataError(str(error)) from None
    merge_rows(newest(changes), table)


def merge_rows(states: DataFrame, table: Table) -> None:
    """Merges states into a table, which is created if there is none; a newer state is not replaced."""
    _create(states, table)
    target = table.name
    if table.is_folder:
        folder = table.name
        try:  # SQL needs an absolute path
            system, path = file_system(states.sparkSession, folder)
            folder = str(system.makeQualified(path).toString())
        except UnsupportedError:  # Spark Connect
            folder = folder if ":" in folder else str(Path(folder).absolute())
        target = f"{table.form}.{quoted(folder)}"
    if STATUS not in states.sparkSession.table(target).columns:
        raise DataError.of("tables.no-status", table=table, status=STATUS)
    key = key_of(states.columns)
    came = states.select(*(f.col(quoted(name)).alias(_CAME + name) for name in states.columns))
    # A statement of SQL would need a view, in which Spark 4.1 does not find the tables that states rest on.
    merging = came.mergeInto(target, f.expr(" AND ".join(f"{quoted(name)} = {_new(name)}" for name in key)))
    updates = {
        name: f"least({quoted(name)}, {_new(name)})" if name in FIRST else _new(name)
        for name in states.columns
        if name not in key
    }
    merging = merging.whenMatched(f.expr(f"{_new('tick')} >= tick")).update(
        {quoted(name): f.expr(update) for name, update in updates.items()}
    )
    merging.whenNotMatched().insert({quoted(name): f.expr(_new(name)) for name in states.columns}).merge()


def _new(name: str) -> str:
    return quoted(_CAME + name)


def _create(rows: DataFrame, table: Table) -> None:
    writer = rows.limit(0).write.format(table.form).mode("ignore")
    writer.save(table.name) if table.is_folder else writer.saveAsTable(table.name)


# ---- tables of databases, by standard SQL ----


def append_to_database(rows: DataFrame, sink: Jdbc, run: str, batch: int) -> None:
    rows = rows.withColumn(RUN, f.lit(run)).withColumn(BATCH, f.lit(batch).cast("bigint"))
    with _moved(rows, sink, run) as (connection, _):
        quote = _quoter(connection)
        of_batch = f"{quote(RUN)} = ? AND {quote(BATCH)} = ?"
        out = connection.prepareStatement(f"DELETE FROM {sink.table} WHERE {of_batch}")
        out.setString(1, run)
        out.setLong(2, batch)
        out.executeUpdate()


def merge_into_database(states: DataFrame, sink: Jdbc, run: str) -> None:
    """Writes states of answers in plain columns, in place of older ones of the same answers."""
    with _moved(states, sink, run) as (connection, second):
        statement, quote = connection.createStatement(), _quoter(connection)
        for each in merging(sink.table, second, states.columns, quote):
            statement.executeUpdate(each)


def merging(target: str, second: str, columns: Sequence[str], quote: Callable[[str], str]) -> Iterator[str]:
    """Statements that keep the newer states in the second table, and delete their answers from the target."""
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
    """A transaction that ends by moving the rows from a second table, which all tasks write, to the sink."""
    # A name for each run, and not too long for any database.
    second = f"{sink.table}_{run.replace('-', '')[:8]}"
    rows.limit(0).write.mode("append").jdbc(sink.url, sink.table, properties=properties_of(sink))
    rows.write.mode("overwrite").jdbc(sink.url, second, properties=properties_of(sink))
    jvm = rows.sparkSession.sparkContext._jvm
    assert jvm is not None
    settings = jvm.java.util.HashMap(properties_of(sink))
    options = jvm.org.apache.spark.sql.execution.datasources.jdbc.JDBCOptions(
        sink.url, sink.table, jvm.scala.jdk.CollectionConverters.MapHasAsScala(settings).asScala().toMap(None)
    )
    dialect = jvm.org.apache.spark.sql.jdbc.JdbcDialects.get(sink.url)
    # Spark makes the connection, as it finds the drivers.
    with closing(dialect.createConnectionFactory(options).apply(-1)) as connection:
        connection.setAutoCommit(False)
        yield connection, second
        columns = ", ".join(map(_quoter(connection), rows.columns))
        statement = connection.createStatement()
        statement.executeUpdate(f"INSERT INTO {sink.table} ({columns}) SELECT {columns} FROM {second}")
        connection.commit()
        statement.executeUpdate(f"DROP TABLE {second}")
        connection.commit()


def _quoter(connection: JavaObject) -> Callable[[str], str]:
    mark = connection.getMetaData().getIdentifierQuoteString().strip()
    return lambda name: f"{mark}{name}{mark}"
