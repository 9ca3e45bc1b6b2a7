"""One query in one step: tracks open answers, computes their chances, and adds columns to the lines.

    possible at 0, revised at 1    chances are asked for at ticks 0 and 1; with an alert at every tick

Takes the state of the query and the lines of the step; returns the new state and the lines with columns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from antelog.compile.nodes.plan import Relation
from antelog.compile.prepared.rules import prepared
from antelog.engine.columns.column_set import ColumnSet
from antelog.engine.columns.joins import find, spread
from antelog.engine.columns.tables import Column, Mask, Numbers, distinct
from antelog.engine.columns.tables import in_order as ordered
from antelog.engine.step.lines import Lines as Logged
from antelog.engine.step.query import REJECT, REVISED
from antelog.engine.step.sources import UnseenSources
from antelog.engine.values.encoding import UNBOUND
from antelog.engine.values.values import Values
from antelog.forecast.alerts import AnswerChances, LastLines, LineColumns, alert_lines, lines_in_order
from antelog.forecast.inference.chances import Chances, chances
from antelog.forecast.inference.forms import is_lossy, key_of
from antelog.forecast.inference.learning import Learning
from antelog.forecast.inference.table import AnswersAtTicks, Known
from antelog.forecast.judges import judged as judging
from antelog.forecast.judges.judged import Judged
from antelog.forecast.limits import LeftOut, Limits, filtered, open_within
from antelog.forecast.outcomes.following import (
    LOST,
    AnswerLines,
    DecidedAnswers,
    Stretches,
    age_bucket,
    ends_of,
    followed,
    last_line_ticks,
    state_of,
)
from antelog.forecast.outcomes.rows import AnswerRows
from antelog.forecast.values.latest import QueryFeatures

LONGEST = 4096
"""For so many ticks after a line it is watched whether its answer becomes likely."""


@dataclass(frozen=True, eq=False)
class ChanceRequests(ColumnSet):
    """Open answers at the ticks at which their chances are computed: at lines, or at every tick.

    `line` is the row of the last line of each, or -1 if that is from an earlier step; `at_line` says whether
    that line is of the same tick.
    """

    answer: tuple[Column, ...]
    number: Column
    stage: Column
    tick: Column
    line: Column
    at_line: Mask


@dataclass(frozen=True, eq=False)
class QueryStep:
    """A query after a step, its lines with their chances, and the lines that limits left out."""

    after: Judged
    lines: pa.Table
    left_out: LeftOut


@dataclass(frozen=True, eq=False)
class QueryForecast:
    """A query in a step, with the latest values that its judges may look at, and where sources are unseen."""

    known: Known
    relation: Relation
    features: QueryFeatures
    limits: Limits
    unseen: UnseenSources | None = None

    def step(
        self, before: Judged, logged: Logged, now: int, of: Values, earlier: Callable[[], Logged]
    ) -> QueryStep:
        """The query after a step that ends at `now`, and its lines with their chances.

        The cells of lines are of the values `of` the engine; `earlier` gives the open answers before.
        """
        rows, lines = self._lines(logged, of)
        learning, delay = self._learning, self.relation.bounds.delay
        step = followed(before.followed, lines, now, delay, self._ends, counted=learning.on)
        judged = replace(before, followed=step.after)
        judged = judging.learned(judged, step.decided, self._key, learning.learns)
        columns = LineColumns(logged.table.num_rows, judged.sources, lossy=self._lossy)
        requests = self._requests(step.stretches, np.append(rows, -1).take(step.stretches.line))
        found = self._chances(requests, rows, lines, columns)
        judged, answers = self._judge(judged, requests, found, step.decided)
        judged = judging.settled(judging.score_decided(judged, step.decided), now)
        some = answers if requests.at_line.all() else answers.take(np.flatnonzero(requests.at_line))
        columns.put(some.line, some)
        table, likely, limits = columns.table(logged.table), before.likely, self.limits
        likeliest = np.full(table.num_rows, np.nan)
        if limits.min_chance is not None:
            likeliest[rows] = _likeliest([before.reported, some.predictions], step.numbers, lines)
        within, left_out = filtered(table, logged.kind, likeliest, limits)
        parts = [within]
        if self.relation.alert is not None:
            values = self.known.sightings.values
            last = LastLines(logged.table, earlier, of, values, judged.sources, self.unseen)
            alerts = alert_lines(likely, answers, self.relation.alert, last, lossy=self._lossy)
            likely = alerts.likely[find(alerts.likely, step.decided.number) < 0]
            parts += alerts.lines
            judged = replace(judged, alerts=judged.alerts.with_later(alerts.alerts))
            lines_before = (before.reported, some.predictions)
            with_chance = np.concatenate([each.number[~np.isnan(each.chance)] for each in lines_before])
            judged = judging.score_alerts(judged, step.decided, with_chance, self.relation.alert)
        after = judging.without(replace(judged, likely=likely), step.lost)
        return QueryStep(after, lines_in_order(parts, self.relation), left_out)

    def open(self, judged: Judged, logged: Logged, values: Values) -> pa.Table:
        """Open answers and those just confirmed, with their chances as of now."""
        rows, lines = self._lines(logged, values)
        columns = LineColumns(logged.table.num_rows, judged.sources, lossy=self._lossy)
        at = np.flatnonzero(lines.kind <= REVISED)
        some, nobody = lines.take(at), np.full(len(at), -1)
        # It is reported as of now, though its line may be older: what was just reported is likelier.
        at_line = last_line_ticks(judged.followed, some.answer) == some.tick
        requests = ChanceRequests(some.answer, nobody, some.stage, some.tick, rows.take(at), at_line)
        found = self._chances(requests, rows, lines, columns)
        if len(at):
            _, answers = self._judge(judged, requests, found, None)
            columns.put(answers.line, answers)
        return open_within(columns.table(logged.table), logged.kind <= REVISED, self.limits)

    @property
    def _learning(self) -> Learning:
        return self.known.odds.learning

    @property
    def _lossy(self) -> bool:
        return is_lossy(self.known.plan, self.relation.name)

    @property
    def _key(self) -> tuple[int, ...]:
        return key_of(self.known.plan, self.relation)

    @property
    def _ends(self) -> Column:
        """The tick, from the answer's on, up to which each of the query's patterns counts."""
        patterns = prepared(self.known.plan).patterns[self.relation.name]
        return np.array([pattern.counts_until for pattern in patterns], np.int64)

    def _lines(self, logged: Logged, values: Values) -> tuple[Column, AnswerLines]:
        """The lines about answers without open variables, and which rows they are."""
        own = self.known.sightings.values
        cells = [own.recoded(column, values) for column in logged.cells[:-1]]
        whole = logged.cells[-1] >= 0
        for column in cells:
            whole &= column != UNBOUND
        rows = np.flatnonzero(whole)
        kind = logged.kind.astype(np.int64)
        if "lost" in logged.table.column_names:
            kind[logged.table.column("lost").is_valid().to_numpy()] = LOST
        lines = AnswerLines((*cells, logged.cells[-1]), logged.tick, kind, logged.stage)
        return rows, lines if len(rows) == len(whole) else lines.take(rows)

    def _requests(self, open_: Stretches, line: Column) -> ChanceRequests:
        """The ticks at which chances are computed: those of lines, and with an alert every tick."""
        if self.relation.alert is None:
            at = np.flatnonzero(line >= 0)
            tick = open_.since.take(at)
        else:
            at, tick = spread(open_.since, np.minimum(open_.until - open_.since, LONGEST))
        answer = tuple(column.take(at) for column in open_.answer)
        at_line = (tick == open_.since.take(at)) & (line.take(at) >= 0)
        return ChanceRequests(
            answer, open_.number.take(at), open_.stage.take(at), tick, line.take(at), at_line
        )

    def _chances(self, at: ChanceRequests, rows: Column, lines: AnswerLines, columns: LineColumns) -> Chances:
        """The chances of open answers by the model of facts; fills `holds` where facts may be lost.

        A decided answer has no chance any more, but it may hold: it is computed together with the open ones.
        """
        over = np.flatnonzero(find(rows, at.line[at.at_line]) < 0) if self._lossy else rows[:0]
        others = lines.take(over)
        answer = tuple(np.concatenate(pair) for pair in zip(at.answer, others.answer, strict=True))
        tick = np.concatenate([at.tick, others.tick])
        cells = dict(zip(self.relation.answer.variables, answer[:-1], strict=True))
        asked = AnswersAtTicks(cells, self._time(answer, tick), tick)
        found = chances(self.known, self.relation.name, asked)
        count = len(at.tick)
        if self._lossy:
            row = np.append(at.line[at.at_line], rows.take(over))
            which = np.append(found.which[:count][at.at_line], found.which[count:])
            columns.hold(row, replace(found, which=which))
        return replace(found, which=found.which[:count])

    def _judge(
        self, judged: Judged, at: ChanceRequests, found: Chances, decided: DecidedAnswers | None
    ) -> tuple[Judged, AnswerChances]:
        """The chances of open answers, given those of the model of facts, and what is decided in the step."""
        key = tuple(at.answer[place] for place in self._key)
        learns, unknown = self._learning.learns, self.features.unknown(len(at.tick))
        age = at.tick - at.answer[-1] - ends_of(self._ends, at.stage)
        state = state_of(at.stage, age_bucket(age), ~at.at_line)
        rows = AnswerRows(at.answer, key, at.stage, at.tick, at.at_line, learns, state, unknown)
        if judged.looks_at_values(learns):
            rows = replace(rows, features=self.features.of(rows))
        judged, predictions = judging.judge(judged, at.number, rows, found.column(), decided)
        time = self._time(at.answer, at.tick)
        return judged, AnswerChances(predictions, found, at.answer, time, at.line)

    def _time(self, answer: tuple[Column, ...], tick: Column) -> Column:
        """The ticks of answers; 0 where the query fixes it."""
        return np.zeros_like(tick) if self.relation.answer.time is None else answer[-1]


def _likeliest(predictions: Sequence[judging.Predictions], number: Column, lines: AnswerLines) -> Numbers:
    """For each line the largest chance that its answer had in lines before; NaN if there was none."""
    at = np.flatnonzero(np.isin(lines.kind, (REJECT, LOST)))
    found = np.full(lines.count, np.nan)
    if len(at) == 0:
        return found
    # A line comes before others of its tick: these do not count for it.
    of = np.concatenate([number.take(at), *(each.number for each in predictions)])
    tick = np.concatenate([lines.tick.take(at), *(each.tick for each in predictions)])
    chance = np.concatenate([np.full(len(at), -1.0), *(each.chance for each in predictions)])
    order = ordered([of - of.min(), tick - tick.min()])
    answer = distinct(of)
    base = 4.0 * np.searchsorted(answer, of.take(order))
    most = np.maximum.accumulate(base + np.where(np.isnan(chance), 1.0, chance).take(order)) - base
    found_at = np.empty(len(of))
    found_at[order] = most
    found[at] = np.where(found_at[: len(at)] < 0, np.nan, found_at[: len(at)])
    return found
