"""Bytewax, with an operator written by hand for each question: its state is one device's, or one edge's.

Nothing tells a key that time goes on but its own events, or the end of the stream.
"""

from __future__ import annotations

import sys
from abc import abstractmethod
from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import ClassVar

import bytewax.operators as op
import pyarrow.parquet as pq
from bytewax.connectors.files import FileSink
from bytewax.dataflow import Dataflow
from bytewax.inputs import FixedPartitionedSource, StatefulSourcePartition
from bytewax.operators import StatefulBatchLogic
from bytewax.testing import run_main

from benchmarks.compare.folder import Folder

WINDOW, MANY, HIGH_MEAN = 60, 25, 55
RISE, POPULAR = 5, 60

Event = tuple[str, str, str | int, int, int, str]
"""Kind, device, value, time, arrival and place."""
Reported = int | tuple[str, int]
"""What of an answer the key does not say: its tick, and of a lead the shop."""


class Reading(StatefulSourcePartition):
    """Hands on a file's events at a time."""

    def __init__(self, files: list[Path]) -> None:
        self._files = iter(files)

    def next_batch(self) -> list[Event]:
        file = next(self._files, None)
        if file is None:
            raise StopIteration
        table = pq.read_table(file, columns=["kind", "device", "value", "time", "arrival", "place"])
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

    @classmethod
    def about(cls, folder: Folder) -> None:
        """What is known before all events."""
        cls.delay = folder.settings["delay"]

    @staticmethod
    def line(key: str, reported: Reported) -> str:
        return f"{key},{reported}"

    @abstractmethod
    def add(self, event: Event) -> Iterable[Reported]: ...

    def settle(self, complete: float) -> Iterable[Reported]:  # noqa: ARG002 - not all need it
        return ()

    def on_batch(self, values: list[Event]) -> tuple[Iterable[Reported], bool]:
        reported = [time for event in values for time in self.add(event)]
        self.now = values[-1][4]
        # Events that came in an earlier tick are all there.
        return [*reported, *self.settle(self.now - self.delay - 1)], StatefulBatchLogic.RETAIN

    def on_eof(self) -> tuple[Iterable[Reported], bool]:
        return self.settle(float("inf")), StatefulBatchLogic.DISCARD

    def snapshot(self) -> None:
        """Nothing is resumed here."""


class InARow(Question):
    def __init__(self) -> None:
        super().__init__()
        self.high: set[int] = set()

    def add(self, event: Event) -> Iterator[int]:
        _, _, value, time, *_ = event
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
        _, _, value, time, *_ = event
        self.seen.append(time)
        if value == "high":
            self.high.add(time)
        return ()

    def settle(self, complete: float) -> list[int]:
        due = [time for time in self.seen if time + 2 <= complete]
        reported = [time for time in due if not {time, time + 1, time + 2} <= self.high]
        self.seen = [time for time in self.seen if time + 2 > complete]
        self.high = {time for time in self.high if time + 2 > complete}
        return reported


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
        reported = [time for time in due if self.acks.isdisjoint(range(time + 1, time + 6))]
        self.alarms = [time for time in self.alarms if time + 5 > complete]
        self.acks = {time for time in self.acks if time + 5 > complete}
        return reported


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


class Leads(Question):
    """The key is a product: it remembers the scores in all regions."""

    near: ClassVar[dict[str, list[str]]]
    shops: ClassVar[dict[str, list[str]]]

    def __init__(self) -> None:
        super().__init__()
        self.scores: dict[int, dict[str, int]] = {}

    @classmethod
    def about(cls, folder: Folder) -> None:
        super().about(folder)
        cls.near, cls.shops = {}, {}
        for row in folder.static()["Near"].to_pylist():
            cls.near.setdefault(row["neighbour"], []).append(row["region"])
        for row in folder.static()["Shop"].to_pylist():
            cls.shops.setdefault(row["region"], []).append(row["shop"])

    @staticmethod
    def line(key: str, reported: Reported) -> str:
        assert isinstance(reported, tuple)
        return f"{reported[0]},{key},{reported[1]}"

    def add(self, event: Event) -> Iterable[Reported]:
        _, _, value, time, _, place = event
        self.scores.setdefault(time, {})[place] = int(value)
        return ()

    def settle(self, complete: float) -> list[Reported]:
        due = sorted(time for time in self.scores if time <= complete)
        reported: list[Reported] = [
            (shop, time)
            for time in due
            for region in self._wanted(time)
            if self.scores[time].get(region, 0) < POPULAR
            for shop in self.shops[region]
        ]
        # What may still be part of a trend stays, and is not reported again: it has no two ticks before it.
        for time in due[:-2]:
            del self.scores[time]
        return reported

    def _wanted(self, time: int) -> set[str]:
        """Regions with a trend nearby."""
        first, second, third = (self.scores.get(time - ago, {}) for ago in (2, 1, 0))
        trends = [
            place
            for place, score in third.items()
            if place in second
            and place in first
            and score >= second[place] + RISE
            and second[place] >= first[place] + RISE
        ]
        return {region for place in trends for region in self.near.get(place, ())}


class Within(Question):
    """Looks at the payments of the window that ends with each, once all of them have come."""

    def __init__(self) -> None:
        super().__init__()
        self.times: list[int] = []
        self.values: dict[int, int] = {}

    @abstractmethod
    def holds(self, values: list[int]) -> bool: ...

    def add(self, event: Event) -> Iterable[int]:
        insort(self.times, event[3])
        self.values[event[3]] = int(event[2])
        return ()

    def settle(self, complete: float) -> list[int]:
        reported, due = [], bisect_right(self.times, complete)
        for at in range(bisect_right(self.times, self.settled), due):
            time = self.times[at]
            first = bisect_left(self.times, time - WINDOW + 1)
            if self.holds([self.values[each] for each in self.times[first : at + 1]]):
                reported.append(time)
        self.settled = max(self.settled, complete)
        old = bisect_left(self.times, complete - WINDOW)
        for time in self.times[:old]:
            del self.values[time]
        del self.times[:old]
        return reported

    settled = float("-inf")


class Fast(Within):
    def holds(self, values: list[int]) -> bool:
        return len(values) >= MANY


class Dear(Within):
    def holds(self, values: list[int]) -> bool:
        return sum(values) > HIGH_MEAN * len(values)


QUESTIONS: dict[str, type[Question]] = {
    "W1": InARow,
    "W2": Unacknowledged,
    "W3": Joined,
    "W4": NotInARow,
    "W5": Leads,
    "W6": InARow,
    "W7": Fast,
    "W8": Dear,
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
    question.about(folder)
    dataflow = Dataflow("comparison")
    events = op.input("events", dataflow, Batches(folder.files))
    if name == "W3":
        keyed = op.flat_map("by edge", events, by_edge(folder))
    else:
        keyed = op.key_on("by device", events, lambda event: event[1])
    found = op.stateful_batch("ask", keyed, lambda _: question())
    lines = op.map("write", found, lambda answer: (answer[0], question.line(*answer)))
    op.output("answers", lines, FileSink(out / "answers.csv"))
    return dataflow


if __name__ == "__main__":
    workload, given, answers = sys.argv[1:]
    Path(answers).mkdir()
    run_main(flow(workload, Folder(Path(given)), Path(answers)))
