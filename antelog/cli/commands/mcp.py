"""`antelog mcp`: a server for assistants, on standard input and output."""

from __future__ import annotations

from pathlib import Path

import click

from antelog.cli.show.endings import ending_in_words
from antelog.lazily import brought_by, libraries

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command(
    epilog="Exit status: 0 the assistant ended it, 1 it cannot start, 2 the command is wrong. "
    f"Needs: {brought_by('mcp')}."
)
@click.argument("folder", default=".", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--functions", metavar="FILE.py", type=_FILE, help="The only file with functions that may be run."
)
@click.option(
    "--seconds", type=click.IntRange(1), default=60, show_default=True, help="The most a call may take."
)
@click.pass_context
def mcp(ctx: click.Context, /, folder: Path, functions: Path | None, seconds: int) -> None:
    """Start a server of the Model Context Protocol, which an assistant talks to."""
    with ending_in_words(ctx):
        with libraries("the server for assistants", "mcp"):
            from antelog.workbench.assistant.calls import ReadableFolder  # noqa: PLC0415 - an extra
            from antelog.workbench.assistant.tools import server  # noqa: PLC0415
        server(ReadableFolder(folder.resolve(), functions, seconds)).run()
