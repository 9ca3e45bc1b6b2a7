"""Processes of tests, and their limits; tests never wait for a time, but until they see what they need."""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import psutil

T = TypeVar("T")
Process: TypeAlias = subprocess.Popen[str]  # noqa: TID251 - here they are ended
Start: TypeAlias = Callable[..., Process]
"""The fixture `start`: takes what `started` takes, and the process ends with the test."""

PATIENCE = 120.0
"""For how many seconds something is waited for, more than a busy machine needs; after that the test fails."""
_LOOK = 0.02
ROOT = Path(__file__).resolve().parent.parent


@contextmanager
def started(command: Sequence[str | Path], **how: Any) -> Iterator[Process]:
    """A process with pipes of text in its own group; it ends with the block, as does all it started."""
    with Process(command, text=True, start_new_session=True, **how) as process:
        try:
            yield process
        finally:
            kill_with_children(process)


def kill_with_children(process: Process) -> None:
    """Kills a process, and what it has started, also in other groups."""
    family: list[psutil.Process] = []
    with suppress(psutil.NoSuchProcess):
        parent = psutil.Process(process.pid)
        family = [parent, *parent.children(recursive=True)]
    with suppress(ProcessLookupError, PermissionError):  # all of the group have ended
        os.killpg(process.pid, signal.SIGKILL)
    for each in family:
        with suppress(psutil.NoSuchProcess):
            each.kill()
    process.wait()


def runs(pid: int) -> bool:
    """Whether a process is there and has not ended: one that has may wait for its parent to ask."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def until(seen: Callable[[], T | None], process: Process | None = None, about: Callable[[], str] = str) -> T:
    """Waits until something is seen, and gives it; fails with `about` if a process ends before that."""
    end = time.monotonic() + PATIENCE
    while not (it := seen()):
        assert time.monotonic() < end, f"never seen: {about()}"
        assert process is None or process.poll() is None, f"it has ended: {about()}"
        time.sleep(_LOOK)  # noqa: TID251 - between two looks
    return it


async def until_async(seen: Callable[[], T | None]) -> T:
    """Waits until something is seen while others are at work in this thread, and gives it."""
    end = time.monotonic() + PATIENCE
    while not (it := seen()):
        assert time.monotonic() < end, "never seen"
        await asyncio.sleep(_LOOK)  # noqa: TID251 - between two looks
    return it


def loaded_by(code: str) -> list[str]:
    """The modules of a new Python, in the project's folder, that has run some code."""
    listing = "\nimport sys\nprint('', *sys.modules, sep='\\n')"
    command = [sys.executable, "-c", code + listing]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@contextmanager
def longest_file(size: int) -> Iterator[None]:
    """No file of this process may become longer."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
