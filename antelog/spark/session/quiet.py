"""What Spark's processes say on stderr without being asked, kept from a user's eyes.

While Java starts, all it says is held back: if the start fails, it is for whoever tells of it to say
why, in words of ours. Later the noise is taken out, and with it the tracebacks of Python workers
that had nobody left to write to, for that is how idle ones end.
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
"""What is said even while Java starts, for it may take minutes."""
_BEGINS = "Traceback (most recent call last):"
_IDLE = re.compile(r"(BrokenPipe|ConnectionReset|ConnectionAborted|EOF)Error\b|KeyboardInterrupt\b")
"""How a traceback ends of a worker that was no longer needed."""
_LONGEST = 500
"""The lines of a traceback that are waited for."""
_PATIENCE = 2.0
"""Seconds in which the last words of a process that has ended are here."""


@dataclass(eq=False)
class Heard:
    """What was said while Java started; what is said later goes to `target` at once."""

    target: int
    lines: list[str] = field(default_factory=list)
    started: bool = False
    ended: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def say(self, line: str) -> None:
        with self._lock:
            if self.started or _NEWS.match(line):
                self._write(line)
            else:
                self.lines.append(line)

    def start(self) -> None:
        """From now on nothing is held back."""
        with self._lock:
            self.started = True
            self._write(*self.lines)

    def text(self) -> str:
        """What was held back, when those who said it have ended."""
        self.ended.wait(_PATIENCE)
        return "\n".join(self.lines)

    def _write(self, *lines: str) -> None:
        with suppress(OSError):  # if nobody reads it, Spark is not to wait
            os.write(self.target, "".join(f"{line}\n" for line in lines).encode())


@contextmanager
def listening() -> Iterator[tuple[Heard, int]]:
    """What is heard of processes started in here, which write where the number says, as long as they live.

    It is said when `start` is called, and otherwise by whoever asks for its text.
    """
    theirs, ours = os.pipe()
    heard = Heard(os.dup(2))
    threading.Thread(target=_sieve, args=(theirs, heard), daemon=True).start()
    try:
        yield heard, ours
    finally:
        os.close(ours)


def _sieve(source: int, heard: Heard) -> None:
    with open(source, "rb", buffering=0) as said:
        for line in sifted(_lines(said)):
            heard.say(line)
    heard.ended.set()


def _lines(said: io.FileIO) -> Iterator[str]:
    rest = b""
    while piece := said.read(65536):
        *whole, rest = (rest + piece).split(b"\n")
        for line in whole:
            yield shown_lines(redacted(line.decode("utf-8", "backslashreplace")))


def sifted(lines: Iterable[str]) -> Iterator[str]:
    """The lines that are no noise; of tracebacks those that tell of more than of an end that was expected."""
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
