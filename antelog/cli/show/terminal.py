"""All terminal output: control characters in data are escaped, and passwords removed from messages."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click
from rich.cells import cell_len
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.text import Span, Text

from antelog.diagnostics import Diagnostic, Severity, Source, errors_of, to_text
from antelog.escaping import shown_lines
from antelog.secrets import redacted
from antelog.theme import TERMINAL

if TYPE_CHECKING:
    from antelog.compile.nodes.plan import Plan

# Functions that are called before something is printed: they clear a status line.
before_output: list[Callable[[], None]] = []


def say(message: str) -> None:
    """Prints a message to stderr, without passwords; wrapped on a terminal."""
    say_whole(redacted(message))


def note(message: str) -> None:
    say(f"note: {message}")


def say_whole(message: str) -> None:
    """Prints a message to stderr with its passwords, to show a new token."""
    clear()
    click.echo(for_stderr(shown_lines(message)), err=True)


def tell(result: str) -> None:
    clear()
    click.echo(shown_lines(result))


def clear() -> None:
    for take_away in before_output:
        take_away()


def for_stderr(text: str, used: int = 0) -> str:
    """A text with flags, wrapped if stderr is a terminal; `used` columns of the first line are taken."""
    console = to_stderr()
    if "=" in text and "`" in text:
        from antelog.run.settings import with_flags  # noqa: PLC0415 - few messages need it

        text = with_flags(text)
    return wrapped(text, console.width, used) if console.is_terminal else text


def to_stderr(*, soft_wrap: bool = False) -> Console:
    """A console for messages with colours, or that change while shown."""
    return Console(stderr=True, highlight=False, soft_wrap=soft_wrap)


def to_stdout(*, soft_wrap: bool = False) -> Console:
    return Console(highlight=False, soft_wrap=soft_wrap)


def can_show(console: Console, letters: str) -> bool:
    try:
        letters.encode(console.encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def print_text(console: Console, text: Text, *, soft_wrap: bool | None = None) -> None:
    console.print(escaped(text), soft_wrap=soft_wrap)


def escaped(text: Text) -> Text:
    if shown_lines(text.plain) == text.plain:
        return text
    # Pieces of one colour each.
    edges = sorted({edge for span in text.spans for edge in (span.start, span.end)})
    found = Text("", text.style)
    for piece in text.divide(edges):
        written = shown_lines(piece.plain)
        spans = [Span(0, len(written), span.style) for span in piece.spans]
        found.append_text(Text(written, piece.style, spans=spans))
    return found


@contextmanager
def shown_mistakes() -> Iterator[None]:
    """Escapes Click's usage errors, without passwords; a path that cannot be used is an error in one line."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            raise
        say(f"error: {error.filename}: cannot be used: {error.strerror}")
        raise click.exceptions.Exit(1) from None
    except click.UsageError as mistake:
        said = mistake.format_message()
        fit = for_stderr(shown_lines(redacted(said)), len("Error: "))
        if fit == said:
            raise
        raise click.UsageError(fit, mistake.ctx) from None


_PATIENCE = 1.0  # seconds after which the bar appears
_BETWEEN = 0.1

Report = Callable[[float], None]


@contextmanager
def progress_bar(what: str, total: int | None, *, results: bool = True) -> Iterator[Report]:
    """A progress bar on a terminal, unless `results` are printed there; yields a function that moves it."""
    console = to_stderr()
    if not console.is_terminal or (results and sys.stdout.isatty()) or total == 0:
        yield lambda _: None
        return
    columns = (TextColumn(what), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(
        *columns, console=console, transient=True, auto_refresh=False, redirect_stdout=False
    ) as bar:
        task = bar.add_task(what, total=total, visible=False)
        start = time.monotonic()
        shown = start

        def report(done: float) -> None:
            nonlocal shown
            now = time.monotonic()
            bar.update(task, advance=done, visible=now - start > _PATIENCE)
            if now - max(shown, start + _PATIENCE) > _BETWEEN:
                bar.refresh()
                shown = now

        yield report


_COLOURS = {Severity.ERROR: TERMINAL["error"], Severity.WARNING: TERMINAL["caution"]}


def print_diagnostics(
    diagnostics: Iterable[Diagnostic], source: Source, console: Console | None = None
) -> None:
    diagnostics, console = tuple(diagnostics), console or to_stderr(soft_wrap=True)
    blocks = []
    for diagnostic in diagnostics:
        said = to_text([diagnostic], source)
        text = Text((wrapped(said, console.width) if console.is_terminal else said) + "\n")
        text.highlight_words(
            [f"{diagnostic.severity.value} {diagnostic.code}"], _COLOURS[diagnostic.severity]
        )
        text.highlight_regex(r"(?m)^ +\| +\^+$", _COLOURS[diagnostic.severity])
        text.highlight_regex(r"(?m)^ +\d* \|", "dim")
        blocks.append(text)
    # At once, as each call of a console takes a millisecond.
    if blocks:
        print_text(console, Text("\n").join(blocks))
    errors = len(errors_of(diagnostics))
    if errors:
        print_text(console, Text(f"{errors} error{'' if errors == 1 else 's'}", "bold"))


def say_what_is_missing(plan: Plan, inputs: Collection[str], kind: str = "FILE") -> None:
    """Prints a note for each input without a source, which would be a FILE."""
    for source in plan.inputs:
        if source.name not in inputs:
            say(f"note: {source.name} has no facts; give them with --input {source.name}={kind}")


# ---- lines that fit: cut at spaces, rather at several than at one ----

_LEAST = 20  # the narrowest line; indents are made smaller for it
# Words with one space between them, which stay together: a literal with its mark, a value with its name.
_GROUP = re.compile(r"[^ ]+(?: [^ ]+)*+")
_WORD = re.compile(r"[^ ]+")
_FURTHER_IN = 2  # spaces by which the rest of a group is indented further
_EXCERPT = re.compile(r" *\d* \|")


def _lines(text: str, width: int, indent: int, used: int = 0) -> Iterator[tuple[int, int, int]]:
    """Cuts a text: start and end of each line, and the spaces before it; the first has `used` columns."""
    indent = max(0, min(indent, width - _LEAST - _FURTHER_IN))
    start = end = before = 0
    for group in _GROUP.finditer(text):
        if used + cell_len(text[end : group.end()]) <= width:
            used, end = used + cell_len(text[end : group.end()]), group.end()
            continue
        whole = end > start and indent + cell_len(group[0]) <= width
        for piece in [group] if whole else _WORD.finditer(text, group.start(), group.end()):
            if end > start and used + cell_len(text[end : piece.end()]) > width:
                yield start, end, before
                start = end = piece.start()
                before = used = indent if whole else indent + _FURTHER_IN
            used, end = used + cell_len(text[end : piece.end()]), piece.end()
    yield start, end, before


def wrapped_text(line: Text, width: int, indent: int) -> Iterator[Text]:
    for start, end, before in _lines(line.plain, width, indent):
        yield Text(" " * before).append_text(line[start:end]) if before else line[start:end]


def wrapped(text: str, width: int, used: int = 0) -> str:
    """Cuts the lines of a message to a width, but for excerpts of programs with their carets."""
    lines: list[str] = []
    for line in text.split("\n"):
        if _EXCERPT.match(line):
            lines.append(line)
            continue
        indent = len(line) - len(line.lstrip(" "))
        cut = _lines(line, width, indent, 0 if lines else used)
        lines += [" " * before + line[start:end] for start, end, before in cut]
    return "\n".join(lines)
