"""`antelog format`: programs in the one layout there is."""

from __future__ import annotations

import codecs
import difflib
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from antelog.cli.show.endings import ending_in_words
from antelog.cli.show.terminal import print_diagnostics, say, tell
from antelog.diagnostics import Source
from antelog.errors import ProgramFileError
from antelog.language.program_files import read_text
from antelog.workbench.formatting import LaidOut, laid_out
from antelog.writing import write

_STANDARD = Path("-")


@click.command(
    "format",
    epilog="Exit status: 0 all is laid out, 1 a file is not a program, or with --check would change, "
    "2 the command is wrong.",
)
@click.argument("programs", metavar="PROGRAM…", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--check", is_flag=True, help="Write nothing; print what would change, and end with 1 if anything."
)
@click.pass_context
def format_(ctx: click.Context, /, programs: tuple[Path, ...], check: bool) -> None:
    """Lay out each PROGRAM: a file, a folder with such files, or - for standard input.

    A file with syntax errors is left as it is. The meaning of a program never changes.

    \b
    Examples:
      antelog format turbines.alog
      antelog format --check rules/
      antelog format - < turbines.alog
    """
    with ending_in_words(ctx):
        if _STANDARD in programs and len(programs) > 1:
            raise click.UsageError("- is standard input, and comes alone", ctx)
        found = [of_file(path) for path in program_files(programs)]
        for each in found:
            print_diagnostics(each.after.errors, Source(each.before, str(each.path)))
        changed = [each for each in found if each.changes]
        failed = any(each.after.errors for each in found)
        if check:
            for each in changed:
                tell(each.diff().removesuffix("\n"))
                say(f"would change: {each.path}")
        elif _STANDARD in programs and not failed:
            sys.stdout.flush()
            sys.stdout.buffer.write(found[0].after.text.encode())
            sys.stdout.buffer.flush()
        elif _STANDARD not in programs:
            for each in changed:
                each.write()
                say(f"laid out: {each.path}")
    ctx.exit(1 if failed or (check and changed) else 0)


@dataclass(frozen=True)
class LaidOutFile:
    path: Path
    before: str
    after: LaidOut

    @property
    def changes(self) -> bool:
        return self.after.text != self.before

    def diff(self) -> str:
        lines = difflib.unified_diff(
            self.before.splitlines(keepends=True),
            self.after.text.splitlines(keepends=True),
            str(self.path),
            str(self.path),
        )
        return "".join(f"{line.rstrip()}\n" for line in lines)

    def write(self) -> None:
        """Replaces the file by the text laid out, with its byte order mark if it has one."""
        target = self.path.resolve()  # a link stays one
        mark = codecs.BOM_UTF8 if target.read_bytes().startswith(codecs.BOM_UTF8) else b""
        write(target, mark + self.after.text.encode())


def of_file(path: Path) -> LaidOutFile:
    """Lays out a file, or standard input. Raises ProgramFileError if it cannot be read."""
    if path == _STANDARD:
        path = Path("<stdin>")
        try:
            text = sys.stdin.buffer.read().decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise ProgramFileError(
                f"{path}: is not UTF-8 text, see byte {error.start}; save it as UTF-8"
            ) from None
    else:
        text = read_text(path)
    return LaidOutFile(path, text, laid_out(Source(text, str(path))))


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
