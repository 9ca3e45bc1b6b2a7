"""A follower as a real process, killed time and again while its file or folder grows."""

from __future__ import annotations

import random
import subprocess
import time
from contextlib import ExitStack
from pathlib import Path

from tests.processes import Process, started


def killed_while_it_runs(command: list[str], path: Path, data: bytes, dice: random.Random, times: int) -> int:
    """Grows a file by bytes, or a folder by files, and kills the command as often; how often one still ran.

    Beside the command two more of the same are started, one of which waits; they are killed after it.
    """
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
                done = _grown(path, data, done, min(aim, done + dice.randrange(1, 20_000)))
                if len(others) < 2 and time.monotonic() > began + more_at[len(others)]:
                    others.append(_started([*command, *(["--wait"] if others else [])], stack))
                time.sleep(0.02)  # noqa: TID251 - the kills come at any moment, and nothing is waited for
            # One of the others may have been the first to have the state.
            killed += any(each.poll() is None for each in (process, *others))
            for each in (process, *others):
                each.kill()
                each.wait()
                time.sleep(dice.choice([0, 0.3]))  # noqa: TID251 - as above
        done = _grown(path, data, done, aim)
    return killed


def _started(command: list[str], stack: ExitStack) -> Process:
    return stack.enter_context(started(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))


def _grown(path: Path, data: bytes, done: int, end: int) -> int:
    """Adds the bytes between the two, or, as a new file of a folder, their whole lines; where they end."""
    if not path.is_dir():
        with path.open("ab") as file:
            file.write(data[done:end])
        return end
    end = data.rfind(b"\n", 0, end) + 1
    if end <= done:
        return done
    header = data[: data.index(b"\n") + 1] if done else b""
    beside = path.with_name(f"{path.name}.part")
    beside.write_bytes(header + data[done:end])
    beside.rename(path / f"{done:09}.csv")
    return end
