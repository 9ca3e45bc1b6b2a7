"""Runs rules over recorded facts, and judges what they would have rung against a list of incidents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antelog.answers import CONFIRMED as CONFIRMED_NOW
from antelog.answers import ENDS, OPEN, state_after
from antelog.compile.nodes.plan import Plan
from antelog.engine.columns.tables import Column
from antelog.engine.step.wording import LOST, SEEN, meanings, value_in_words
from antelog.errors import DataError
from antelog.incidents.alerts import CONFIRMED, POSSIBLE, Alerts, LoggedLines, alerts_at, levels_that_differ
from antelog.incidents.incident_list import IncidentList, KeyColumn, numbers_of, texts
from antelog.incidents.judging import ALL_KEYS, NEITHER, BacktestRow, JudgedSpan, Lead, RowName, Scene, f1
from antelog.language.moments import moment
from antelog.lines import LogLine
from antelog.process import Engine
from antelog.run import clock
from antelog.run.driver import ChangeView, Driver, Judged
from antelog.run.reading import InputReader
from antelog.run.sinks.result import StepResult
from antelog.run.waiting import DueRows, arrivals_of

# The chances that are looked at, falling: failures are rare, and so are high chances of them.
STEPS = (*(each / 20 for each in range(19, 0, -1)), 0.02, 0.01)

_TYPES: Sequence[Any] = (*[np.int64] * 4, np.float64, *[np.bool_] * 2)  # of the columns of lines


@dataclass(eq=False)
class LineCollector:
    """Collects the lines of a run as numbers; `keys` are those of incidents, and get those of answers."""

    plan: Plan
    queries: Sequence[str]
    keys: dict[str, int]
    key: KeyColumn | None
    _parts: list[LoggedLines] = field(default_factory=list)
    _answers: dict[str, int] = field(default_factory=dict)
    _rows: list[tuple[float, ...]] = field(default_factory=list)  # those of lines that came one by one

    def take(self, tables: Mapping[str, pa.Table]) -> None:
        for number, name in enumerate(self.queries):
            table = tables.get(name)
            if table is not None and table.num_rows:
                self._parts.append(self._lines(number, name, table))

    def take_line(self, line: LogLine) -> None:
        """Takes a line as JSON has it; one of an answer with other variables is of rules of before."""
        name, values = line["query"], line["answer"]
        if name not in self.queries or values.keys() != {*self.plan.relation(name).answer.names}:
            return
        number, text = self.queries.index(name), msgspec.json.encode([name, values, line.get("others")])
        answer = self._answers.setdefault(text.decode(), len(self._answers))
        about = self.key_of(name, values)
        key = ALL_KEYS if about is None else self.keys.setdefault(about, len(self.keys))
        chance, change = line.get("chance"), line.get("change", "")  # an open one of a head has no change
        state = not change or state_after(line) == OPEN, change == CONFIRMED_NOW
        self._rows.append((number, answer, key, line["tick"], np.nan if chance is None else chance, *state))

    def key_of(self, name: str, values: Mapping[str, Any]) -> str | None:
        """The key of an answer of a query; None if it has none."""
        variable = self._variable(name)
        return None if variable is None else value_in_words(values[variable])

    def _variable(self, name: str) -> str | None:
        place = None if self.key is None else self.key.places.get(name)
        return None if place is None else self.plan.relation(name).answer.variables[place]

    def _lines(self, number: int, name: str, table: pa.Table) -> LoggedLines:
        relation = self.plan.relation(name)
        own = [table.column(each) for each in relation.answer.names if each in table.column_names]
        if "others" in table.column_names:
            own.append(pc.binary_join(table.column("others"), "\2"))
        columns = [pa.array([name] * table.num_rows, pa.string()), *(texts(each, "\1") for each in own)]
        change, means = table.column("change"), meanings(table, relation.severity)
        unseen = pc.and_(pc.equal(change, SEEN), pc.equal(means, LOST))
        chances = np.full(table.num_rows, np.nan)
        if "chance" in table.column_names:
            # As lines are written: 0.7999999999 is 80 %.
            chances = np.round(table.column("chance").cast(pa.float64()).to_numpy(), 6)
        return LoggedLines(
            np.full(table.num_rows, number),
            numbers_of(pc.binary_join_element_wise(*columns, "\0"), self._answers),
            self._key(name, table),
            table.column("tick").to_numpy(),
            chances,
            ~pc.or_(pc.is_in(change, pa.array(ENDS)), unseen).to_numpy(),
            pc.equal(change, CONFIRMED_NOW).to_numpy(),
        )

    def _key(self, name: str, table: pa.Table) -> Column:
        variable = self._variable(name)
        if variable is None:
            return np.full(table.num_rows, ALL_KEYS)
        return numbers_of(texts(table.column(variable), "\1"), self.keys)

    @property
    def lines(self) -> LoggedLines:
        columns = zip(*self._rows, strict=True) if self._rows else ((),) * len(_TYPES)
        told = LoggedLines(*map(np.array, columns, _TYPES))
        self._parts = [self._parts[0].and_then(*self._parts[1:], told) if self._parts else told]
        self._rows.clear()
        return self._parts[0]


# ---- runs ----


@dataclass(eq=False)
class SeveralRuns(ChangeView):
    """Takes each step with the engines of several versions of a program, which read the facts once."""

    engines: Sequence[Engine]
    collectors: Sequence[LineCollector]
    batches: list[DueRows] = field(default_factory=list)  # all rows: what was missed is explained by them
    seen: set[str] = field(default_factory=set)
    first: int | None = None
    last: int = 0

    def __post_init__(self) -> None:
        super().__init__()

    def steps(self, engine: Engine, batch: DueRows, judged: Judged) -> Iterator[StepResult]:
        for other, collector in zip(self.engines, self.collectors[1:], strict=True):
            collector.take(other.advance(batch.now, batch.facts))
        self._see(batch)
        yield from super().steps(engine, batch, judged)

    def rest(self, engine: Engine, end: int) -> Iterator[StepResult]:
        for other, collector in zip(self.engines, self.collectors[1:], strict=True):
            last = clock.end(other.now, (other.answers(each.name) for each in other.plan.queries))
            if last > other.now:
                collector.take(other.advance(last))
        yield from super().rest(engine, end)

    def _see(self, batch: DueRows) -> None:
        """Keeps the rows, and notes the ticks and the keys of facts."""
        if not batch.rows:
            return
        self.batches.append(batch)
        self.first = batch.first if self.first is None else self.first
        self.last = max(int(arrivals_of(each)[-1]) for each in batch.rows.values())
        key = self.collectors[0].key
        for name, rows in batch.rows.items():
            if key is not None and name in key.places:
                self.seen.update(texts(pc.unique(rows.column(key.places[name])), "\1").to_pylist())


@dataclass(frozen=True)
class BacktestQuestion:
    """The question: queries, leads, the values of a limit that are tried, and where the unseen part begins.

    Without a split, that is the middle if something is chosen: a limit, or the rates of a model.
    """

    queries: tuple[str, ...]
    lead: Lead
    limit: str | None = None
    values: tuple[float, ...] = ()
    split: int | None = None
    chooses: bool = False

    @property
    def scopes(self) -> Sequence[str | None]:
        """The scopes of rows: each query, and None for all together if they are several."""
        return self.queries if len(self.queries) == 1 else (*self.queries, None)


def run(
    engines: Sequence[Engine], asked: BacktestQuestion, listed: IncidentList, reader: InputReader
) -> SeveralRuns:
    """Runs versions of a program over facts that are read once. Raises DataError."""
    keys = {key: number for number, key in enumerate(listed.keys)}
    collectors = [LineCollector(each.plan, asked.queries, keys, listed.key) for each in engines]
    view = SeveralRuns(engines[1:], collectors)
    for step in Driver(engines[0], reader, view).steps():
        view.collectors[0].take(step.tables)
    reader.rejects.require_use()
    if view.first is None:
        raise DataError(f"there are no facts; give them with --input {engines[0].plan.inputs[0].name}=FILE")
    return view


# ---- rows ----


def _rows(
    scene: Scene, asked: BacktestQuestion, found: SeveralRuns, chances: Sequence[Sequence[float]]
) -> Iterator[BacktestRow]:
    """The rows of each query, and of all together if there are several: by level, then by value."""
    values = asked.values or (None,)
    lines = [each.lines for each in found.collectors]
    for name, levels in zip(asked.scopes, chances, strict=True):
        for level in (POSSIBLE, *levels, CONFIRMED):
            for value, own in zip(values, lines, strict=True):
                yield scene.row(_alerts(asked, own, name, level), query=name, level=level, limit=value)


def _alerts(asked: BacktestQuestion, lines: LoggedLines, name: str | None, level: float) -> Alerts:
    if name is not None:
        lines = lines.take(lines.query == asked.queries.index(name))
    return alerts_at(level, lines, asked.lead.settle, together=name is None)


def _chances(scene: Scene, asked: BacktestQuestion, lines: LoggedLines) -> Iterator[Sequence[float]]:
    """The chances of the rows of each query."""
    steps = STEPS if np.any(~np.isnan(lines.chance)) else ()
    for name in asked.scopes:
        rows = [
            scene.row(_alerts(asked, lines, name, each), query=name, level=each, limit=None) for each in steps
        ]
        caught = [(each.figures.level, each.figures.caught) for each in rows]
        yield sorted(levels_that_differ(caught, rows[0].figures.incidents if rows else 0))


# ---- the whole: versions of a program, seen and unseen ----


@dataclass(frozen=True, eq=False)
class BacktestResult:
    """How rules would have done: `rows`, and as `seen` those of the half that chose."""

    rows: tuple[BacktestRow, ...]
    seen: tuple[BacktestRow, ...]
    scene: Scene
    asked: BacktestQuestion
    listed: IncidentList
    keys: tuple[str, ...]
    plan: Plan
    split: int | None = None
    left_out: Mapping[str, int] = field(default_factory=dict)  # how many of each kind in `report.toml`
    why: Mapping[int, str] = field(default_factory=dict)  # what there was of missed incidents, by number

    @cached_property
    def best(self) -> frozenset[RowName]:
        """The rows whose limit no other one beats in the seen half, at the same query and level."""
        varied = [row for row in self.seen if row.figures.limit is not None]
        return frozenset(
            row.name for row in varied if row.figures.caught and not any(_beats(each, row) for each in varied)
        )

    @cached_property
    def chosen(self) -> float | None:
        """The limit that did best in the seen half, in the middle of equal ones; None if none was varied."""
        if self.asked.limit is None:
            return None
        rows = [row.figures for row in self.seen if row.figures.query == self.asked.scopes[-1]]
        most = max(map(f1, rows))
        equal = sorted({each.limit for each in rows if each.limit is not None and f1(each) == most})
        return equal[len(equal) // 2]

    @cached_property
    def listed_rows(self) -> list[BacktestRow]:
        """The rows of the chosen limit: of them missed incidents and false alarms are listed."""
        return [row for row in self.rows if row.figures.limit == self.chosen]

    @cached_property
    def open_rows(self) -> list[BacktestRow]:
        """The row of each query for alerts that ring once an answer is possible."""
        rows = [row for row in self.listed_rows if row.figures.level == POSSIBLE]
        return [row for row in rows if row.figures.query is not None]

    @cached_property
    def missed(self) -> Column:
        """The numbers of incidents that no query caught at any level."""
        caught = np.any([row.judged.caught for row in self.listed_rows], axis=0)
        missed: Column = np.flatnonzero(~caught & self.rows[0].judged.counted)
        return missed

    def key(self, number: int) -> str | None:
        return None if number == ALL_KEYS else self.keys[number]


def _beats(one: BacktestRow, other: BacktestRow) -> bool:
    """Whether a row has the query and level of another, and is better: it catches as many, or rings less."""
    a, b = one.figures, other.figures
    as_good = (a.query, a.level) == (b.query, b.level) and a.caught >= b.caught and a.false <= b.false
    return as_good and (a.caught, a.false) != (b.caught, b.false)


def result_of(found: SeveralRuns, asked: BacktestQuestion, listed: IncidentList) -> BacktestResult:
    """Judges what runs have collected. Raises DataError if no incident can be judged."""
    assert found.first is not None
    first, last = found.first, found.last
    numbers, plan = found.collectors[0].keys, found.collectors[0].plan
    if found.seen and listed.keys and not found.seen.intersection(listed.keys):
        raise DataError.of("incidents.keys", file=listed.name, own=listed.keys[0], of_facts=min(found.seen))
    seen = [numbers.setdefault(key, len(numbers)) for key in sorted(found.seen)]
    keys = np.array(seen or [*numbers.values()] or [ALL_KEYS], np.int64)
    split = (first + last + 1) // 2 if asked.split is None and asked.chooses else asked.split
    if split is not None and not first < split <= last:
        at, since, until = (moment(each, plan.timescale) for each in (split, first, last))
        raise DataError(f"the unseen part cannot begin at {at}: the facts are from {since} to {until}")
    incidents, lead = listed.incidents, asked.lead
    main = Scene.of(incidents, lead, JudgedSpan(first if split is None else split, last), keys)
    chooses = main if split is None else Scene.of(incidents, lead, JudgedSpan(first, split - 1), keys)
    middle = found.collectors[len(found.collectors) // 2].lines
    chances = list(_chances(chooses, asked, middle))
    rows = tuple(_rows(main, asked, found, chances))
    if not rows[0].judged.counted.any():
        part, begin = "facts are" if split is None else "the unseen part is", incidents.begin
        ends = {"since": main.span.first, "until": last, "earliest": begin.min(), "latest": begin.max()}
        times = {name: moment(int(tick), plan.timescale) for name, tick in ends.items()}
        raise DataError.of("incidents.none-to-judge", file=listed.name, part=part, **times)
    seen_rows = () if split is None else tuple(_rows(chooses, asked, found, chances))
    result = BacktestResult(rows, seen_rows, main, asked, listed, tuple(numbers), plan, split)
    return replace(result, left_out=_left_out(result, first, last))


def _left_out(found: BacktestResult, first: int, last: int) -> Mapping[str, int]:
    begin, most, split = found.listed.incidents.begin, found.asked.lead.most, found.split
    rows = found.open_rows
    early = [row for row in found.seen if row.name in {each.name for each in rows}]
    return {
        "before": int(np.sum(begin < first + most)),
        "after": int(np.sum(begin > last)),
        "at_end": sum(_unjudged(row, last - most) for row in rows),
        "crossing": 0 if split is None else int(np.sum((begin >= split) & (begin < split + most))),
        "across": 0 if split is None else sum(_unjudged(row, split - 1 - most) for row in early),
    }


def _unjudged(row: BacktestRow, last: int) -> int:
    """The alerts after a tick that nothing but the end of the data leaves undecided."""
    return int(np.sum((row.judged.kind == NEITHER) & (row.alerts.tick > last)))
