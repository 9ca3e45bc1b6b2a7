"""Recorded facts through an engine, as `antelog try` does it; and as grounds of explanations."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import fspath
from pathlib import Path
from typing import Any, TypeAlias

import pyarrow as pa

from antelog.compile.nodes.plan import Plan
from antelog.engine.columns.tables import Column, marked
from antelog.engine.facts.frames import FileOrFrame, Frame
from antelog.engine.facts.history import Facts
from antelog.engine.step.wording import plain
from antelog.engine.values.values import Values
from antelog.errors import DataError, DataWarning
from antelog.files import ARRIVAL, LINE, Rejects, tables
from antelog.files.cells import stacked
from antelog.files.columns import DEFAULT_ARRIVAL
from antelog.files.naming import Form, size_of
from antelog.files.remote import FilePath
from antelog.given import NAMED, PATH, check, of, wrong
from antelog.process import Engine
from antelog.program import Program
from antelog.run.address import Address, Files, Reach
from antelog.run.checks import Ready, misfits, resolved
from antelog.run.clock import Timing
from antelog.run.door import SourceAddress
from antelog.run.driver import Driver
from antelog.run.options import taken, takes
from antelog.run.reading import InputReader, InputSource, Listeners, Now, wanted_of
from antelog.run.settings import ReplaySettings, Settings, naming_arguments, with_arguments
from antelog.run.sinks.json_lines import Style, change_lines
from antelog.run.sinks.result import StepResult
from antelog.run.sources.recorded import RecordedFiles, RecordedFrame
from antelog.run.sources.source import FactSource, all_of
from antelog.run.values import SettingError
from antelog.run.waiting import FILE, DueRows, arrivals_of
from antelog.run.workers.divided import engine_for, view_for
from antelog.why import Grounds
from antelog.why.grounds import FactPlaces

Value = str | int | float
StaticPlace: TypeAlias = Path | Address  # a path, or an address of a file or of rows that can be listed


@dataclass(frozen=True)
class Recording:
    """Recorded facts: files, or `frames`, whose paths are names for messages; `maps` renames columns."""

    inputs: Mapping[str, FilePath]
    statics: Mapping[str, StaticPlace] = field(default_factory=dict)
    arrival: str = DEFAULT_ARRIVAL
    until: int | None = None
    maps: Mapping[str, str] = field(default_factory=dict)
    frames: Mapping[str, Frame] = field(default_factory=dict)
    since: int | None = None

    @property
    def size(self) -> int:
        """The bytes of all input files."""
        return sum(map(size_of, self.inputs.values()))

    def reader(
        self,
        plan: Plan,
        rejects: Rejects,
        progress: Callable[[int], None] = lambda _: None,
        *,
        listeners: Listeners | None = None,
    ) -> InputReader:
        """A reader of the inputs; notes go to the listeners, or to those of the rejects."""
        inputs: dict[str, InputSource] = {}
        for name, path in self.inputs.items():
            wanted = wanted_of(plan, name, self.arrival, self.maps)
            source: FactSource
            if name in self.frames:
                source = RecordedFrame(self.frames[name], path, wanted)
            else:
                source = RecordedFiles(path, wanted, complete=True, progress=progress)
            inputs[name] = InputSource(source, str(path), wanted)
        return InputReader(
            plan,
            inputs,
            Timing(timescale=plan.timescale),
            rejects,
            listeners or Listeners(rejects.notes.append),
            recorded=True,
            until=self.until,
            since=self.since,
        )


def recording_of(settings: Settings) -> Recording:
    inputs = files_of(settings.inputs)
    return Recording(
        inputs, settings.statics, settings.arrival, settings.last, settings.map, since=settings.first
    )


def files_of(addresses: Mapping[str, Address]) -> dict[str, FilePath]:
    return {name: _file_of(each) for name, each in addresses.items()}


def _file_of(place: StaticPlace) -> FilePath:
    """The file of an address; of another the name that messages have."""
    return place.file_path if isinstance(place, Files) else Path(str(place))


def static_facts(
    plan: Plan, statics: Mapping[str, StaticPlace], rejects: Rejects, maps: Mapping[str, str]
) -> dict[str, list[tuple[Value, ...]]]:
    """The facts of static predicates. Raises DataError if a place has rows, and none of them can be used."""
    found: dict[str, list[tuple[Value, ...]]] = {name: [] for name in statics}
    for name, place in statics.items():
        wanted = wanted_of(plan, name, maps=maps)
        chunks = None
        if isinstance(place, SourceAddress):
            chunks = all_of(place.source(wanted, None), rejects.notes)
        for table in tables(_file_of(place), wanted, rejects, chunks):
            values = zip(*(column.to_pylist() for column in table.columns), strict=True)
            found[name] += [tuple(_value(value) for value in row) for row in values]
    rejects.require_use()
    return found


def _value(value: object) -> Value:
    found = plain(value)
    return str(found).lower() if isinstance(found, bool) or found is None else found


class Replay:
    """The steps of a replay, which can be taken once.

    engine    the engine, after the steps so far
    rejects   counts of rows that were set aside, and the first of them
    """

    def __init__(self, engine: Engine, reader: InputReader) -> None:
        self.engine, self.rejects = engine, reader.rejects
        self._reader = reader

    def __iter__(self) -> Iterator[StepResult]:
        for step in self._steps():
            tables = {name: self.engine.rounded(name, table) for name, table in step.tables.items()}
            while self.engine.notes:
                warnings.warn(self.engine.notes.pop(0), DataWarning, stacklevel=2)
            yield replace(step, tables=tables)

    def _steps(self, style: Style | None = None) -> Iterator[StepResult]:
        with naming_arguments():
            yield from Driver(self.engine, self._reader, view_for(self.engine, style=style)).steps()
            self.rejects.require_use()
        for each in self.rejects.usable.values():
            if (said := each.warning()) is not None:
                warnings.warn(with_arguments(said), DataWarning, stacklevel=3)

    def lines(self) -> Iterator[str]:
        """The changes as JSON lines, as `antelog try` prints them."""
        relations = list(self.engine.plan.queries)
        for step in self._steps(Style()):
            yield from change_lines(relations, step, Style()).splitlines()


@takes(ReplaySettings)
def replay(program: Program, inputs: Mapping[str, FileOrFrame], settings: ReplaySettings) -> Replay:
    """Runs recorded facts through an engine: an iterable of steps, each with a tick and tables of changes.

    Its `lines()` are those that `antelog try` prints. Rows that cannot be used are set aside, and counted in
    its `rejects`; where these are more than half of an input, it ends with a DataWarning.

    Args:
        program: what to run
        inputs: the files of each input, CSV, JSON lines or Parquet by their ending: a file, a folder, or a
            pattern such as `readings/*.csv`; or a frame, or a list of tuples or dictionaries
        until: the last tick, or a moment in it; if not given, the tick by which all is decided that is open
            after the last fact
        arrival: the column with the ticks or timestamps at which facts arrived. In a file without it they
            arrive at their own ticks
        map: names of columns in files and frames, by the columns of the program: `{"device": "sensor"}`, or
            of one input `{"Temp.device": "sensor"}`
        time_units: what times of an input count since 1970: `{"Temp": "ms"}`; of all inputs under `""`
        time_zones: the zone of times without an offset, likewise: `{"Temp": "Europe/Berlin"}`
        time_formats: the format of times in texts, as `strptime` has it, likewise: `{"": "%d/%m/%Y"}`
        static: background facts in addition to those of the program, as frames or lists of tuples
        workers: the processes that run the rules, each for some values of the program's key; "auto": one for
            each core
        others: those of the engine, such as `only` and `model`

    Raises DataError for a file that cannot be read, for an input that the program does not have, and at the
    end for one of which no row can be used.
    """
    found = ready_with("replay", program, inputs, settings)
    engine = engine_for(
        found.program,
        settings.workers,
        lambda note: warnings.warn(note, DataWarning, stacklevel=5),
        static=settings.static,
        **found.settings.engine(),
    )
    return Replay(engine, recorded(found, inputs).reader(found.program.plan, Rejects()))


def ready_with(
    function: str, program: Program, inputs: Mapping[str, FileOrFrame], settings: object, **more: Any
) -> Ready:
    """Checks the arguments of a function that reads recorded facts. Raises ArgumentError and DataError.

    `settings` has some of those of `replay`; `more` are others.
    """
    check(function, {"program": program, "inputs": inputs}, _KINDS)
    try:
        files = {name: _file(function, name, inputs[name]) for name in inputs}
        given = taken(Settings, taken(ReplaySettings, settings, **more), inputs=files)
    except SettingError as error:
        raise DataError(str(error)) from None
    for misfit in misfits(program.plan, given):
        raise DataError(f"{misfit.message}. {misfit.hint}")
    return resolved(program, given)


def recorded(found: Ready, inputs: Mapping[str, FileOrFrame]) -> Recording:
    """The facts of settings, some of which are frames."""
    frames = {name: each for name, each in inputs.items() if not PATH.fits(each)}
    return replace(recording_of(found.settings), frames=frames)


_KINDS = {"program": of(Program, "an antelog.Program"), "inputs": NAMED}


def _file(function: str, name: str, given: FileOrFrame) -> Files:
    """The address of a file; that of a frame is its name."""
    if PATH.fits(given):
        return Reach(f"antelog.{function}", "read", (Files,)).read(fspath(given))
    is_table = hasattr(given, "__arrow_c_stream__") or hasattr(given, "__arrow_c_array__")
    if isinstance(given, str | bytes | Mapping) or not (is_table or isinstance(given, Iterable)):
        kinds = f"{PATH.words}, or a frame, or a list of tuples"
        raise wrong(f"{function}: what {name} is given", given, kinds)
    return Files(f"the frame of {name}", Form.PARQUET)


@dataclass(frozen=True, eq=False)
class RecordedPlaces(FactPlaces):
    """The files and lines of recorded rows."""

    plan: Plan
    rows: Mapping[str, pa.Table]
    names: Sequence[str]

    def of_fact(self, predicate: str, facts: Facts, values: Values) -> str | None:
        rows = self.rows.get(predicate)
        if rows is None:
            return None
        *columns, time = next(each.columns for each in self.plan.inputs if each.name == predicate)
        fits = (rows.column(time).to_numpy() == facts.time[0]) & (arrivals_of(rows) == facts.arrival[0])
        at: Column = marked(fits)
        for column, cell in zip(columns, facts.columns, strict=True):
            array = rows.column(column).take(at).combine_chunks()
            cells, _ = values.encode_usable(array)
            at = at[(cells == cell[0]) | (values.spelled(cells) == cell[0])]
        return self.of_row(predicate, int(at[0])) if len(at) else None

    def of_row(self, predicate: str, row: int) -> str | None:
        rows = self.rows[predicate]
        return f"{self.names[rows.column(FILE)[row].as_py()]}:{rows.column(LINE)[row]}"


def recorded_grounds(program: Program, recording: Recording, at: int | None, rejects: Rejects) -> Grounds:
    """The grounds of recorded facts as of a tick; None: of all of them."""
    static = static_facts(program.plan, recording.statics, rejects, recording.maps)
    return RecordedRows.of(recording.reader(program.plan, rejects)).grounds(program, static, at)


@dataclass(frozen=True, eq=False)
class RecordedRows:
    """All rows of recorded inputs, and the names of the files that they are from."""

    rows: Mapping[str, pa.Table]
    names: Sequence[str]

    @classmethod
    def of(cls, reader: InputReader) -> RecordedRows:
        return cls.joined(list(_batches(reader)))

    @classmethod
    def joined(cls, batches: Sequence[DueRows]) -> RecordedRows:
        rows = {
            name: stacked([each.rows[name] for each in batches if name in each.rows])
            for name in dict.fromkeys(name for each in batches for name in each.rows)
        }
        return cls(rows, batches[-1].names if batches else ())

    def grounds(self, program: Program, static: Mapping[str, Frame], at: int | None) -> Grounds:
        frames = DueRows(0, self.rows).facts
        found = Grounds.of_facts(program, frames, at, static=static, arrival=ARRIVAL)
        return replace(found, places=RecordedPlaces(program.plan, self.rows, self.names))


def _batches(reader: InputReader) -> Iterator[DueRows]:
    """All rows of a reader, in the order of their arrival."""
    now = -1
    while True:
        reader.read(Now(now, 0))
        end = reader.finished(Now(now, 0))
        if reader.ended:
            reader.finish(Now(now, 0), ended_only=False)
            end = reader.waiting.last
        while now < end:
            batch = reader.waiting.batch(end)
            now = batch.now
            yield batch
        if reader.ended:
            return
