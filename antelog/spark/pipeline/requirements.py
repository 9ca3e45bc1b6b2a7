"""Checks before the slow PySpark is imported: Java, PySpark's version, who has the checkpoint."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import warnings
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote

from antelog.errors import OutputError, StateError, UnsupportedError
from antelog.lazily import brought_by
from antelog.writing import claimed

_OLDEST_JAVA = 17
_OLDEST, _TOO_NEW = (4, 1), (5, 0)  # the first version of PySpark that works, and the first that may not
_ADVICE = (
    f"Spark runs on Java {_OLDEST_JAVA} or later: install one (Debian: apt install openjdk-17-jre-headless, "
    "macOS: brew install openjdk@17, anywhere: adoptium.net), and let JAVA_HOME name its folder if it "
    "is not on the PATH. In antelog's own folder, `make demo` puts one into .venv without root. "
    "`antelog try` needs no Java."
)

PANDAS_WARNING = "PySpark does not yet fully support pandas"


def ignore_pandas() -> None:
    """Silences PySpark's warning of pandas 3 at each start: no fact passes through pandas."""
    warnings.filterwarnings("ignore", PANDAS_WARNING, FutureWarning)


def require_java(environment: MutableMapping[str, str] = os.environ) -> None:
    """Raises UnsupportedError if Spark would find no Java, or one that is too old; may set JAVA_HOME."""
    java = _executable(environment)
    if java is None:
        raise UnsupportedError(f"there is no Java on this machine. {_ADVICE}")
    try:
        done = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UnsupportedError(f"the Java at {java} does not start ({error}). {_ADVICE}") from None
    said = done.stderr + done.stdout
    version = re.search(r'version "(?:1\.)?(\d+)', said)
    if done.returncode or version is None:
        raise UnsupportedError(f"the Java at {java} does not start ({said.strip()[:200]}). {_ADVICE}")
    if int(version[1]) < _OLDEST_JAVA:
        raise UnsupportedError(f"the Java at {java} is version {version[1]}, too old. {_ADVICE}")


def _executable(environment: MutableMapping[str, str]) -> str | None:
    """The Java of JAVA_HOME, of `make setup`, or else the first one on the PATH."""
    if not environment.get("JAVA_HOME"):
        with suppress(OSError):
            noted = Path(sys.prefix, "java-home").read_text(encoding="utf-8").strip()
            if Path(noted, "bin", "java").exists():
                environment["JAVA_HOME"] = noted
    if home := environment.get("JAVA_HOME"):
        java = Path(home, "bin", "java")
        if not java.exists():
            raise UnsupportedError(f"JAVA_HOME is {home}, and there is no Java in it. {_ADVICE}")
        return str(java)
    return shutil.which("java", path=environment.get("PATH", ""))


def require_pyspark() -> None:
    """Raises UnsupportedError if there is a PySpark, and it is too old or too new."""
    version = pyspark_version()
    if not version:
        return
    major, minor = (int(number) for number in re.findall(r"\d+", version)[:2])
    if not _OLDEST <= (major, minor) < _TOO_NEW:
        why = "too old: its streams cannot keep state in Python" if (major, minor) < _OLDEST else "too new"
        raise UnsupportedError.of("session.version", version=version, why=why, bring=brought_by("spark"))


def pyspark_version() -> str:
    """PySpark's version; empty if there is none."""
    if (loaded := sys.modules.get("pyspark")) is not None:
        return str(loaded.__version__)
    found = find_spec("pyspark")
    if found is None or found.origin is None:
        return ""
    file = Path(found.origin).with_name("version.py")
    if not file.exists():  # it is in an archive, as spark-submit has it
        return str(import_module("pyspark").__version__)
    text = file.read_text(encoding="utf-8")
    version = re.search(r'__version__[^=\n]*= *["\']([^"\']+)', text)
    return version[1] if version else ""


# ---- one process for each checkpoint ----

# In a folder of this machine a file is locked; the system unlocks it when the process ends, however it does.
# Elsewhere (s3a, hdfs) Spark itself notices a second process, when that writes its first batch.

LOCK = "antelog.lock"  # the file in a checkpoint that names the process which has it


@contextmanager
def locked(checkpoint: str) -> Iterator[None]:
    """Locks the checkpoint for this process. Raises StateError if another living one has it."""
    folder = local_folder(checkpoint)
    if folder is None:
        yield
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = Path(folder, LOCK).open("a+", encoding="utf-8")  # noqa: SIM115 - it stays open below
    except OSError as error:
        raise OutputError(f"the checkpoint {checkpoint} cannot be written: {error.strerror}") from None
    with file:
        with suppress(OSError):  # a file system without locks; Spark will notice
            if not claimed(file.fileno()):
                file.seek(0)
                who = file.read().strip() or "another process"
                number = re.match(r"process (\d+)", who)
                kill = f" (kill {number[1]})" if number else ""
                raise StateError.of("checkpoint.in-use", checkpoint=checkpoint, who=who, kill=kill)
            now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
            file.truncate(0)
            file.write(f"process {os.getpid()} on {socket.gethostname()} since {now}\n")
            file.flush()
        yield


def local_folder(place: str) -> Path | None:
    """The local folder of a path of Spark's; None if it is elsewhere or unknown."""
    scheme = re.match(r"(\w[\w+.-]*):/", place)
    if scheme is not None:
        return Path(unquote(re.sub("^file:/+", "/", place))) if scheme[1] == "file" else None
    # Without a scheme it is where Hadoop's settings say, if there are any.
    return None if os.environ.get("HADOOP_CONF_DIR") else Path(place)
