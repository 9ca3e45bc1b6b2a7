"""Columns of lines: how likely an open answer is, by when, and which judge says so; and lines of alerts.

    chance  forecast                      chance_from    holds
    0.64    [[2, 0.14], [3, 0.43], …]     model          null

An answer becomes likely, or unlikely again, also where only time passes:

    query Malf(X, T) alert 80%.
    chances 0.78 at 3, 0.83 at 4    a line at 4: likely

A line of an alert is the last line of its answer with the tick and the chance of the alert.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antelog.compile.nodes.plan import Relation
from antelog.engine.columns.column_set import ColumnSet
from antelog.engine.columns.joins import find, spread
from antelog.engine.columns.tables import Column, Mask, Numbers, in_order, keys_of, sorting
from antelog.engine.step.lines import Lines
from antelog.engine.step.plain_values import ordered
from antelog.engine.step.schema import DIGITS
from antelog.engine.step.sources import UnseenSources
from antelog.engine.step.uniting import united
from antelog.engine.values.values import Values
from antelog.forecast.columns import COLUMNS, FALL, HOLDS, LIKELY, UNLIKELY
from antelog.forecast.inference.chances import Chances
from antelog.forecast.judges.judged import Predictions
from antelog.forecast.scores.scored_lines import FirstAlerts


@dataclass(frozen=True, eq=False)
class AnswerChances(ColumnSet):
    """Answers with their chances at some ticks, and the growth of the model's chances.

    `line` is the row of the last line of each answer in this step, or -1 if that is from an earlier step.
    """

    predictions: Predictions
    found: Chances
    answer: tuple[Column, ...]
    time: Column
    line: Column


class LineColumns:
    """The columns of a table's rows; `sources` are the names for `chance_from`."""

    def __init__(self, rows: int, sources: Sequence[str], *, lossy: bool) -> None:
        self._names, self._lossy = pa.array(sources, pa.string()), lossy
        self._chance, self._holds = np.full((2, rows), np.nan)
        self._source = np.full(rows, -1)
        self._row, self._tick, self._grown = np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0)

    def put(self, rows: Column, answers: AnswerChances) -> None:
        """The chances of some rows, and how they grow, which is by the model of facts.

        Where a row's chance is another than the model's, it grows in proportion.
        """
        self._chance[rows], self._source[rows] = answers.predictions.chance, answers.predictions.source
        found = answers.found
        known = np.flatnonzero(found.which >= 0)
        # In the order of the table: to sort what each of the rows has is more.
        known = known.take(sorting(rows.take(known)))
        which = found.which.take(known)
        counts = found.growth.counts(len(found.chance))
        first = np.cumsum(counts) - counts
        whose, entry = spread(first.take(which), counts.take(which))
        self._row = rows.take(known).take(whose)
        with np.errstate(divide="ignore", invalid="ignore"):
            share = self._chance.take(self._row) / found.chance.take(which).take(whose)
        self._tick = answers.time.take(known).take(whose) + found.growth.at.take(entry)
        self._grown = np.minimum(found.growth.chance.take(entry) * np.where(np.isfinite(share), share, 0), 1)

    def hold(self, rows: Column, found: Chances) -> None:
        """Sets the chances that the answers of rows hold."""
        self._holds[rows] = np.append(found.holds, np.nan).take(found.which)

    def table(self, lines: pa.Table) -> pa.Table:
        """The lines with their columns; null where nothing says how a chance grows."""
        known = ~np.isnan(self._chance)
        offsets = np.append(0, np.cumsum(np.bincount(self._row, minlength=len(known)))).astype(np.int32)
        order = sorting(self._row)
        fields = [pa.array(self._tick.take(order)), pa.array(self._grown.take(order))]
        values = pa.StructArray.from_arrays(fields, ["tick", "chance"])
        silent = pa.array(offsets[1:] == offsets[:-1])
        forecast = pa.ListArray.from_arrays(pa.array(offsets), values, mask=silent)
        sources = self._names.take(pa.array(self._source, mask=self._source < 0))
        columns = [pa.array(self._chance, mask=~known), forecast, sources]
        for field, column in zip(COLUMNS, columns, strict=True):
            lines = lines.append_column(field, column)
        if self._lossy:
            lines = lines.append_column(HOLDS.field(0), pa.array(self._holds, mask=np.isnan(self._holds)))
        return lines


# ---- lines of alerts ----


ROUNDED = 1e-9
"""By so little a chance may fall short: how it is rounded depends on what it is worked out together with."""


@dataclass(frozen=True, eq=False)
class AlertChanges:
    """At which of the chances an answer becomes likely, or unlikely again."""

    row: Column
    likely: Mask


def alert_changes(
    before: Column, number: Column, tick: Column, chance: Numbers, threshold: float
) -> tuple[Column, AlertChanges]:
    """The numbers of answers that are likely after some chances, and the changes; NaN changes none."""
    if len(number) == 0:
        return before, AlertChanges(number, number > 0)
    order = in_order([number - number.min(), tick - tick.min()])
    own, level = number.take(order), chance.take(order)
    says = np.zeros(len(own), np.int64)
    says[level >= threshold - ROUNDED] = 1
    says[level < threshold - FALL - ROUNDED] = -1
    first = np.append([True], own[1:] != own[:-1])
    says[first & (says == 0)] = np.where(find(own, before) >= 0, 1, -1)[first & (says == 0)]
    # What says nothing goes on as before; every answer's first one says something.
    at = np.maximum.accumulate(np.where(says != 0, np.arange(len(says)), 0))
    now = says.take(at)
    was = np.where(first, np.where(find(own, before) >= 0, 1, -1), np.append([0], now[:-1]))
    changed = np.flatnonzero(now != was)
    last = np.append(first[1:], [True])
    likely = own[last & (now > 0)]
    others = before[find(before, own[last]) < 0]
    return np.sort(np.concatenate([others, likely])), AlertChanges(order.take(changed), now.take(changed) > 0)


@dataclass(frozen=True, eq=False)
class LastLines:
    """The last lines of open answers: those of a step, or else the answers as they were `before` it.

    The cells of the answers before are of the values `of` the engine; those of the forecast are of `values`.
    """

    lines: pa.Table
    before: Callable[[], Lines]
    of: Values
    values: Values
    sources: Sequence[str]
    unseen: UnseenSources | None = None

    def take(self, answers: AnswerChances) -> tuple[pa.Table, Column]:
        """The last lines of answers, and which of the answers these are: the engine may have dropped some."""
        here = np.flatnonzero(answers.line >= 0)
        table, earlier = self.lines.take(pa.array(answers.line.take(here))), np.flatnonzero(answers.line < 0)
        if len(earlier) == 0:
            return table, here
        open_ = self.before()
        own = [self.values.recoded(column, self.of) for column in open_.cells[:-1]]
        known, sought = keys_of(
            [[*own, open_.cells[-1]], [column.take(earlier) for column in answers.answer]]
        )
        at = find(sought, known)
        there = np.flatnonzero(at >= 0)
        more = open_.table.take(pa.array(at.take(there)))
        return united([table, more]), np.concatenate([here, earlier.take(there)])


@dataclass(frozen=True, eq=False)
class AlertStep:
    """The likely answers after a step, by number, the alerts in it, and the lines of these changes."""

    likely: Column
    alerts: FirstAlerts
    lines: list[pa.Table]


def alert_lines(
    likely: Column, answers: AnswerChances, threshold: float, last: LastLines, *, lossy: bool
) -> AlertStep:
    """The alerts of a step, given the likely answers before it."""
    number, tick = answers.predictions.number, answers.predictions.tick
    after, found = alert_changes(likely, number, tick, answers.predictions.chance, threshold)
    lines = [_lines(last, answers.take(found.row), found.likely, lossy)] if len(found.row) else []
    rang = found.row[found.likely]
    return AlertStep(after, FirstAlerts(number.take(rang), tick.take(rang)), lines)


def _lines(last: LastLines, answers: AnswerChances, likely: Mask, lossy: bool) -> pa.Table:
    lines, at = last.take(answers)
    answers, likely = answers.take(at), likely[at]
    if last.unseen is not None:
        lines = _with_lost(lines, last.unseen, answers.predictions.tick, ~likely)
    kinds = pa.array([LIKELY, UNLIKELY]).take(pa.array((~likely).astype(np.int64)))
    for name, column in (("tick", pa.array(answers.predictions.tick)), ("change", kinds)):
        index = lines.schema.get_field_index(name)
        lines = lines.set_column(index, lines.schema.field(index), column)
    rows = np.arange(lines.num_rows)
    columns = LineColumns(lines.num_rows, last.sources, lossy=lossy)
    columns.put(rows, answers)
    if lossy:
        columns.hold(rows, answers.found)
    return columns.table(lines)


def _with_lost(lines: pa.Table, unseen: UnseenSources, tick: Column, unlikely: Mask) -> pa.Table:
    """The last lines of answers with what is lost of those that are unlikely, though no fact contributed."""
    lost: list[list[str] | None] = [None] * lines.num_rows
    for row in np.flatnonzero(unlikely & (lines.column("tick").to_numpy() < tick)).tolist():
        awaited = (each["hypotheses"] for each in lines.column("explanations")[row].as_py() or ())
        literals = list(dict.fromkeys(chain.from_iterable(awaited)))
        lost[row] = unseen.among(literals, int(tick[row])) or None
    place = lines.schema.get_field_index("lost")
    return lines.set_column(place, lines.schema.field(place), pa.array(lost, pa.list_(pa.string())))


def lines_in_order(parts: Sequence[pa.Table], relation: Relation) -> pa.Table:
    """Lines in the order of the log; lines of alerts come after other lines of their answer and tick."""
    if len(parts) == 1:
        return parts[0]
    lines = united(parts)
    own = [*([relation.answer.time] if relation.answer.time else []), *relation.answer.variables]
    names = ["tick", *own]
    if any(lines.schema.field(name).metadata == DIGITS for name in names):
        return ordered(lines, tuple(own))
    lines = lines.append_column("#", pa.array(np.arange(lines.num_rows)))
    keys = [(name, "ascending") for name in (*names, "#")]
    return lines.take(pc.sort_indices(lines, sort_keys=keys)).drop_columns(["#"])
