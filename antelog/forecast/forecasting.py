"""A step with chances: new facts are seen, and open lines get the columns that say how likely they are.

    tick  change    X    T  …  chance  forecast                      chance_from
    1     possible  wt2  0     0.64    [[2, 0.14], [3, 0.43], …]     model

In come what a step has told and the facts that came in it, out go the same lines with more columns. The
kernel knows nothing of this, and tells the same with and without.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pyarrow as pa

from antelog.compile.nodes.plan import Plan, Relation
from antelog.engine.columns.tables import Column
from antelog.engine.engine import Finished
from antelog.engine.log.changes import KINDS
from antelog.engine.log.changes import Lines as Logged
from antelog.engine.state import State
from antelog.engine.values.encoding import UNBOUND
from antelog.engine.values.values import Values
from antelog.forecast import following, judging, series_counts
from antelog.forecast.answers import Asked, Tables
from antelog.forecast.chains import Chain
from antelog.forecast.chances import Chances, Known, chances
from antelog.forecast.forms import Form, forms
from antelog.forecast.judging import SOURCES, AsOf, Judged, source_of
from antelog.forecast.odds import Keys, Numbers, Odds, completed, declared
from antelog.forecast.outcomes import learned
from antelog.forecast.series_counts import SeriesCounts
from antelog.forecast.sightings import Family, Sightings, family_of, forgotten, nothing_seen, seen
from antelog.forecast.tally import EPOCH, HALF_LIFE

FORECAST = pa.list_(pa.struct([("tick", pa.int64()), ("chance", pa.float64())]))
COLUMNS = pa.schema([("chance", pa.float64()), ("forecast", FORECAST), ("chance_from", pa.string())])
"""What a line has besides; null where no chance is known."""


@dataclass(frozen=True)
class Learning:
    """Whether what comes is learned from, and after how many epochs it counts half (None: never)."""

    on: bool
    half_life: float | None = HALF_LIFE


@dataclass(frozen=True)
class Forecasting:
    """What forecasts need besides the kernel's state.

    sightings  the facts that have come, by family of chains
    series     what was learned of each family
    epoch      the first epoch whose facts are not counted yet
    queries    for each query its followed answers, and what was learned of them
    """

    sightings: Sightings
    series: Mapping[str, SeriesCounts]
    epoch: int
    queries: Mapping[str, Judged]
    learning: Learning


@dataclass(frozen=True, eq=False)
class Layout:
    """What follows from the plan: the families, how late facts may be, how far back they matter."""

    plan: Plan
    families: tuple[Family, ...]
    slowest: int
    reach: int

    @property
    def lag(self) -> int:
        """An epoch's counts are used so many epochs later, when all its facts have come."""
        return max(2, 1 + -(-self.slowest // EPOCH))


def layout(plan: Plan) -> Layout:
    own = [form for form in forms(plan).values() if isinstance(form, Form)]
    families = tuple(dict.fromkeys(family for form in own for family in form.families))
    slowest = max((form.slowest for form in own), default=0)
    reach = max((form.reach for form in own), default=0)
    return Layout(plan, families, slowest, max(reach, 2 * EPOCH + slowest))


def start(plan: Plan, learning: Learning) -> Forecasting:
    own = layout(plan)
    series = {family.name: series_counts.no_counts(family, own.slowest) for family in own.families}
    judged = {
        query.name: judging.nothing_judged(len(query.variables) + 1, len(key_of(plan, query)))
        for query in plan.queries
    }
    return Forecasting(nothing_seen(own.families), series, 0, judged, learning)


def is_declared(plan: Plan) -> bool:
    """Whether a program says itself how likely facts are."""
    return any(source.chances for source in plan.inputs)


def key_of(plan: Plan, query: Relation) -> tuple[int, ...]:
    """The positions of an answer by which its kind is known again: the partition key, or all there are."""
    return (plan.key[query.name],) if plan.key else tuple(range(len(query.variables)))


def told(plan: Plan, before: Forecasting, finished: Finished) -> tuple[Forecasting, dict[str, pa.Table]]:
    """What is known after a step, and its lines with their chances."""
    own, state = layout(plan), finished.state
    sightings = seen(before.sightings, own.families, finished.facts, finished.values)
    current = replace(before, sightings=sightings)
    if before.learning.on:
        current = _counted(own, current, state.now)
    tables = _tables(state, sightings.values)
    run = _Run(own, current, tables, state)
    log = {name: run.told(name, each.lines, finished.values) for name, each in finished.told.items()}
    kept = forgotten(sightings, dict.fromkeys((f.name for f in own.families), state.now - own.reach))
    return replace(run.current, sightings=kept), log


def _counted(own: Layout, current: Forecasting, now: int) -> Forecasting:
    """With the epochs counted whose facts have all come by now."""
    end = (now + 1 - own.slowest) // EPOCH
    if end <= current.epoch:
        return current
    series = dict(current.series)
    for family in own.families:
        ticks = current.sightings.history[family.name].ticks
        for epoch in np.unique(ticks[(ticks >= current.epoch * EPOCH) & (ticks < end * EPOCH)] // EPOCH).tolist():
            new = series_counts.counted(current.sightings, family, epoch, own.slowest)
            series[family.name] = series_counts.and_then(series[family.name], new)
    return replace(current, series=series, epoch=end)


@dataclass
class _Run:
    """A step of the forecast: what is known changes from epoch to epoch, query by query."""

    own: Layout
    current: Forecasting
    tables: Tables
    state: State

    def told(self, query: str, lines: Logged, values: Values) -> pa.Table:
        """Lines with their chances, each judged by what was known at its epoch."""
        relation = self.own.plan.relation(query)
        cells = [self.current.sightings.values.recoded(column, values) for column in lines.cells[:-1]]
        whole = np.flatnonzero(_whole([*cells, lines.cells[-1]], relation))
        answer = (*(column.take(whole) for column in cells), lines.cells[-1].take(whole))
        tick = lines.table.column("tick").to_numpy().take(whole)
        kind = _kinds(lines.table).take(whole)
        own = following.Lines(answer, tick, kind, lines.stage.take(whole))
        judged = self.current.queries[query]
        step = following.followed(judged.followed, own, self.state.now, relation.bounds.delay)
        judged = replace(judged, followed=step.after)
        if self.current.learning.on:
            keys = tuple(step.settled.answer[i] for i in key_of(self.own.plan, relation))
            judged = replace(
                judged, outcomes=learned(judged.outcomes, step.settled, keys, step.settled.tick // EPOCH)
            )
        found = _Columns(lines.table.num_rows)
        for epoch, here, done in _epochs(own, step.settled, self.current.learning.on):
            judged = self._epoch(query, judged, own, step, _Epoch(epoch, here, done), (found, whole))
        self.current = replace(self.current, queries={**self.current.queries, query: judged})
        return found.beside(lines.table)

    def _epoch(self, query, judged, own, step, epoch, out):  # noqa
        as_of = AsOf(epoch.number - self.own.lag, self.current.learning.half_life)
        if self.current.learning.on:
            judged = judging.ready(judged, as_of)
            series = {
                name: series_counts.up_to(each, as_of.epoch, as_of.half_life)
                for name, each in self.current.series.items()
            }
            self.current = replace(self.current, series=series)
        found, whole = out
        if len(epoch.lines):
            relation = self.own.plan.relation(query)
            lines = own.take(epoch.lines)
            asked = Asked(
                dict(zip(relation.variables, lines.answer[:-1], strict=True)),
                np.zeros_like(lines.tick) if relation.time is None else lines.answer[-1],
                lines.tick,
            )
            known = Known(
                self.own.plan, self.tables, self.current.sightings, self.state.begin or 0,
                partial(self._odds, as_of),
            )  # fmt: skip
            by_model = chances(known, query, asked)
            keys = tuple(lines.answer[i] for i in key_of(self.own.plan, relation))
            judged, said = judging.judge(
                judged,
                judging.Lines(
                    step.numbers.take(epoch.lines), lines.tick, lines.tick - lines.answer[-1], lines.stage,
                    keys, by_model.column(),
                ),
                as_of,
            )  # fmt: skip
            found.put(whole.take(epoch.lines), said, by_model)
        judged, _, _ = judging.settle(judged, step.settled, epoch.done)
        return judged

    def _odds(self, as_of: AsOf, chain: Chain, keys: Keys) -> Odds:
        source = next(s for s in self.own.plan.inputs if s.name == chain.predicate)
        odds = declared(chain, source, keys)
        family = family_of(chain)
        # series of several queries share a family only if they ask for the same
        counts = self.current.series[family.name]
        if self.current.learning.on or counts.shared.count:
            odds = completed(
                odds, series_counts.odds_of(counts, family, chain, keys, as_of.both), chain, keys
            )
        return odds


@dataclass(frozen=True, eq=False)
class _Epoch:
    number: int
    lines: Column
    done: Column


def _epochs(own: following.Lines, settled: following.Settled, learning: bool) -> Iterator[tuple[int, Column, Column]]:
    """For each epoch the open lines of it, and the answers that are settled in it."""
    open_ = np.flatnonzero(own.kind <= following.REVISED)
    if not learning:
        yield 0, open_, np.arange(len(settled.tick))
        return
    told_in, done_in = own.tick.take(open_) // EPOCH, settled.tick // EPOCH
    for epoch in np.unique(np.concatenate([told_in, done_in])).tolist():
        yield epoch, open_[told_in == epoch], np.flatnonzero(done_in == epoch)


def _whole(cells: list[Column], relation: Relation) -> np.ndarray:
    whole = cells[-1] >= 0
    for column in cells[:-1]:
        whole &= column != UNBOUND
    return whole


def _kinds(table: pa.Table) -> Column:
    index = pa.array(KINDS)
    return pa.compute.index_in(table.column("change"), index).to_numpy().astype(np.int64)


def _tables(state: State, values: Values) -> Tables:
    """The background in the forecast's own cells."""
    return {name: _recoded(rows, state.values, values) for name, rows in state.static.tables.items()}


def _recoded(rows, of: Values, values: Values):  # noqa
    if not len(rows) or not len(rows[0]):
        return rows
    columns = [values.recoded(np.array(column, np.int64), of).tolist() for column in zip(*rows, strict=True)]
    return list(zip(*columns, strict=True))


class _Columns:
    """The columns that lines get besides, put together epoch by epoch."""

    def __init__(self, rows: int) -> None:
        self._chance = np.full(rows, np.nan)
        self._from = np.full(rows, -1)
        self._which = np.full(rows, -1)
        self._lists: list[list[dict[str, object]]] = []

    def put(self, at: Column, said: judging.Told, by_model: Chances) -> None:
        self._chance[at] = said.chance
        self._from[at] = source_of(said)
        there = by_model.which >= 0
        self._which[at[there]] = by_model.which[there] + len(self._lists)
        self._lists += [[{"tick": t, "chance": c} for t, c in each] for each in by_model.forecast]

    def beside(self, table: pa.Table) -> pa.Table:
        lists = pa.array(self._lists, FORECAST).take(pa.array(self._which, mask=self._which < 0))
        names = pa.array(SOURCES).take(pa.array(self._from, mask=self._from < 0))
        columns = [pa.array(self._chance, mask=np.isnan(self._chance)), lists, names]
        for field, column in zip(COLUMNS, columns, strict=True):
            table = table.append_column(field, column)
        return table
