"""Where facts come from and where changes go, as data.

    Source = Files | Kafka | Jdbc | Table | Rate
    Sink   = Files | Kafka | Jdbc | Table | Console

Nothing here needs Spark, so that what is wrong with an endpoint is said before Spark starts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

from antelog.secrets import redacted

FileForm: TypeAlias = Literal["csv", "json", "parquet"]
TableForm: TypeAlias = Literal["delta", "iceberg"]

_DRIVERS = {
    "postgresql": "org.postgresql.Driver",
    "mysql": "com.mysql.cj.jdbc.Driver",
    "mariadb": "org.mariadb.jdbc.Driver",
    "sqlserver": "com.microsoft.sqlserver.jdbc.SQLServerDriver",
    "oracle": "oracle.jdbc.OracleDriver",
    "h2": "org.h2.Driver",
    "sqlite": "org.sqlite.JDBC",
}


@dataclass(frozen=True)
class Files:
    """A file, a folder or a glob; `form` is Spark's name for the form of the files."""

    path: str
    form: FileForm

    def __str__(self) -> str:
        return self.path


@dataclass(frozen=True)
class Kafka:
    """A topic; `options` go to Spark as they are, except that `starting` is where a new stream begins.

    Its representation is without options, which may have passwords among them.
    """

    servers: str
    topic: str
    values: Literal["json", "csv"] = "json"
    starting: Literal["earliest", "latest"] = "earliest"
    options: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        return f"kafka://{self.servers}/{self.topic}"

    __repr__ = __str__


@dataclass(frozen=True)
class Jdbc:
    """A table of a database; a source may also be a query in parentheses.

    `options` go to the driver: user, password and the like, which the representation is without.
    """

    url: str
    table: str
    options: tuple[tuple[str, str], ...] = ()

    @property
    def properties(self) -> dict[str, str]:
        """What Spark is told besides: the driver, which Java does not find among jars that came later."""
        kind = self.url.split(":")[1]
        return {**({"driver": _DRIVERS[kind]} if kind in _DRIVERS else {}), **dict(self.options)}

    def __str__(self) -> str:
        address = re.split("[?;]", self.url, maxsplit=1)[0]
        return redacted(f"{address}#{self.table}")

    __repr__ = __str__


@dataclass(frozen=True)
class Table:
    """A Delta or Iceberg table by its folder or name."""

    form: TableForm
    name: str

    @property
    def is_folder(self) -> bool:
        """Whether the name is that of a folder: it has a slash in it then."""
        return "/" in self.name

    def __str__(self) -> str:
        return f"{self.form}:{self.name}"


@dataclass(frozen=True)
class Rate:
    """Made-up facts for trying out: so many a second, about so many different things."""

    rows: int
    keys: int = 10

    def __str__(self) -> str:
        return f"rate://{self.rows}?keys={self.keys}"


@dataclass(frozen=True)
class Console:
    """Standard output, for people."""

    def __str__(self) -> str:
        return "console"


Source: TypeAlias = Files | Kafka | Jdbc | Table | Rate
Sink: TypeAlias = Files | Kafka | Jdbc | Table | Console
