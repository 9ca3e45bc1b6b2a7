"""`antelog try`: recorded facts through the engine, in this process."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from antelog.cli.arguments.maps import map_option
from antelog.cli.arguments.models import forecast_of, min_chance_option, model_option, most_option
from antelog.cli.arguments.reading import Read
from antelog.cli.arguments.recorded import (
    arrival_option,
    input_option,
    recording_of,
    rejects_option,
    static_option,
    until_option,
)
from antelog.cli.arguments.ticks import tick_of
from antelog.cli.arguments.units import time_unit_option, with_units
from antelog.cli.replaying import say_what_is_missing
from antelog.cli.show import listing
from antelog.cli.show.diagnostics import print_diagnostics, stderr
from antelog.cli.show.endings import ending_in_words
from antelog.cli.show.outcomes import Outcomes
from antelog.cli.show.set_aside import (
    say_what_was_dropped,
    say_what_was_left_out,
    say_what_was_read,
    summarized,
)
from antelog.cli.show.summary import say_outcomes
from antelog.cli.show.terminal import progress_bar, say, to_stdout
from antelog.compile.nodes.plan import Plan, Relation
from antelog.files import ARRIVAL, Rejects
from antelog.forecast.columns import KINDS, LIKELY, UNLIKELY
from antelog.process import Engine
from antelog.program import Program, load
from antelog.run.driver import ChangeView, Driver, SnapshotView, View
from antelog.run.replay import Recording, static_facts
from antelog.run.sinks import lines
from antelog.run.sinks.result import StepResult
from antelog.run.values import kinds


@dataclass(frozen=True)
class _Look:
    """What is printed, and how: changes of some kinds, or snapshots from a tick on."""

    snapshots: bool
    since: int | None
    only: tuple[str, ...]
    as_table: bool
    explanations: int | None


@dataclass(frozen=True)
class _Bounds:
    """What a run may take: so many facts in memory; rows of no use go to a file, or end it."""

    limit: int | None
    rejects: Path | None
    strict: bool


@dataclass(frozen=True)
class _Options:
    """What the command was asked for; `forecast` has what the engine is to know about chances."""

    facts: Recording
    look: _Look
    bounds: _Bounds
    forecast: Mapping[str, Any]


@click.command(
    "try",
    short_help="Replay recorded facts, in this process.",
    epilog="Exit status: 0 fine, 1 the program or the data is wrong, 2 the command is. "
    "Results go to stdout, everything else to stderr.",
)
@click.argument("program", type=click.Path(dir_okay=False, path_type=Path))
@input_option
@static_option
@map_option()
@click.option(
    "--since", metavar="TICK",
    help="The first tick that is shown with --snapshots, a number or, if the program has a `tick`, a "
    "timestamp.  [default: 0; if the program has a `tick`, that of the first arrival]",
)  # fmt: skip
@until_option
@click.option(
    "--changes", "shown", flag_value="changes", default=True, help="Print what changes. The default."
)
@click.option("--snapshots", "shown", flag_value="snapshots", help="Print what is open, tick by tick.")
@click.option(
    "--only",
    type=Read("KIND,…", kinds),
    metavar="KIND,…",
    help=f"Print these kinds of changes only: {', '.join(KINDS)}.",
)
@click.option(
    "--format", "form", type=click.Choice(["jsonl", "table"]), default="jsonl", show_default=True,
    help="JSON lines for programs, or a listing for people.",
)  # fmt: skip
@model_option
@min_chance_option
@most_option()
@arrival_option
@time_unit_option
@click.option(
    "--explanations", type=click.IntRange(min=1), metavar="N",
    help="Print at most N explanations of an answer, the smallest first.",
)  # fmt: skip
@rejects_option
@click.option(
    "--limit", type=click.IntRange(min=1), metavar="N",
    help="Keep at most N facts in memory. If more of them matter, those about the oldest ticks are dropped, "
    "and open answers that rest on them are rejected.",
)  # fmt: skip
@click.option("--strict", is_flag=True, help="Stop at the first row that would be set aside.")
@click.pass_context
def try_(ctx: click.Context, /, program: Path, **given: Any) -> None:
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
    snapshots = given["shown"] == "snapshots"
    if given["only"] is not None and snapshots:
        raise click.UsageError("--only selects changes; leave it out, or leave out --snapshots")
    if given["since"] is not None and not snapshots:
        raise click.UsageError("--since says where snapshots start; leave it out, or add --snapshots")
    with ending_in_words(ctx):
        loaded = with_units(load(program), given["time_units"])
        _run(loaded, _options(loaded.plan, given))


def _options(plan: Plan, given: Mapping[str, Any]) -> _Options:
    """What was given on the command line, by the names of the options."""
    facts, since = recording_of(plan, given), tick_of(given["since"], plan, "--since")
    snapshots, as_table = given["shown"] == "snapshots", given["form"] == "table"
    return _Options(
        facts,
        _Look(snapshots, since, given["only"] or KINDS, as_table, given["explanations"]),
        _Bounds(given["limit"], given["rejects"], given["strict"]),
        forecast_of(plan, given),
    )


def _run(program: Program, options: _Options) -> None:
    plan, bounds = program.plan, options.bounds
    print_diagnostics(program.warnings, program.source, stderr())
    say_what_is_missing(plan, options.facts.inputs)
    with ExitStack() as stack:
        rejects = stack.enter_context(summarized(bounds.rejects, plan.tick, strict=bounds.strict))
        static = static_facts(plan, options.facts.statics, rejects, options.facts.maps)
        only = options.look.only
        engine = Engine(
            program, only=only, static=static, arrival=ARRIVAL, limit=bounds.limit, **options.forecast
        )
        if only != KINDS and {LIKELY, UNLIKELY} & {*only}:
            _say_why_nothing_is_likely(engine)
        stack.callback(say_what_was_dropped, engine)
        outcomes = _replay(engine, options, rejects, stack)
        sys.stdout.flush()
        say_what_was_read(rejects, engine)
        say_outcomes(outcomes.found(engine.now), plan.tick, () if only == KINDS else only)
        if any(options.forecast[name] is not None for name in ("min_chance", "most")):
            say_what_was_left_out(engine)
        rejects.require_use()


def _say_why_nothing_is_likely(engine: Engine) -> None:
    """A note if alerts are asked for, and there can be none."""
    if all(query.alert is None for query in engine.plan.queries):
        say("note: nothing is likely or unlikely: no query has an `alert`, as in `query Q(X, T) alert 80%.`")
    elif not engine.forecasts:
        say("note: nothing is likely or unlikely: there are no chances; give a --model, or --model learn")


def _replay(engine: Engine, options: _Options, rejects: Rejects, stack: ExitStack) -> Outcomes:
    relations = list(engine.plan.queries)
    outcomes = Outcomes(relations)
    facts, look = options.facts, options.look
    view: View
    if look.snapshots:
        since = 0 if look.since is None and engine.plan.tick is None else look.since
        total = None if since is None or facts.until is None else max(0, facts.until - since + 1)
        view = SnapshotView(since, stack.enter_context(progress_bar("ticks", total)))
        reader = facts.reader(engine.plan, rejects)
    else:
        view = ChangeView()
        report = stack.enter_context(progress_bar("facts", facts.size))
        reader = facts.reader(engine.plan, rejects, report)
    show = _printer(relations, engine.plan.tick, look)
    nothing = True
    for each in Driver(engine, reader, view).steps():
        outcomes.take(each.tables if each.changes is None else each.changes, each.tick)
        if each.tables:
            show(each)
            nothing = nothing and not any(table.num_rows for table in each.tables.values())
    if nothing and look.as_table and not look.snapshots:
        say("note: there were no changes to show")
    return outcomes


def _printer(relations: list[Relation], tick: int | None, look: _Look) -> Callable[[StepResult], None]:
    if look.as_table:
        return _table_printer(relations, tick, look)
    encoding = (sys.stdout.encoding or "ascii").lower().replace("-", "")
    style = lines.Style(look.explanations, ascii_only=not encoding.startswith("utf"))
    text_of = lines.snapshot_lines if look.snapshots else lines.change_lines

    def show(shown: StepResult) -> None:
        sys.stdout.write(text_of(relations, shown, style))

    return show


def _table_printer(relations: list[Relation], tick: int | None, look: _Look) -> Callable[[StepResult], None]:
    to = listing.listing(to_stdout(), tick, look.explanations)
    last: int | None = None

    def show(shown: StepResult) -> None:
        nonlocal last
        show_them = listing.print_snapshot if look.snapshots else listing.print_changes
        last = show_them(relations, shown, last, to)

    return show
