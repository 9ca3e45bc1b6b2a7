"""`antelog try`: replays recorded facts through the engine in this process."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path

import click

from antelog.cli.arguments.flags import flags
from antelog.cli.arguments.ready import TRY, ready, rejects_of
from antelog.cli.show import listing
from antelog.cli.show.endings import ending_in_words
from antelog.cli.show.outcomes import ReplaySummary, say_outcomes
from antelog.cli.show.set_aside import (
    say_what_learning_lacks,
    say_what_was_dropped,
    say_what_was_left_out,
    say_what_was_read,
    say_which_chances_lack,
    summarized,
)
from antelog.cli.show.terminal import print_diagnostics, progress_bar, say, say_what_is_missing
from antelog.files import ARRIVAL, Rejects
from antelog.forecast.columns import KINDS, LIKELY, UNLIKELY
from antelog.process import LEARN, Engine
from antelog.run import stretches
from antelog.run.checks import Ready
from antelog.run.driver import ChangeView, Driver, SnapshotView
from antelog.run.replay import Recording, recording_of, static_facts
from antelog.run.settings import Settings


@click.command(
    "try",
    epilog="Exit status: 0 fine, 1 the program or the data is wrong, 2 the command is. "
    "Results go to stdout, everything else to stderr.",
)
@click.argument("program", type=click.Path(dir_okay=False, path_type=Path))
@flags(TRY, settings=Settings)
@click.pass_context
def try_(ctx: click.Context, /, settings: Settings) -> None:
    """Replay recorded facts through PROGRAM and print how its answers change.

    \b
    Examples:
      antelog try turbines.alog --input Temp=readings.csv
      antelog try turbines.alog --input Temp=readings.csv --format table
      antelog try turbines.alog --input Temp=readings.parquet --only confirmed > found.jsonl
      antelog try turbines.alog --input Temp=readings.csv --snapshots --until 20 | jq .answers
      antelog try turbines.alog --input Temp=readings.csv --model learn --format table
      antelog try turbines.alog --input Temp=uplinks.jsonl.gz --map level=decoded.payload.level

    A file's columns are matched by name, as --map says, or else by position. Rows that cannot be used,
    and facts that arrived later than their input allows, are set aside and counted.
    """
    with ending_in_words(ctx):
        _run(ready(settings, TRY))


def _run(found: Ready) -> None:
    program, settings, plan = found.program, found.settings, found.program.plan
    recording = recording_of(settings)
    print_diagnostics(program.warnings, program.source)
    say_what_is_missing(plan, recording.inputs)
    with ExitStack() as stack:
        rejects = stack.enter_context(
            summarized(rejects_of(settings), plan.timescale, strict=settings.strict)
        )
        static = static_facts(plan, recording.statics, rejects, recording.maps)
        only = tuple(settings.only)
        engine = Engine(program, static=static, arrival=ARRIVAL, **settings.printing_engine())
        say_which_chances_lack(engine, learned=settings.model is not None)
        if only != KINDS and {LIKELY, UNLIKELY} & {*only}:
            why = "" if engine.forecasts else "there are no chances; give a --model, or --model learn"
            if all(query.alert is None for query in plan.queries):
                why = "no query has an `alert`, as in `query Q(X, T) alert 80%.`"
            if why:
                say(f"note: nothing is likely or unlikely: {why}")
        stack.callback(say_what_was_dropped, engine)
        outcomes = _replay(engine, recording, settings, rejects, stack)
        sys.stdout.flush()
        say_what_was_read(rejects, engine)
        say_outcomes(outcomes.found(engine.now), plan.tick, () if only == KINDS else only)
        if settings.min_chance is not None or settings.most is not None:
            say_what_was_left_out(engine)
        if settings.model == LEARN:
            say_what_learning_lacks(engine)
        rejects.require_use()


_MOST_LISTED = 100_000
"""The lines of a table that may fill a stretch of time without facts: nobody reads more."""


_MOST_IN_SNAPSHOTS = 20_000
"""The lines of snapshots that may: each tick is a step of its own, which takes some milliseconds."""


def _replay(
    engine: Engine, facts: Recording, settings: Settings, rejects: Rejects, stack: ExitStack
) -> ReplaySummary:
    outcomes = ReplaySummary(engine.plan.queries)
    most = _MOST_LISTED if settings.form == "table" else stretches.MOST
    most = _MOST_IN_SNAPSHOTS if settings.snapshots else most
    if settings.snapshots:
        since = 0 if settings.first is None and engine.plan.tick is None else settings.first
        total = None if since is None or settings.last is None else max(0, settings.last - since + 1)
        view: ChangeView = SnapshotView(since, stack.enter_context(progress_bar("ticks", total)), most)
        reader = facts.reader(engine.plan, rejects)
    else:
        view = ChangeView(most)
        report = stack.enter_context(progress_bar("facts", facts.size))
        reader = facts.reader(engine.plan, rejects, report)
    show = listing.printer(engine.plan, settings)
    nothing = True
    for each in Driver(engine, reader, view).steps():
        outcomes.take(each.tables if each.changes is None else each.changes, each.tick)
        if each.tables:
            show(each)
            nothing = nothing and not any(table.num_rows for table in each.tables.values())
    if nothing and settings.form == "table" and not settings.snapshots:
        say("note: there were no changes to show")
    return outcomes
