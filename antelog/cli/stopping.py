"""Ctrl-C or SIGTERM while nothing is at work: the process ends in one line.

Comes in: nothing. Goes out: the guard, under which a signal ends the process at once, what it says, and
what the signals raise instead where there is something to tidy up.
It is the first that the command `antelog` imports, so it imports nothing itself but what Python needs.
"""

from __future__ import annotations

import os
import signal
import sys

STOPPED = "Stopped."


class Terminated(KeyboardInterrupt):
    """SIGTERM, by which a system asks a process to end: what Ctrl-C is to a person."""


def guard() -> None:
    """From now on Ctrl-C and SIGTERM end the process in one line."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # it may be ignored, as by nohup
        signal.signal(signal.SIGINT, stop)
        sys.unraisablehook = _unraisable
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, stop)


def stop(number: int = signal.SIGINT, *_: object) -> None:
    """Ends the process. Nothing is raised, so nobody is in the way, and nobody shows where it was."""
    os.write(2, f"{STOPPED}\n".encode())
    os._exit(128 + number)


def interrupt(number: int = signal.SIGINT, *_: object) -> None:
    """Raises what the work at hand is interrupted by, so that it tidies up."""
    raise Terminated if number == signal.SIGTERM else KeyboardInterrupt


def status_of(interruption: KeyboardInterrupt) -> int:
    """The exit status that tells by which signal a process ended: 130 by Ctrl-C, 143 by SIGTERM."""
    return 128 + (signal.SIGTERM if isinstance(interruption, Terminated) else signal.SIGINT)


def _unraisable(found: sys.UnraisableHookArgs) -> None:
    """An interrupt that came where Python cannot raise one, and would show where that was."""
    if issubclass(found.exc_type, KeyboardInterrupt):
        stop(signal.SIGTERM if issubclass(found.exc_type, Terminated) else signal.SIGINT)
    sys.__unraisablehook__(found)
