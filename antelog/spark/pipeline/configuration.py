"""Spark's settings for a pipeline: those of the user, those its endpoints need, and Java's options."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from glob import iglob
from itertools import chain, islice
from math import gcd
from pathlib import Path

from antelog.errors import UnsupportedError
from antelog.run.address import Files, Jdbc
from antelog.run.sources.kafka import Kafka
from antelog.secrets import NAMES, redacted
from antelog.spark.endpoints.endpoints import Sink, Source
from antelog.spark.pipeline.requirements import pyspark_version
from antelog.spark.settings import LOOPBACK, SETTINGS, editions, master_of, short

_KAFKA = "org.apache.spark:spark-sql-kafka-0-10_2.13"
_POSTGRES = "org.postgresql:postgresql:42.7.7"
# Settings and variables that ask for Spark Connect, by this value or, where it is empty, by any.
_CONNECT = {"spark.remote": "", "SPARK_REMOTE": "", "spark.api.mode": "connect", "SPARK_API_MODE": "connect"}
JAVA_OPTIONS = "spark.driver.defaultJavaOptions"
_METASPACE = "-XX:MetaspaceSize=256m"  # what classes may take before Java collects garbage because of them
# The quick compiler only, for short runs; by default it has less room, and writes to stdout if that is full.
QUICK = f"-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m {_METASPACE}"
# For longer runs both compilers, the thorough one after ten times as many calls and turns as by default: code
# that plans micro-batches would keep it busy for a third of the first minutes.
_OFTEN = {"Invocation": 50_000, "MinInvocation": 6_000, "Compile": 150_000, "BackEdge": 400_000}
LASTING = " ".join([_METASPACE, *(f"-XX:Tier4{what}Threshold={count}" for what, count in _OFTEN.items())])
SMALL, FEW = 4 << 20, 1_000  # the most bytes and files of a run that is taken to be short


def settings_of(
    endpoints: Iterable[Source | Sink],
    *,
    buckets: int,
    master: str | None = None,
    conf: Mapping[str, str] | None = None,
    once: Collection[Source] = (),
) -> dict[str, str]:
    """Spark's settings; those of `conf` win. Raises UnsupportedError for Spark Connect."""
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
        "spark.executorEnv.PYTHONSAFEPATH": "1",  # as in `session`, on other machines
    }
    if master.startswith("local"):
        # One partition for each core, as far as the buckets can be dealt out evenly.
        given_cores = re.match(r"local\[(\d+)", master)
        cores = int(given_cores[1]) if given_cores else 1 if master == "local" else os.cpu_count() or 1
        counts = range(1, min(cores, buckets) + 1)
        found["spark.sql.shuffle.partitions"] = str(max(gcd(buckets, count) for count in counts))
        found["spark.ui.enabled"] = "false"
        found[JAVA_OPTIONS] = QUICK if once and _are_small(once) else LASTING
        found["spark.driver.bindAddress"] = found["spark.driver.host"] = LOOPBACK
    # Packages that Spark has to download, unless the user's settings have them already.
    names = ("spark.jars", "spark.jars.packages", "spark.driver.extraClassPath")
    brought = " ".join(given.get(name, "") for name in names)
    endpoints, packages = list(endpoints), list[str]()
    if any(isinstance(each, Kafka) for each in endpoints):
        version = pyspark_version()
        packages.append(editions().get(short(version), {}).get("kafka", f"{_KAFKA}:{version}"))
    if any(isinstance(each, Jdbc) and each.url.startswith("jdbc:postgresql:") for each in endpoints):
        packages.append(_POSTGRES)
    wanted = [each for each in packages if each.split(":")[1] not in brought]
    if wanted:
        given["spark.jars.packages"] = ",".join(filter(None, [given.get("spark.jars.packages"), *wanted]))
    return {**found, **given}


def _refuse_connect(conf: Mapping[str, str]) -> None:
    """Raises UnsupportedError if settings ask for Spark Connect, whose driver is not in this process."""
    for name, asking in _CONNECT.items():
        value = conf.get(name) or os.environ.get(name)
        if value and asking in ("", value.lower()):
            raise UnsupportedError.of("session.connect", name=name, value=redacted(value))


# ---- how much there is to read ----


def _are_small(sources: Collection[Source]) -> bool:
    """Whether the sources are a few small files of this machine."""
    total = 0
    for source in sources:
        found = list(islice(_sizes(source.path), FEW + 1)) if isinstance(source, Files) else []
        total += sum(found)
        if not 0 < len(found) <= FEW or total > SMALL:
            return False
    return True


def _sizes(pattern: str) -> Iterator[int]:
    """The size in bytes of each local file that matches the pattern."""
    for path in map(Path, iglob(pattern)):  # noqa: PTH207 - a pattern may begin at the root
        for each in chain([path], path.rglob("*")):
            with suppress(OSError):
                if each.is_file():
                    yield each.stat().st_size
