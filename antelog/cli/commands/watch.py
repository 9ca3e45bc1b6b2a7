"""`antelog watch`: follows facts through the engine in this process, with a page and alerts."""

from __future__ import annotations

import sys
import time
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path

import click

from antelog.arrow.ticks import tick_of
from antelog.cli.arguments.flags import flags
from antelog.cli.arguments.ready import WATCH, WRITTEN, ready
from antelog.cli.serving import Tend, is_changes, page_address, show_changes, tending, with_page
from antelog.cli.show.endings import ending_in_words, stoppable
from antelog.cli.show.listing import printer
from antelog.cli.show.set_aside import (
    SetAside,
    lost_in_ticks,
    say_what_learning_lacks,
    say_what_was_dropped,
    say_what_was_read,
    say_which_chances_lack,
)
from antelog.cli.show.status_line import status_line
from antelog.cli.show.terminal import clear, print_diagnostics, say, say_what_is_missing
from antelog.compile.nodes.plan import Plan
from antelog.diagnostics import Source
from antelog.errors import AntelogError, DataError, InUseError, OutputError
from antelog.files import Rejects
from antelog.language.program_files import read_text
from antelog.process import LEARN
from antelog.program import Program
from antelog.run import values
from antelog.run.address import Posted
from antelog.run.answer_details import DetailWriter
from antelog.run.checks import Ready
from antelog.run.following import FollowedRun, RunOutput
from antelog.run.replay import files_of, static_facts
from antelog.run.settings import NOW, START, AlertSettings, Settings
from antelog.run.sinks.json_lines import Style, change_lines, with_kinds
from antelog.run.sinks.result import StepResult
from antelog.run.store import Store
from antelog.secrets import redacted
from antelog.temporary import temporary_folder
from antelog.watch.alerts.alert import Alert, AlertError, AlertSetup
from antelog.watch.alerts.process import AlertProcess
from antelog.watch.alerts.setup import alerts_in, setup_of
from antelog.watch.web.address import new_token


@click.command(
    "watch",
    epilog="Exit status: 0 fine, 1 the program or the data is wrong, 2 the command is. "
    "Results go to stdout, everything else to stderr.",
)
@click.argument("program", type=click.Path(path_type=Path), required=False)
@flags(WATCH, settings=Settings)
@click.pass_context
def watch(ctx: click.Context, /, settings: Settings) -> None:
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

    A source's columns are matched by name, or as --map says, record by record. Rows that cannot be used,
    and facts that arrived later than their input allows, are set aside and counted. Ctrl-C stops.
    """
    with ending_in_words(ctx):
        path = settings.program
        if path is not None and "inputs" not in settings.given and is_changes(path):
            show_changes(path, page_address(settings))
        else:
            _run(ready(settings, WATCH))


def _run(found: Ready) -> None:
    program, settings, plan = found.program, found.settings, found.program.plan
    posted = [name for name, each in settings.inputs.items() if isinstance(each, Posted)]
    wanted = wanted_alerts(settings, program, chances=bool(settings.model) or plan.declares_chances)
    print_diagnostics(program.warnings, program.source)
    say_what_is_missing(plan, settings.inputs)
    serves = not (settings.no_page or settings.once)
    token = settings.facts_token or new_token() if posted else None
    page = page_address(settings, facts=token, acts=True) if serves else None
    with ExitStack() as stack:
        feed = bool(posted) or wanted is not None or not settings.no_page
        store = _store(settings, feed, stack)
        tends, notes = list[Tend](), dict[str, str]()
        edits = ProgramEdits(program.source, kept=settings.state is not None)

        def look_for_edits() -> None:
            found = edits.look()
            if found and notes.get("edits") != found:
                say(f"note: {found}")
            _set(notes, "edits", found)

        tends.append(look_for_edits)
        run = FollowedRun(
            program,
            settings,
            static_facts(plan, files_of(settings.statics), Rejects(), settings.map),
            store,
            feed,
            note=lambda note: say(f"note: {note}"),
            tend=lambda: [tend() for tend in tends],
        )
        follower = run.follower(_output(plan, settings), stack)
        if follower.driver.journal is not None and follower.driver.journal.feed is not None:
            follower.driver.journal.feed.notes = notes
        say_which_chances_lack(follower.driver.engine, learned=settings.model is not None)
        read = partial(lost_in_ticks, follower.driver.reader.rejects, follower.driver.engine)
        tends.append(lambda: _set(notes, "lost", "".join(f"{each}. " for each in read()).rstrip()))
        if store is not None and page is not None:
            served = with_page(store.path, page, stack, posted, new_facts=settings.facts_token is None)
            tends += [tending(served), DetailWriter(store.inbox, follower.driver.engine).tend]
            tends.append(lambda: _set(notes, "page", served.trouble))
            if wanted is not None and not wanted.link:
                wanted = replace(wanted, link=served.address.origin)
        sender: AlertProcess | None = None
        if store is not None and wanted is not None:
            alerts = AlertProcess(store.path, wanted, lambda: follower.driver.reader.newest)
            stack.callback(alerts.stop)
            tends += [alerts.tend, lambda: _set(notes, "alerts", alerts.trouble)]
            sender = alerts
        alone = page is None and not settings.once
        with stoppable() as stopping, status_line(follower.driver, wanted=alone) as refresh:
            tends.append(refresh)
            follower.run(stopping)
            if page is not None and not stopping():
                say("note: all has been read; the page is there until you stop it with Ctrl-C")
                follower.driver.linger(stopping)
        sys.stdout.flush()
        rejects, engine = follower.driver.reader.rejects, follower.driver.engine
        say_what_was_read(rejects, engine)
        say_what_was_dropped(engine)
        if settings.model == LEARN:
            say_what_learning_lacks(engine)
        SetAside(rejects.counts, rejects.first, plan.timescale, rejects.delays).say(None, "the page")
        if settings.once and not follower.resumed:
            rejects.require_use()
    if settings.once and sender is not None and sender.failed:
        kept = "are kept in the state" if settings.state is not None else "are lost without a --state"
        raise OutputError(f"alerts: the process that sends them ends with an error; those that wait {kept}")


def _set(notes: dict[str, str], name: str, text: str) -> None:
    """The words of the page about something; nothing if the text is empty."""
    notes.pop(name, None)
    if text:
        notes[name] = text


def wanted_alerts(settings: AlertSettings, program: Program, *, chances: bool) -> AlertSetup | None:
    """The alerts of the options, checked; None if there are none. Raises UsageError.

    `chances` says whether answers have any.
    """
    on, where = tuple(settings.alert_on or ()), tuple(settings.alert_where)
    try:
        alerts = [Alert(to, on, where, settings.alert_template or "") for to in settings.alerts]
        alerts += [] if settings.alert_file is None else alerts_in(settings.alert_file)
        found = setup_of(alerts, program, chances=chances) if alerts else None
        begin: int | None = 0
        if settings.alert_from != START:  # NOW is known only when all has been read
            now = settings.alert_from == NOW
            begin = None if now else tick_of(settings.alert_from, program.plan.timescale)
        return found and replace(
            found,
            every=float(values.length_of(settings.alert_every) or 0) / 1e6,
            begin=begin,
            link=settings.link or "",
        )
    except (AlertError, DataError) as error:
        raise click.UsageError(redacted(str(error))) from None


def _store(settings: Settings, feed: bool, stack: ExitStack) -> Store | None:
    """The store: for a state to be kept, or for readers of a feed; otherwise none."""
    state = settings.state
    if state is None and not feed:
        return None
    if state is not None:
        try:
            store = Store.open(state)
        except InUseError:
            if not settings.wait:
                raise
            say(f"note: another `antelog watch` writes to {state}; this one waits for its end")
            store = Store.open(state, wait=True)
    else:
        folder = stack.enter_context(temporary_folder())
        store = Store.open(folder / "feed", temporary=True)
    store.feed.kept_seconds = values.duration(settings.keep) / 1_000_000
    stack.callback(store.close)
    return store


class _Terminal:
    """Writes changes to stdout at once."""

    def __init__(self, plan: Plan, settings: Settings) -> None:
        self._show = printer(plan, settings)

    def write(self, step: StepResult) -> None:
        clear()
        self._show(step)
        sys.stdout.flush()

    def mark(self) -> None:
        """Does nothing: stdout has no position to remember."""

    def close(self) -> None:
        """Stdout stays open."""


def _output(plan: Plan, settings: Settings) -> RunOutput:
    """The output of changes: the file or topic of --output, and stdout."""
    relations, style = list(plan.queries), Style(settings.explanations)

    def text(step: StepResult) -> str:
        return change_lines(relations, with_kinds(step, settings.only, settings.first), style)

    address = WRITTEN.take(settings.outputs[0]) if settings.outputs else None
    return RunOutput(address, text, _Terminal(plan, settings))


_BETWEEN = 1.0
"""Seconds from one look at the files to the next."""


class ProgramEdits:
    """The files of a program as they were read. With `kept` the run has a state to go on from."""

    def __init__(self, source: Source, *, kept: bool) -> None:
        self._texts = {each.name: each.text for _, each in source.files}
        self._kept, self._said, self._looked = kept, "", float("-inf")

    def look(self) -> str:
        """Which files have another text now, and what to do; empty if all are as they were."""
        if time.monotonic() >= self._looked + _BETWEEN:
            self._looked = time.monotonic()
            self._said = self._sentence([name for name, text in self._texts.items() if _differs(name, text)])
        return self._said

    def _sentence(self, names: list[str]) -> str:
        if not names:
            return ""
        has = "has" if len(names) == 1 else "have"
        more = " and add --accept-changes" if self._kept else ""
        return (
            f"{' and '.join(names)} {has} changed since this run began, which goes on with the rules of "
            f"before. To go on with the new ones, start it again{more}."
        )


def _differs(name: str, text: str) -> bool:
    try:
        return Path(name).is_file() and read_text(name) != text
    except (AntelogError, OSError, ValueError):
        return False  # it is being written
