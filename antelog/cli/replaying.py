"""Replays recorded facts through an engine, for commands that need the engine or all changes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from antelog.cli.show.diagnostics import print_diagnostics, say_what_is_missing
from antelog.cli.show.set_aside import say_what_was_read, summarized
from antelog.cli.show.terminal import progress_bar
from antelog.files import ARRIVAL
from antelog.process import Engine
from antelog.program import Program
from antelog.run.driver import Driver
from antelog.run.replay import Recording, static_facts
from antelog.run.settings import Settings
from antelog.run.sinks.result import Tables


def through(
    program: Program,
    recording: Recording,
    take: Callable[[Tables], None] = lambda _: None,
    *,
    rejects: Path | None = None,
    **options: Any,
) -> Engine:
    """Replays all facts through a new engine with these options; `take` gets each piece of the log.

    Prints the program's warnings, inputs without facts, and the fates of all rows. Raises DataError if an
    input has rows and none can be used.
    """
    plan = program.plan
    print_diagnostics(program.warnings, program.source)
    say_what_is_missing(plan, recording.inputs)
    with (
        summarized(rejects, plan.timescale) as set_aside,
        progress_bar("facts", recording.size, results=False) as report,
    ):
        static = static_facts(plan, recording.statics, set_aside, recording.maps)
        engine = Engine(program, static=static, arrival=ARRIVAL, **options)
        for result in Driver(engine, recording.reader(plan, set_aside, report)).steps():
            take(result.tables)
        say_what_was_read(set_aside, engine)
        set_aside.require_use()
    return engine


def rejects_of(settings: Settings) -> Path | None:
    """The file for rows that are set aside."""
    return None if settings.rejects is None else Path(str(settings.rejects))
