"""The settings of a session, made before Spark is imported: what a user gives, and what endpoints need.

Comes in: sources, sinks, buckets, a master and settings that are given. Goes out: settings by their names.
Java is started with them while Python still imports PySpark, so that nothing here needs it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from math import gcd

from antelog.errors import UnsupportedError
from antelog.run.address import Jdbc, Kafka
from antelog.secrets import NAMES, redacted
from antelog.spark.endpoints.endpoints import Sink, Source
from antelog.spark.session.compilers import JAVA_OPTIONS, LASTING
from antelog.spark.session.versions import pyspark_version
from antelog.spark.settings import LOOPBACK, SETTINGS, master_of

_SCALA = "2.13"
_POSTGRES = "org.postgresql:postgresql:42.7.7"
_CONNECT = {"spark.remote": "", "SPARK_REMOTE": "", "spark.api.mode": "connect", "SPARK_API_MODE": "connect"}
"""Settings and variables that ask for Spark Connect: by this value, or by any if it is empty."""
DAEMON = "antelog.spark.daemon"
"""What starts the workers of this machine, which then need not import everything each for itself."""


def settings_of(
    endpoints: Iterable[Source | Sink],
    *,
    buckets: int,
    master: str | None = None,
    conf: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """Spark's settings: those given win. Raises UnsupportedError for Spark Connect."""
    given = dict(conf or {})
    _refuse_connect(given)
    master = master_of(master, given)
    found = {
        **SETTINGS,
        "spark.master": master,
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": str(buckets),
        "spark.ui.showConsoleProgress": "false",
        # With this, Spark would not share its workers between kinds of functions, and start twice as many.
        "spark.sql.execution.pyspark.udf.simplifiedTraceback.enabled": "false",
        "spark.redaction.regex": NAMES,
    }
    if master.startswith("local"):
        # One partition for each core, as far as the buckets can be dealt out evenly.
        found["spark.sql.shuffle.partitions"] = str(_partitions(buckets, _cores(master)))
        found["spark.ui.enabled"] = "false"
        found[JAVA_OPTIONS] = LASTING
        found["spark.python.daemon.module"] = DAEMON
        found["spark.driver.bindAddress"] = found["spark.driver.host"] = LOOPBACK
    wanted = [each for each in _packages(endpoints) if not _brought(each, given)]
    if wanted:
        given["spark.jars.packages"] = ",".join(filter(None, [given.get("spark.jars.packages"), *wanted]))
    return {**found, **given}


def _cores(master: str) -> int:
    match = re.match(r"local\[(\d+)", master)
    return int(match[1]) if match else 1 if master == "local" else os.cpu_count() or 1


def _partitions(buckets: int, cores: int) -> int:
    return max(gcd(buckets, count) for count in range(1, min(cores, buckets) + 1))


def _packages(endpoints: Iterable[Source | Sink]) -> Iterator[str]:
    """What Spark has to fetch for the endpoints."""
    endpoints = list(endpoints)
    if any(isinstance(each, Kafka) for each in endpoints):
        yield f"org.apache.spark:spark-sql-kafka-0-10_{_SCALA}:{pyspark_version()}"
    if any(isinstance(each, Jdbc) and each.url.startswith("jdbc:postgresql:") for each in endpoints):
        yield _POSTGRES


def _brought(package: str, given: Mapping[str, str]) -> bool:
    """Whether the user brings a package in a version of their own."""
    artifact = package.split(":")[1]
    names = ("spark.jars", "spark.jars.packages", "spark.driver.extraClassPath")
    return any(artifact in given.get(name, "") for name in names)


def _refuse_connect(conf: Mapping[str, str]) -> None:
    """Raises UnsupportedError if the session would be one of Spark Connect, which has no driver here."""
    for name, asking in _CONNECT.items():
        value = conf.get(name) or os.environ.get(name)
        if value and asking in ("", value.lower()):
            raise UnsupportedError(
                f"{name} is {redacted(value)}, which asks for Spark Connect, and the outputs of "
                "`antelog run` need the driver itself. Leave it out and give a cluster's --master, or use "
                "antelog.spark.changes in a Connect session of your own"
            )
