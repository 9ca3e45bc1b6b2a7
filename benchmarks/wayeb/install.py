"""`python -m benchmarks.wayeb.install`: get Wayeb's source and its libraries, and build it.

Needs git, Maven and a JDK. Wayeb comes from its repository, or from a clone that `WAYEB_SOURCE` names. Its
licence allows research whose results are public, and no use for business. Nothing of it is kept in this
repository; it is built in a folder that git ignores.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from benchmarks.compare.systems import CACHE

HERE = Path(__file__).parent / "scala"
PLACE = CACHE / "wayeb"
SOURCE = os.environ.get("WAYEB_SOURCE", "https://github.com/ElAlev/Wayeb")
COMMIT = "b58a0cb"
"""Version 0.6.0."""

NEEDED = ("git", "mvn", "java")


def main() -> int:
    missing = [program for program in NEEDED if not shutil.which(program)]
    if missing:
        print(f"Wayeb cannot be built: there is no {', '.join(missing)}", file=sys.stderr)
        return 1
    for step in (_source, _jars, _wayeb, _forecasts):
        if not step():
            print(f"Wayeb could not be built: see the lines above ({step.__name__[1:]})", file=sys.stderr)
            return 1
    print(f"Wayeb is in {PLACE}")
    return 0


def _source() -> bool:
    place = PLACE / "source"
    if place.exists():
        return True
    return _runs("git", "clone", "--quiet", SOURCE, place) and _runs(
        "git", "-C", place, "checkout", "--quiet", COMMIT
    )


def _jars() -> bool:
    if (PLACE / "jars").exists():
        return True
    copy = ("dependency:copy-dependencies", f"-DoutputDirectory={PLACE / 'jars'}")
    return _runs("mvn", "--quiet", "--batch-mode", "--file", HERE / "pom.xml", *copy)


def _wayeb() -> bool:
    """Some three minutes. Its settings go along, its logging does not."""
    classes, main = PLACE / "classes", PLACE / "source" / "cef" / "src" / "main"
    if (classes / "ui").exists():
        return True
    classes.mkdir(exist_ok=True)
    shutil.copy(main / "resources" / "application.conf", classes)
    return _compiled(*sorted((main / "scala").rglob("*.scala")))


def _forecasts() -> bool:
    shutil.copy(HERE / "logback.xml", PLACE / "classes")
    return _compiled(HERE / "Forecasts.scala")


def _compiled(*files: Path) -> bool:
    jars, classes = PLACE / "jars", PLACE / "classes"
    path = ":".join(map(str, (classes, *sorted(jars.glob("*.jar")))))
    # The compiler descends deep into expressions.
    compiler = ("java", "-Xss16m", "-cp", f"{jars}/*", "scala.tools.nsc.Main", "-nowarn")
    return _runs(*compiler, "-d", classes, "-cp", path, *files)


def _runs(*command: str | Path) -> bool:
    return subprocess.run(command, check=False).returncode == 0


if __name__ == "__main__":
    sys.exit(main())
