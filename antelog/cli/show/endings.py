"""How commands end: what went wrong in words on stderr, and as an exit status."""

from __future__ import annotations

import io
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import TYPE_CHECKING, NoReturn, TextIO

import click

from antelog.cli.show.diagnostics import print_diagnostics, stderr
from antelog.cli.show.terminal import say
from antelog.cli.stopping import STOPPED, interrupt, status_of, stop
from antelog.errors import AntelogError, OutputError, ProgramError
from antelog.writing import Output

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


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


READER_GONE = 141
"""The exit status when nobody reads the output any more, as in a shell: 128 and SIGPIPE."""


class ReaderGoneError(OutputError):
    """Whoever read what was written to a pipe has had enough."""


@contextmanager
def checked_outputs() -> Iterator[None]:
    """Commands in here write to stdout and stderr and need not look whether that worked.

    What is written to a disk that is full, to what is closed, or to a pipe without a reader ends the
    command. The last is usual (`antelog try … | head`), and nothing is said of it.
    """
    _occupy()
    before = sys.stdout, sys.stderr
    # One that is closed has None here, whatever its type says. Who closes stderr wants no messages.
    sys.stdout = _checked(before[0], "<stdout>") if before[0] else _text(_Closed("<stdout>"), None)
    sys.stderr = _checked(before[1], "<stderr>") if before[1] else before[1]
    after = sys.stdout, sys.stderr
    try:
        try:
            yield
        finally:
            sys.stdout.flush()
            if after[1]:
                after[1].flush()
    except ReaderGoneError:
        sys.exit(READER_GONE)
    except OutputError as error:
        with suppress(OutputError):
            say(f"error: {error}")
        sys.exit(1)
    finally:
        sys.stdout, sys.stderr = before
        for ours, theirs in zip(after, before, strict=True):
            if ours is not theirs:
                _drop(ours)


class _Standard(Output):
    """stdout or stderr, which stays open when this is closed."""

    def write(self, data: ReadableBuffer, /) -> int:
        try:
            return super().write(data)
        except OutputError as error:
            if isinstance(error.__cause__, BrokenPipeError):
                raise ReaderGoneError(str(error)) from None
            raise


class _Closed(io.RawIOBase):
    """stdout that was closed before the command began."""

    def __init__(self, name: str) -> None:
        self.name = name

    def writable(self) -> bool:
        return True

    def write(self, data: ReadableBuffer, /) -> NoReturn:  # noqa: ARG002 - whatever it is
        raise OutputError(f"{self.name}: cannot be written: it is closed")


def _occupy() -> None:
    """Keeps the next file that is opened from becoming stdin, stdout or stderr where these are closed."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


def _checked(stream: TextIO, name: str) -> TextIO:
    """The same output, checked; one that is no file (of a test, or a console of Windows) stays as it is."""
    if not isinstance(stream, io.TextIOWrapper):
        return stream
    stream.reconfigure(errors="backslashreplace")  # what the encoding lacks is shown as its number
    raw = getattr(stream.buffer, "raw", stream.buffer)  # there is no buffer with PYTHONUNBUFFERED
    if not isinstance(raw, io.FileIO):
        return stream
    stream.flush()
    return _text(_Standard(raw.fileno(), name, closefd=False), stream)


def _text(raw: io.RawIOBase, like: io.TextIOWrapper | None) -> TextIO:
    """A text stream with a buffer, which does not lose what a single write leaves over."""
    return io.TextIOWrapper(
        io.BufferedWriter(raw),
        encoding=like.encoding if like else "utf-8",
        errors="backslashreplace",
        newline="\n",
        line_buffering=like is not None and (like.line_buffering or like.write_through),
    )


def _drop(stream: TextIO) -> None:
    """Forgets what could not be written; it would be tried again, and fail again, when Python ends."""
    raw = getattr(getattr(stream, "buffer", None), "raw", None)
    if raw is not None:
        raw.close()


_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def stoppable() -> Iterator[Callable[[], bool]]:
    """A function that says whether it is time to stop."""
    import pyarrow as pa  # noqa: PLC0415 - commands that follow nothing end without it

    asked: list[int] = []

    def ask(number: int, _frame: FrameType | None) -> None:
        asked.append(number)
        for each in _SIGNALS:
            signal.signal(each, interrupt)

    before = {each: signal.signal(each, ask) for each in _SIGNALS}
    pa.enable_signal_handlers(False)  # Arrow would break off reading a file, which nobody asked for
    try:
        yield lambda: bool(asked)
    finally:
        pa.enable_signal_handlers(True)
        for each, handler in before.items():
            signal.signal(each, handler)
