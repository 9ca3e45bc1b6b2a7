"""`antelog watch`: facts as they come, through the engine in this process, a page and alerts beside it."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from antelog.cli.arguments.alerts import alert_options, wanted_alerts
from antelog.cli.arguments.completion import inputs_of
from antelog.cli.arguments.maps import map_option, maps_of
from antelog.cli.arguments.models import forecast_of, min_chance_option, model_option, most_option
from antelog.cli.arguments.page import address_of, page_options, token
from antelog.cli.arguments.pairs import files_of_statics
from antelog.cli.arguments.reading import Read
from antelog.cli.arguments.recorded import static_option
from antelog.cli.arguments.units import time_unit_option, with_units
from antelog.cli.replaying import say_what_is_missing
from antelog.cli.show import listing
from antelog.cli.show.diagnostics import print_diagnostics, stderr
from antelog.cli.show.endings import ending_in_words, stoppable
from antelog.cli.show.set_aside import SetAside, say_what_was_dropped, say_what_was_read
from antelog.cli.show.terminal import say, to_stdout
from antelog.cli.watching.beside import Tend, with_alerts, with_page
from antelog.cli.watching.showing import is_changes, show_changes
from antelog.cli.watching.sources import pair, posted, sources_of, timing_of
from antelog.compile.nodes.plan import Plan
from antelog.files import Rejects
from antelog.forecast.columns import KINDS
from antelog.program import Program, load
from antelog.run.address import Files, Kafka, Reach
from antelog.run.driver import RunCourse
from antelog.run.following import FollowedRun, InputAddresses, RunOutput, RunStore
from antelog.run.replay import static_facts
from antelog.run.sinks import lines
from antelog.run.sinks.result import StepResult
from antelog.run.sources.opening import Followed
from antelog.run.store import Store
from antelog.run.values import SettingError, duration, kinds

_WRITTEN: Reach[Files | Kafka] = Reach("`antelog watch`", "write", (Files, Kafka))


def _destination(_ctx: click.Context, _parameter: click.Parameter, text: str | None) -> Files | Kafka | None:
    """The file or topic of --output."""
    if text is None or not text.startswith("kafka:"):
        return None if text is None else Files(text)
    try:
        return _WRITTEN.read(text)
    except SettingError as error:
        raise click.BadParameter(str(error)) from None


@click.command(
    "watch",
    short_help="Follow facts as they come, with a page and alerts.",
    epilog="Exit status: 0 fine, 1 the program or the data is wrong, 2 the command is. "
    "Results go to stdout, everything else to stderr.",
)
@click.argument("program", type=click.Path(path_type=Path))
@click.option(
    "--input", "inputs", type=Read("P=SOURCE", pair), metavar="P=SOURCE", multiple=True,
    shell_complete=inputs_of,
    help="Where the facts of an input come from: a file that grows (CSV or JSON lines), a folder, - for "
    "standard input, kafka://host:9092/topic?format=json, or http: for facts that are posted to the page.",
)  # fmt: skip
@static_option
@map_option()
@click.option(
    "--state", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
    help="Keep in this file how far it has come, and go on there next time, without a fact lost.",
)  # fmt: skip
@click.option(
    "--output", callback=_destination, metavar="FILE|TOPIC",
    help="Write changes to this file or topic (kafka://host:9092/topic) instead of stdout; with --state each "
    "of them exactly once.",
)  # fmt: skip
@click.option("--once", is_flag=True, help="Stop when all that is there has been read.")
@click.option(
    "--clock", type=click.Choice(["arrival", "event", "processing"]),
    help="What moves time on: a column with arrivals, the facts' own times, or the wall clock. If not "
    "given: arrivals where there is such a column, else the facts.",
)  # fmt: skip
@click.option(
    "--arrival", metavar="NAME", default="arrival", show_default=True,
    help="The column with the ticks or timestamps at which facts arrived.",
)  # fmt: skip
@time_unit_option
@click.option(
    "--lag", type=click.IntRange(min=0), metavar="TICKS", default=1, show_default=True,
    help="Finish the tick that lies this many behind the highest one seen.",
)  # fmt: skip
@click.option(
    "--idle", type=Read("DURATION", duration), metavar="DURATION",
    help="When nothing came for this long, go on with the wall clock.",
)  # fmt: skip
@click.option(
    "--only", type=Read("KIND,…", kinds), metavar="KIND,…",
    help=f"Print these kinds of changes only: {', '.join(KINDS)}.",
)  # fmt: skip
@click.option(
    "--format", "form", type=click.Choice(["jsonl", "table"]), default="jsonl", show_default=True,
    help="JSON lines for programs, or a listing for people.",
)  # fmt: skip
@click.option(
    "--explanations", type=click.IntRange(min=1), metavar="N",
    help="Print at most N explanations of an answer, the smallest first.",
)  # fmt: skip
@model_option
@min_chance_option
@most_option()
@click.option(
    "--limit", type=click.IntRange(min=1), metavar="N",
    help="Keep at most N facts in memory; see `antelog try --help`.",
)  # fmt: skip
@click.option("--no-page", is_flag=True, help="Serve no page.")
@page_options
@click.option(
    "--facts-token", type=Read("@FILE", token), metavar="@FILE",
    help="What lets one post facts, likewise.  [default: a new one]",
)  # fmt: skip
@alert_options
@click.pass_context
def watch(ctx: click.Context, /, program: Path, **given: Any) -> None:
    """Follow facts as they come through PROGRAM: print what changes, and show what is open on a page.

    In place of PROGRAM, a folder or file of changes shows what a pipeline writes.

    \b
    Examples:
      antelog watch turbines.alog --input Temp=readings.csv
      antelog watch turbines.alog --input Temp=readings/ --state turbines.state --output changes.jsonl
      tail -f log.jsonl | antelog watch turbines.alog --input Temp=- --no-page --format table
      antelog watch turbines.alog --input Temp=kafka://localhost:9092/temp --state turbines.state --no-page
      antelog watch turbines.alog --input Temp=readings.csv --once --no-page | jq .change
      antelog watch changes/                       a page of what `antelog run --output json:changes` writes
      antelog watch turbines.alog --input Temp=readings.csv --alert slack:@slack.url --alert-on confirmed

    A source's columns are matched by name, as --map says, or else by position. Rows that cannot be used,
    and facts that arrived later than their input allows, are set aside and counted. Ctrl-C stops.
    """
    if given["output"] is not None and given["form"] == "table":
        raise click.UsageError("--output has JSON lines; leave out --format table")
    with ending_in_words(ctx):
        if not given["inputs"] and is_changes(program):
            show_changes(program, address_of(given, facts=None))
        else:
            _run(with_units(load(program), given["time_units"]), given)


def _run(program: Program, given: Mapping[str, Any]) -> None:
    plan = program.plan
    forecast = forecast_of(plan, given)
    maps = maps_of(plan, given)
    places, timing = sources_of(plan, given["inputs"]), timing_of(plan, given)
    statics = files_of_statics(plan, given["statics"])
    wanted = wanted_alerts(given, program, chances=bool(given["model"]) or plan.declares_chances)
    print_diagnostics(program.warnings, program.source, stderr())
    say_what_is_missing(plan, places)
    page = None if given["no_page"] or given["once"] else address_of(given, facts=_token(places, given))
    with ExitStack() as stack:
        kept = _store(given, posted(places) or wanted is not None or not given["no_page"], stack)
        tends: list[Tend] = []
        run = FollowedRun(
            program,
            InputAddresses(places, given["arrival"], maps),
            timing,
            RunCourse(given["once"], given["state"] is not None, lambda: [tend() for tend in tends]),
            given["only"] or KINDS,
            {"static": static_facts(plan, statics, Rejects(), maps), "limit": given["limit"], **forecast},
            lambda note: say(f"note: {note}"),
        )
        found = run.follower(kept, _output(plan, given), stack)
        if kept.store is not None and wanted is not None:
            tends.append(with_alerts(kept.store.path, wanted, stack))
        if kept.store is not None and page is not None:
            tends.append(with_page(kept.store.path, page, stack))
        with stoppable() as stopping:
            found.run(stopping)
            if page is not None and not stopping():
                say("note: all has been read; the page is there until you stop it with Ctrl-C")
                found.driver.linger(stopping)
        sys.stdout.flush()
        rejects, engine = found.driver.reader.rejects, found.driver.engine
        say_what_was_read(rejects, engine)
        say_what_was_dropped(engine)
        SetAside(rejects.counts, rejects.first, plan.tick, rejects.delays).say(None, "the page")
        if given["once"] and not found.resumed:
            rejects.require_use()


def _token(places: Mapping[str, Followed], given: Mapping[str, Any]) -> str | None:
    """The token of those who may post facts, if any may."""
    return given["facts_token"] or secrets.token_urlsafe(24) if posted(places) else None


def _store(given: Mapping[str, Any], feed: bool, stack: ExitStack) -> RunStore:
    """The store, if there is a state to be kept, or anybody reads a feed."""
    state: Path | None = given["state"]
    if state is None and not feed:
        return RunStore()
    if state is not None:
        store = Store.open(state)
    else:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="antelog-")))
        store = Store.open(folder / "feed", temporary=True)
    stack.callback(store.close)
    return RunStore(store, state, feed)


class _Terminal:
    """Changes on stdout, at once."""

    def __init__(self, show: Callable[[StepResult], None]) -> None:
        self._show = show

    def write(self, step: StepResult) -> None:
        self._show(step)
        sys.stdout.flush()

    def mark(self) -> None:
        """Nothing is known of what was read of it."""

    def close(self) -> None:
        """Stdout stays open."""


def _output(plan: Plan, given: Mapping[str, Any]) -> RunOutput:
    """Where changes go, those of the wanted kinds."""
    relations, explanations, only = list(plan.queries), given["explanations"], given["only"] or KINDS
    style = lines.Style(explanations)

    def text(step: StepResult) -> str:
        return lines.change_lines(relations, lines.with_kinds(step, only), style)

    return RunOutput(given["output"], text, _Terminal(_printer(plan, given)))


def _printer(plan: Plan, given: Mapping[str, Any]) -> Callable[[StepResult], None]:
    """What prints changes of the wanted kinds."""
    relations, explanations, only = list(plan.queries), given["explanations"], given["only"] or KINDS
    if given["form"] == "table":
        to = listing.listing(to_stdout(), plan.tick, explanations)
        last: list[int | None] = [None]

        def show(step: StepResult) -> None:
            last[0] = listing.print_changes(relations, lines.with_kinds(step, only), last[0], to)

        return show
    encoding = (sys.stdout.encoding or "ascii").lower().replace("-", "")
    style = lines.Style(explanations, ascii_only=not encoding.startswith("utf"))

    def write(step: StepResult) -> None:
        sys.stdout.write(lines.change_lines(relations, lines.with_kinds(step, only), style))

    return write
