"""The columns that lines get: chance, growth of the chance, its judge; lines of alerts; limits.

    chance  forecast                      chance_from    holds
    0.64    [[2, 0.14], [3, 0.43], …]     model          null

An answer may become likely, or unlikely again, at a tick without a line: then a line of an alert repeats
its last line with the tick and the chance of the alert.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antelog.compile.nodes.plan import Relation
from antelog.engine.columns.column_set import ColumnSet
from antelog.engine.columns.joins import find, spread
from antelog.engine.columns.tables import Column, Mask, Numbers, groups, in_order, sorting
from antelog.engine.step.plain_values import ordered
from antelog.engine.step.query import REJECT, REVISED, Kinds
from antelog.engine.step.schema import DIGITS
from antelog.engine.step.sources import UnseenSources
from antelog.engine.step.uniting import united
from antelog.errors import DataError
from antelog.forecast.columns import COLUMNS, FALL, HOLDS, LIKELY, UNLIKELY
from antelog.forecast.inference.chances import Chances
from antelog.forecast.judges.mean import Predictions


@dataclass(frozen=True, eq=False)
class AnswerChances(ColumnSet):
    """Answers with their chances at some ticks, and the growth of the model's chances.

    `line` is the row of an answer's last line in this step, or -1 if that is from an earlier step.
    """

    predictions: Predictions
    found: Chances
    answer: tuple[Column, ...]
    time: Column
    line: Column


def with_chances(
    lines: pa.Table, rows: Column, answers: AnswerChances, sources: Sequence[str], holds: Numbers | None
) -> pa.Table:
    """Adds the columns of forecasts to lines, given the rows of the answers.

    Chances grow as in the model of facts, scaled to the mean of all judges.
    """
    chance, source = np.full(lines.num_rows, np.nan), np.full(lines.num_rows, -1)
    chance[rows], source[rows] = answers.predictions.chance, answers.predictions.source
    found = answers.found
    known = np.flatnonzero(found.which >= 0)
    # In the order of the table: to sort what each of the rows has is more.
    known = known.take(sorting(rows.take(known)))
    which = found.which.take(known)
    counts = np.bincount(found.growth.of, minlength=len(found.chance))
    first = np.cumsum(counts) - counts
    whose, entry = spread(first.take(which), counts.take(which))
    row = rows.take(known).take(whose)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = chance.take(row) / found.chance.take(which).take(whose)
    tick = answers.time.take(known).take(whose) + found.growth.at.take(entry)
    grown = np.minimum(found.growth.chance.take(entry) * np.where(np.isfinite(share), share, 0), 1)
    offsets = np.append(0, np.cumsum(np.bincount(row, minlength=lines.num_rows))).astype(np.int32)
    values = pa.StructArray.from_arrays([pa.array(tick), pa.array(grown)], ["tick", "chance"])
    silent = pa.array(offsets[1:] == offsets[:-1])
    forecast = pa.ListArray.from_arrays(pa.array(offsets), values, mask=silent)
    names = pa.array(sources, pa.string()).take(pa.array(source, mask=source < 0))
    columns = [pa.array(chance, mask=np.isnan(chance)), forecast, names]
    for field, column in zip(COLUMNS, columns, strict=True):
        lines = lines.append_column(field, column)
    if holds is None:
        return lines
    return lines.append_column(HOLDS.field(0), pa.array(holds, mask=np.isnan(holds)))


# ---- lines of alerts ----


ROUNDED = 1e-9
"""Tolerance for chances: rounding depends on which rows are computed together."""


def alert_changes(
    before: Column, number: Column, tick: Column, chance: Numbers, threshold: float
) -> tuple[Column, Column, Mask]:
    """Returns the numbers of the likely answers after some chances, the rows at which that changes, and how.

    A chance of NaN changes nothing.
    """
    if len(number) == 0:
        return before, number, number > 0
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
    return np.sort(np.concatenate([others, likely])), order.take(changed), now.take(changed) > 0


def lines_of_alerts(
    lines: pa.Table, answers: AnswerChances, likely: Mask, sources: Sequence[str], *, lossy: bool
) -> pa.Table:
    """Makes the lines of alerts from the last lines of their answers."""
    kinds = pa.array([LIKELY, UNLIKELY]).take(pa.array((~likely).astype(np.int64)))
    for name, column in (("tick", pa.array(answers.predictions.tick)), ("change", kinds)):
        index = lines.schema.get_field_index(name)
        lines = lines.set_column(index, lines.schema.field(index), column)
    holds = answers.found.held() if lossy else None
    return with_chances(lines, np.arange(lines.num_rows), answers, sources, holds)


def with_lost(lines: pa.Table, unseen: UnseenSources, tick: Column, unlikely: Mask) -> pa.Table:
    """Fills the column `lost` of answers that are unlikely though no fact contributed."""
    lost: list[list[str] | None] = [None] * lines.num_rows
    for row in np.flatnonzero(unlikely & (lines.column("tick").to_numpy() < tick)).tolist():
        awaited = (each["hypotheses"] for each in lines.column("explanations")[row].as_py() or ())
        literals = list(dict.fromkeys(chain.from_iterable(awaited)))
        lost[row] = unseen.among(literals, int(tick[row])) or None
    index = lines.schema.get_field_index("lost")
    return lines.set_column(index, lines.schema.field(index), pa.array(lost, pa.list_(pa.string())))


def lines_in_order(parts: Sequence[pa.Table], relation: Relation) -> pa.Table:
    """Sorts lines as the log has them; lines of alerts follow other lines of their answer and tick."""
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


# ---- limits: lines of unlikely open answers are left out, and the least likely of too many ----

#     min_chance = 5%    Malf(wt2, 0) possible with 64 %, revised with 3 %    the second line is left out
#     most = 100         101 lines of open answers at a tick                  the least likely is left out
#
# Lines of alerts and of confirmed answers are never left out. A `rejected` line is left out if every line of
# its answer before it had too small a chance. Nothing of this is part of a state: limits do not change it.


@dataclass(frozen=True)
class Limits:
    """The least chance of a line, and the most lines for each query and tick (None: no limit)."""

    min_chance: float | None = None
    most: int | None = None

    def __post_init__(self) -> None:
        if self.min_chance is not None and not 0 <= self.min_chance <= 1:
            raise DataError(f"min_chance is {self.min_chance}, and a chance is from 0 to 1")
        if self.most is not None and self.most < 1:
            raise DataError(f"most is {self.most}, but at least one answer has to be shown")

    def __bool__(self) -> bool:
        return self.min_chance is not None or self.most is not None


NO_LIMITS = Limits()


@dataclass(frozen=True)
class LeftOut:
    """A number of lines of open answers that were left out, and the sum of their chances."""

    lines: int = 0
    chances: float = 0.0

    def __add__(self, other: LeftOut) -> LeftOut:
        return LeftOut(self.lines + other.lines, self.chances + other.chances)


def filtered(lines: pa.Table, kind: Kinds, likeliest: Numbers, limits: Limits) -> tuple[pa.Table, LeftOut]:
    """Drops the lines beyond the limits, and counts them.

    `likeliest` is the largest earlier chance of each answer: 1 if one was unknown, NaN if there was none.
    """
    if not limits or lines.num_rows == 0:
        return lines, LeftOut()
    chance, tick = lines.column("chance").to_numpy(), lines.column("tick").to_numpy()
    out = left_out_of(kind <= REVISED, chance, tick, limits)
    left_out = LeftOut(int(out.sum()), float(np.nansum(chance[out])))
    if limits.min_chance is not None:
        # Of rejected answers all lines before had too small a chance.
        out |= (kind == REJECT) & (likeliest < limits.min_chance - ROUNDED)
    return lines.filter(pa.array(~out)) if out.any() else lines, left_out


def open_within(table: pa.Table, open_: Mask, limits: Limits) -> pa.Table:
    """Drops open answers beyond the limits from a table of open and confirmed ones."""
    if not limits or table.num_rows == 0:
        return table
    tick = np.zeros(table.num_rows, np.int64)
    out = left_out_of(open_, table.column("chance").to_numpy(), tick, limits)
    return table.filter(pa.array(~out)) if out.any() else table


def left_out_of(open_: Mask, chance: Numbers, tick: Column, limits: Limits) -> Mask:
    """Marks the open answers beyond the limits; an unknown chance counts as the largest."""
    out = np.zeros(len(open_), np.bool_)
    if limits.min_chance is not None:
        out = open_ & (chance < limits.min_chance - ROUNDED)
    if limits.most is not None:
        rows = np.flatnonzero(open_ & ~out)
        known = np.where(np.isnan(chance), 2.0, chance).take(rows)
        rank = np.round((2.0 - known) / ROUNDED).astype(np.int64)
        when = tick.take(rows)
        order = in_order([when - when.min(initial=0), rank])
        same = groups(when.take(order))
        place = np.arange(len(rows)) - same.starts.take(same.numbers) if len(rows) else rows
        out[rows.take(order[place >= limits.most])] = True
    return out
