"""Waits until a file changes on which the result of tests rests.

state = state_of(paths)
wait_for_change(state, stopping)     returns when one of them is written, made or removed
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from antelog.workbench.testing.results import RunReport

BETWEEN = 0.2
"""Seconds between two looks at the files."""

FileState = tuple[int, int] | None
"""When a file was written, in nanoseconds, and its size; None: it is not there."""


def files_of(report: RunReport) -> set[Path]:
    """The files that a report rests on: tests, programs with what they include, and data."""
    found = {Path(each.suite.name) for each in report.suites}
    for each in report.suites:
        found |= {*each.suite.program_files, *each.suite.others}
    return found


def state_of(paths: Iterable[Path]) -> dict[Path, FileState]:
    """The present state of files."""
    return {path: _state(path) for path in paths}


def _state(path: Path) -> FileState:
    try:
        found = path.stat()
    except (OSError, ValueError):
        return None
    return found.st_mtime_ns, found.st_size


def wait_for_change(
    state: Mapping[Path, FileState], more: Callable[[], Iterable[Path]], stopping: Callable[[], bool]
) -> None:
    """Returns when a file is another than its state says, when there are `more`, or when stopping.

    A file that is being written is waited for, until two looks in a row see the same.
    """
    last = state
    while not stopping():
        now = state_of({*state, *more()})
        if now == last and now != state:
            return
        last = now
        time.sleep(BETWEEN)
