"""The summary of a replay: for each query the counts of outcomes, and the lead of confirmed answers.

Takes the changes in pieces. Only answers that can still change are kept, so memory does not grow with the
length of a replay.

    possible at 0, confirmed at 2, decided by 4    2 ticks before confirmed, 4 before the deadline
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from rich.text import Text

from antelog.cli.show.terminal import print_text, to_stderr
from antelog.compile.nodes.plan import Relation
from antelog.engine.step.uniting import united
from antelog.engine.step.wording import LOST, meanings
from antelog.language.durations import long_duration_text
from antelog.run.sinks.result import Tables
from antelog.theme import TERMINAL

_ROOM = 200_000
"""Lines that are merged at once; more if more answers are kept."""
_CONFIRMED, _REJECTED = "confirmed", "rejected"
_OTHERS = "all others"
_FIRST, _LAST, _CHANGE = "first line", "last line", "last change"
"""The columns of an answer that is kept; no variable has a name like these."""


class ReplaySummary:
    """Counts answers by outcome for each query, from changes of all kinds."""

    def __init__(self, relations: Iterable[Relation]) -> None:
        self._queries = {relation.name: _Query(relation) for relation in relations}

    def take(self, tables: Tables, now: int) -> None:
        """Adds the changes up to the tick `now`."""
        for name, table in tables.items():
            self._queries[name].take(table, now)

    def found(self, now: int) -> dict[str, QuerySummary]:
        """The summary of each query after the tick `now`."""
        return {name: query.found(now) for name, query in self._queries.items()}


class _Query:
    """Counts of the answers of a query, and the answers that are still open."""

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
        aggregates = [(_FIRST, "min"), (_LAST, "max"), (_CHANGE, "last")]
        lines = united(self._open)
        grouped = pa.TableGroupBy(lines, self._names, use_threads=False).aggregate(aggregates)
        columns = [*self._names, *("_".join(each) for each in aggregates)]
        answers = grouped.select(columns).rename_columns(lines.schema.names).cast(lines.schema)
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
    """For each line the answer, the tick, twice, and what it means; what is unlikely is still open."""
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
    """The median of numbers, given how often each occurs."""
    if not counts:
        return None
    numbers = sorted(counts)
    upto = np.cumsum([counts[number] for number in numbers])
    middle = [(int(upto[-1]) - 1) // 2, int(upto[-1]) // 2]
    low, high = (numbers[int(at)] for at in np.searchsorted(upto, middle, "right"))
    return (low + high) / 2


_STYLES = {"confirmed": TERMINAL["info"], **{kind: TERMINAL[kind] for kind in (_REJECTED, LOST, "open")}}
_LEAD, _WAITING = "before confirmed", "before deadline"
_NONE = "-"
_GAP = "  "


@dataclass(frozen=True)
class QuerySummary:
    """Counts of the answers of a query by outcome, and of its changes by kind.

    `confirmed` and `waiting` are medians over confirmed answers, in ticks: from the first line to the
    confirmation, and to the deadline of facts that matter.
    """

    ended: Mapping[str, int]
    changes: Mapping[str, int]
    confirmed: float | None = None
    waiting: float | None = None


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
    console = to_stderr()
    heads = _GAP.join(f"{name:>{width}}" for name, width in widths.items())
    print_text(console, Text(f"{'':<{left}}{_GAP}{heads}", "dim"), soft_wrap=True)
    for number, query in enumerate(found):
        line = Text(f"{query:<{left}}", "bold")
        for name, width in widths.items():
            cell = columns[name][number]
            style = _STYLES.get(name, "") if cell not in ("0", _NONE) else "dim"
            line.append(_GAP).append(f"{cell:>{width}}", style)
        print_text(console, line, soft_wrap=True)
    for note in _notes(columns, only):
        print_text(console, Text(note, "dim"), soft_wrap=True)


def _time(ticks: float | None, length: int | None) -> str:
    if ticks is None:
        return _NONE
    if length is not None:
        return long_duration_text(round(ticks * length)) if ticks else "none"
    return f"{ticks:,g} tick{'' if ticks == 1 else 's'}"


def _notes(columns: Mapping[str, Sequence[str]], only: Sequence[str]) -> list[str]:
    notes = []
    if only:
        kinds = " and ".join([", ".join(only[:-1]), only[-1]] if len(only) > 1 else only)
        notes.append(f"Counts {kinds} lines only, because of --only.")
    if LOST in columns:
        notes.append("lost: nobody could see what became of it, for the facts about it stopped.")
    if _LEAD in columns:
        notes.append("before confirmed: how long a confirmed answer was open (median).")
    if _WAITING in columns:
        notes.append("before deadline: head start over waiting for the deadline (median).")
    return notes
