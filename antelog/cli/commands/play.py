"""`antelog play`: rules and facts to edit on a page, with what comes of them at each tick."""

from __future__ import annotations

import time
from pathlib import Path

import click

from antelog.cli.arguments.flags import flags
from antelog.cli.arguments.ready import PLAY
from antelog.cli.show.endings import stoppable
from antelog.cli.show.terminal import say, say_whole
from antelog.errors import FunctionError, UnsupportedError
from antelog.lazily import brought_by, libraries
from antelog.run.replay import files_of
from antelog.run.settings import Settings
from antelog.workbench.play.running import DraftFiles, PlayOptions
from antelog.writing import temporary_folder

_LOOK = 0.2


@click.command(
    "play",
    epilog="Exit status: 0 fine, 1 a file is wrong, 2 the command is. "
    f"The page needs: {brought_by('watch')}.",
)
@click.argument("program", type=click.Path(dir_okay=False, path_type=Path), required=False)
@flags(PLAY, settings=Settings)
def play(settings: Settings) -> None:
    """Edit rules and facts on a page of this machine, and see at each tick what is open, and why."""
    program, functions = settings.program, settings.functions
    if functions is not None and not functions.is_file():
        raise FunctionError(f"{functions}: there is no such file")
    given = files_of({**settings.inputs, **settings.statics})
    tables = {name: path for name, path in given.items() if isinstance(path, Path)}
    if far := sorted(given.keys() - tables):
        raise UnsupportedError(f"{given[far[0]]}: `antelog play` edits files of this machine; copy it")
    files = DraftFiles(program, tables)
    name = PlayOptions.name if program is None else str(program)
    options = PlayOptions(name, functions, settings.limits)
    with temporary_folder() as folder, stoppable() as stopping:
        with libraries():
            from antelog.watch.web.listening import served_here  # noqa: PLC0415 - needs Starlette
            from antelog.workbench.play.bench import PlayBench  # noqa: PLC0415
        bench = PlayBench(files, options, folder)
        say_whole(f"the page: {served_here(bench.live, bench, settings.port)}")
        say("note: Ctrl-C stops it")
        while not stopping():
            time.sleep(_LOOK)
