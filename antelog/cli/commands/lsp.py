"""`antelog lsp`: a language server on standard input and output."""

from __future__ import annotations

import logging
import os
import sys
from typing import BinaryIO, cast

import click

from antelog.cli.show.endings import ending_in_words
from antelog.errors import DataError
from antelog.lazily import brought_by, libraries


@click.command(
    epilog="Exit status: 0 the editor ended it, 1 it cannot start or the editor is gone. "
    f"Needs: {brought_by('lsp')}."
)
@click.option("--stdio", is_flag=True, help="As without it; some editors add it.")
@click.option("--check", is_flag=True, help="End at once; the exit status says whether it could start.")
@click.pass_context
def lsp(ctx: click.Context, /, stdio: bool, check: bool) -> None:  # noqa: ARG001 - there is nothing else
    """Start a language server, which an editor talks to on standard input and output."""
    with ending_in_words(ctx):
        with libraries("the language server", "lsp"):
            from antelog.workbench.lsp.server import MessageReader, OneLine, server  # noqa: PLC0415 - an extra
        if check:
            return
        log = logging.StreamHandler()
        log.setFormatter(OneLine())
        logging.getLogger().addHandler(log)
        reader = MessageReader(sys.stdin.buffer)
        with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as output:  # the server closes what it writes to
            server().start_io(cast("BinaryIO", reader), output)
        if reader.problem:
            raise DataError(f"standard input: {reader.problem}")
