"""Whether there is a Java for Spark, found out before Spark starts and fails in its own words."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import MutableMapping
from pathlib import Path

from antelog.errors import UnsupportedError

OLDEST = 17
_ADVICE = (
    f"Spark runs on Java {OLDEST} or later: install one (Debian: apt install openjdk-17-jre-headless, "
    "macOS: brew install openjdk@17, anywhere: adoptium.net), and let JAVA_HOME name its folder if it "
    "is not on the PATH. In antelog's own folder, `make demo` puts one into .venv without root. "
    "`antelog try` needs no Java."
)


def require_java(environment: MutableMapping[str, str] = os.environ) -> str:
    """The version of the Java that Spark will find, like `17.0.15`.

    Raises UnsupportedError if it would find none, or one that is too old. If JAVA_HOME is not set, and
    `make setup` has noted a Java beside this Python, it becomes that one.
    """
    java = _executable(environment)
    if java is None:
        raise UnsupportedError(f"there is no Java on this machine. {_ADVICE}")
    try:
        done = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UnsupportedError(f"the Java at {java} does not start ({error}). {_ADVICE}") from None
    said = done.stderr + done.stdout
    version = re.search(r'version "((?:1\.)?(\d+)[^"]*)"', said)
    if done.returncode or version is None:
        raise UnsupportedError(f"the Java at {java} does not start ({said.strip()[:200]}). {_ADVICE}")
    if int(version[2]) < OLDEST:
        raise UnsupportedError(f"the Java at {java} is version {version[2]}, too old. {_ADVICE}")
    return version[1]


def _executable(environment: MutableMapping[str, str]) -> str | None:
    """The Java Spark would start: that of JAVA_HOME, which may not exist, or else the first on the PATH."""
    if not environment.get("JAVA_HOME") and (home := _of_setup()) is not None:
        environment["JAVA_HOME"] = home
    if home := environment.get("JAVA_HOME"):
        java = Path(home, "bin", "java")
        if not java.exists():
            raise UnsupportedError(f"JAVA_HOME is {home}, and there is no Java in it. {_ADVICE}")
        return str(java)
    return shutil.which("java", path=environment.get("PATH", ""))


def _of_setup() -> str | None:
    """The home of the Java that `make setup` has noted in this virtual environment."""
    try:
        home = Path(sys.prefix, "java-home").read_text(encoding="utf-8").strip()
    except OSError:
        return None
    return home if Path(home, "bin", "java").exists() else None
