"""A program as a process of its own, and what it and all that came of it took. Linux only."""

from __future__ import annotations

import ctypes
import os
import re
import resource
import signal
import subprocess
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import psutil

ROOT = Path(__file__).parent.parent.parent
EVERY = 0.25
"""Seconds between two looks at the memory."""

LATE = "not done in"


@dataclass(frozen=True)
class Took:
    """`cpu` is user and system time, `peak` the largest number of bytes in memory, shared ones counted once.

    `others` is how many cores all other processes of the machine kept busy meanwhile. `failed` is empty, or
    the end of what the program had to say, or that its time was over.
    """

    wall: float
    cpu: float
    peak: int
    others: float
    failed: str

    @property
    def out_of_time(self) -> bool:
        return self.failed.startswith(LATE)


def launch(command: Sequence[str], folder: Path, limit: float) -> Took:
    """Run a command, for `limit` seconds at most."""
    # Whoever measures waits for all its children in the end, and so has none but the command: not
    # those of a caller who, say, has Spark running.
    with ProcessPoolExecutor(1, get_context("spawn")) as measuring:
        return measuring.submit(_measured, command, folder, limit).result()


def _measured(command: Sequence[str], folder: Path, limit: float) -> Took:
    _adopt_orphans()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    busy, began = _busy(), time.perf_counter()
    peak, failed = 0, ""
    with (folder / "said").open("w+b") as said:
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdout=said, stderr=said, stdin=subprocess.DEVNULL
        )
        watched = psutil.Process(process.pid)
        while process.poll() is None:
            peak = max(peak, _memory(watched))
            if time.perf_counter() - began > limit:
                failed = f"{LATE} {limit / 60:.3g} minutes"
                _stop()
            with suppress(subprocess.TimeoutExpired):
                process.wait(EVERY)
        wall = time.perf_counter() - began
        _bury_orphans()
        said.seek(0)
        text = said.read().decode(errors="replace").strip()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if process.returncode and not failed:
        failed = f"{_ended(process.returncode)}: {_telling(text)}"
    return Took(wall, cpu, peak, max(0.0, _busy() - busy - cpu) / wall, failed)


def _ended(code: int) -> str:
    """What is ended by a signal may have been ended by somebody else, so that is told apart."""
    return f"ended with {code}" if code > 0 else f"ended by {signal.Signals(-code).name}"


def _telling(text: str) -> str:
    """The last line that begins with the name of an error, the cause of all others; or else the last one."""
    lines = text.splitlines() or [""]
    errors = [line for line in lines if re.match(r"(Caused by: )?[\w.]*(Error|Exception)\b", line)]
    return (errors or lines)[-1][:300]


def _busy() -> float:
    """The CPU seconds that the machine has worked."""
    times = psutil.cpu_times()
    return float(times.user + times.nice + times.system)


def _adopt_orphans() -> None:
    """Children of children whose parents end are ours from then on, so that their time is counted."""
    set_child_subreaper = 36
    ctypes.CDLL(None).prctl(set_child_subreaper, 1, 0, 0, 0)


def _bury_orphans() -> None:
    with suppress(ChildProcessError):
        while True:
            os.wait()


def _stop() -> None:
    """End the command and all that came of it: nothing else is below whoever measures."""
    while left := psutil.Process().children(recursive=True):
        for each in left:
            with suppress(psutil.NoSuchProcess):
                each.kill()
        psutil.wait_procs(left, timeout=EVERY)


def _memory(process: psutil.Process) -> int:
    """The proportional set size of a process and its children, in bytes."""
    total = 0
    with suppress(psutil.Error):
        for each in (process, *process.children(recursive=True)):
            with suppress(OSError, psutil.Error):
                for line in Path(f"/proc/{each.pid}/smaps_rollup").read_text(encoding="ascii").splitlines():
                    if line.startswith("Pss:"):
                        total += int(line.split()[1]) * 1024
    return total
