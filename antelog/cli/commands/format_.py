"""`antelog format`: programs in the one layout there is."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from antelog.cli.show.endings import ending_in_words
from antelog.cli.show.terminal import print_diagnostics, say, tell
from antelog.diagnostics import Source
from antelog.errors import ProgramFileError
from antelog.language.program_files import read_text
from antelog.workbench.formatting import LaidOut, laid_out
from antelog.writing import write_text

_STANDARD = Path("-")


@click.command("format")
@click.argument("programs", metavar="PROGRAM…", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--check", is_flag=True, help="Write nothing; print what would change, and end with 1 if anything."
)
@click.pass_context
def format_(ctx: click.Context, /, programs: tuple[Path, ...], check: bool) -> None:
    """Lay out each PROGRAM: a file, a folder with such files, or - for standard input."""
    with ending_in_words(ctx):
        if _STANDARD in programs and len(programs) > 1:
            raise click.UsageError("- is standard input, and comes alone", ctx)
        found = [of_file(path) for path in program_files(programs)]
        for each in found:
            print_diagnostics(each.errors, each.source)
        changed = [each for each in found if each.text != each.source.text]
        failed = any(each.errors for each in found)
        if check:
            for each in changed:
                tell(_difference(each))
                say(f"would change: {each.source.name}")
        elif _STANDARD in programs and not failed:
            sys.stdout.flush()
            sys.stdout.buffer.write(found[0].text.encode())
            sys.stdout.buffer.flush()
        elif _STANDARD not in programs:
            for each in changed:
                write_text(Path(each.source.name).resolve(), each.text)  # a link stays one
                say(f"laid out: {each.source.name}")
    ctx.exit(1 if failed or (check and changed) else 0)


def _difference(found: LaidOut) -> str:
    before, after = (each.splitlines(keepends=True) for each in (found.source.text, found.text))
    lines = difflib.unified_diff(before, after, found.source.name, found.source.name)
    return "\n".join(line.rstrip() for line in lines)


def of_file(path: Path) -> LaidOut:
    """Lays out a file, or standard input. Raises ProgramFileError if it cannot be read."""
    if path == _STANDARD:
        path = Path("<stdin>")
        try:
            text = sys.stdin.buffer.read().decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise ProgramFileError.of("files.not-utf-8", path=path, start=error.start) from None
    else:
        text = read_text(path)
    return laid_out(Source(text, str(path)))


def program_files(paths: Sequence[Path]) -> Iterator[Path]:
    """Files, and all programs in folders. Raises ProgramFileError for a folder without any."""
    for path in paths:
        if not path.is_dir():
            yield path
            continue
        found = sorted(path.rglob("*.alog"))
        if not found:
            raise ProgramFileError(f"{path}: there is no file NAME.alog in it")
        yield from found
