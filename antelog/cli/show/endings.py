"""How commands end: what went wrong in words on stderr, and as an exit status."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

import click

from antelog.cli.show.diagnostics import print_diagnostics, stderr
from antelog.cli.show.terminal import say
from antelog.cli.stopping import INTERRUPTED, STOPPED, stop
from antelog.errors import AntelogError, OutputError, ProgramError


@contextmanager
def ending_in_words(ctx: click.Context) -> Iterator[None]:
    """Ends the command when the program or the data are wrong, or on Ctrl-C."""
    try:
        with _interruptible():
            yield
    except OutputError:
        raise  # whoever checks all outputs ends what cannot write
    except ProgramError as error:
        print_diagnostics(error.diagnostics, error.source, stderr())
        ctx.exit(1)
    except AntelogError as error:
        say(f"error: {error}")
        ctx.exit(1)
    except KeyboardInterrupt:
        say(STOPPED)
        ctx.exit(INTERRUPTED)


@contextmanager
def _interruptible() -> Iterator[None]:
    """While this lasts, Ctrl-C is a KeyboardInterrupt, where it would end the process."""
    if signal.getsignal(signal.SIGINT) is not stop:
        yield
        return
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, stop)
