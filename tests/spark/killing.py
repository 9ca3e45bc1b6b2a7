"""A pipeline as a real process, killed with everything it started."""

import random
import re
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from tests.processes import Process, started, until

BATCH = re.compile(r"^batch \d+: ", re.MULTILINE)


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-c", "from antelog.cli.main import main; main()", *map(str, arguments)]


def run_to_end(arguments: Sequence[object], folder: Path) -> str:
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
    with log.open("wb") as out, started(command(*arguments), cwd=folder, stdout=out, stderr=out) as process:
        if dice.random() < 0.25:
            _wait(process, dice.uniform(0, 10))
        else:
            until(lambda: process.poll() is not None or BATCH.search(log.read_text(errors="replace")))
            _wait(process, dice.uniform(0, 3))
        ended = process.poll() is not None
        assert not ended or process.returncode == 0, log.read_text(errors="replace")
        return ended


def _wait(process: Process, seconds: float) -> None:
    with suppress(subprocess.TimeoutExpired):
        process.wait(seconds)
