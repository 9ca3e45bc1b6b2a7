"""`antelog format`: programs in the one layout there is."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from antelog.cli.show.diagnostics import print_diagnostics
from antelog.cli.show.endings import ending_in_words
from antelog.cli.show.terminal import say, tell
from antelog.diagnostics import Source
from antelog.errors import ProgramFileError
from antelog.workbench.formatting import laid_out
from antelog.workbench.formatting.files import LaidOutFile, of_file, program_files

_STANDARD = Path("-")


@click.command(
    "format",
    epilog="Exit status: 0 all is laid out, 1 a file is no program, or with --check would change, "
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
        if _STANDARD in programs:
            if len(programs) > 1:
                raise click.UsageError("- is standard input, and comes alone", ctx)
            found = _standard()
        else:
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


def _standard() -> list[LaidOutFile]:
    try:
        text = sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ProgramFileError(
            f"<stdin>: is not UTF-8 text, see byte {error.start}; save it as UTF-8"
        ) from None
    path = Path("<stdin>")
    return [LaidOutFile(path, text, laid_out(Source(text, str(path))))]
