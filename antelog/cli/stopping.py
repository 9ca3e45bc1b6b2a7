"""Handlers of Ctrl-C and SIGTERM, which end the process with one line; imported before all libraries."""

from __future__ import annotations

import os
import signal
import sys

STOPPED = "Stopped."


def guard() -> None:
    """Has Ctrl-C and SIGTERM end the process at once, until a command handles them."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # it may be ignored, as by nohup
        signal.signal(signal.SIGINT, stop)
        sys.unraisablehook = _unraisable
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, stop)


def stop(number: int = signal.SIGINT, *_: object) -> None:
    """Ends the process at once: nothing is raised, so no handler delays it and no traceback is shown."""
    os.write(2, f"{STOPPED}\n".encode())
    os._exit(128 + number)


def interrupt(number: int = signal.SIGINT, *_: object) -> None:
    """Raises KeyboardInterrupt with the number of the signal, so that the current work cleans up."""
    raise KeyboardInterrupt(number)


def status_of(interruption: KeyboardInterrupt) -> int:
    """The exit status for a signal: 130 for Ctrl-C, 143 for SIGTERM."""
    return 128 + (signal.SIGTERM if signal.SIGTERM in interruption.args else signal.SIGINT)


def _unraisable(found: sys.UnraisableHookArgs) -> None:
    """Ends the process without a traceback for an interrupt that Python cannot raise."""
    if issubclass(found.exc_type, KeyboardInterrupt):
        stop(signal.SIGTERM if signal.SIGTERM in getattr(found.exc_value, "args", ()) else signal.SIGINT)
    sys.__unraisablehook__(found)
