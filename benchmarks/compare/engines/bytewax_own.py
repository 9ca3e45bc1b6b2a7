"""Bytewax, with an operator written by hand for each question: its state is one device's, or one edge's.

Nothing tells a key that time goes on but its own events, or the end of the stream.
"""

from __future__ import annotations

import sys
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import bytewax.operators as op
import pyarrow.parquet as pq
from bytewax.connectors.files import FileSink
from bytewax.dataflow import Dataflow
from bytewax.inputs import FixedPartitionedSource, StatefulSourcePartition
from bytewax.operators import StatefulBatchLogic
from bytewax.testing import run_main

from benchmarks.compare.folder import Folder

Event = tuple[str, str, str, int, int]
"""Kind, device, value, time and arrival."""


class Reading(StatefulSourcePartition):
    """Hands on a file's events at a time."""

    def __init__(self, files: list[Path]) -> None:
        self._files = iter(files)

    def next_batch(self) -> list[Event]:
        file = next(self._files, None)
        if file is None:
            raise StopIteration
        table = pq.read_table(file, columns=["kind", "device", "value", "time", "arrival"])
        return list(zip(*(column.to_pylist() for column in table.columns), strict=True))

    def snapshot(self) -> None:
        """Nothing is resumed here."""


class Batches(FixedPartitionedSource):
    def __init__(self, files: list[Path]) -> None:
        self._files = files

    def list_parts(self) -> list[str]:
        return ["all"]

    def build_part(self, step_id: str, for_part: str, resume_state: None) -> Reading:  # noqa: ARG002 - Bytewax's names
        return Reading(self._files)


class Question(StatefulBatchLogic):
    """What one key remembers. `add` takes events, `settle` says what is certain of ticks up to one."""

    delay = 0

    def __init__(self) -> None:
        self.now = 0

    @abstractmethod
    def add(self, event: Event) -> Iterable[int]: ...

    def settle(self, complete: float) -> Iterable[int]:  # noqa: ARG002 - not all need it
        return ()

    def on_batch(self, values: list[Event]) -> tuple[Iterable[int], bool]:
        told = [time for event in values for time in self.add(event)]
        self.now = values[-1][4]
        # Events that came in an earlier tick are all there.
        return [*told, *self.settle(self.now - self.delay - 1)], StatefulBatchLogic.RETAIN

    def on_eof(self) -> tuple[Iterable[int], bool]:
        return self.settle(float("inf")), StatefulBatchLogic.DISCARD

    def snapshot(self) -> None:
        """Nothing is resumed here."""


class InARow(Question):
    def __init__(self) -> None:
        super().__init__()
        self.high: set[int] = set()

    def add(self, event: Event) -> Iterator[int]:
        _, _, value, time, _ = event
        if value == "high":
            self.high.add(time)
            for first in (time - 2, time - 1, time):
                if first in self.high and first + 1 in self.high and first + 2 in self.high:
                    yield first

    def settle(self, complete: float) -> Iterable[int]:
        self.high = {time for time in self.high if time + 2 > complete}
        return ()


class NotInARow(Question):
    def __init__(self) -> None:
        super().__init__()
        self.high: set[int] = set()
        self.seen: list[int] = []

    def add(self, event: Event) -> Iterable[int]:
        _, _, value, time, _ = event
        self.seen.append(time)
        if value == "high":
            self.high.add(time)
        return ()

    def settle(self, complete: float) -> list[int]:
        due = [time for time in self.seen if time + 2 <= complete]
        told = [time for time in due if not {time, time + 1, time + 2} <= self.high]
        self.seen = [time for time in self.seen if time + 2 > complete]
        self.high = {time for time in self.high if time + 2 > complete}
        return told


class Unacknowledged(Question):
    def __init__(self) -> None:
        super().__init__()
        self.alarms: list[int] = []
        self.acks: set[int] = set()

    def add(self, event: Event) -> Iterable[int]:
        if event[0] == "Alarm":
            self.alarms.append(event[3])
        else:
            self.acks.add(event[3])
        return ()

    def settle(self, complete: float) -> list[int]:
        due = [time for time in self.alarms if time + 5 <= complete]
        told = [time for time in due if self.acks.isdisjoint(range(time + 1, time + 6))]
        self.alarms = [time for time in self.alarms if time + 5 > complete]
        self.acks = {time for time in self.acks if time + 5 > complete}
        return told


class Joined(Question):
    """The key is an edge: heat at its beginning, pressure at its end."""

    def __init__(self) -> None:
        super().__init__()
        self.heat: set[int] = set()
        self.pressure: set[int] = set()

    def add(self, event: Event) -> Iterator[int]:
        time = event[3]
        if event[0] == "Heat":
            self.heat.add(time)
            if time + 1 in self.pressure:
                yield time
        else:
            self.pressure.add(time)
            if time - 1 in self.heat:
                yield time - 1

    def settle(self, complete: float) -> Iterable[int]:
        self.heat = {time for time in self.heat if time + 1 > complete}
        self.pressure = {time for time in self.pressure if time > complete}
        return ()


QUESTIONS: dict[str, type[Question]] = {
    "W1": InARow,
    "W2": Unacknowledged,
    "W3": Joined,
    "W4": NotInARow,
    "W6": InARow,
}


def by_edge(folder: Folder) -> Callable[[Event], Iterable[tuple[str, Event]]]:
    """To each event the edges it belongs to, as `from,to`."""
    edges: dict[tuple[str, str], list[str]] = {}
    for row in folder.static()["Feeds"].to_pylist():
        name = f"{row['device']},{row['other']}"
        edges.setdefault(("Heat", row["device"]), []).append(name)
        edges.setdefault(("Pressure", row["other"]), []).append(name)
    return lambda event: [(edge, event) for edge in edges.get(event[:2], ())]


def flow(name: str, folder: Folder, out: Path) -> Dataflow:
    question = QUESTIONS[name]
    question.delay = folder.settings["delay"]
    dataflow = Dataflow("comparison")
    events = op.input("events", dataflow, Batches(folder.files))
    if name == "W3":
        keyed = op.flat_map("by edge", events, by_edge(folder))
    else:
        keyed = op.key_on("by device", events, lambda event: event[1])
    found = op.stateful_batch("ask", keyed, lambda _: question())
    lines = op.map("write", found, lambda answer: (answer[0], f"{answer[0]},{answer[1]}"))
    op.output("answers", lines, FileSink(out / "answers.csv"))
    return dataflow


if __name__ == "__main__":
    workload, given, answers = sys.argv[1:]
    Path(answers).mkdir()
    run_main(flow(workload, Folder(Path(given)), Path(answers)))
