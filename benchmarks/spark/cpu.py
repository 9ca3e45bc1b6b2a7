"""CPU seconds of this process and all that came of it: Spark's JVM, and the workers of that."""

from __future__ import annotations

from contextlib import suppress

import psutil


def seconds() -> float:
    """What they took so far, those included that have ended."""
    own = psutil.Process()
    total = 0.0
    for process in (own, *own.children(recursive=True)):
        with suppress(psutil.NoSuchProcess):
            times = process.cpu_times()
            total += times.user + times.system + times.children_user + times.children_system
    return total
