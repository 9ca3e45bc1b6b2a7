"""The end of a command: errors as text on stderr, and the exit status."""

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

from antelog.cli.show.terminal import print_diagnostics, say
from antelog.cli.stopping import STOPPED, interrupt, status_of, stop
from antelog.errors import AntelogError, OutputError, ProgramError
from antelog.writing import Output

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


@contextmanager
def ending_in_words(ctx: click.Context, *, debug: bool = False) -> Iterator[None]:
    """Ends the command on wrong programs or data, Ctrl-C or SIGTERM; with `debug`, prints the causes."""
    try:
        with _interruptible():
            yield
    except OutputError:
        raise  # handled by `checked_outputs`
    except ProgramError as error:
        print_diagnostics(error.diagnostics, error.source)
        ctx.exit(1)
    except AntelogError as error:
        if (interruption := _interruption_before(error)) is not None:
            _stopped(ctx, interruption)
        say(f"error: {error}")
        if debug:
            for text in behind(error):
                say(text)
        ctx.exit(1)
    except KeyboardInterrupt as interruption:
        _stopped(ctx, interruption)
    except RuntimeError as error:
        # Before Python 3.12, an error while a class is being made becomes one.
        if not isinstance(error.__cause__, KeyboardInterrupt):
            raise
        _stopped(ctx, error.__cause__)


@contextmanager
def _interruptible() -> Iterator[None]:
    """Has Ctrl-C and SIGTERM raise an interrupt in this context, instead of ending the process."""
    guarded = [each for each in (signal.SIGINT, signal.SIGTERM) if signal.getsignal(each) is stop]
    for each in guarded:
        signal.signal(each, signal.default_int_handler if each == signal.SIGINT else interrupt)
    try:
        yield
    finally:
        for each in guarded:
            signal.signal(each, stop)


def _stopped(ctx: click.Context, interruption: KeyboardInterrupt) -> NoReturn:
    say(STOPPED)
    ctx.exit(status_of(interruption))


def _interruption_before(error: BaseException | None) -> KeyboardInterrupt | None:
    """The interrupt that an error of cleaning up came after, such as that of a Java that is gone."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__context__
    return error


def behind(error: BaseException) -> Iterator[str]:
    said = {str(error)}
    while (below := error.__cause__ or error.__context__) is not None:
        error = below
        with suppress(Exception):  # the text comes from Java, which may be gone
            stack = getattr(error, "_stackTrace", None) or ""
            text = "\n".join(filter(None, [str(error), stack, *getattr(error, "__notes__", ())]))
            if text not in said:
                said.add(text)
                yield f"{type(error).__name__}: {text}"


READER_GONE = 141  # the exit status when the reader closed the pipe, as of a shell: 128 + SIGPIPE


class ReaderGoneError(OutputError):
    """The reader closed the pipe."""


@contextmanager
def checked_outputs() -> Iterator[None]:
    """Ends the command if stdout or stderr fails, silently if the reader closed the pipe (`| head`)."""
    for number in range(3):  # so that no other file gets the number of a standard stream that is closed
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    before = sys.stdout, sys.stderr
    # A closed stream is None here, whatever its type says. To close stderr is to want no messages.
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
            raw = getattr(getattr(ours, "buffer", None), "raw", None)
            if ours is not theirs and raw is not None:
                raw.close()  # unwritten output is dropped: Python would try again at exit, and fail again


class _Standard(Output):
    """The file of stdout or stderr, which stays open when this object is closed."""

    def write(self, data: ReadableBuffer, /) -> int:
        try:
            return super().write(data)
        except OutputError as error:
            if isinstance(error.__cause__, BrokenPipeError):
                raise ReaderGoneError(str(error)) from None
            raise


class _Closed(io.RawIOBase):
    """The file of a stdout that was closed before the command began: writing fails."""

    def __init__(self, name: str) -> None:
        self.name = name

    def writable(self) -> bool:
        return True

    def write(self, data: ReadableBuffer, /) -> NoReturn:  # noqa: ARG002 - whatever it is
        raise OutputError(f"{self.name}: cannot be written: it is closed")


def _checked(stream: TextIO, name: str) -> TextIO:
    """Checks the writes of a stream, if it is a file: in tests and on consoles of Windows it is not."""
    if not isinstance(stream, io.TextIOWrapper):
        return stream
    stream.reconfigure(errors="backslashreplace")  # what the encoding lacks is shown as its number
    raw = getattr(stream.buffer, "raw", stream.buffer)  # there is no buffer with PYTHONUNBUFFERED
    if not isinstance(raw, io.FileIO):
        return stream
    stream.flush()
    return _text(_Standard(raw.fileno(), name, closefd=False), stream)


def _text(raw: io.RawIOBase, like: io.TextIOWrapper | None) -> TextIO:
    return io.TextIOWrapper(
        io.BufferedWriter(raw),
        encoding=like.encoding if like else "utf-8",
        errors="backslashreplace",
        newline="\n",
        line_buffering=like is not None and (like.line_buffering or like.write_through),
    )


_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def stoppable(message: str = "") -> Iterator[Callable[[], bool]]:
    """A function that says whether there was a Ctrl-C or SIGTERM; a second one interrupts."""
    import pyarrow as pa  # noqa: PLC0415 - commands that follow nothing end without it

    asked: list[int] = []
    messages = [message] if message else []

    def ask(number: int, _frame: FrameType | None) -> None:
        asked.append(number)
        for each in _SIGNALS:
            signal.signal(each, interrupt)

    def stopping() -> bool:
        if asked and messages:  # not in `ask`: a signal may come while another line is printed
            say(messages.pop())
        return bool(asked)

    before = {each: signal.signal(each, ask) for each in _SIGNALS}
    pa.enable_signal_handlers(False)  # Arrow would break off reading a file
    try:
        yield stopping
    finally:
        pa.enable_signal_handlers(True)
        for each, handler in before.items():
            signal.signal(each, handler)
