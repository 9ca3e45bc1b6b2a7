"""A progress bar on stderr, for work that takes longer than a moment."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from antelog.cli.show.terminal import to_stderr

_PATIENCE = 1.0
"""Seconds after which the bar appears."""
_BETWEEN = 0.1
"""Seconds between two pictures of it."""

Report = Callable[[int], None]


@contextmanager
def progress_bar(what: str, total: int | None, *, results: bool = True) -> Iterator[Report]:
    """A function to be told how much has been done since it was told last.

    The bar shows on a terminal only, and not where it would mix with `results` on the same one.
    """
    console = to_stderr()
    if not console.is_terminal or (results and sys.stdout.isatty()) or total == 0:
        yield lambda _: None
        return
    columns = (TextColumn(what), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(
        *columns, console=console, transient=True, auto_refresh=False, redirect_stdout=False
    ) as bar:
        task = bar.add_task(what, total=total, visible=False)
        start = time.monotonic()
        shown = start

        def report(done: int) -> None:
            nonlocal shown
            now = time.monotonic()
            bar.update(task, advance=done, visible=now - start > _PATIENCE)
            if now - max(shown, start + _PATIENCE) > _BETWEEN:
                bar.refresh()
                shown = now

        yield report
