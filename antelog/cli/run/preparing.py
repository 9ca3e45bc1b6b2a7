"""Makes the file from which Java starts with its classes ready (see `antelog.spark.session.classes`).

Comes in: the version of Java. Goes out: the file, where all later runs find it. Java knows which classes a
pipeline needs when it has run one, so a small one is run, as a user would run it: it reads six facts, has
rows to set aside, and writes to the outputs that are most common.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from antelog.errors import OutputError, UnsupportedError
from antelog.spark.session.classes import EXTRA_OPTIONS, MAKE, archive_of, archives

_PROGRAM = """\
tick 10 minutes.

input Temp(device: text, level: text, time) delay 1.

Malf(X, T) :- Temp(X, high, T), Temp(X, high, T+1), not Temp(X, low, T+2).

query Malf(X, T).
"""
_FACTS = """\
device,level,time,arrival
wt1,high,0,0
wt2,high,0,1
wt1,high,1,1
wt2,high,1,2
wt1,low,2,2
wt1,high,1,9
wt1,high,soon,9
"""
_ARGUMENTS = (
    *("--input", "Temp=Temp.csv", "--output", "console", "--output", "json:changes"),
    *("--output", "parquet:columns", "--rejects", "json:rejects", "--conf"),
)


def made(java: str) -> Path:
    """The file, made now in place of older ones. Raises AntelogError if it cannot be made."""
    archive = archive_of(java)
    with _folder_within(archive.parent) as folder:
        found = folder / "classes.jsa"
        _run(folder, found)
        if not found.exists():
            raise UnsupportedError("this Java keeps no classes. Let JAVA_HOME name an OpenJDK")
        older = [each for each in archives() if each != archive]
        found.replace(archive)  # at once, so that whoever makes it as well does no harm
        for each in older:
            each.unlink(missing_ok=True)
    return archive


@contextmanager
def _folder_within(parent: Path) -> Iterator[Path]:
    try:
        parent.mkdir(parents=True, exist_ok=True)
        folder = tempfile.TemporaryDirectory(prefix="making-", dir=parent, ignore_cleanup_errors=True)
    except OSError as error:
        raise OutputError(
            f"{parent}: cannot be written: {error.strerror}. Let XDG_CACHE_HOME name another folder"
        ) from None
    with folder as name:
        yield Path(name)


def _run(folder: Path, archive: Path) -> None:
    """A pipeline in a process of its own, whose Java writes the archive when it ends."""
    (folder / "p.alog").write_text(_PROGRAM, encoding="utf-8")
    (folder / "Temp.csv").write_text(_FACTS, encoding="utf-8")
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "antelog",
            "run",
            "p.alog",
            *_ARGUMENTS,
            f"{EXTRA_OPTIONS}={MAKE}{archive.name}",
        ],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,  # it is ended with its Java
    )
    try:
        _, said = process.communicate()
    except BaseException:
        with suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        raise
    if process.returncode:
        why = said.strip().removeprefix("error: ").splitlines()
        raise UnsupportedError(f"the run that loads the classes has failed: {why[0] if why else 'killed'}")
