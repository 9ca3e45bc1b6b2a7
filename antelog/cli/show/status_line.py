"""The last line of a terminal, while `antelog watch` runs without a page.

2026-03-29 13:20 · 1,240 rows/s · 12 open · last fact 4 s ago · Ctrl-C stops
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from antelog.cli.show.terminal import before_output, to_stderr
from antelog.language.moments import tick_in_words
from antelog.run.counting import OpenAnswers
from antelog.run.driver import Driver

_BETWEEN = 1.0
"""Seconds between two refreshes. The first one comes after as many: a short run has no status line."""
_SPAN = 5.0
"""Seconds over which the rate of rows is taken."""
_CLEARED = "\r\x1b[2K"
_SECOND = 1_000_000


@dataclass(eq=False)
class StatusLine:
    """The status of a run; `refresh` is called often, and `clear` before anything else is printed."""

    driver: Driver
    console: Console
    _shown: bool = False
    _text: str = ""
    _next: float | None = None
    _rows: deque[tuple[float, int]] = field(default_factory=deque)
    """Moments, and how many rows had been read by then."""

    def __post_init__(self) -> None:
        self._open = OpenAnswers(self.driver.engine, self.driver.time.monotonic)

    def refresh(self) -> None:
        """Prints the line anew once in a second, and after something else was printed."""
        now = self.driver.time.monotonic()
        if self._next is None or not self._rows:
            self._rows.append((now, self._read()))
            self._next = now + _BETWEEN
        if now >= self._next:
            self._next = now + _BETWEEN
            separator = " · " if self.console.encoding.startswith("utf") else " | "
            self._text = fitting(self._parts(now), self.console.width - 1, separator)
            self.clear()
        if self._text and not self._shown:
            self.console.print(Text(self._text, "dim"), end="", soft_wrap=True)
            self.console.file.flush()
            self._shown = True

    def clear(self) -> None:
        """Takes the line away, until the next refresh."""
        if self._shown:
            self.console.file.write(_CLEARED)
            self.console.file.flush()
            self._shown = False

    def _parts(self, now: float) -> list[str]:
        engine = self.driver.engine
        heard = max((each.heard or 0 for each in self.driver.reader.counts.each.values()), default=0)
        if not heard:
            return ["waiting for the first fact", "Ctrl-C stops"]
        silent = (self.driver.time.wall() - heard) // _SECOND
        time = [] if engine.now < 0 else [tick_in_words(engine.now, engine.plan.timescale)]
        rate = self._rate(now)
        rows = f"{rate:,.0f} rows/s" if rate == 0 or rate >= 10 else f"{rate:.1f} rows/s"
        self._open.count()
        opened = f"{sum(self._open.by_query.values()):,} open"
        return [*time, rows, opened, f"last fact {ago(silent)}", "Ctrl-C stops"]

    def _read(self) -> int:
        return sum(each.facts for each in self.driver.reader.counts.each.values())

    def _rate(self, now: float) -> float:
        """Rows a second, lately."""
        self._rows.append((now, self._read()))
        while len(self._rows) > 2 and self._rows[1][0] < now - _SPAN:
            self._rows.popleft()
        (begin, before), (end, after) = self._rows[0], self._rows[-1]
        return (after - before) / max(end - begin, _BETWEEN)


def ago(seconds: int) -> str:
    """`35 s ago`, `12 min ago`, `3 h ago`."""
    if seconds < 2:
        return "just now"
    if seconds < 120:
        return f"{seconds} s ago"
    return f"{seconds // 60} min ago" if seconds < 7200 else f"{seconds // 3600} h ago"


def fitting(parts: Sequence[str], width: int, separator: str = " · ") -> str:
    """As many of the first parts as there is room for."""
    text = ""
    for part in parts:
        longer = f"{text}{separator}{part}" if text else part
        if text and cell_len(longer) > width:
            break
        text = longer
    return text if cell_len(text) <= width else text[:width]


@contextmanager
def status_line(driver: Driver, *, wanted: bool) -> Iterator[Callable[[], None]]:
    """Shows the status on stderr if that is a terminal; yields the function that refreshes it."""
    console = to_stderr()
    if not wanted or not console.is_terminal or console.is_dumb_terminal or console.legacy_windows:
        yield lambda: None
        return
    line = StatusLine(driver, console)
    before_output.append(line.clear)
    try:
        yield line.refresh
    finally:
        line.clear()
        before_output.remove(line.clear)
