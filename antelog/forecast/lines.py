"""One query in one step: tracks its open answers, computes their chances, and adds columns to its lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np
import pyarrow as pa

from antelog.compile.nodes.plan import Relation
from antelog.compile.prepared.rules import prepared
from antelog.engine.columns import tables
from antelog.engine.columns.joins import find, spread
from antelog.engine.columns.tables import (
    Column,
    Mask,
    Numbers,
    distinct,
    groups,
    in_order,
    keys_of,
    marked,
    sorting,
)
from antelog.engine.step.lines import Lines as Logged
from antelog.engine.step.lost import UnseenSources
from antelog.engine.step.query import REJECT, REVISED, Kinds
from antelog.engine.step.schema import united
from antelog.engine.step.wording import log_order
from antelog.engine.values.encoding import UNBOUND
from antelog.engine.values.values import Values
from antelog.errors import DataError
from antelog.forecast.columns import COLUMNS, FALL, HOLDS, LIKELY, OUTCOMES, UNLIKELY
from antelog.forecast.inference.chances import Chances, Growth, chances
from antelog.forecast.inference.forms import is_lossy, key_of
from antelog.forecast.inference.known import AnswersAtTicks, Known
from antelog.forecast.judges import following
from antelog.forecast.judges import judged as judging
from antelog.forecast.judges.following import AnswerLines, DecidedAnswers, Stretches
from antelog.forecast.judges.judge import AnswerRows, Predictions
from antelog.forecast.judges.judged import Judged
from antelog.forecast.judges.looks import QueryFeatures
from antelog.forecast.judges.outcomes import OutcomeStatistics
from antelog.forecast.scores.scored_lines import FirstAlerts, Sums


@dataclass(frozen=True, eq=False)
class AnswerChances(tables.ColumnSet):
    """Answers with their chances at some ticks; `line` is their last line (-1: from an earlier step)."""

    predictions: Predictions
    found: Chances
    answer: tuple[Column, ...]
    time: Column
    line: Column


def with_chances(
    lines: pa.Table, rows: Column, answers: AnswerChances, sources: Sequence[str], holds: Numbers | None
) -> pa.Table:
    """Adds the columns of forecasts to lines; growth is scaled to the mean of judges."""
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


ROUNDED = 1e-9  # tolerance for chances: rounding depends on which rows are computed together


def alert_changes(
    before: Column, number: Column, tick: Column, chance: Numbers, threshold: float
) -> tuple[Column, Column, Mask]:
    """Returns the answers likely in the end, the rows at which one changes, and whether it becomes likely."""
    if len(number) == 0:
        return before, number, number > 0
    order = in_order([number - number.min(), tick - tick.min()])
    own, level = number.take(order), chance.take(order)
    says = np.zeros(len(own), np.int64)
    says[level >= threshold - ROUNDED] = 1
    says[level < threshold - FALL - ROUNDED] = -1
    first = np.append([True], own[1:] != own[:-1])
    earlier = np.where(find(own, before) >= 0, 1, -1)
    says = np.where(first & (says == 0), earlier, says)
    # What says nothing goes on as before; every answer's first one says something.
    at = np.maximum.accumulate(np.where(says != 0, np.arange(len(says)), 0))
    now = says.take(at)
    was = np.where(first, earlier, np.append([0], now[:-1]))
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
    lines = united(parts)
    order = None if len(parts) == 1 else log_order(lines, relation)
    return lines if order is None else lines.take(order)


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
class LeftOut(Sums):
    """A number of lines of open answers that were left out, and the sum of their chances."""

    lines: int = 0
    chances: float = 0.0


def filtered(lines: pa.Table, kind: Kinds, likeliest: Numbers, limits: Limits) -> tuple[pa.Table, LeftOut]:
    """Drops the lines beyond the limits, given each answer's largest one before (1: unknown, NaN: none)."""
    if not limits or lines.num_rows == 0:
        return lines, LeftOut()
    chance, tick = lines.column("chance").to_numpy(), lines.column("tick").to_numpy()
    out = left_out_of(kind <= REVISED, chance, tick, limits)
    left_out = LeftOut(int(out.sum()), float(np.nansum(chance[out])))
    if limits.min_chance is not None:
        # Of rejected answers all lines before had too small a chance.
        out |= (kind == REJECT) & (likeliest < limits.min_chance - ROUNDED)
    return lines.filter(pa.array(~out)) if out.any() else lines, left_out


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


# ---- a query in a step ----


LONGEST = 4096  # the most ticks after a line at which an answer may still become likely


@dataclass(frozen=True, eq=False)
class ChanceRequests(tables.ColumnSet):
    """Open answers and the ticks at which their chances are computed: at lines, with alerts at every tick."""

    answer: tuple[Column, ...]
    number: Column
    stage: Column
    tick: Column
    line: Column  # the row of the last line of each, or -1 if that is from an earlier step
    at_line: Mask  # whether that line is of the same tick


@dataclass(frozen=True, eq=False)
class QueryForecast:
    """The lines of a query in a step, whose cells are of the values `of` the engine."""

    known: Known
    relation: Relation
    features: QueryFeatures
    limits: Limits
    logged: Logged
    of: Values
    unseen: UnseenSources | None = None

    def step(
        self, before: Judged, now: int, earlier: Callable[[], Logged]
    ) -> tuple[Judged, pa.Table, LeftOut]:
        """Ends a step: returns the query's state, its lines with chances, and those left out."""
        rows, lines = self._lines()
        learning, delay = self.known.learning, self.relation.bounds.delay
        step = following.followed(before.followed, lines, now, delay, self._ends, counted=learning.on)
        decided = step.decided
        judged = judging.learned(replace(before, followed=step.after), decided, self._key, learning.learns)
        requests = self._requests(step.stretches, np.append(rows, -1).take(step.stretches.line))
        found, holds = self._chances(requests, rows, lines)
        judged, answers = self._judge(judged, requests, found, decided)
        some = answers if requests.at_line.all() else answers.take(np.flatnonzero(requests.at_line))
        table = with_chances(self.logged.table, some.line, some, judged.sources, holds)
        likeliest = np.full(table.num_rows, np.nan)
        if self.limits.min_chance is not None:
            likeliest[rows] = _likeliest([before.reported, some.predictions], step.numbers, lines)
        within, left_out = filtered(table, self.logged.kind, likeliest, self.limits)
        parts = [within]
        if self.relation.alert is not None:
            judged, more = self._alerts(judged, answers, earlier)
            parts += more
        judged = judging.settled(judging.score_decided(judged, decided, self.relation.alert), now)
        return judging.without(judged, step.lost), lines_in_order(parts, self.relation), left_out

    def _alerts(
        self, judged: Judged, answers: AnswerChances, earlier: Callable[[], Logged]
    ) -> tuple[Judged, list[pa.Table]]:
        """Returns the query with the alerts of a step, and the lines of these."""
        assert self.relation.alert is not None
        asked = answers.predictions
        after, row, likely = alert_changes(
            judged.likely, asked.number, asked.tick, asked.chance, self.relation.alert
        )
        if len(row) == 0:
            return replace(judged, likely=after), []
        rang = row[likely]
        alerts = judged.alerts.and_then(FirstAlerts(asked.number.take(rang), asked.tick.take(rang)))
        first = alerts.take(find(distinct(alerts.number), alerts.number))
        judged, answers = replace(judged, likely=after, alerts=first), answers.take(row)
        lines, at = self._last_lines(answers, earlier)
        answers, likely = answers.take(at), likely[at]
        if self.unseen is not None:
            lines = with_lost(lines, self.unseen, answers.predictions.tick, ~likely)
        return judged, [lines_of_alerts(lines, answers, likely, judged.sources, lossy=self._lossy)]

    def _last_lines(self, answers: AnswerChances, earlier: Callable[[], Logged]) -> tuple[pa.Table, Column]:
        """Returns the last lines of answers, and the rows of these; the engine may have dropped others."""
        here, before = np.flatnonzero(answers.line >= 0), np.flatnonzero(answers.line < 0)
        table = self.logged.table.take(pa.array(answers.line.take(here)))
        if len(before) == 0:
            return table, here
        open_, values = earlier(), self.known.sightings.values
        own = [values.recoded(column, self.of) for column in open_.cells[:-1]]
        known, sought = keys_of([[*own, open_.cells[-1]], [column.take(before) for column in answers.answer]])
        at = find(sought, known)
        there = np.flatnonzero(at >= 0)
        more = open_.table.take(pa.array(at.take(there)))
        return united([table, more]), np.concatenate([here, before.take(there)])

    def open(self, judged: Judged) -> pa.Table:
        """Adds chances as of now to open answers and those just confirmed."""
        rows, lines = self._lines()
        at = np.flatnonzero(lines.kind <= REVISED)
        some, nobody = lines.take(at), np.full(len(at), -1)
        # It is reported as of now, though its line may be older: what was just reported is likelier.
        last = judged.followed.last
        known, asked = keys_of([last.answer, some.answer])
        at_line = np.append(last.tick, -1).take(find(asked, known)) == some.tick
        requests = ChanceRequests(some.answer, nobody, some.stage, some.tick, rows.take(at), at_line)
        found, holds = self._chances(requests, rows, lines)
        _, answers = self._judge(judged, requests, found, None)
        table = with_chances(self.logged.table, answers.line, answers, judged.sources, holds)
        now = np.zeros(table.num_rows, np.int64)
        out = left_out_of(self.logged.kind <= REVISED, table.column("chance").to_numpy(), now, self.limits)
        return table.filter(pa.array(~out)) if out.any() else table

    @property
    def _lossy(self) -> bool:
        return is_lossy(self.known.plan, self.relation.name)

    @property
    def _key(self) -> tuple[int, ...]:
        return key_of(self.known.plan, self.relation)

    @property
    def _ends(self) -> Column:
        """The tick, counted from the answer's, up to which each of the query's patterns counts."""
        patterns = prepared(self.known.plan).patterns[self.relation.name]
        return np.array([pattern.counts_until for pattern in patterns], np.int64)

    def _lines(self) -> tuple[Column, AnswerLines]:
        """Returns the rows of lines about answers that can have a chance, and these lines."""
        logged, values = self.logged, self.known.sightings.values
        cells = [values.recoded(column, self.of) for column in logged.cells[:-1]]
        # Where nothing bounds answers in time, only confirmed ones would ever be counted.
        whole = (logged.cells[-1] >= 0) & (self.relation.bounds.delay is not None)
        for column in cells:
            whole &= column != UNBOUND
        rows = np.flatnonzero(whole)
        kind = logged.kind.astype(np.int64)
        if "lost" in logged.table.column_names:
            kind[logged.table.column("lost").is_valid().to_numpy()] = following.LOST
        lines = AnswerLines((*cells, logged.cells[-1]), logged.tick, kind, logged.stage)
        return rows, lines if len(rows) == len(whole) else lines.take(rows)

    def _requests(self, open_: Stretches, line: Column) -> ChanceRequests:
        """Lists the ticks at which chances are computed."""
        if self.relation.alert is None:
            at = np.flatnonzero(line >= 0)
            tick = open_.since.take(at)
        else:
            at, tick = spread(open_.since, np.minimum(open_.until - open_.since, LONGEST))
        own, line = open_.take(at), line.take(at)
        at_line = (tick == own.since) & (line >= 0)
        return ChanceRequests(own.answer, own.number, own.stage, tick, line, at_line)

    def _chances(
        self, at: ChanceRequests, rows: Column, lines: AnswerLines
    ) -> tuple[Chances, Numbers | None]:
        """The chances of open answers, and how likely each line's answer holds (None: none is lost)."""
        over = np.flatnonzero(find(rows, at.line[at.at_line]) < 0) if self._lossy else rows[:0]
        others = lines.take(over)
        answer = tuple(np.concatenate(pair) for pair in zip(at.answer, others.answer, strict=True))
        tick = np.concatenate([at.tick, others.tick])
        cells = dict(zip(self.relation.answer.variables, answer[:-1], strict=True))
        asked = AnswersAtTicks(cells, self._time(answer, tick), tick)
        every = chances(self.known, self.relation.name, asked)
        found = replace(every, which=every.which[: len(at.tick)])
        if not self._lossy:
            return found, None
        holds, held = np.full(self.logged.table.num_rows, np.nan), every.held()
        holds[at.line[at.at_line]] = held[: len(at.tick)][at.at_line]
        holds[rows.take(over)] = held[len(at.tick) :]
        return found, holds

    def _judge(
        self, judged: Judged, at: ChanceRequests, found: Chances, decided: DecidedAnswers | None
    ) -> tuple[Judged, AnswerChances]:
        """Judges open answers, given their declared chances and the answers decided now."""
        key = tuple(at.answer[place] for place in self._key)
        learns, unknown = self.known.learning.learns, self.features.unknown(len(at.tick))
        age = at.tick - at.answer[-1] - following.ends_of(self._ends, at.stage)
        state = following.state_of(at.stage, following.age_bucket(age), ~at.at_line)
        rows = AnswerRows(at.answer, key, at.stage, at.tick, at.at_line, learns, state, unknown)
        if judged.looks(learns):
            rows = replace(rows, features=self.features.of(rows))
        judged, predictions = judging.judge(judged, at.number, rows, found.column(), decided)
        time = self._time(at.answer, at.tick)
        return judged, AnswerChances(
            predictions, self._when(judged, rows, found, predictions.chance), at.answer, time, at.line
        )

    def _when(self, judged: Judged, rows: AnswerRows, found: Chances, chance: Numbers) -> Chances:
        """Adds when answers are confirmed by counts, where declared chances do not say it."""
        counts, count = judged.judges[OUTCOMES], len(found.chance)
        assert isinstance(counts, OutcomeStatistics)
        unknown = np.isnan(chance)
        others = marked(~(found.column() > ROUNDED) & ~unknown)
        row, tick, share = counts.when(rows, others)
        if self.relation.bounds.delay is not None:
            # By then it is over; nothing else is known where none was counted.
            age = (rows.tick - rows.answer[-1]).take(others)
            last = np.maximum(self.relation.bounds.delay, age + 1)
            new = np.setdiff1d(np.arange(len(others)), row)
            tick = np.append(np.minimum(tick, last.take(row)), last.take(new))
            row, share = np.append(row, new), np.append(share, np.ones(len(new)))
        which, nothing = np.where(unknown, -1, found.which), np.full(len(others), np.nan)
        which[others] = count + np.arange(len(others))
        growth = found.growth.and_then(Growth(count + row, tick, share))
        whole, holds = np.append(found.chance, np.ones(len(others))), np.append(found.holds, nothing)
        return Chances(whole, growth.take(sorting(growth.of)), holds, which)

    def _time(self, answer: tuple[Column, ...], tick: Column) -> Column:
        """The ticks of answers; 0 where the query fixes it."""
        return np.zeros_like(tick) if self.relation.answer.time is None else answer[-1]


def _likeliest(predictions: Sequence[Predictions], number: Column, lines: AnswerLines) -> Numbers:
    """Returns for each line the largest chance of its answer in earlier lines; NaN if there was none."""
    at = np.flatnonzero(np.isin(lines.kind, (REJECT, following.LOST)))
    found = np.full(lines.count, np.nan)
    if len(at) == 0:
        return found
    # A line comes before others of its tick: these do not count for it.
    of = np.concatenate([number.take(at), *(each.number for each in predictions)])
    tick = np.concatenate([lines.tick.take(at), *(each.tick for each in predictions)])
    chance = np.concatenate([np.full(len(at), -1.0), *(each.chance for each in predictions)])
    order = in_order([of - of.min(), tick - tick.min()])
    answer = distinct(of)
    base = 4.0 * np.searchsorted(answer, of.take(order))
    most = np.maximum.accumulate(base + np.where(np.isnan(chance), 1.0, chance).take(order)) - base
    found_at = np.empty(len(of))
    found_at[order] = most
    found[at] = np.where(found_at[: len(at)] < 0, np.nan, found_at[: len(at)])
    return found
