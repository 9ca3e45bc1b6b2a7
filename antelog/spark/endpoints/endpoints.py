"""The addresses that Spark reads and writes, and whether they can be reached; needs no PySpark."""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeAlias

from antelog.errors import DataError, OutputError, UnsupportedError
from antelog.run.address import Console, Files, Jdbc, Posted, Rate, Reach, Standard, Table
from antelog.run.door import SinkAddress, SourceAddress
from antelog.run.sources.kafka import Kafka
from antelog.spark.settings import DRIVERS

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
        SourceAddress: "Follow it with `antelog watch`, or give a path, a topic or a table.",
    },
    config=False,
    systems=True,
)
SINKS: Reach[Sink] = Reach(
    _RUN,
    "write",
    (Files, Kafka, Jdbc, Table, Console),
    {
        **dict.fromkeys((Rate, SinkAddress), "Give console, a folder, a topic or a table."),
        Standard: "Write console for standard output.",
    },
    config=False,
    systems=True,
)

TABLES: Reach[Table] = Reach("antelog.spark.merge", "write", (Table,))

RUN, BATCH = "antelog_run", "antelog_batch"  # names of columns, headers of messages, properties of snapshots


def properties_of(table: Jdbc) -> dict[str, str]:
    """The options for Spark, with the class of the driver, which Java does not find in jars added later."""
    kind = table.url.split(":")[1]
    return {**({"driver": DRIVERS[kind]} if kind in DRIVERS else {}), **dict(table.options)}


# ---- whether they can be reached ----

# Spark tries a broker that is down for a minute, and reports a missing file only after the start of Java.

_PATIENCE = 5.0
_PORTS = {"postgresql": 5432, "mysql": 3306, "mariadb": 3306}
_PATTERN = re.compile(r"[*?\[{\\]")
_ADDRESS = re.compile(r"(\[[^\]]+\]|[^:,/\s]+)(?::(\d+))?")


def reach(sources: Iterable[Source], sinks: Iterable[Sink], conf: Mapping[str, str], master: str) -> None:
    """Raises an AntelogError for the first source, sink or master that cannot be reached."""
    if master.startswith("spark://"):
        _knock(
            master.removeprefix("spark://"), 7077, f"{master}: no master of Spark answers", UnsupportedError
        )
    sources, sinks = list(sources), list(sinks)
    for each in dict.fromkeys((*sources, *sinks)):
        match each:
            case Kafka():
                _knock(each.servers, 9092, f"{each}: no broker of Kafka answers", DataError)
            case Jdbc() if found := re.match(r"jdbc:(\w+)://([^/?;]+)", each.url):
                if found[1] in _PORTS:
                    servers = found[2].rpartition("@")[2]
                    _knock(servers, _PORTS[found[1]], f"{each}: no database answers", DataError)
    if master.startswith("local") and not (
        os.environ.get("HADOOP_CONF_DIR") or "spark.hadoop.fs.defaultFS" in conf
    ):
        for path in _local(sources):
            if _PATTERN.search(path):  # what a pattern fits is for Spark to find
                continue
            if not Path(path).exists():
                raise DataError(f"{path}: there is no such file or folder. Check the path")
            if not os.access(path, os.R_OK):
                raise DataError(f"{path}: no permission to read it. Have the rights given")
        for path in _local(sinks):
            there = Path(path).absolute()
            while not there.exists():
                there = there.parent
            if not there.is_dir():
                raise OutputError(f"{path}: cannot be written, for {there} is a file; give a folder")
            if not os.access(there, os.W_OK):
                raise OutputError(f"{path}: no permission to write into {there}. Give another folder")


def _knock(servers: str, port: int, failed: str, kind: type[DataError | UnsupportedError]) -> None:
    """Raises an error if none of the servers, separated by commas, accepts a connection."""
    found = [(host.strip("[]"), int(at or port)) for host, at in _ADDRESS.findall(servers)]
    if not found:
        return
    with ThreadPoolExecutor(len(found)) as pool:
        why = list(pool.map(_why_not, *zip(*found, strict=True)))
    if None not in why:
        said = ", ".join(f"{host}:{at} ({said})" for (host, at), said in zip(found, why, strict=True))
        raise kind(f"{failed} at {said}. Start it, or check host and port")


def _why_not(host: str, port: int) -> str | None:
    try:
        socket.create_connection((host, port), _PATIENCE).close()
    except socket.gaierror:
        return "no machine of that name is known"
    except TimeoutError:
        return f"nothing came back in {_PATIENCE:.0f} s"
    except OSError as error:
        return (error.strerror or str(error)).lower()
    return None


def _local(endpoints: Iterable[Source | Sink]) -> Iterator[str]:
    for each in endpoints:
        if isinstance(each, Files) and not re.match(r"\w[\w+.-]+:", each.path):
            yield each.path
