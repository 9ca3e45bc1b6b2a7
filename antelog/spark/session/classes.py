"""The classes that Java loads for Spark, kept in one file that it starts from: then it works half as much.

Comes in: the settings of a session. Goes out: the same, with the file that was made for this Java and this
PySpark, if there is one. It is made by `antelog prepare` only, for it takes 170 MB and half a minute. Nothing
fails for it: Java passes over a file that is damaged, or was made for other classes.

    ~/.cache/antelog/spark-4.3.0-java-17.0.15-1f0c5a9e77b2.jsa
"""

from __future__ import annotations

import hashlib
import os
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path

from antelog.spark.session.compilers import JAVA_OPTIONS
from antelog.spark.session.versions import pyspark_folder, pyspark_version

EXTRA_OPTIONS = "spark.driver.extraJavaOptions"
MAKE = "-XX:ArchiveClassesAtExit="
MAKING = 600.0
"""Seconds in which Java has to write the file when it ends."""
_USE = "-XX:SharedArchiveFile="
_OPINIONS = (MAKE, _USE, "-Xshare", "-XX:+AutoCreateSharedArchive", "-XX:AOT")
"""Options by which a user says other things of archives; two that are against one another stop Java."""
_VARIABLES = ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS", "PYSPARK_SUBMIT_ARGS")
"""Variables in which there may be such options, too."""


def archive_of(java: str) -> Path:
    """The file for a version of Java and this PySpark, whether it is there or not."""
    return _folder() / f"spark-{pyspark_version()}-java-{java}-{_environment()}.jsa"


def archives() -> Iterator[Path]:
    """The files that were made for this PySpark, with whatever Java."""
    return _folder().glob(f"spark-*-{_environment()}.jsa")


def with_archive(settings: Mapping[str, str], java: str) -> Mapping[str, str]:
    """The settings of a session, with the file if there is one, and a user says nothing of archives."""
    archive = archive_of(java)
    if not settings["spark.master"].startswith("local") or not archive.is_file() or _has_opinion(settings):
        return settings
    options = f"{settings.get(JAVA_OPTIONS, '')} {_USE}{shlex.quote(str(archive))}".lstrip()
    return {**settings, JAVA_OPTIONS: options}


def is_made_by(settings: Mapping[str, str]) -> bool:
    """Whether Java was asked to make such a file when it ends, which takes it some time."""
    return MAKE in settings.get(EXTRA_OPTIONS, "")


def _has_opinion(settings: Mapping[str, str]) -> bool:
    said = [settings.get(EXTRA_OPTIONS, ""), *(os.environ.get(name, "") for name in _VARIABLES)]
    return any(option in text for option in _OPINIONS for text in said)


def _folder() -> Path:
    """Where a user's programs keep what they can make again."""
    known = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(known) if Path(known).is_absolute() else Path("~/.cache").expanduser()) / "antelog"


def _environment() -> str:
    """What tells one PySpark from another: classes are known by the files they are in."""
    home = os.environ.get("SPARK_HOME") or pyspark_folder()
    return hashlib.sha256(str(home).encode()).hexdigest()[:12]
