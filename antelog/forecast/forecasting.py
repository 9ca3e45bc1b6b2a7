"""A step with chances: new facts are seen, and lines get the columns that say how likely they are.

    tick  change    X    T  …  chance  forecast                      chance_from
    1     possible  wt2  0     0.64    [[2, 0.14], [3, 0.43], …]     model

In come what a step has told and the facts that came in it, out go the same lines with more columns. The
kernel knows nothing of this, and tells the same with and without.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antelog.compile.nodes.plan import Plan, Relation
from antelog.engine.columns.tables import Column
from antelog.engine.engine import Finished
from antelog.engine.log.changes import KINDS
from antelog.engine.log.changes import Lines as Logged
from antelog.engine.state import State
from antelog.engine.values.encoding import UNBOUND
from antelog.engine.values.values import Values
from antelog.forecast import judging, series_counts
from antelog.forecast.answers import Asked, Tables
from antelog.forecast.beside import Beside
from antelog.forecast.chains import Chain
from antelog.forecast.chances import Known, chances
from antelog.forecast.following import REVISED, Lines, Settled, Step, followed
from antelog.forecast.judging import AsOf, Judged, source_of
from antelog.forecast.layout import Layout, is_lossy, key_of, layout
from antelog.forecast.odds import Keys, Odds, completed, declared
from antelog.forecast.outcomes import learned
from antelog.forecast.series_counts import SeriesCounts
from antelog.forecast.sightings import Sightings, family_of, forgotten, nothing_seen, seen
from antelog.forecast.tally import EPOCH, HALF_LIFE


@dataclass(frozen=True)
class Learning:
    """Whether what comes is learned from, and after how many epochs it counts half (None: always fully)."""

    on: bool
    half_life: float | None = HALF_LIFE


@dataclass(frozen=True)
class Learned:
    """What was learned: of each family of series, and of each query's answers."""

    series: Mapping[str, SeriesCounts]
    queries: Mapping[str, Judged]


@dataclass(frozen=True)
class Forecasting:
    """What forecasts need besides the kernel's state.

    sightings  the facts that have come, by family
    learned    what was learned, and the answers that are followed
    epoch      the first epoch whose facts are not counted yet
    """

    sightings: Sightings
    learned: Learned
    epoch: int
    learning: Learning


def start(plan: Plan, learning: Learning) -> Forecasting:
    own = layout(plan)
    series = {family.name: series_counts.no_counts(family, own.slowest) for family in own.families}
    queries = {
        query.name: judging.nothing_judged(len(query.variables) + 1, len(key_of(plan, query)))
        for query in plan.queries
    }
    return Forecasting(nothing_seen(own.families), Learned(series, queries), 0, learning)


def told(plan: Plan, before: Forecasting, finished: Finished) -> tuple[Forecasting, dict[str, pa.Table]]:
    """What is known after a step, and its lines with their chances."""
    own, state = layout(plan), finished.state
    current = replace(before, sightings=seen(before.sightings, own.families, finished.facts, finished.values))
    if before.learning.on:
        current = _counted(own, current, state.now)
    scene = Scene(own, current.sightings, tables_of(state, current.sightings.values), state.begin or 0)
    queries, log = dict(current.learned.queries), {}
    for name, each in finished.told.items():
        query = _Query(scene, plan.relation(name), current)
        queries[name], log[name] = query.told(each.lines, finished.values, state.now)
    first = dict.fromkeys((family.name for family in own.families), state.now - own.reach)
    series = current.learned.series
    if before.learning.on:
        as_of = _as_of(own, current.learning, state.now // EPOCH)
        series = {name: series_counts.up_to(c, as_of.epoch, as_of.half_life) for name, c in series.items()}
    return (
        replace(current, sightings=forgotten(current.sightings, first), learned=Learned(series, queries)),
        log,
    )


def _counted(own: Layout, current: Forecasting, now: int) -> Forecasting:
    """With the epochs counted whose facts have all come by now."""
    end = (now + 1 - own.slowest) // EPOCH
    if end <= current.epoch:
        return current
    series = dict(current.learned.series)
    for family in own.families:
        ticks = current.sightings.history[family.name].ticks
        new = ticks[(ticks >= current.epoch * EPOCH) & (ticks < end * EPOCH)] // EPOCH
        for epoch in np.unique(new).tolist():
            more = series_counts.counted(current.sightings, family, epoch, own.slowest)
            series[family.name] = series_counts.and_then(series[family.name], more)
    return replace(current, learned=replace(current.learned, series=series), epoch=end)


def _as_of(own: Layout, learning: Learning, epoch: int) -> AsOf:
    return AsOf(epoch - own.lag, learning.half_life)


@dataclass(frozen=True, eq=False)
class Scene:
    """What a step's chances are worked out from: what was seen, the background, time's beginning."""

    own: Layout
    sightings: Sightings
    tables: Tables
    begin: int


@dataclass(frozen=True, eq=False)
class _Epoch:
    """An epoch of a step: its open lines, and the answers that are settled in it."""

    number: int
    lines: Column
    done: Column


@dataclass(frozen=True, eq=False)
class _Query:
    """A query in a step."""

    scene: Scene
    relation: Relation
    current: Forecasting

    def told(self, logged: Logged, values: Values, now: int) -> tuple[Judged, pa.Table]:
        """What is known of the query after the step, and its lines with their chances."""
        rows, lines = self._lines(logged, values)
        judged = self.current.learned.queries[self.relation.name]
        step = followed(judged.followed, lines, now, self.relation.bounds.delay)
        judged = replace(judged, followed=step.after)
        learning = self.current.learning.on
        if learning:
            keys = tuple(step.settled.answer[i] for i in self._key)
            epochs = step.settled.tick // EPOCH
            judged = replace(judged, outcomes=learned(judged.outcomes, step.settled, keys, epochs))
        lossy = is_lossy(self.scene.own.plan, self.relation.name)
        beside = Beside(logged.table.num_rows, lossy=lossy)
        series = self.current.learned.series
        for epoch in _epochs(lines, step.settled, learning):
            as_of = _as_of(self.scene.own, self.current.learning, epoch.number)
            if learning:
                judged = judging.ready(judged, as_of)
                series = {n: series_counts.up_to(c, as_of.epoch, as_of.half_life) for n, c in series.items()}
            odds = OddsOf(self.scene.own.plan, series if learning else {}, as_of)
            if len(epoch.lines):
                at = rows.take(epoch.lines)
                judged = self._judge(judged, (lines, step, epoch), odds, (beside, at))
            judged, _, _ = judging.settle(judged, step.settled, epoch.done)
        if lossy:
            odds = OddsOf(self.scene.own.plan, {}, AsOf(0, None))
            beside.hold(rows, chances(self._known(odds), self.relation.name, self._asked(lines)))
        return judged, beside.table(logged.table)

    @property
    def _key(self) -> tuple[int, ...]:
        return key_of(self.scene.own.plan, self.relation)

    def _lines(self, logged: Logged, values: Values) -> tuple[Column, Lines]:
        """The lines about answers without open variables, and which rows they are."""
        own = self.scene.sightings.values
        cells = [own.recoded(column, values) for column in logged.cells[:-1]]
        whole = logged.cells[-1] >= 0
        for column in cells:
            whole &= column != UNBOUND
        rows = np.flatnonzero(whole)
        kind = pc.index_in(logged.table.column("change"), pa.array(KINDS)).to_numpy().astype(np.int64)
        lines = Lines((*cells, logged.cells[-1]), logged.table.column("tick").to_numpy(), kind, logged.stage)
        return rows, lines.take(rows)

    def _asked(self, lines: Lines) -> Asked:
        names = self.relation.variables
        tick = np.zeros_like(lines.tick) if self.relation.time is None else lines.answer[-1]
        return Asked(dict(zip(names, lines.answer[:-1], strict=True)), tick, lines.tick)

    def _known(self, odds: OddsOf) -> Known:
        scene = self.scene
        return Known(scene.own.plan, scene.tables, scene.sightings, scene.begin, odds)

    def _judge(
        self, judged: Judged, at: tuple[Lines, Step, _Epoch], odds: OddsOf, out: tuple[Beside, Column]
    ) -> Judged:
        """The chances of the lines of an epoch."""
        every, step, epoch = at
        lines = every.take(epoch.lines)
        asked = self._asked(lines)
        found = chances(self._known(odds), self.relation.name, asked)
        keys = tuple(lines.answer[i] for i in self._key)
        asking = judging.Lines(
            *(step.numbers.take(epoch.lines), lines.tick, lines.tick - lines.answer[-1], lines.stage, keys),
            found.column(),
        )
        judged, said = judging.judge(judged, asking, odds.as_of)
        beside, rows = out
        beside.say(rows, said.chance, source_of(said))
        beside.grow(rows, asked.tick, found)
        return judged


@dataclass(frozen=True, eq=False)
class OddsOf:
    """The odds of keys: as declared, or else as learned, as of an epoch."""

    plan: Plan
    series: Mapping[str, SeriesCounts]
    as_of: AsOf

    def __call__(self, chain: Chain, keys: Keys) -> Odds:
        source = next(each for each in self.plan.inputs if each.name == chain.predicate)
        odds, family = declared(chain, source, keys), family_of(chain)
        if family.name not in self.series:
            return odds
        counts = series_counts.odds_of(self.series[family.name], family, chain, keys, self.as_of.both)
        return completed(odds, counts, (chain, source), keys)


def _epochs(lines: Lines, settled: Settled, learning: bool) -> Iterator[_Epoch]:
    open_ = np.flatnonzero(lines.kind <= REVISED)
    if not learning:
        yield _Epoch(0, open_, np.arange(len(settled.tick)))
        return
    told_in, done_in = lines.tick.take(open_) // EPOCH, settled.tick // EPOCH
    for number in np.unique(np.concatenate([told_in, done_in])).tolist():
        yield _Epoch(number, open_[told_in == number], np.flatnonzero(done_in == number))


def tables_of(state: State, values: Values) -> Tables:
    """The background in the forecast's own cells."""
    return {name: _recoded(rows, state.values, values) for name, rows in state.static.tables.items()}


def _recoded(rows: Sequence[tuple[int, ...]], of: Values, values: Values) -> Sequence[tuple[int, ...]]:
    if not rows or not rows[0]:
        return rows
    columns = (values.recoded(np.array(column, np.int64), of).tolist() for column in zip(*rows, strict=True))
    return list(zip(*columns, strict=True))
