"""`antelog try`: replays recorded facts through the engine in this process; at the end, a summary."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from rich.text import Text

from antelog.arrow.arrays import ranks_of
from antelog.cli.arguments.flags import FINE_ON_STDOUT, flags
from antelog.cli.arguments.ready import TRY, ready, rejects_of
from antelog.cli.show import listing, set_aside, terminal
from antelog.compile.nodes.plan import Relation
from antelog.engine.columns.tables import groups, keys_of
from antelog.engine.step.schema import united
from antelog.engine.step.wording import LOST, meanings
from antelog.files import Rejects
from antelog.forecast.columns import KINDS, LIKELY, UNLIKELY
from antelog.language.durations import long_duration_text
from antelog.language.printer import listed
from antelog.process import LEARN, Engine
from antelog.run.checks import Ready
from antelog.run.driver import MOST_LINES, ChangeView, Driver, SnapshotView
from antelog.run.replay import Recording, recording_of, static_facts
from antelog.run.settings import Settings
from antelog.run.workers.divided import engine_for, view_for
from antelog.theme import TERMINAL


@click.command("try", epilog=FINE_ON_STDOUT)
@click.argument("program", type=click.Path(dir_okay=False, path_type=Path))
@flags(TRY, settings=Settings)
def try_(settings: Settings) -> None:
    """Replay recorded facts through PROGRAM and print how its answers change."""
    _run(ready(settings, TRY))


def _run(given: Ready) -> None:
    program, settings, plan = given.program, given.settings, given.program.plan
    recording = recording_of(settings)
    terminal.print_diagnostics(program.warnings, program.source)
    terminal.say_what_is_missing(plan, recording.inputs)
    with ExitStack() as stack:
        rejects = stack.enter_context(
            set_aside.summarized(rejects_of(settings), plan.timescale, strict=settings.strict)
        )
        static = static_facts(plan, recording.statics, rejects, recording.maps)
        only = tuple(settings.only)
        engine = engine_for(
            program, settings.workers, terminal.note, static=static, **settings.printing_engine()
        )
        set_aside.say_which_chances_lack(engine, learned=settings.model is not None)
        if only != KINDS and {LIKELY, UNLIKELY} & {*only}:
            why = "" if engine.forecasts else "there are no chances; give a --model, or --model learn"
            if all(query.alert is None for query in plan.queries):
                why = "no query has an `alert`, as in `query Q(X, T) alert 80%.`"
            if why:
                terminal.say(f"note: nothing is likely or unlikely: {why}")
        stack.callback(set_aside.say_what_was_dropped, engine)
        outcomes = _replay(engine, recording, settings, rejects, stack)
        sys.stdout.flush()
        set_aside.say_what_was_read(rejects, engine)
        found = {name: each.found(engine.now) for name, each in outcomes.items()}
        say_outcomes(found, plan.tick, () if only == KINDS else only)
        if settings.min_chance is not None or settings.most is not None:
            set_aside.say_what_was_left_out(engine)
        if settings.model == LEARN:
            set_aside.say_what_learning_lacks(engine)
        rejects.require_use()


_MOST_LISTED = 100_000  # the most lines of a table for a stretch of time without facts

# The most lines of snapshots for it: each tick is a step of its own, which takes some milliseconds.
_MOST_IN_SNAPSHOTS = 20_000


def _replay(
    engine: Engine, facts: Recording, settings: Settings, rejects: Rejects, stack: ExitStack
) -> dict[str, Outcomes]:
    outcomes = {query.name: Outcomes(query) for query in engine.plan.queries}
    most = _MOST_LISTED if settings.form == "table" else MOST_LINES
    most = _MOST_IN_SNAPSHOTS if settings.snapshots else most
    if settings.snapshots:
        since = 0 if settings.first is None and engine.plan.tick is None else settings.first
        total = None if since is None or settings.last is None else max(0, settings.last - since + 1)
        view: ChangeView = SnapshotView(
            since, stack.enter_context(terminal.progress_bar("ticks", total)), most
        )
        reader = facts.reader(engine.plan, rejects)
    else:
        view = view_for(engine, most, None if settings.form == "table" else listing.style_of(settings))
        report = stack.enter_context(terminal.progress_bar("facts", facts.size))
        reader = facts.reader(engine.plan, rejects, report)
    show = listing.printer(engine.plan, settings)
    nothing = True
    for each in Driver(engine, reader, view).steps():
        for name, table in (each.tables if each.changes is None else each.changes).items():
            outcomes[name].take(table, each.tick)
        if each.tables:
            show(each)
            nothing = nothing and not any(table.num_rows for table in each.tables.values())
    if nothing and settings.form == "table" and not settings.snapshots:
        terminal.say("note: there were no changes to show")
    return outcomes


# ---- the summary ----

_ROOM = 200_000  # the lines that are merged at once; more if more answers are open
_CONFIRMED, _REJECTED = "confirmed", "rejected"
_OTHERS = "all others"
# Columns of an answer that is kept; no variable has a space in its name.
_FIRST, _LAST, _CHANGE = "first line", "last line", "last change"


class Outcomes:
    """Counts the answers of a query by outcome; keeps only those that can still change."""

    def __init__(self, relation: Relation) -> None:
        self._time, self._delay = relation.answer.time, relation.bounds.delay
        self._severity = relation.severity
        self._names = [*relation.answer.names, _OTHERS]
        self._kinds: Counter[str] = Counter()
        self._ended: Counter[str] = Counter()
        self._confirmed: Counter[int] = Counter()
        self._decided: Counter[int] = Counter()
        self._open: list[pa.Table] = []
        self._remembered = 0

    def take(self, table: pa.Table, now: int) -> None:
        if table.num_rows == 0:
            return
        self._kinds.update(_counted(table.column("change")))
        self._open.append(_lines(table, self._names, meanings(table, self._severity)))
        if sum(each.num_rows for each in self._open) > max(_ROOM, 2 * self._remembered):
            self._put_together(now)

    def found(self, now: int) -> QuerySummary:
        self._put_together(now)
        last = Counter(_counted(self._open[0].column(_CHANGE))) if self._open else Counter[str]()
        ended = {kind: self._ended[kind] + last.pop(kind, 0) for kind in (_CONFIRMED, _REJECTED, LOST)}
        if not ended[LOST]:
            del ended[LOST]
        return QuerySummary(
            {**ended, "open": sum(last.values())},
            dict(self._kinds),
            median(self._confirmed),
            median(self._decided),
        )

    def _put_together(self, now: int) -> None:
        """Merges lines by answer; answers that are decided are counted and dropped."""
        if not self._open:
            return
        lines = united(self._open)
        same = groups(keys_of([[ranks_of(lines.column(name)) for name in self._names]])[0])
        ticks = lines.column(_LAST).to_numpy()
        columns = {_FIRST: same.least(lines.column(_FIRST).to_numpy()), _LAST: same.most(ticks)}
        answers = lines.take(pa.array(same.order[np.append(same.starts[1:], lines.num_rows) - 1]))
        for name, values in columns.items():
            answers = answers.set_column(answers.column_names.index(name), name, pa.array(values))
        change = answers.column(_CHANGE)
        confirmed = pc.equal(change, _CONFIRMED)
        decided = pa.chunked_array([pa.nulls(answers.num_rows, pa.int64())])
        if self._time is not None and self._delay is not None:
            decided = pc.add(answers.column(self._time), self._delay)
        over = pc.and_(pc.is_in(change, pa.array([_REJECTED, LOST])), pc.less_equal(decided, now))
        done = pc.or_(confirmed, pc.fill_null(over, False))
        self._ended.update(_counted(change.filter(done)))
        ended = answers.filter(confirmed)
        for found, until in (
            (self._confirmed, ended.column(_LAST)),
            (self._decided, decided.filter(confirmed)),
        ):
            found.update(_counted(pc.subtract(until, ended.column(_FIRST)).drop_null()))
        self._open = [answers.filter(pc.invert(done))]
        self._remembered = self._open[0].num_rows


def _lines(table: pa.Table, names: Sequence[str], means: pa.ChunkedArray) -> pa.Table:
    """The columns of lines that are merged: the answer, its tick as first and last, and the change."""
    columns = {name: table.column(name) for name in names if name != _OTHERS}
    others = pa.array(np.zeros(table.num_rows, np.bool_))
    if "others" in table.column_names:
        # Lists cannot be compared with one another.
        others = pc.fill_null(pc.greater(pc.list_value_length(table.column("others")), 0), False)
    tick, change = table.column("tick"), table.column("change")
    change = pc.if_else(pc.equal(change, "unlikely"), change, means)
    fields = [table.schema.field(name) for name in columns]
    others_and_more = {_OTHERS: others, _FIRST: tick, _LAST: tick, _CHANGE: change}
    schema = pa.schema([*fields, *(pa.field(name, each.type) for name, each in others_and_more.items())])
    return pa.table({**columns, **others_and_more}, schema=schema)


def _counted(column: pa.ChunkedArray) -> dict[Any, int]:
    return {each["values"]: each["counts"] for each in pc.value_counts(column).to_pylist()}


def median(counts: Mapping[int, int]) -> float | None:
    return float(np.median(np.repeat([*counts], [*counts.values()]))) if counts else None


_STYLES = {"confirmed": TERMINAL["info"], **{kind: TERMINAL[kind] for kind in (_REJECTED, LOST, "open")}}
_LEAD, _WAITING = "before confirmed", "before deadline"
_NONE = "-"
_GAP = "  "


@dataclass(frozen=True)
class QuerySummary:
    """The numbers of answers of a query by outcome, and of its changes by kind, and medians of ticks."""

    ended: Mapping[str, int]
    changes: Mapping[str, int]
    confirmed: float | None = None  # from the first line of a confirmed answer to its confirmation
    waiting: float | None = None  # from there to the deadline of facts that matter


def say_outcomes(found: Mapping[str, QuerySummary], tick: int | None, only: Sequence[str] = ()) -> None:
    """Prints the summary to stderr if there were changes; with `only`, counts of these kinds of changes."""
    if not any(each.changes for each in found.values()):
        return
    columns = {kind: [f"{each.changes.get(kind, 0):,}" for each in found.values()] for kind in only}
    if not only:
        columns = {name: [f"{each.ended.get(name, 0):,}" for each in found.values()] for name in _STYLES}
        if not any(each.ended.get(LOST) for each in found.values()):
            del columns[LOST]
        columns["changes"] = [f"{sum(each.changes.values()):,}" for each in found.values()]
    leads = {_WAITING: [_time(each.waiting, tick) for each in found.values()]}
    if not only or {"possible", "confirmed"} <= {*only}:
        leads = {_LEAD: [_time(each.confirmed, tick) for each in found.values()], **leads}
    columns |= {name: cells for name, cells in leads.items() if {*cells} != {_NONE}}
    widths = {name: max(len(name), *map(len, cells)) for name, cells in columns.items()}
    left = max(map(len, found))
    console = terminal.to_stderr()
    heads = _GAP.join(f"{name:>{width}}" for name, width in widths.items())
    terminal.print_text(console, Text(f"{'':<{left}}{_GAP}{heads}", "dim"), soft_wrap=True)
    for number, query in enumerate(found):
        line = Text(f"{query:<{left}}", "bold")
        for name, width in widths.items():
            cell = columns[name][number]
            style = _STYLES.get(name, "") if cell not in ("0", _NONE) else "dim"
            line.append(_GAP).append(f"{cell:>{width}}", style)
        terminal.print_text(console, line, soft_wrap=True)
    for note in _notes(columns, only):
        terminal.print_text(console, Text(note, "dim"), soft_wrap=True)


def _time(ticks: float | None, length: int | None) -> str:
    if ticks is None:
        return _NONE
    if length is not None:
        return long_duration_text(round(ticks * length)) if ticks else "none"
    return f"{ticks:,g} tick{'' if ticks == 1 else 's'}"


def _notes(columns: Mapping[str, Sequence[str]], only: Sequence[str]) -> list[str]:
    notes = []
    if only:
        notes.append(f"Counts {listed(only)} lines only, because of --only.")
    if LOST in columns:
        notes.append("lost: nobody could see what became of it, for the facts about it stopped.")
    if _LEAD in columns:
        notes.append("before confirmed: how long a confirmed answer was open (median).")
    if _WAITING in columns:
        notes.append("before deadline: head start over waiting for the deadline (median).")
    return notes
