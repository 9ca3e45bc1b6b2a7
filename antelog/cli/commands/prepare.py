"""`antelog prepare`: makes `antelog run` start in less time on this machine, and undoes it."""

from __future__ import annotations

from pathlib import Path

import click

from antelog.cli.run.preparing import made
from antelog.cli.show.endings import ending_in_words
from antelog.cli.show.terminal import say
from antelog.errors import OutputError
from antelog.spark.session.classes import archive_of, archives
from antelog.spark.session.java import require_java
from antelog.spark.session.versions import require_pyspark


@click.command(
    "prepare",
    short_help="Make `antelog run` start in less time here.",
    epilog="Exit status: 0 fine, 1 it cannot be done, 2 the command is wrong.",
)
@click.option("--remove", is_flag=True, help="Remove the file that was made.")
@click.pass_context
def prepare(ctx: click.Context, remove: bool) -> None:
    """Keep the classes that Java loads for Spark in a file, so that `antelog run` starts in less time.

    The file takes some 200 MB in ~/.cache/antelog, or where XDG_CACHE_HOME says. It is for this Java and this
    PySpark; after an update of one of them, make it again.

    \b
    Examples:
      antelog prepare             makes it, in half a minute
      antelog prepare --remove    removes it
    """
    with ending_in_words(ctx):
        if remove:
            _remove()
            return
        java = require_java()
        require_pyspark()
        archive = archive_of(java)
        if archive.exists():
            say(f"{archive} is there already ({_size(archive)}); `antelog prepare --remove` removes it")
            return
        say("running a small pipeline, to see which classes of Java it needs …")
        archive = made(java)
        say(f"{archive} is made ({_size(archive)}); `antelog run` starts from it now")


def _remove() -> None:
    found = list(archives())
    for archive in found:
        size = _size(archive)
        try:
            archive.unlink(missing_ok=True)
        except OSError as error:
            raise OutputError(f"{archive}: cannot be removed: {error.strerror}") from None
        say(f"{archive} is removed ({size})")
    if not found:
        say("there is nothing to remove")


def _size(archive: Path) -> str:
    return f"{archive.stat().st_size / 1e6:,.0f} MB"
