"""A stream of the data source: a step of the engine for each offset, whose state is kept by that offset.

    {"state": ""}                      before the first fact
    {"state": "5f0c…-00000001"}        after the first step: 5f0c…-00000001.state, and .lines with its rows

The steps are made where Spark asks for offsets, in one process beside its driver. A state is written before
its offset is given out. So a query that was killed finds the state and the rows of each offset that Spark has
written down, and goes on there.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias
from uuid import uuid4

import msgspec
import pyarrow as pa
from pyspark.sql.datasource import DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadLimit, SupportsTriggerAvailableNow
from pyspark.sql.types import StructType

from antelog.engine import sealed
from antelog.errors import OutputError, RulesChangedError, StateError
from antelog.files import ARRIVAL
from antelog.process import Engine
from antelog.run.driver import BETWEEN_STEPS, Driver, RunCourse
from antelog.run.journal import RunState
from antelog.run.store import StoredRows
from antelog.run.waiting import WaitingRows
from antelog.spark.format.batch_reader import SourceLines, refuse_other_columns
from antelog.spark.format.facts import FactsLeft, followed_facts
from antelog.spark.format.request import require_stream
from antelog.spark.sql.partition import plain_errors
from antelog.writing import replacing, write

Offset: TypeAlias = dict[str, str]
"""The name of a state; Spark keeps it as JSON."""

_DIGITS = 8
_OURS = 0o600
"""The mode of files with facts: only their owner may read them."""


@dataclass(frozen=True)
class StateName:
    """The name of a state: the run that made it, and the number of its step."""

    run: str
    step: int

    @classmethod
    def of(cls, offset: Offset) -> StateName | None:
        """The name in an offset; None before the first step."""
        run, _, step = offset["state"].rpartition("-")
        return cls(run, int(step)) if run else None

    @property
    def offset(self) -> Offset:
        return {"state": str(self)}

    def __str__(self) -> str:
        return f"{self.run}-{self.step:0{_DIGITS}}"


class StateFolder:
    """The folder with the states of a stream, and the rows of their steps."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def rows_at(self, name: StateName) -> Path:
        """The file with the rows of a step."""
        return self._folder / f"{name}.lines"

    def write(self, name: StateName, driver: Driver, rows: pa.Table) -> None:
        """Writes the rows of a step, and then the state after it."""
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(f"{self._folder}: cannot be written: {error.strerror}") from error
        with replacing(self.rows_at(name), mode=_OURS) as file, pa.ipc.new_file(file, rows.schema) as out:
            out.write_table(rows)
        reader = driver.reader
        addresses = {name: each.address for name, each in reader.inputs.items()}
        known = RunState(addresses, reader.marks, reader.progress)
        waiting = [(each.input, each.file, each.content) for each in reader.waiting.stored()]
        members = {
            "engine": driver.engine.to_bytes(),
            "known": msgspec.json.encode(known),
            "waiting": msgspec.msgpack.encode(waiting),
        }
        write(self._state_at(name), sealed.pack(members), mode=_OURS)

    def read(self, name: StateName, lines: SourceLines) -> Driver:
        """The driver that goes on after a step. Raises StateError if that cannot be done."""
        path = self._state_at(name)
        try:
            content = path.read_bytes()
        except OSError as error:
            raise StateError(
                f"{path}: cannot be read: {error.strerror}. The checkpoint goes on from there: give the "
                "`state` with which it was begun, or begin anew with an empty checkpoint"
            ) from None
        members = sealed.unpack(content, str(path), _MOST)
        options = lines.request.settings.engine()
        kept = {
            name: options[name] for name in ("only", "explanations", "min_chance", "most", "keep_rejects")
        }
        try:
            engine = Engine.from_bytes(members["engine"], lines.program, arrival=ARRIVAL, **kept)
        except RulesChangedError as error:
            raise StateError(
                f"{self._folder} has states of other rules: {error.differences}. Go on with what wrote it, "
                "or begin anew with an empty checkpoint"
            ) from None
        waiting = WaitingRows()
        rows = msgspec.msgpack.decode(members["waiting"], type=list[tuple[str, str, bytes]])
        waiting.restore([StoredRows(*each) for each in rows])
        known = msgspec.json.decode(members["known"], type=RunState)
        return driver_of(lines, engine, FactsLeft(known, waiting))

    def forget(self, name: StateName) -> None:
        """Removes what no restart needs once a step is done: states before it, and rows up to it."""
        for path in self._folder.glob(f"{name.run}-*"):
            step = path.stem.rpartition("-")[2]
            needed = name.step if path.suffix == ".state" else name.step + 1
            if step.isdecimal() and int(step) < needed:
                path.unlink(missing_ok=True)

    def _state_at(self, name: StateName) -> Path:
        return self._folder / f"{name}.state"


_MOST = 16 * 2**30
"""The most bytes that a state may unpack to."""


def driver_of(lines: SourceLines, engine: Engine, left: FactsLeft) -> Driver:
    """A driver that reads on when it is asked to, and later goes on from where it was."""
    reader = followed_facts(lines.request, lines.job, left)
    return Driver(engine, reader, course=RunCourse(once=True, resumed=True))


class StreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Reads on, offset by offset. Methods and arguments have Spark's names."""

    def __init__(self, lines: SourceLines, schema: StructType) -> None:
        self._folder = StateFolder(require_stream(lines.request))
        refuse_other_columns(lines, schema)
        self._lines = lines
        self._at: Offset | None = None
        self._driver: Driver | None = None
        self._ends = self._ended = False

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_driver": None, "_at": None}

    def initialOffset(self) -> Offset:  # noqa: N802 - Spark's name
        return {"state": ""}

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802 - likewise
        self._ends = True

    def latestOffset(self, start: Offset, limit: ReadLimit) -> Offset:  # noqa: ARG002, N802 - likewise
        """The offset after the next step; the one before, if there is nothing new."""
        with plain_errors():
            driver = self._driver_at(start)
            while not self._ended:
                found = self._step(driver, start)
                self._ended = self._ends and driver.reader.through
                if found != start or not self._ends:
                    return found
                time.sleep(BETWEEN_STEPS)
            return start

    def partitions(self, start: Offset, end: Offset) -> list[InputPartition]:
        """The rows of a step; none if the offsets are the same."""
        name = StateName.of(end)
        return [] if start == end or name is None else [InputPartition(str(self._folder.rows_at(name)))]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The rows in a file."""
        with plain_errors():
            try:
                with pa.memory_map(partition.value) as file, pa.ipc.open_file(file) as rows:
                    for at in range(rows.num_record_batches):
                        yield rows.get_batch(at)
            except (OSError, pa.ArrowException) as error:
                raise StateError(
                    f"{partition.value}: cannot be read: {error}. All machines of a cluster have to see the "
                    "folder `state`"
                ) from None

    def commit(self, end: Offset) -> None:
        """Removes what no restart needs any more."""
        name = StateName.of(end)
        if name is not None:
            with plain_errors():
                self._folder.forget(name)

    def stop(self) -> None:
        if self._driver is not None:
            self._driver.reader.close()

    def _driver_at(self, start: Offset) -> Driver:
        if self._driver is None or self._at != start:
            self.stop()
            name = StateName.of(start)
            if name is None:
                self._driver = driver_of(self._lines, self._lines.engine(), FactsLeft())
            else:
                self._driver = self._folder.read(name, self._lines)
            self._at = start
        return self._driver

    def _step(self, driver: Driver, start: Offset) -> Offset:
        """The offset after what could be read at once; the one before if that is nothing."""
        before = _progress(driver)
        schema = self._lines.arrow
        rows = pa.Table.from_batches(self._lines.rows(driver.read_on()), schema)
        if before == _progress(driver):
            return start
        old = StateName.of(start)
        name = StateName(uuid4().hex, 1) if old is None else StateName(old.run, old.step + 1)
        self._folder.write(name, driver, rows)
        self._at = name.offset
        return name.offset


def _progress(driver: Driver) -> bytes:
    """How far a driver has come, whether it was there before or is read from a state."""
    return msgspec.json.encode([driver.engine.now, driver.reader.marks])
