"""A follower as a real process, killed time and again while its file grows."""

from __future__ import annotations

import random
import subprocess
import time
from contextlib import ExitStack
from pathlib import Path

from tests.processes import Process, started


def killed_while_it_runs(command: list[str], path: Path, data: bytes, dice: random.Random, times: int) -> int:
    """Let the file grow to this data, and kill the command as often; how often it was still running then.

    Beside it two more of the same are started, one of which waits, and killed after it.
    """
    path.write_bytes(b"")
    killed, done = 0, 0
    for number in range(times):
        with ExitStack() as stack:
            process = _started(command, stack)
            others: list[Process] = []
            more_at = sorted(dice.uniform(0, 2) for _ in range(2))
            began = time.monotonic()
            end = time.monotonic() + dice.uniform(0.3, 3)
            aim = len(data) * (number + 1) // times
            while time.monotonic() < end:
                more = min(aim - done, dice.randrange(1, 20_000))
                with path.open("ab") as file:
                    file.write(data[done : done + more])
                done += more
                if len(others) < 2 and time.monotonic() > began + more_at[len(others)]:
                    others.append(_started([*command, *(["--wait"] if others else [])], stack))
                time.sleep(0.02)  # noqa: TID251 - the kills come at any moment, and nothing is waited for
            killed += process.poll() is None
            for each in (process, *others):
                each.kill()
                each.wait()
                time.sleep(dice.choice([0, 0.3]))  # noqa: TID251 - as above
        with path.open("ab") as file:
            file.write(data[done:aim])
        done = aim
    return killed


def _started(command: list[str], stack: ExitStack) -> Process:
    return stack.enter_context(started(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
