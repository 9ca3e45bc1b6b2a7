"""`antelog try`: recorded facts through the engine, in this process."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import click

from antelog.cli.arguments.pairs import Pair, files_of_inputs, files_of_statics
from antelog.cli.arguments.ticks import tick_of
from antelog.cli.recorded.facts import (
    input_option,
    recorded,
    say_what_is_missing,
    static_facts,
    static_option,
    until_option,
)
from antelog.cli.recorded.replay import Recorded, changes, snapshots
from antelog.cli.show import json_lines, listing
from antelog.cli.show.diagnostics import print_diagnostics, stderr
from antelog.cli.show.endings import ending_in_words
from antelog.cli.show.progress import Report, progress_bar
from antelog.cli.show.set_aside import say_what_was_dropped, say_what_was_read, summarized
from antelog.cli.show.shown import Shown
from antelog.cli.show.terminal import say, to_stdout
from antelog.compile.plan import Relation
from antelog.engine.engine import Engine
from antelog.engine.log.changes import KINDS
from antelog.files import ARRIVAL, Rejects
from antelog.files.naming import size_of
from antelog.language.checks.suggestions import did_you_mean
from antelog.program import Program, load


@dataclass(frozen=True)
class Options:
    """What the command was asked for."""

    inputs: Mapping[str, Path]
    statics: Mapping[str, Path]
    since: int | None
    until: int | None
    limit: int | None
    snapshots: bool
    only: tuple[str, ...]
    as_table: bool
    arrival: str
    explanations: int | None
    rejects: Path | None
    strict: bool


def _kinds(text: str) -> tuple[str, ...]:
    """Kinds of changes, with commas between them."""
    kinds = tuple(kind.strip() for kind in text.split(","))
    for kind in kinds:
        if kind not in KINDS:
            hint = did_you_mean(kind, KINDS) or f"The kinds are {', '.join(KINDS)}."
            raise click.BadParameter(f"there is no change of the kind `{kind}`. {hint}")
    return kinds


@click.command(
    "try",
    short_help="Replay recorded facts, in this process.",
    epilog="Exit status: 0 fine, 1 the program or the data is wrong, 2 the command is. "
    "Results go to stdout, everything else to stderr.",
)
@click.argument("program", type=click.Path(dir_okay=False, path_type=Path))
@input_option
@static_option
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
    "--only", type=_kinds, metavar="KIND,…", help=f"Print these kinds of changes only: {', '.join(KINDS)}."
)
@click.option(
    "--format", "form", type=click.Choice(["jsonl", "table"]), default="jsonl", show_default=True,
    help="JSON lines for programs, or a listing for people.",
)  # fmt: skip
@click.option(
    "--arrival", metavar="NAME", default=None,
    help="The column with the ticks or timestamps at which facts arrived. In a file without it, they "
    "arrive at their own time.  [default: arrival]",
)  # fmt: skip
@click.option(
    "--explanations", type=click.IntRange(min=1), metavar="N",
    help="Print at most so many explanations of an answer, the smallest first.",
)  # fmt: skip
@click.option(
    "--rejects", type=click.Path(dir_okay=False, path_type=Path),
    help="Write every row that was set aside, with the reason, to this file (.csv or .jsonl).",
)  # fmt: skip
@click.option(
    "--limit", type=click.IntRange(min=1), metavar="N",
    help="Keep at most N facts in memory. If more of them matter, those about the oldest ticks are dropped, "
    "and open answers that rest on them are rejected.",
)  # fmt: skip
@click.option("--strict", is_flag=True, help="Stop at the first row that would be set aside.")
@click.pass_context
def try_(
    ctx: click.Context,
    program: Path,
    inputs: tuple[Pair, ...],
    statics: tuple[Pair, ...],
    since: str | None,
    until: str | None,
    shown: str,
    only: tuple[str, ...] | None,
    form: str,
    arrival: str | None,
    explanations: int | None,
    rejects: Path | None,
    limit: int | None,
    strict: bool,
) -> None:
    """Replay recorded facts through PROGRAM and print how its answers change.

    \b
    Examples:
      antelog try turbines.alog --input Temp=readings.csv
      antelog try turbines.alog --input Temp=readings.csv --format table
      antelog try turbines.alog --input Temp=readings.parquet --only confirmed > found.jsonl
      antelog try turbines.alog --input Temp=readings.csv --snapshots --until 20 | jq .answers

    A file's columns are matched by name, or else by position. Rows that cannot be used, and facts that
    arrived later than their input allows, are set aside and counted.
    """
    if only is not None and shown == "snapshots":
        raise click.UsageError("--only selects changes; leave it out, or leave out --snapshots")
    if since is not None and shown != "snapshots":
        raise click.UsageError("--since says where snapshots start; leave it out, or add --snapshots")
    with ending_in_words(ctx):
        loaded = load(program)
        plan = loaded.plan
        options = Options(
            files_of_inputs(plan, inputs),
            files_of_statics(plan, statics),
            tick_of(since, plan, "--since"),
            tick_of(until, plan, "--until"),
            limit,
            shown == "snapshots",
            only or KINDS,
            form == "table",
            arrival or "arrival",
            explanations,
            rejects,
            strict,
        )
        _run(loaded, options)


def _run(program: Program, options: Options) -> None:
    plan = program.plan
    print_diagnostics(program.warnings, program.source, stderr())
    say_what_is_missing(plan, options.inputs)
    with ExitStack() as stack:
        rejects = stack.enter_context(summarized(options.rejects, plan.tick, strict=options.strict))
        static = static_facts(plan, options.statics, rejects)
        engine = Engine(program, only=options.only, static=static, arrival=ARRIVAL, limit=options.limit)
        stack.callback(say_what_was_dropped, engine)
        _replay(engine, options, rejects, stack)
        sys.stdout.flush()
        say_what_was_read(rejects, engine)


def _replay(engine: Engine, options: Options, rejects: Rejects, stack: ExitStack) -> None:
    relations = list(engine.plan.queries)
    if options.snapshots:
        since = 0 if options.since is None and engine.plan.tick is None else options.since
        total = None if since is None or options.until is None else max(0, options.until - since + 1)
        report = stack.enter_context(progress_bar("ticks", total))
        found = snapshots(engine, _recorded(engine, options, rejects), since, options.until, report)
    else:
        size = sum(map(size_of, options.inputs.values()))
        report = stack.enter_context(progress_bar("facts", size))
        found = changes(engine, _recorded(engine, options, rejects, report), options.until)
    show = _printer(relations, engine.plan.tick, options)
    nothing = True
    for each in found:
        rejects.add(each.set_aside)
        if each.tables:
            show(each)
            nothing = nothing and not any(table.num_rows for table in each.tables.values())
    if nothing and options.as_table and not options.snapshots:
        say("note: there is nothing to tell of any answer")


def _recorded(
    engine: Engine, options: Options, rejects: Rejects, report: Report = lambda _: None
) -> Recorded:
    return recorded(
        engine.plan, options.inputs, rejects, arrival=options.arrival, until=options.until, report=report
    )


def _printer(relations: list[Relation], tick: int | None, options: Options) -> Callable[[Shown], None]:
    if options.as_table:
        return _table_printer(relations, tick, options)
    encoding = (sys.stdout.encoding or "ascii").lower().replace("-", "")
    style = json_lines.Style(options.explanations, ascii_only=not encoding.startswith("utf"))
    lines = json_lines.snapshot_lines if options.snapshots else json_lines.change_lines

    def show(shown: Shown) -> None:
        sys.stdout.write(lines(relations, shown, style))

    return show


def _table_printer(relations: list[Relation], tick: int | None, options: Options) -> Callable[[Shown], None]:
    to = listing.listing(to_stdout(), tick, options.explanations)
    last: int | None = None

    def show(shown: Shown) -> None:
        nonlocal last
        show_them = listing.print_snapshot if options.snapshots else listing.print_changes
        last = show_them(relations, shown, last, to)

    return show
