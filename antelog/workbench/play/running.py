"""A draft, and what comes of it: its program over its facts, tick by tick, and the board at any tick."""

from __future__ import annotations

import csv
import io
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import itemgetter
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa

from antelog.accounts import FAILED
from antelog.compile.nodes.plan import Plan
from antelog.diagnostics import to_json
from antelog.errors import AntelogError, DataError, ProgramError
from antelog.files import ARRIVAL, Reject, Rejects
from antelog.files.columns import DEFAULT_ARRIVAL
from antelog.language.moments import moment
from antelog.language.program_files import read_text
from antelog.process import Engine
from antelog.program import Program, parse
from antelog.run.counting import InputCounts
from antelog.run.driver import ChangeView, Driver, Judged
from antelog.run.reading import Listeners
from antelog.run.replay import Recording, static_facts
from antelog.run.sinks.json_lines import Style, change_lines
from antelog.run.sinks.result import StepResult
from antelog.run.store.feed import Record, about
from antelog.run.waiting import DueRows, arrivals_of
from antelog.watch.board.board import Board
from antelog.watch.board.feed_program import FeedProgram
from antelog.watch.web.api import PostError
from antelog.watch.web.export import Draft, Sheet, csv_text
from antelog.writing import write

# ---- drafts ----

LARGEST = 5_000  # the most rows of all tables together, because each edit runs them all


@dataclass(frozen=True)
class DraftFiles:
    """The files that a draft is read from and saved to; no others are ever written."""

    program: Path | None = None
    tables: Mapping[str, Path] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        return [str(each) for each in (self.program, *self.tables.values()) if each is not None]

    def read(self) -> Draft:
        """Reads the draft; what has no file yet is empty. Raises AntelogError."""
        text = read_text(self.program) if self.program is not None and self.program.exists() else ""
        tables = {name: sheet_in(path) for name, path in self.tables.items() if path.exists()}
        return Draft(text, {name: tables.get(name, Sheet()) for name in self.tables})

    def save(self, draft: Draft) -> list[str]:
        """Writes the draft; returns the names of the written files. Raises OutputError."""
        done = []
        if self.program is not None:
            write(self.program, draft.program.encode())
            done.append(str(self.program))
        for name, path in self.tables.items():
            sheet = draft.tables.get(name)
            if sheet is not None and sheet.columns:
                write(path, csv_text([sheet.columns, *sheet.filled], "\n").encode())
                done.append(str(path))
        return done


def sheet_in(path: Path) -> Sheet:
    """Reads the table of a CSV file. Raises DataError."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise DataError(f"{path}: is not text in UTF-8; `antelog play` edits CSV files") from None
    except OSError as error:
        raise DataError(f"{path}: {error.strerror or error}") from None
    return sheet_of(text, str(path))


def sheet_of(text: str, name: str) -> Sheet:
    try:
        lines = [tuple(row) for row in csv.reader(io.StringIO(text), strict=True) if row]
    except csv.Error as error:
        raise DataError(f"{name}: is not CSV: {error}") from None
    if len(lines) > LARGEST + 1:
        raise DataError.of("play.too-large", name=name, rows=len(lines) - 1, largest=LARGEST)
    return Sheet(lines[0], tuple(lines[1:])) if lines else Sheet()


def fitted(sheet: Sheet | None, wanted: Sequence[str], optional: Sequence[str] = ()) -> Sheet:
    """Adds wanted columns to a table. Those that are not wanted take the names of new ones, in order."""
    if sheet is None or not sheet.columns:
        return Sheet((*wanted, *optional), () if sheet is None else sheet.rows)
    missing = [name for name in wanted if name not in sheet.columns]
    if not missing:
        return sheet
    waiting = iter(missing)
    renamed = [name if name in wanted or name in optional else next(waiting, name) for name in sheet.columns]
    return Sheet((*renamed, *waiting), sheet.rows)


# ---- their courses ----

MOST_LINES = 20_000  # the most changes of a draft, which is for examples that a person looks at
_MOST_TICKS = 400  # in a longer stretch of time only those ticks can be looked at that have changes


@dataclass(frozen=True)
class PlayOptions:
    name: str = "rules.alog"
    functions: Path | None = None
    limits: Mapping[str, int | float] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, eq=False)
class Course:
    """A program over the facts of a draft: its records by tick, and the last tick and facts of each step."""

    program: Program
    records: Sequence[tuple[int, Record]]
    steps: Sequence[tuple[int, Mapping[str, pa.Table]]]
    static: Mapping[str, Sequence[tuple[str | int | float, ...]]]
    first: int | None
    last: int

    @cached_property
    def head(self) -> FeedProgram:
        return FeedProgram(self.program.source)

    @cached_property
    def ticks(self) -> list[int]:
        if self.first is None:
            return []
        if self.last - self.first < _MOST_TICKS:
            return list(range(self.first, self.last + 1))
        return sorted({self.first, self.last, *(tick for tick, _ in self.records if tick >= self.first)})

    @property
    def labels(self) -> list[str]:
        return [moment(tick, self.program.plan.timescale) for tick in self.ticks]

    @property
    def changing(self) -> list[int]:
        return sorted({tick for tick, record in self.records if "change" in record})

    @cached_property
    def begin(self) -> int | None:
        """The tick to look at first: the earliest one at which an answer is open, else the last."""
        last = self.ticks[-1] if self.ticks else None
        return next((tick for tick, board in self.boards(self.changing) if board.open), last)

    def engine_at(self, tick: int) -> Engine:
        engine = Engine(self.program, static=self.static, arrival=ARRIVAL)
        for end, facts in self.steps:
            if end <= tick:
                engine.advance(end, facts)
        if tick > engine.now:
            engine.advance(tick)
        return engine

    def board_at(self, tick: int | None) -> Board:
        """The board after a tick, or before all of them if it is None."""
        return Board(head=self.head) if tick is None else next(self.boards([tick]))[1]

    def boards(self, ticks: Iterable[int]) -> Iterator[tuple[int, Board]]:
        """Yields ticks, which are given in order, with the board after each: the next tick changes it."""
        board, taken = Board(head=self.head), 0
        known = about(self.program.source, self.program.plan.tick)
        board.take([{"head": {**known, "tick": self.first, "open": []}}])
        for tick in ticks:
            end = bisect_right(self.records, tick, key=itemgetter(0))
            board.take(record for _, record in self.records[taken:end])
            board.take([{"status": {**board.inputs.status, "tick": tick}}])
            taken = end
            yield tick, board


@dataclass(frozen=True, kw_only=True, eq=False)
class Played:
    """The outcome of a draft: tables fitted to the program, problems, rows set aside, and the course."""

    draft: Draft
    problems: Sequence[Mapping[str, Any]] = ()
    notes: Sequence[str] = ()
    aside: Sequence[Mapping[str, Any]] = ()
    course: Course | None = None

    @property
    def saved(self) -> Draft:
        """The draft to save: with all arrivals, or without their column if nothing is in it."""
        inputs = () if self.course is None else self.course.program.plan.inputs
        times = {each.name: each.columns[-1] for each in inputs}
        return Draft(
            self.draft.program,
            {name: _dated(_used(sheet), times.get(name)) for name, sheet in self.draft.tables.items()},
        )


class _TickByTick(ChangeView):
    """Ends a step wherever facts arrive, so that the counts of inputs are those of the tick."""

    def __init__(self, plan: Plan, stopping: Callable[[], bool]) -> None:
        super().__init__(MOST_LINES)
        self.counts, self._stopping = InputCounts(plan), stopping
        self.counted, self.taken = 0, list[tuple[int, Mapping[str, pa.Table]]]()
        self.first: int | None = None

    def steps(self, engine: Engine, batch: DueRows, judged: Judged) -> Iterator[StepResult]:
        given = [np.zeros(0, np.int64), *(arrivals_of(each) for each in batch.rows.values())]
        arrivals = np.unique(np.concatenate(given))
        ends = [int(tick) for tick in arrivals if engine.now < tick < batch.now]
        if self.first is None and len(arrivals):
            self.first = int(arrivals[0])
        for tick in [*ends, batch.now]:
            if self._stopping():
                raise PostError("a newer edit has come")
            part = batch.between(engine.now, tick)
            facts = part.facts
            for name, table in facts.items():
                self.counts.add(name, table)
            self.taken.append((tick, facts))
            changes = engine.advance(tick, facts)
            judged(part)
            yield StepResult(tick, changes)


def play(
    draft: Draft, options: PlayOptions, folder: Path, stopping: Callable[[], bool] = lambda: False
) -> Played:
    """Runs a draft, with its tables in files of a folder. Raises PostError once `stopping` says so."""
    if sum(len(sheet.rows) for sheet in draft.tables.values()) > LARGEST:
        return Played(
            draft=draft, problems=[_problem(f"there are more than {LARGEST:,} rows; take some out")]
        )
    try:
        program = parse(draft.program, name=options.name, functions=options.functions, limits=options.limits)
    except ProgramError as error:
        return Played(draft=draft, problems=to_json(error.diagnostics, error.source))
    except AntelogError as error:
        return Played(draft=draft, problems=[_problem(str(error))])
    tables = dict(draft.tables)
    for each in program.plan.inputs:
        tables[each.name] = fitted(tables.get(each.name), each.columns, (DEFAULT_ARRIVAL,))
    for static in program.plan.statics:
        if static.name in tables:
            tables[static.name] = fitted(tables[static.name], static.columns)
    shaped = Draft(draft.program, tables)
    warnings = to_json(program.warnings, program.source)
    try:
        return replace(_run(program, shaped, folder, stopping), problems=warnings)
    except AntelogError as error:
        said = str(error).replace(f"{folder}/", "")
        return Played(draft=shaped, problems=[*warnings, _problem(said)])


def _run(program: Program, draft: Draft, folder: Path, stopping: Callable[[], bool]) -> Played:
    plan, aside, notes = program.plan, list[Reject](), list[str]()
    inputs, statics = {each.name for each in plan.inputs}, {each.name for each in plan.statics}
    files = _written(plan, draft.tables, folder)
    recording = Recording(
        {name: path for name, path in files.items() if name in inputs},
        {name: path for name, path in files.items() if name in statics},
    )
    rejects, view = Rejects(), _TickByTick(plan, stopping)
    static = static_facts(plan, recording.statics, rejects, {})
    engine = Engine(program, static=static, arrival=ARRIVAL)
    reader = recording.reader(plan, rejects, listeners=Listeners(notes.append, aside.extend))
    records: list[tuple[int, Record]] = []
    for step in Driver(engine, reader, view).steps():
        lines = change_lines(list(plan.queries), step, Style()).splitlines()
        changes = [msgspec.json.decode(line) for line in lines]
        records += [(each["tick"], each) for each in changes]
        if len(records) > MOST_LINES:
            raise DataError(f"there are more than {MOST_LINES:,} changes; replay it with `antelog try`")
        view.counts.add_rejects(aside[view.counted :])
        for each in aside[view.counted :]:
            row = {"input": each.predicate, "reason": each.reason, "row": each.row, "tick": step.tick}
            records.append((step.tick, {"reject": {**row, "detail": each.detail}}))
        view.counted = len(aside)
        counts = msgspec.json.encode(view.counts.status())  # they go on being counted
        records.append((step.tick, {"status": {"inputs": msgspec.json.decode(counts)}}))
    begin = view.first if plan.tick is not None or view.first is None else 0
    places = {str(path): name for name, path in files.items()}
    return Played(
        draft=draft,
        notes=[*notes, *rejects.notes, *(str(each) for each in aside if each.reason == FAILED)],
        aside=[
            {"table": places.get(each.file, each.predicate), "row": (each.line or 2) - 2, "why": each.detail}
            for each in aside
            if each.reason != FAILED
        ],
        course=Course(
            program=program,
            records=records,
            steps=view.taken,
            static=static,
            first=begin,
            last=max(engine.now, -1 if begin is None else begin),
        ),
    )


def _written(plan: Plan, tables: Mapping[str, Sheet], folder: Path) -> dict[str, Path]:
    """Writes tables to files, with blank lines for blank rows: the line of a row tells its number."""
    found, times = {}, {each.name: each.columns[-1] for each in plan.inputs}
    for number, (name, sheet) in enumerate(tables.items()):
        if not sheet.columns:
            continue
        path = folder / f"{number}-{name[:40]}.csv"
        rows = [row if any(map(str.strip, row)) else () for row in _dated(sheet, times.get(name)).rows]
        path.write_text(csv_text([sheet.columns, *rows], "\n"), encoding="utf-8")
        found[name] = path
    return found


def _dated(sheet: Sheet, time: str | None) -> Sheet:
    """Fills empty arrivals with the times of their facts."""
    if time not in sheet.columns or DEFAULT_ARRIVAL not in sheet.columns:
        return sheet
    at, own, rows = sheet.columns.index(DEFAULT_ARRIVAL), sheet.columns.index(time), []
    for row in sheet.rows:
        given = [*row, *[""] * (len(sheet.columns) - len(row))]
        given[at] = given[at].strip() or given[own]
        rows.append(tuple(given))
    return Sheet(sheet.columns, tuple(rows))


def _used(sheet: Sheet) -> Sheet:
    """Drops the column of arrivals if nothing is in it."""
    if DEFAULT_ARRIVAL not in sheet.columns:
        return sheet
    at = sheet.columns.index(DEFAULT_ARRIVAL)
    if any(any(row[at : at + 1]) for row in sheet.rows):
        return sheet
    cut = [(*row[:at], *row[at + 1 :]) for row in (sheet.columns, *sheet.rows)]
    return Sheet(cut[0], tuple(cut[1:]))


def _problem(message: str) -> dict[str, Any]:
    return {"severity": "error", "message": message, "hint": ""}
