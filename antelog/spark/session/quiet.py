"""Filters the output of Spark's processes, so that a user's terminal stays silent.

While Java starts, its output is held back: if the start fails, the message of the failure is made of it.
Afterwards noise is left out, and with it the tracebacks of Python workers that had nobody left to write to,
as idle ones end.
"""

from __future__ import annotations

import io
import os
import re
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from antelog.escaping import shown_lines
from antelog.secrets import redacted

_NOISE = re.compile(
    r"WARNING: Using incubator modules"
    r"|WARNING: package \S+ not in \S+"
    r"|\[[\d.]+s\]\[warning\]\[(cds|aot)"
    r"|\s*$"
    r"|(Starting )?Streaming TransformWithStateInPandas Python worker"
    r"|Setting default log level|To adjust logging level"
    r"|:: .* ::|\t|Ivy Default Cache|The jars for the packages|-{20}|\S+#\S+ added as a dependency"
    r"|PySpark (daemon|worker) failed (to flush|with exception)"
    r"|(During handling of|The above exception was).* exception"
)
_NEWS = re.compile("downloading ")
"""Lines shown even while Java starts, as a download may take minutes."""
_BEGINS = "Traceback (most recent call last):"
_IDLE = re.compile(r"(BrokenPipe|ConnectionReset|ConnectionAborted|EOF)Error\b|KeyboardInterrupt\b")
"""The last line of a traceback of a worker that was no longer needed."""
_LONGEST = 500
"""The most lines of a traceback that are waited for."""
_PATIENCE = 2.0
"""Seconds to wait for the last lines of a process that has ended."""


@dataclass(eq=False)
class ProcessOutput:
    """The filtered output of Spark's processes: buffered at first, written to `target` later."""

    target: int = field(default_factory=lambda: os.dup(2))
    lines: list[str] = field(default_factory=list)
    passes: bool = False
    ended: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, line: str) -> None:
        with self._lock:
            if self.passes or _NEWS.match(line):
                self._write(line)
            else:
                self.lines.append(line)

    def release(self) -> None:
        """Writes the buffered lines; from now on lines are written at once."""
        with self._lock:
            self.passes = True
            self._write(*self.lines)

    def text(self) -> str:
        """The buffered lines, once the processes that wrote them have ended."""
        self.ended.wait(_PATIENCE)
        return "\n".join(self.lines)

    def _write(self, *lines: str) -> None:
        with suppress(OSError):  # if nobody reads it, Spark is not to wait
            os.write(self.target, "".join(f"{line}\n" for line in lines).encode())


@contextmanager
def filtered(output: ProcessOutput) -> Iterator[None]:
    """Processes started in this context write their output and errors through the filter, for life."""
    theirs, ours = os.pipe()
    threading.Thread(target=filter_output, args=(theirs, output), daemon=True).start()
    before = {number: os.dup(number) for number in (1, 2)}
    try:
        for number in before:
            os.dup2(ours, number)
        os.close(ours)
        yield
    finally:
        for number, saved in before.items():
            os.dup2(saved, number)
            os.close(saved)


def filter_output(source: int, output: ProcessOutput) -> None:
    """Reads a pipe to its end, line by line."""
    with open(source, "rb", buffering=0) as pipe:
        for line in sifted(_lines(pipe)):
            output.add(line)
    output.ended.set()


def _lines(pipe: io.FileIO) -> Iterator[str]:
    rest = b""
    while piece := pipe.read(65536):
        *whole, rest = (rest + piece).split(b"\n")
        for line in whole:
            yield shown_lines(redacted(line.decode("utf-8", "backslashreplace")))


def sifted(lines: Iterable[str]) -> Iterator[str]:
    """The lines without noise, and without tracebacks of workers that ended as expected."""
    block: list[str] = []
    for line in lines:
        if line.startswith(_BEGINS):
            yield from block
            block = [line]
        elif block and (line.startswith(" ") or not line.strip()) and len(block) < _LONGEST:
            block.append(line)
        elif block:
            if not _IDLE.match(line):
                yield from (*block, line)
            block = []
        elif not _NOISE.match(line):
            yield line
    yield from block
