"""Handlers of Ctrl-C and SIGTERM: the process ends with one line.

`guard` installs handlers that end the process at once; `interrupt` is the handler for work that has to be
cleaned up. The command `antelog` imports this module first, so it imports only what Python has loaded.
"""

from __future__ import annotations

import os
import signal
import sys

STOPPED = "Stopped."


class Terminated(KeyboardInterrupt):
    """SIGTERM as an exception, as KeyboardInterrupt is for Ctrl-C."""


def guard() -> None:
    """Installs handlers: from now on Ctrl-C and SIGTERM end the process with one line."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # it may be ignored, as by nohup
        signal.signal(signal.SIGINT, stop)
        sys.unraisablehook = _unraisable
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, stop)


def stop(number: int = signal.SIGINT, *_: object) -> None:
    """Ends the process at once. Nothing is raised, so no handler delays it and no traceback is shown."""
    os.write(2, f"{STOPPED}\n".encode())
    os._exit(128 + number)


def interrupt(number: int = signal.SIGINT, *_: object) -> None:
    """Raises Terminated or KeyboardInterrupt, so that the current work cleans up."""
    raise Terminated if number == signal.SIGTERM else KeyboardInterrupt


def status_of(interruption: KeyboardInterrupt) -> int:
    """The exit status for a signal: 130 for Ctrl-C, 143 for SIGTERM."""
    return 128 + (signal.SIGTERM if isinstance(interruption, Terminated) else signal.SIGINT)


def _unraisable(found: sys.UnraisableHookArgs) -> None:
    """Handles an interrupt where Python cannot raise it: ends the process without a traceback."""
    if issubclass(found.exc_type, KeyboardInterrupt):
        stop(signal.SIGTERM if issubclass(found.exc_type, Terminated) else signal.SIGINT)
    sys.__unraisablehook__(found)
