"""Runs rules over recorded facts, and judges what they would have rung against a list of incidents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antelog.answers import ENDS
from antelog.compile.nodes.plan import Plan
from antelog.engine.columns.tables import Column, Numbers
from antelog.engine.step.query import KINDS
from antelog.files import ARRIVAL, Rejects
from antelog.incidents.alerts import CONFIRMED, POSSIBLE, Alerts, LoggedLines, alerts_at, levels_that_differ
from antelog.incidents.incident_list import IncidentList
from antelog.incidents.judging import (
    ALL_KEYS,
    Figures,
    Incidents,
    Judged,
    Lead,
    Span,
    figures,
    judged,
    quiet_ticks,
)
from antelog.process import Engine
from antelog.program import Program
from antelog.run import clock
from antelog.run.driver import ChangeView, Driver
from antelog.run.driver import Judged as Listener
from antelog.run.replay import Recording, static_facts
from antelog.run.sinks.result import StepResult
from antelog.run.waiting import DueRows, arrivals_of
from antelog.run.workers.divided import engine_for

STEPS = tuple(each / 20 for each in range(19, 0, -1))  # the chances that are looked at, falling


@dataclass(eq=False)
class LineCollector:
    """Collects the lines of a run as numbers; `keys` are those of incidents, and get those of answers."""

    plan: Plan
    queries: Sequence[str]
    keys: dict[str, int]
    _parts: list[LoggedLines] = field(default_factory=list)
    _answers: dict[tuple[int, bytes], int] = field(default_factory=dict)
    first: int | None = None

    def take(self, tables: Mapping[str, pa.Table]) -> None:
        for number, name in enumerate(self.queries):
            table = tables.get(name)
            if table is not None and table.num_rows:
                self._parts.append(self._lines(number, name, table))

    def _lines(self, number: int, name: str, table: pa.Table) -> LoggedLines:
        relation = self.plan.relation(name)
        columns = [_texts(table.column(each)) for each in relation.answer.names if each in table.column_names]
        texts = pc.binary_join_element_wise(*columns, "\0") if columns else None
        answer = np.zeros(table.num_rows, np.int64)
        if texts is not None:
            coded = pc.dictionary_encode(texts.combine_chunks())
            known = [
                self._answers.setdefault((number, v), len(self._answers))
                for v in coded.dictionary.to_pylist()
            ]
            answer = np.array(known, np.int64)[coded.indices.to_numpy()]
        change = table.column("change")
        chance = table.column("chance") if "chance" in table.column_names else None
        return LoggedLines(
            np.full(table.num_rows, number),
            answer,
            self._key(name, table),
            table.column("tick").to_numpy(),
            np.full(table.num_rows, np.nan) if chance is None else _numbers(chance),
            ~pc.is_in(change, pa.array(ENDS)).to_numpy(),
            pc.equal(change, "confirmed").to_numpy(),
        )

    def _key(self, name: str, table: pa.Table) -> Column:
        at = {each.name: each.position for each in self.plan.key.positions} if self.plan.key else {}
        if name not in at:
            return np.full(table.num_rows, ALL_KEYS)
        variable = self.plan.relation(name).answer.variables[at[name]]
        coded = pc.dictionary_encode(_texts(table.column(variable)).combine_chunks())
        known = [self.keys.setdefault(each, len(self.keys)) for each in coded.dictionary.to_pylist()]
        found: Column = np.array(known, np.int64)[coded.indices.to_numpy()]
        return found

    @property
    def lines(self) -> LoggedLines:
        none = np.zeros(0, np.int64)
        empty = LoggedLines(none, none, none, none, np.zeros(0), none.astype(bool), none.astype(bool))
        return empty.and_then(*self._parts)


def _texts(column: pa.ChunkedArray) -> pa.ChunkedArray:
    found = pc.cast(column, pa.string())
    return pc.fill_null(found, "\1")


def _numbers(column: pa.ChunkedArray) -> Numbers:
    found: Numbers = pc.fill_null(pc.cast(column, pa.float64()), np.nan).to_numpy()
    return found


# ---- runs ----


@dataclass(eq=False)
class SeveralRuns(ChangeView):
    """Takes each step with the engines of several versions of a program, which read the facts once."""

    engines: Sequence[Engine]
    collectors: Sequence[LineCollector]
    seen: set[str] = field(default_factory=set)
    first: int | None = None
    last: int = 0

    def __post_init__(self) -> None:
        super().__init__()

    def steps(self, engine: Engine, batch: DueRows, judged: Listener) -> Iterator[StepResult]:
        for other, collector in zip(self.engines, self.collectors[1:], strict=True):
            collector.take(other.advance(batch.now, batch.facts))
        self._see(engine.plan, batch)
        yield from super().steps(engine, batch, judged)

    def rest(self, engine: Engine, end: int) -> Iterator[StepResult]:
        for other, collector in zip(self.engines, self.collectors[1:], strict=True):
            last = clock.end(other.now, (other.answers(each.name) for each in other.plan.queries))
            if last > other.now:
                collector.take(other.advance(last))
        yield from super().rest(engine, end)

    def _see(self, plan: Plan, batch: DueRows) -> None:
        if not batch.rows:
            return
        first = batch.first
        self.first = first if self.first is None else self.first
        self.last = max(int(arrivals_of(each)[-1]) for each in batch.rows.values())
        for name, rows in batch.rows.items():
            at = {each.name: each.position for each in plan.key.positions} if plan.key else {}
            if name in at:
                self.seen.update(_texts(pc.unique(rows.column(at[name]))).to_pylist())


def run(
    programs: Sequence[Program], recording: Recording, queries: Sequence[str], found: IncidentList, **how: Any
) -> SeveralRuns:
    """Runs versions of a program over facts that are read once; raises DataError."""
    rejects: Rejects = how.pop("rejects")
    progress, note, workers = how.pop("progress"), how.pop("note"), how.pop("workers", 1)
    plan = programs[0].plan
    static = static_facts(plan, recording.statics, rejects, recording.maps)
    options = {"only": KINDS, "explanations": 0, "static": static, "arrival": ARRIVAL, **how}
    engines = [engine_for(programs[0], workers, note, **options)]
    engines += [Engine(each, **options) for each in programs[1:]]
    keys = {key: number for number, key in enumerate(found.keys)}
    view = SeveralRuns(engines[1:], [LineCollector(each.plan, queries, keys) for each in engines])
    for step in Driver(engines[0], recording.reader(plan, rejects, progress), view).steps():
        view.collectors[0].take(step.tables)
    return view


@dataclass(frozen=True, eq=False)
class Scene:
    """What alerts are judged by: incidents, leads, the ticks that count, and the number of keys."""

    incidents: Incidents
    lead: Lead
    span: Span
    keys: int

    def figures(self, query: str | None, level: float, alerts: Alerts) -> tuple[Figures, Judged, Alerts]:
        inside = alerts.take((alerts.tick >= self.span.first) & (alerts.tick <= self.span.last))
        found = judged(inside, self.incidents, self.lead, self.span)
        quiet = quiet_ticks(self.incidents, self.keys, self.lead, self.span)
        return figures(query, level, found, self.incidents.begin, quiet), found, inside


@dataclass(frozen=True, eq=False)
class Row:
    """A row of the result: figures, what each alert was, and the alerts."""

    figures: Figures
    judged: Judged
    alerts: Alerts


def rows_of(scene: Scene, lines: LoggedLines, queries: Sequence[str]) -> Iterator[Row]:
    """The rows of each query, and of all together if there are several."""
    scopes = [(name, lines.take(lines.query == number)) for number, name in enumerate(queries)]
    for name, own in [*scopes, *([(None, lines)] if len(queries) > 1 else [])]:
        yield from _levels(scene, name, own)


def _levels(scene: Scene, name: str | None, lines: LoggedLines) -> Iterator[Row]:
    def at(level: float) -> Row:
        alerts = alerts_at(level, lines, scene.lead.settle, together=name is None)
        return Row(*scene.figures(name, level, alerts))

    yield at(POSSIBLE)
    if not np.all(np.isnan(lines.chance)):
        rows = {level: at(level) for level in STEPS}
        caught = [(level, row.figures.caught) for level, row in rows.items()]
        incidents = next(iter(rows.values())).figures.incidents
        yield from (rows[level] for level in sorted(levels_that_differ(caught, incidents)))
    yield at(CONFIRMED)


# ---- the whole: versions of a program, seen and unseen ----


@dataclass(frozen=True)
class Varied:
    """A limit whose values are tried, one after the other."""

    name: str
    values: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Backtest:
    """The rows of the result, and what they rest on; `seen` are rows of the half that chose limits."""

    rows: tuple[Row, ...]
    seen: tuple[Row, ...]
    scene: Scene
    listed: IncidentList
    keys: tuple[str, ...]
    queries: tuple[str, ...]
    plan: Plan
    lines: LoggedLines
    split: int | None = None
    left_out: int = 0  # incidents that do not count

    @property
    def best(self) -> tuple[Row, ...]:
        """The rows that no other one beats in what it catches and in its false alarms, of the seen half."""
        found = list[Row]()
        of_seen = [row for row in self.seen if row.figures.limit is not None]
        for row in of_seen:
            mine = row.figures
            others = [
                e.figures for e in of_seen if (e.figures.query, e.figures.level) == (mine.query, mine.level)
            ]
            beaten = any(
                (e.caught >= mine.caught and e.false < mine.false)
                or (e.caught > mine.caught and e.false <= mine.false)
                for e in others
            )
            if not beaten and mine.caught:
                found.append(row)
        return tuple(found)

    @property
    def missed(self) -> list[tuple[str | None, int]]:
        """The key and the begin of each incident that no query caught when it was possible."""
        first = np.full(self.listed.incidents.count, False)
        for row in self.rows:
            first |= row.judged.caught
        at = np.flatnonzero(~first & self.rows[0].judged.counted)
        return [
            (self.key(int(self.listed.incidents.key[i])), int(self.listed.incidents.begin[i])) for i in at
        ]

    def key(self, number: int) -> str | None:
        return None if number == ALL_KEYS else self.keys[number]


def backtest_of(
    found: SeveralRuns,
    listed: IncidentList,
    lead: Lead,
    varied: Varied | None = None,
    split: int | None = None,
) -> Backtest:
    """Judges what runs have collected; with a split only what comes after it counts."""
    first, last = found.first or 0, found.last
    keys = found.collectors[0].keys
    for key in sorted(found.seen):
        keys.setdefault(key, len(keys))
    whole = Scene(listed.incidents, lead, Span(first, last), len(found.seen))
    queries = tuple(found.collectors[0].queries)
    scenes: tuple[Scene, Scene | None] = (whole, None)
    if split is not None:
        scenes = (replace(whole, span=Span(split, last)), replace(whole, span=Span(first, split - 1)))
    values = (None,) if varied is None else varied.values
    rows, seen = list[Row](), list[Row]()
    for value, collector in zip(values, found.collectors, strict=True):
        for into, scene in zip((rows, seen), scenes, strict=True):
            if scene is not None:
                into += [_at_limit(row, value) for row in rows_of(scene, collector.lines, queries)]
    counted = rows[0].judged.counted
    return Backtest(
        tuple(rows), tuple(seen), scenes[0], listed, tuple(keys), queries, found.collectors[0].plan,
        found.collectors[0].lines, split, int((~counted).sum()),
    )  # fmt: skip


def _at_limit(row: Row, value: float | None) -> Row:
    return replace(row, figures=replace(row.figures, limit=value))


def judged_queries(plan: Plan) -> tuple[str, ...]:
    """The queries that would ring: all but those that only say that something is well."""
    return tuple(each.name for each in plan.queries if each.severity != "good" or each.alert is not None)
