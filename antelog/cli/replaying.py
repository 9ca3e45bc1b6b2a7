"""Recorded facts through an engine to their end, where only the engine or all changes are wanted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from antelog.cli.show.diagnostics import print_diagnostics, stderr
from antelog.cli.show.set_aside import say_what_was_read, summarized
from antelog.cli.show.terminal import progress_bar, say
from antelog.compile.nodes.plan import Plan
from antelog.files import ARRIVAL
from antelog.process import Engine
from antelog.program import Program
from antelog.run.address import Address
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
    """An engine, made with these options, after all facts; each piece of the log is handed over.

    Says what the program's warnings are, which inputs have no facts, and what became of all rows. Raises
    DataError if there are rows of an input, and none can be used.
    """
    plan = program.plan
    print_diagnostics(program.warnings, program.source, stderr())
    say_what_is_missing(plan, recording.inputs)
    with (
        summarized(rejects, plan.tick) as set_aside,
        progress_bar("facts", recording.size, results=False) as report,
    ):
        static = static_facts(plan, recording.statics, set_aside, recording.maps)
        engine = Engine(program, static=static, arrival=ARRIVAL, **options)
        for result in Driver(engine, recording.reader(plan, set_aside, report)).steps():
            take(result.tables)
        say_what_was_read(set_aside, engine)
        set_aside.require_use()
    return engine


def recording_of(settings: Settings) -> Recording:
    """The files of a run that replays them."""
    return Recording(
        files_of(settings.inputs),
        files_of(settings.statics),
        settings.arrival,
        settings.last,
        settings.maps,
    )


def files_of(addresses: Mapping[str, Address]) -> dict[str, Path]:
    """The paths of addresses, all of which are files."""
    return {name: Path(str(each)) for name, each in addresses.items()}


def rejects_of(settings: Settings) -> Path | None:
    """The file for rows that are set aside."""
    return None if settings.rejects is None else Path(str(settings.rejects))


def say_what_is_missing(plan: Plan, inputs: Iterable[str]) -> None:
    """A note on each input that has no source."""
    given = set(inputs)
    for source in plan.inputs:
        if source.name not in given:
            say(f"note: {source.name} has no facts; give them with --input {source.name}=FILE")
