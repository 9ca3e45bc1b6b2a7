"""antelog/spark/format/stream_reader.py: a stream is cut and killed anywhere, and has each line once.

`FakeQuery` asks for offsets as Spark does: it writes an offset down before it takes its rows, and says when
it is done with them.
"""

from __future__ import annotations

import pickle
import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from antelog.errors import AntelogError, StateError
from tests.run import cases
from tests.run.runners import in_steps, rows_of
from tests.spark.format.comparing import Rows, parts_of, source
from tests.spark.sql.comparing import in_order

pytest.importorskip("pyspark.sql.streaming.datasource", reason="streams need PySpark 4.2")
from pyspark.sql.streaming.datasource import ReadAllAvailable

from antelog.spark.format.stream_reader import StreamReader

EXAMPLES = [name for name in cases.EXAMPLES if name not in ("frost", "leads")]


class KilledError(Exception):
    """The process has ended here."""


@dataclass
class FakeQuery:
    """A query of a stream, and the checkpoint that outlives it."""

    options: Mapping[str, str]
    dice: random.Random | None = None
    planned: list[dict[str, str]] = field(default_factory=list)
    done: int = 0
    rows: dict[int, Rows] = field(default_factory=dict)

    def run(self, *, until_through: bool = True) -> None:
        """Takes all that is there, until it is killed."""
        reader = self._reader()
        if until_through:
            reader.prepareForTriggerAvailableNow()
        try:
            while True:
                if self.done == len(self.planned):
                    start = self.planned[-1] if self.planned else reader.initialOffset()
                    end = reader.latestOffset(start, ReadAllAvailable())
                    self._maybe_killed()
                    if end == start:
                        return
                    self.planned.append(end)
                self._maybe_killed()
                self._take(reader)
                self._maybe_killed()
                self.done += 1
                self._maybe_killed()
                reader.commit(self.planned[self.done - 1])
        finally:
            reader.stop()

    def _take(self, reader: StreamReader) -> None:
        start = self.planned[self.done - 1] if self.done else reader.initialOffset()
        worker: StreamReader = pickle.loads(pickle.dumps(reader))
        parts = reader.partitions(start, self.planned[self.done])
        self.rows[self.done] = [
            row for part in parts for batch in worker.read(part) for row in batch.to_pylist()
        ]

    def _reader(self) -> StreamReader:
        made = source(self.options)
        found = made.streamReader(made.schema())
        assert isinstance(found, StreamReader)
        return found

    def _maybe_killed(self) -> None:
        if self.dice is not None and self.dice.random() < 0.3:
            raise KilledError

    @property
    def lines(self) -> Rows:
        return in_order(row for rows in self.rows.values() for row in rows)


@pytest.mark.parametrize("name", EXAMPLES)
def test_lines_come_once_wherever_it_is_cut_and_killed(name: str, tmp_path: Path) -> None:
    case = cases.example(name)
    dice = random.Random(name)
    query: FakeQuery | None = None
    kills = 0
    for options in parts_of(case, tmp_path):
        query = FakeQuery(options, dice) if query is None else query
        while True:
            try:
                query.run()
                break
            except KilledError:
                kills += 1
    assert query is not None
    assert kills > 3
    query.dice = None
    query.run()
    finished = case.last - 1
    assert query.lines == in_order(rows_of(in_steps(case, []), finished))
    kept = sorted(path.suffix for path in (tmp_path / "states").iterdir())
    assert kept.count(".lines") <= 1 + kills


MALF = """
    input Temp(device: text, level: text, time) delay 1.
    Malf(X, T) :- Temp(X, high, T), Temp(X, high, T+1).
    query Malf(X, T).
"""


@pytest.fixture
def options(tmp_path: Path) -> dict[str, str]:
    file = tmp_path / "readings.csv"
    file.write_text("device,level,time\na,high,1\na,high,2\nb,high,4\n", encoding="utf-8")
    return {"program": MALF, "input.Temp": str(file), "state": str(tmp_path / "states")}


def test_a_file_that_grows_is_followed(options: dict[str, str]) -> None:
    query = FakeQuery(options)
    query.run(until_through=False)
    assert {row["change"] for row in query.lines} == {"possible", "confirmed"}
    before = len(query.planned)
    query.run(until_through=False)
    assert len(query.planned) == before
    with Path(options["input.Temp"]).open("a", encoding="utf-8") as file:
        file.write("b,high,5\nb,low,9\n")
    query.run(until_through=False)
    assert [row["X"] for row in query.lines if row["change"] == "confirmed"] == ["a", "b"]


def test_old_states_are_removed(options: dict[str, str], tmp_path: Path) -> None:
    query = FakeQuery(options)
    for number in range(5):
        with Path(options["input.Temp"]).open("a", encoding="utf-8") as file:
            file.write(f"c,high,{10 + number}\n")
        query.run(until_through=False)
    assert len(query.planned) >= 5
    assert len(list((tmp_path / "states").iterdir())) == 1


def test_what_cannot_go_on_is_refused(options: dict[str, str], tmp_path: Path) -> None:
    query = FakeQuery(options)
    query.run()
    for changed, words in (
        ({"program": MALF.replace("high, T+1", "low, T+1")}, "has states of other rules: Malf is changed"),
        ({"input.Temp": f"csv:{tmp_path}"}, "Temp came from .* so far"),
        ({"state": str(tmp_path / "others")}, "cannot be read: No such file or directory. The checkpoint"),
    ):
        with pytest.raises(StateError, match=words):
            FakeQuery({**options, **changed}, None, query.planned, query.done).run()


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"until": "9"}, "`until` is for batches"),
        ({"numPartitions": "2"}, "the option numPartitions is for batches"),
        ({"lag": "-1"}, "the option lag: -1 is too little"),
        ({"idle": "1 minute"}, "Declare it in the program: `tick 10 seconds"),
    ],
)
def test_options_of_streams(options: dict[str, str], more: dict[str, str], words: str) -> None:
    with pytest.raises(AntelogError, match=words):
        FakeQuery({**options, **more}).run()


def test_batches_and_streams_are_told_apart(options: dict[str, str]) -> None:
    made = source(options)
    with pytest.raises(AntelogError, match="the option state is for streams"):
        made.reader(made.schema())
    without = source({name: value for name, value in options.items() if name != "state"})
    with pytest.raises(AntelogError, match=r"there is none\. Give it one of its own"):
        without.streamReader(without.schema())


def test_rows_are_dated_by_those_before(options: dict[str, str]) -> None:
    """A late fact is late wherever the stream is cut."""
    file = Path(options["input.Temp"])
    file.write_text("device,level,time\na,high,1\nb,low,7\na,high,2\n", encoding="utf-8")
    query = FakeQuery(options)
    query.run()
    assert {row["change"] for row in query.lines} == {"possible", "rejected"}
