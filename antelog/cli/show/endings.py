"""How commands end: what went wrong in words on stderr, and as an exit status."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import click

from antelog.cli.show.diagnostics import print_diagnostics, stderr
from antelog.cli.show.terminal import say
from antelog.cli.stopping import STOPPED, interrupt, status_of, stop
from antelog.errors import AntelogError, OutputError, ProgramError


@contextmanager
def ending_in_words(ctx: click.Context, *, debug: bool = False) -> Iterator[None]:
    """Ends the command when the program or the data are wrong, or on Ctrl-C or SIGTERM.

    With `debug` what is behind an error is said as well: the words of Spark's Java, with their stack.
    """
    try:
        with _interruptible():
            yield
    except OutputError:
        raise  # whoever checks all outputs ends what cannot write
    except ProgramError as error:
        print_diagnostics(error.diagnostics, error.source, stderr())
        ctx.exit(1)
    except AntelogError as error:
        if (interruption := _interruption_before(error)) is not None:
            say(STOPPED)
            ctx.exit(status_of(interruption))
        say(f"error: {error}")
        if debug:
            for text in behind(error):
                say(text)
        ctx.exit(1)
    except KeyboardInterrupt as interruption:
        say(STOPPED)
        ctx.exit(status_of(interruption))


@contextmanager
def _interruptible() -> Iterator[None]:
    """While this lasts, Ctrl-C and SIGTERM interrupt the work, where they would end the process."""
    guarded = [each for each in (signal.SIGINT, signal.SIGTERM) if signal.getsignal(each) is stop]
    for each in guarded:
        signal.signal(each, signal.default_int_handler if each == signal.SIGINT else interrupt)
    try:
        yield
    finally:
        for each in guarded:
            signal.signal(each, stop)


def _interruption_before(error: BaseException | None) -> KeyboardInterrupt | None:
    """What interrupted the work, if the error is one of tidying up: that Java answers no more, say."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__context__
    return error


def behind(error: BaseException) -> Iterator[str]:
    """What an error was before it was put into words, each text once."""
    said = {str(error)}
    while (below := error.__cause__ or error.__context__) is not None:
        error = below
        with suppress(Exception):  # Java, which is asked for its words, may be gone
            stack = getattr(error, "_stackTrace", None) or ""
            text = "\n".join(filter(None, [str(error), stack, *getattr(error, "__notes__", ())]))
            if text not in said:
                said.add(text)
                yield f"{type(error).__name__}: {text}"
