"""A follower as a real process, killed time and again while its file grows."""

from __future__ import annotations

import random
import subprocess
import time
from pathlib import Path

from tests.processes import started


def killed_while_it_runs(command: list[str], path: Path, data: bytes, dice: random.Random, times: int) -> int:
    """Let the file grow to this data, and kill the command as often; how often it was still running then."""
    path.write_bytes(b"")
    killed, done = 0, 0
    for number in range(times):
        with started(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            end = time.monotonic() + dice.uniform(0.3, 3)
            aim = len(data) * (number + 1) // times
            while time.monotonic() < end:
                more = min(aim - done, dice.randrange(1, 20_000))
                with path.open("ab") as file:
                    file.write(data[done : done + more])
                done += more
                time.sleep(0.02)  # noqa: TID251 - the kill comes at any moment, and nothing is waited for
            killed += process.poll() is None
        with path.open("ab") as file:
            file.write(data[done:aim])
        done = aim
    return killed
