"""`antelog state`: a state as a folder that people can read, and that goes on elsewhere."""

from __future__ import annotations

from pathlib import Path

import click

from antelog.cli.arguments.flags import FINE
from antelog.cli.show.endings import ending_in_words
from antelog.cli.show.terminal import say
from antelog.engine import savepoint
from antelog.errors import StateError
from antelog.functions import given_in
from antelog.language.moments import tick_in_words
from antelog.run import moving

_STATE = click.argument("state", metavar="STATE")
_FOLDER = click.argument("folder", metavar="FOLDER", type=click.Path(path_type=Path))
_FUNCTIONS = click.option(
    "--functions", metavar="FILE.py", type=click.Path(path_type=Path), help="The functions that rules call."
)


@click.group("state")
def state() -> None:
    """Carry a state over: to another version, another machine, from a process to Spark, or back."""


@state.command("export", epilog=FINE)
@_STATE
@_FOLDER
@_FUNCTIONS
@click.option("--model", metavar="MODEL", type=click.Path(path_type=Path), help="The model of a stream.")
@click.pass_context
def export(
    ctx: click.Context, /, state: str, folder: Path, functions: Path | None, model: Path | None
) -> None:
    """Write STATE into a new FOLDER of Parquet files: facts, open answers, what is learned, marks.

    STATE is the file of `watch --state`, the file of `Engine.save`, or the checkpoint of `antelog run`. It
    stays as it is; stop first what writes to it.
    """
    with ending_in_words(ctx):
        known = given_in(functions)
        if not _is_checkpoint(state):
            found = moving.exported(Path(state), known)
        else:
            from antelog.spark.pipeline.stream_run import exported  # noqa: PLC0415 - needs PySpark

            found = exported(state, known, model)
        savepoint.write(folder, found)
        saved = found.engine.state
        say(f"{folder} has the state {_after(found)}, {saved.rows:,} facts; `antelog state import` takes it")
        _say_what_is_left_out(found, on_spark=False)


@state.command("import", epilog=FINE)
@_STATE
@_FOLDER
@_FUNCTIONS
@click.option(
    "--program",
    metavar="PROGRAM",
    type=click.Path(path_type=Path),
    help="The rules, where those in FOLDER are of a version that is no longer read.",
)
@click.pass_context
def import_(
    ctx: click.Context, /, state: str, folder: Path, functions: Path | None, program: Path | None
) -> None:
    """Make a STATE of FOLDER, which `antelog state export` has written.

    STATE is a new file, for `watch --state`; or with a / at its end a new folder, for `run --checkpoint`.
    """
    with ending_in_words(ctx):
        known = given_in(functions)
        rules = None
        if program is not None:
            from antelog.program import load  # noqa: PLC0415 - it is seldom given

            rules = load(program, functions=functions).plan
        found = savepoint.read(folder, rules, known)
        if "://" in state:
            raise StateError(f"{state} is not on this machine: import into a folder here, and copy that")
        if _is_checkpoint(state):
            moving.prepared(Path(state), folder)
            say(f"{state} begins {_after(found)}: go on with `antelog run … --checkpoint {state}`")
        else:
            moving.imported(Path(state), found)
            say(f"{state} has the state {_after(found)}: go on with `antelog watch … --state {state}`")
        _say_what_is_left_out(found, on_spark=_is_checkpoint(state))


def _say_what_is_left_out(found: savepoint.Savepoint, *, on_spark: bool) -> None:
    for sentence in moving.left_out(found, on_spark=on_spark):
        say(f"note: {sentence}")


def _after(found: savepoint.Savepoint) -> str:
    now = found.engine.state.now
    return f"after {tick_in_words(now, found.engine.plan.timescale)}" if now >= 0 else "before the first fact"


def _is_checkpoint(state: str) -> bool:
    """Whether a state is a folder, as Spark's checkpoints are."""
    return "://" in state or state.endswith("/") or Path(state).is_dir()
