"""`antelog watch`: follows facts through the engine in this process, with a page, or a line of status."""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import click
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from antelog.arrow.ticks import tick_of
from antelog.cli.arguments.flags import FINE_ON_STDOUT, flags
from antelog.cli.arguments.ready import WATCH, WRITTEN, ready
from antelog.cli.serving import Tend, is_changes, page_address, show_changes, with_page
from antelog.cli.show import set_aside, terminal
from antelog.cli.show.endings import stoppable
from antelog.cli.show.listing import printer, style_of
from antelog.compile.nodes.plan import Plan
from antelog.diagnostics import Source
from antelog.errors import AntelogError, DataError, InUseError, OutputError
from antelog.files import Rejects
from antelog.incidents.incident_list import read_incidents
from antelog.language.moments import tick_in_words
from antelog.language.program_files import read_text
from antelog.lazily import libraries
from antelog.process import LEARN
from antelog.program import Program
from antelog.run import values
from antelog.run.address import Posted
from antelog.run.answer_details import DetailWriter
from antelog.run.checks import Ready
from antelog.run.counting import OpenAnswers
from antelog.run.driver import Driver
from antelog.run.following import FollowedRun, RunOutput
from antelog.run.replay import static_facts
from antelog.run.settings import NOW, START, AlertSettings, Settings
from antelog.run.sinks.json_lines import Style, change_lines, with_kinds
from antelog.run.sinks.result import StepResult
from antelog.run.store.database import is_store
from antelog.run.store.store import Store
from antelog.run.workers.divided import DividedEngine
from antelog.secrets import redacted
from antelog.watch.alerts.alert import Alert, AlertError, AlertSetup, alerts_in
from antelog.watch.alerts.letters import setup_of
from antelog.watch.alerts.running import AlertProcess
from antelog.watch.board.judged_feed import asked_of
from antelog.watch.web.address import new_token
from antelog.writing import temporary_folder


@click.command("watch", epilog=FINE_ON_STDOUT)
@click.argument("program", type=click.Path(path_type=Path), required=False)
@flags(WATCH, settings=Settings)
def watch(settings: Settings) -> None:
    """Follow facts as they come through PROGRAM: print what changes, and show what is open on a page."""
    path = settings.program
    if path is not None and "inputs" not in settings.given and is_changes(path):
        if settings.incidents is not None and not is_store(path):
            terminal.note("--incidents is for a state: changes do not say by which rules they came about")
        show_changes(path, page_address(settings))
    else:
        _run(ready(settings, WATCH))


def _run(found: Ready) -> None:
    program, settings, plan = found.program, found.settings, found.program.plan
    posted = [name for name, each in settings.inputs.items() if isinstance(each, Posted)]
    wanted = wanted_alerts(settings, program, chances=bool(settings.model) or plan.declares_chances)
    mapped = f" {settings.group_by}"  # a relation that only the map needs is used, too
    shown = [each for each in program.warnings if each.code != "W102" or not each.message.endswith(mapped)]
    terminal.print_diagnostics(shown, program.source)
    terminal.say_what_is_missing(plan, settings.inputs)
    serves = not (settings.no_page or settings.once)
    token = settings.facts_token or new_token() if posted else None
    page = page_address(settings, facts=token, acts=True, plan=plan) if serves else None
    if page is not None and page.incidents is not None:
        asked_of(program, page.incidents)
        own, rejects = page.incidents, Rejects()
        read_incidents(own.path, plan, own.options, rejects, grows=True)
        for said in (*rejects.notes, *map(str, rejects.first)):
            terminal.note(said)
    elif settings.incidents is not None:
        terminal.note("--incidents is for the page, which is not there with --no-page and --once")
    with ExitStack() as stack:
        feed = bool(posted) or wanted is not None or not settings.no_page
        store = _store(settings, feed, stack)
        notes = dict[str, str]()
        tends = [_edits_noted(program.source, notes, kept=settings.state is not None)]
        run = FollowedRun(
            program,
            settings,
            static_facts(plan, settings.statics, Rejects(), settings.map),
            store,
            feed,
            note=terminal.note,
            tend=lambda: [tend() for tend in tends],
        )
        relations = list(plan.queries)
        style = Style(settings.explanations) if settings.outputs else style_of(settings)

        def text(step: StepResult) -> str:
            return change_lines(relations, with_kinds(step, settings.only, settings.first), style)

        address = WRITTEN.take(settings.outputs[0]) if settings.outputs else None
        follower = run.follower(RunOutput(address, text, _Terminal(plan, settings)), stack)
        engine = follower.driver.engine
        if isinstance(engine, DividedEngine) and settings.form != "table" and (not feed or style == Style()):
            engine.style = style
        if follower.driver.journal is not None and follower.driver.journal.feed is not None:
            follower.driver.journal.feed.notes = notes
        set_aside.say_which_chances_lack(follower.driver.engine, learned=settings.model is not None)
        read = partial(set_aside.lost_in_ticks, follower.driver.reader.rejects, follower.driver.engine)
        tends.append(lambda: _set(notes, "lost", "".join(f"{each}. " for each in read()).rstrip()))
        tends.append(
            lambda: _set(notes, "failed", set_aside.failed_calls(follower.driver.reader.rejects.counts))
        )
        if store is not None and page is not None:
            served = with_page(store.path, page, stack, posted, new_facts=settings.facts_token is None)
            tends += [served.tend, DetailWriter(store.inbox, follower.driver.engine).tend]
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
                terminal.say("note: all has been read; the page is there until you stop it with Ctrl-C")
                follower.driver.linger(stopping)
        sys.stdout.flush()
        rejects, engine = follower.driver.reader.rejects, follower.driver.engine
        set_aside.say_what_was_read(rejects, engine)
        set_aside.say_what_was_dropped(engine)
        if settings.model == LEARN:
            set_aside.say_what_learning_lacks(engine)
        set_aside.say_what_was_set_aside(
            rejects.counts, rejects.first, plan.timescale,
            where=None, option="the page", delays=rejects.delays,
        )  # fmt: skip
        if settings.once and not follower.resumed:
            rejects.require_use()
    if settings.once and sender is not None and sender.failed:
        kept = "are kept in the state" if settings.state is not None else "are lost without a --state"
        raise OutputError(f"alerts: the process that sends them ends with an error; those that wait {kept}")


def _set(notes: dict[str, str], name: str, text: str) -> None:
    notes.pop(name, None)
    if text:
        notes[name] = text


def wanted_alerts(settings: AlertSettings, program: Program, *, chances: bool) -> AlertSetup | None:
    on, where = tuple(settings.alert_on or ()), tuple(settings.alert_where)
    try:
        alerts = [Alert(to, on, where, settings.alert_template or "") for to in settings.alerts]
        alerts += [] if settings.alert_file is None else alerts_in(settings.alert_file)
        found = setup_of(alerts, program, chances=chances) if alerts or settings.otlp else None
        if settings.otlp:
            with libraries("--otlp", "otlp"):
                from antelog.watch.alerts import telemetry  # noqa: F401, PLC0415 - an extra
        begin: int | None = 0
        if settings.alert_from != START:  # NOW is known only when all has been read
            now = settings.alert_from == NOW
            begin = None if now else tick_of(settings.alert_from, program.plan.timescale)
        return found and replace(
            found,
            every=float(values.length_of(settings.alert_every) or 0) / 1e6,
            begin=begin,
            link=settings.link or "",
            otlp=settings.otlp or "",
        )
    except (AlertError, DataError) as error:
        raise click.UsageError(redacted(str(error))) from None


def _store(settings: Settings, feed: bool, stack: ExitStack) -> Store | None:
    """The store for a state that is kept, or for readers of a feed; otherwise None."""
    state = settings.state
    if state is None and not feed:
        return None
    path = stack.enter_context(temporary_folder()) / "feed" if state is None else state
    try:
        store = Store(path, temporary=state is None)
    except InUseError:
        if not settings.wait:
            raise
        terminal.say(f"note: another `antelog watch` writes to {path}; this one waits for its end")
        store = Store(path, wait=True)
    store.feed.kept_seconds = values.duration(settings.keep) / 1_000_000
    stack.callback(store.close)
    return store


class _Terminal:
    """Writes changes to stdout at once."""

    def __init__(self, plan: Plan, settings: Settings) -> None:
        self._show = printer(plan, settings)

    def write(self, step: StepResult) -> None:
        terminal.clear()
        self._show(step)
        sys.stdout.flush()

    def mark(self) -> None:
        """Does nothing: stdout has no position to remember."""

    def close(self) -> None:
        """Stdout stays open."""


_BETWEEN = 1.0


def _edits_noted(source: Source, notes: dict[str, str], *, kept: bool) -> Tend:
    """A function that notes which files of a program have changed; `kept`: there is a state to go on from."""
    texts = {each.name: each.text for _, each in source.files}
    looked = float("-inf")

    def look() -> None:
        nonlocal looked
        if time.monotonic() < looked + _BETWEEN:
            return
        looked = time.monotonic()
        names = [name for name, text in texts.items() if _differs(name, text)]
        has = "has" if len(names) == 1 else "have"
        more = " and add --accept-changes" if kept else ""
        sentence = f"{' and '.join(names)} {has} changed since this run began, which goes on with the "
        sentence += f"rules of before. To go on with the new ones, start it again{more}."
        if names and notes.get("edits") != sentence:
            terminal.say(f"note: {sentence}")
        _set(notes, "edits", sentence if names else "")

    return look


def _differs(name: str, text: str) -> bool:
    try:
        return Path(name).is_file() and read_text(name) != text
    except (AntelogError, OSError, ValueError):
        return False  # it is being written


# ---- the last line of a terminal ----

_REFRESHED = 1.0  # seconds until the first refresh, and between two of them
_SPAN = 5.0  # seconds over which the rate of rows is taken
_CLEARED = "\r\x1b[2K"
_SECOND = 1_000_000


@dataclass(eq=False)
class StatusLine:
    """The status of a run; `refresh` is called often, and `clear` before anything else is printed."""

    driver: Driver
    console: Console
    _shown: bool = False
    _text: str = ""
    _next: float | None = None
    _rows: deque[tuple[float, int]] = field(default_factory=deque)

    def __post_init__(self) -> None:
        self._open = OpenAnswers(self.driver.engine, self.driver.time.monotonic)

    def refresh(self) -> None:
        now = self.driver.time.monotonic()
        if self._next is None or not self._rows:
            self._rows.append((now, self._read()))
            self._next = now + _REFRESHED
        if now >= self._next:
            self._next = now + _REFRESHED
            separator = " · " if self.console.encoding.startswith("utf") else " | "
            self._text = fitting(self._parts(now), self.console.width - 1, separator)
            self.clear()
        if self._text and not self._shown:
            self.console.print(Text(self._text, "dim"), end="", soft_wrap=True)
            self.console.file.flush()
            self._shown = True

    def clear(self) -> None:
        if self._shown:
            self.console.file.write(_CLEARED)
            self.console.file.flush()
            self._shown = False

    def _parts(self, now: float) -> list[str]:
        engine = self.driver.engine
        heard = max((each.heard or 0 for each in self.driver.reader.counts.each.values()), default=0)
        if not heard:
            return ["waiting for the first fact", "Ctrl-C stops"]
        silent = (self.driver.time.wall() - heard) // _SECOND
        time = [] if engine.now < 0 else [tick_in_words(engine.now, engine.plan.timescale)]
        self._rows.append((now, self._read()))
        while len(self._rows) > 2 and self._rows[1][0] < now - _SPAN:
            self._rows.popleft()
        (begin, before), (end, after) = self._rows[0], self._rows[-1]
        rate = (after - before) / max(end - begin, _REFRESHED)
        rows = f"{rate:,.0f} rows/s" if rate == 0 or rate >= 10 else f"{rate:.1f} rows/s"
        self._open.count()
        opened = f"{sum(self._open.by_query.values()):,} open"
        return [*time, rows, opened, f"last fact {ago(silent)}", "Ctrl-C stops"]

    def _read(self) -> int:
        return sum(each.facts for each in self.driver.reader.counts.each.values())


def ago(seconds: int) -> str:
    """`35 s ago`, `12 min ago`, `3 h ago`."""
    if seconds < 2:
        return "just now"
    if seconds < 120:
        return f"{seconds} s ago"
    return f"{seconds // 60} min ago" if seconds < 7200 else f"{seconds // 3600} h ago"


def fitting(parts: Sequence[str], width: int, separator: str = " · ") -> str:
    """Joins as many of the first parts as there is room for."""
    text = ""
    for part in parts:
        longer = f"{text}{separator}{part}" if text else part
        if text and cell_len(longer) > width:
            break
        text = longer
    return text if cell_len(text) <= width else text[:width]


@contextmanager
def status_line(driver: Driver, *, wanted: bool) -> Iterator[Callable[[], None]]:
    """Shows the status on stderr if that is a terminal; yields the function that refreshes it."""
    console = terminal.to_stderr()
    if not wanted or not console.is_terminal or console.is_dumb_terminal or console.legacy_windows:
        yield lambda: None
        return
    line = StatusLine(driver, console)
    terminal.before_output.append(line.clear)
    try:
        yield line.refresh
    finally:
        line.clear()
        terminal.before_output.remove(line.clear)
