"""`python -m benchmarks.compare.install`: get the other engines, into folders that git does not know.

Python's go to an environment of their own, Java's jars to a cache; both at the versions that are pinned here.
Java's need Maven and a JDK. What is not to be had is left out: the measurement says so.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from benchmarks.compare.systems import CACHE, OTHER_PYTHON

HERE = Path(__file__).parent
LIBRARIES = ("esper", "flink", "siddhi")


def main() -> int:
    failed = [] if _python() else ["Python's"]
    if not (shutil.which("mvn") and shutil.which("javac")):
        print(
            "Esper, Flink and Siddhi are left out: they need Maven and a JDK (apt install maven)",
            file=sys.stderr,
        )
        failed.append("Java's")
    else:
        failed += [library for library in LIBRARIES if not _java(library)]
    if failed:
        print(f"not all engines are there: {', '.join(failed)}", file=sys.stderr)
    return 0


def _python() -> bool:
    if not OTHER_PYTHON.exists():
        subprocess.run([sys.executable, "-m", "venv", OTHER_PYTHON.parent.parent], check=True)
    pip: list[str | Path] = [OTHER_PYTHON, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    return subprocess.run([*pip, "--requirement", HERE / "requirements.txt"], check=False).returncode == 0


def _java(library: str) -> bool:
    """Fetch the jars if they are not there, and compile what runs them."""
    place, sources = CACHE / library, HERE / "java"
    if not (place / "jars").exists():
        fetch: list[str | Path] = ["mvn", "--quiet", "--batch-mode", "--file", sources / library / "pom.xml"]
        copy: list[str | Path] = ["dependency:copy-dependencies", f"-DoutputDirectory={place / 'jars'}"]
        if subprocess.run([*fetch, *copy], check=False).returncode:
            return False
    (place / "classes").mkdir(parents=True, exist_ok=True)
    compiler: list[str | Path] = [
        "javac",
        "-proc:none",
        "-cp",
        f"{place / 'jars'}/*",
        "-d",
        place / "classes",
    ]
    files = [sources / "Events.java", *sorted((sources / library).glob("*.java"))]
    return subprocess.run([*compiler, *files], check=False).returncode == 0


if __name__ == "__main__":
    sys.exit(main())
