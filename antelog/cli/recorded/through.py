"""Recorded facts through an engine to their end, where only the engine or all changes are wanted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from antelog.cli.recorded.facts import Facts, recorded, say_what_is_missing, static_facts
from antelog.cli.recorded.replay import changes
from antelog.cli.show.diagnostics import print_diagnostics, stderr
from antelog.cli.show.set_aside import say_what_was_read, summarized
from antelog.cli.show.terminal import progress_bar
from antelog.files import ARRIVAL
from antelog.process import Engine
from antelog.program import Program
from antelog.telling.shown import Tables


def through(
    program: Program,
    facts: Facts,
    take: Callable[[Tables], None] = lambda _: None,
    *,
    rejects: Path | None = None,
    **options: Any,
) -> Engine:
    """An engine, made with these options, after all facts; each piece of the log is handed over.

    Says what the program's warnings are, which inputs have no facts, and what became of all rows. Raises
    DataError if there are rows of an input, and none can be used.
    """
    plan = program.plan
    print_diagnostics(program.warnings, program.source, stderr())
    say_what_is_missing(plan, facts.inputs)
    with (
        summarized(rejects, plan.tick) as set_aside,
        progress_bar("facts", facts.size, results=False) as report,
    ):
        static = static_facts(plan, facts.statics, set_aside, facts.maps)
        engine = Engine(program, static=static, arrival=ARRIVAL, **options)
        for shown in changes(engine, recorded(plan, facts, set_aside, report), facts.until):
            set_aside.add(shown.set_aside)
            take(shown.tables)
        say_what_was_read(set_aside, engine)
        set_aside.require_use()
    return engine
