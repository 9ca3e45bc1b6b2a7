"""Ctrl-C while nothing is at work: the process ends in one line.

Comes in: nothing. Goes out: the guard, under which a signal ends the process at once, and what it says.
It is the first that the command `antelog` imports, so it imports nothing itself but what Python needs.
"""

from __future__ import annotations

import os
import signal
import sys

INTERRUPTED = 130
STOPPED = "Stopped."


def guard() -> None:
    """From now on Ctrl-C ends the process in one line."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # it may be ignored, as by nohup
        signal.signal(signal.SIGINT, stop)
        sys.unraisablehook = _unraisable


def stop(*_: object) -> None:
    """Ends the process. Nothing is raised, so nobody is in the way, and nobody shows where it was."""
    os.write(2, f"{STOPPED}\n".encode())
    os._exit(INTERRUPTED)


def _unraisable(found: sys.UnraisableHookArgs) -> None:
    """An interrupt that came where Python cannot raise one, and would show where that was."""
    if issubclass(found.exc_type, KeyboardInterrupt):
        stop()
    sys.__unraisablehook__(found)
