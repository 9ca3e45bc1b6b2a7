"""The addresses that Spark reads and writes; needs no PySpark.

Source = Files | Kafka | Jdbc | Table | Rate
Sink   = Files | Kafka | Jdbc | Table | Console
"""

from __future__ import annotations

from typing import TypeAlias

from antelog.run.address import Console, Files, Jdbc, Kafka, Posted, Rate, Reach, Standard, Table

Source: TypeAlias = Files | Kafka | Jdbc | Table | Rate
Sink: TypeAlias = Files | Kafka | Jdbc | Table | Console

_RUN = "`antelog run`"
SOURCES: Reach[Source] = Reach(
    _RUN,
    "read",
    (Files, Kafka, Jdbc, Table, Rate),
    {
        Console: "Give a path, a topic or a table.",
        Standard: "Follow it with `antelog watch`, or give a path, a topic or a table.",
        Posted: "Post them to `antelog watch`, or give a path, a topic or a table.",
    },
    config=False,
)
SINKS: Reach[Sink] = Reach(
    _RUN,
    "write",
    (Files, Kafka, Jdbc, Table, Console),
    {Rate: "Give console, a folder, a topic or a table.", Standard: "Write console for standard output."},
    config=False,
)

TABLES: Reach[Table] = Reach("antelog.spark.merge", "write", (Table,))

RUN, BATCH = "antelog_run", "antelog_batch"
"""The pipeline that wrote a row, and its batch: columns, headers of messages, properties of snapshots."""

_DRIVERS = {
    "postgresql": "org.postgresql.Driver",
    "mysql": "com.mysql.cj.jdbc.Driver",
    "mariadb": "org.mariadb.jdbc.Driver",
    "sqlserver": "com.microsoft.sqlserver.jdbc.SQLServerDriver",
    "oracle": "oracle.jdbc.OracleDriver",
    "h2": "org.h2.Driver",
    "sqlite": "org.sqlite.JDBC",
}


def properties_of(table: Jdbc) -> dict[str, str]:
    """The options for Spark, with the driver's class, which Java does not find in jars added later."""
    kind = table.url.split(":")[1]
    return {**({"driver": _DRIVERS[kind]} if kind in _DRIVERS else {}), **dict(table.options)}
