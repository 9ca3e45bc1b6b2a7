"""What Spark's processes say on stderr without being asked, kept from a user's eyes."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from antelog.escaping import shown_lines
from antelog.secrets import redacted

_NOISE = re.compile(
    rb"WARNING: Using incubator modules"
    rb"|WARNING: package \S+ not in \S+"
    rb"|\s*$"
    rb"|(Starting )?Streaming TransformWithStateInPandas Python worker"
    rb"|Setting default log level|To adjust logging level"
    rb"|:: loading settings ::"
)


@contextmanager
def quietly() -> Iterator[None]:
    """Processes started in here, and theirs, write to stderr through a sieve, as long as they live."""
    theirs, ours = os.pipe()
    stderr = os.dup(2)
    os.dup2(ours, 2)
    os.close(ours)
    threading.Thread(target=_sieve, args=(theirs, os.dup(stderr)), daemon=True).start()
    try:
        yield
    finally:
        os.dup2(stderr, 2)
        os.close(stderr)


def _sieve(source: int, target: int) -> None:
    with open(source, "rb", buffering=0) as lines, open(target, "wb", buffering=0) as out:
        rest = b""
        while piece := lines.read(65536):
            *whole, rest = (rest + piece).split(b"\n")
            for line in whole:
                if not _NOISE.match(line):
                    said = shown_lines(redacted(line.decode("utf-8", "backslashreplace")))
                    with suppress(OSError):  # if nobody reads it, Spark is not to wait
                        out.write(f"{said}\n".encode())
