"""Published Java archives and all they need, fetched by the Ivy that Spark brings."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pyspark

from tests.servers import UnavailableError, downloads

_MODULE = """\
<ivy-module version="2.0">
  <info organisation="antelog" module="{name}"/>
  <dependencies>
{dependencies}
  </dependencies>
</ivy-module>
"""
_DEPENDENCY = '    <dependency org="{}" name="{}" rev="{}" conf="{}"/>'
_POSTGRES = "org.postgresql:postgresql:42.7.7"
_CONNECTOR = f"org.apache.spark:spark-sql-kafka-0-10_2.13:{pyspark.__version__}"
_DELTA, _ICEBERG = "4.4.0", "1.12.0"
_OLDER = (
    "org.apache.spark:spark-sql-kafka-0-10_2.13:4.2.0",
    "org.apache.spark:spark-token-provider-kafka-0-10_2.13:4.0.0",
    "org.apache.kafka:kafka-clients:3.9.1",
    "org.apache.commons:commons-pool2:2.12.0",
)
"""A connector for Kafka that works with later versions of Spark, whose own may not be had yet."""


def fetched(name: str, coordinates: Sequence[str], *, alone: bool = False) -> list[Path]:
    """The archives of some coordinates, `group:artefact:version`, and all they need unless they are alone.

    Raises UnavailableError.
    """
    target = downloads() / name
    if not (target / "complete").exists():
        if shutil.which("java") is None:
            raise UnavailableError("there is no Java on this machine")
        target.mkdir(exist_ok=True)
        module = target / "ivy.xml"
        dependencies = "\n".join(
            _DEPENDENCY.format(*each.split(":"), "default->master" if alone else "default")
            for each in coordinates
        )
        module.write_text(_MODULE.format(name=name, dependencies=dependencies))
        (ivy,) = Path(pyspark.__file__).parent.glob("jars/ivy-*.jar")
        command = [
            *("java", "-jar", str(ivy), "-cache", str(downloads() / "ivy"), "-types", "jar", "bundle"),
            *("-ivy", str(module), "-retrieve", f"{target}/[artifact]-[revision].[ext]"),
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
        said = done.stdout + done.stderr
        if done.returncode or "UNRESOLVED" in said or "FAILED DOWNLOADS" in said:
            raise UnavailableError(f"{', '.join(coordinates)} cannot be downloaded: {said[-500:]}")
        (target / "complete").touch()
    return sorted(target.glob("*.jar"))


def for_postgres() -> list[Path]:
    """What Spark needs to write to PostgreSQL."""
    return fetched("postgresql-driver", [_POSTGRES])


def for_kafka() -> list[Path]:
    """What Spark needs to read and write topics."""
    try:
        archives = fetched(f"spark-kafka-{pyspark.__version__}", [_CONNECTOR])
    except UnavailableError:
        return fetched("spark-kafka-older", _OLDER, alone=True)
    # The rest is Spark's own, or would be in its way.
    ours = ("spark-sql-kafka", "spark-token-provider-kafka", "kafka-clients", "commons-pool2")
    return [each for each in archives if each.name.startswith(ours)]


def for_delta() -> list[Path]:
    """Delta for the installed Spark. Raises UnavailableError."""
    spark = ".".join(pyspark.__version__.split(".")[:2])
    archives = fetched(f"delta-{spark}", [f"io.delta:delta-spark_{spark}_2.13:{_DELTA}"])
    # The rest is Spark's own, or would be in its way.
    return [each for each in archives if each.name.startswith(("delta-", "unitycatalog-"))]


def for_iceberg() -> list[Path]:
    """Iceberg for the installed Spark. Raises UnavailableError."""
    spark = ".".join(pyspark.__version__.split(".")[:2])
    return fetched(f"iceberg-{spark}", [f"org.apache.iceberg:iceberg-spark-runtime-{spark}_2.13:{_ICEBERG}"])
