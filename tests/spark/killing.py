"""A pipeline as a real process, killed with everything it started."""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

BATCH = re.compile(r"^batch \d+: ", re.MULTILINE)


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-c", "from antelog.cli.main import main; main()", *map(str, arguments)]


def run_to_end(arguments: Sequence[object], folder: Path) -> str:
    """Run a command to its end; what it said on stderr."""
    done = subprocess.run(
        command(*arguments), cwd=folder, capture_output=True, text=True, check=False, timeout=900
    )
    assert done.returncode == 0, done.stderr
    return done.stderr


def run_and_kill(arguments: Sequence[object], folder: Path, dice: random.Random) -> bool:
    """Run a command and kill it at a random moment; whether it had come to its end before.

    Every fourth time it is killed as it starts up, otherwise some time after it finished a batch, so
    that a row of kills gets somewhere.
    """
    log = folder / "said"
    with log.open("wb") as out:
        process = subprocess.Popen(command(*arguments), cwd=folder, stdout=out, stderr=out)
    try:
        if dice.random() < 0.25:
            _wait(process, dice.uniform(0, 10))
        else:
            while process.poll() is None and not BATCH.search(log.read_text(errors="replace")):
                time.sleep(0.05)
            _wait(process, dice.uniform(0, 3))
        ended = process.poll() is not None
        assert not ended or process.returncode == 0, log.read_text(errors="replace")
        return ended
    finally:
        for each in [process.pid, *_descendants(process.pid)]:
            with suppress(ProcessLookupError):
                os.kill(each, signal.SIGKILL)
        process.wait()


def _wait(process: subprocess.Popen[bytes], seconds: float) -> None:
    with suppress(subprocess.TimeoutExpired):
        process.wait(seconds)


def _descendants(root: int) -> list[int]:
    """The processes a process started, and theirs: a JVM, and workers in process groups of their own."""
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            about = stat.read_text()
        except OSError:  # it has ended meanwhile
            continue
        parent = int(about.rpartition(")")[2].split()[1])
        children.setdefault(parent, []).append(int(stat.parent.name))
    found, queue = [], [root]
    while queue:
        queue += (below := children.get(queue.pop(), []))
        found += below
    return found
