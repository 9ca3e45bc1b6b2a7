"""antelog/run/{clock,reading}.py: inputs that are read at different pace lose no answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import pytest

import antelog
from antelog.files import ARRIVAL, Rejects
from antelog.files.naming import Form
from antelog.run import reading
from antelog.run.clock import Slowest, Timing
from antelog.run.driver import Driver
from antelog.run.reading import InputReader, InputSource, Listeners, Now, ReadingMode, wanted_of
from antelog.run.sources.source import FactSource, LinesOf, SourcePiece
from tests.run.pace import DELAYS, PaceCase, Row, Rows, case_of, confirmed, input_of
from tests.run.running import ManualTime

Turns = Sequence[Mapping[str, Rows]]


class PacedSource(FactSource):
    """Gives its next rows at each poll, some or none of each part."""

    def __init__(self, case: PaceCase, name: str) -> None:
        super().__init__()
        self.polls = Counter[str]()
        sources = dict.fromkeys(each for turn in case.turns for each in turn if input_of(each) == name)
        self._left = {each.partition("/")[2]: [turn.get(each, []) for turn in case.turns] for each in sources}
        self._arrives = case.clock == "arrival"
        self._rows = LinesOf(Form.CSV, name, wanted_of(case.program.plan, name), self.notes)
        self._rows.feed(b"x,time,arrival\n" if self._arrives else b"x,time\n")

    @property
    def unread(self) -> list[str]:
        return [part for part, left in self._left.items() if any(left)]

    @property
    def mark(self) -> Mapping[str, object]:
        return {}

    def poll(self) -> list[SourcePiece]:
        found = []
        for part, left in self._left.items():
            if left and part not in self.ahead:
                self.polls[part] += 1
                lines = [f"{row.x},{row.time}{f',{row.arrival}' * self._arrives}\n" for row in left.pop(0)]
                pieces = self._rows.feed("".join(lines).encode())
                found += [SourcePiece(piece.chunk, piece.file, part) for piece in pieces]
        self.behind = bool(self.unread)
        return found


def driver_of(case: PaceCase, skew: int | None) -> Driver:
    plan, clock = case.program.plan, case.clock
    sources = {name: PacedSource(case, name) for name in DELAYS}
    reader = InputReader(
        plan,
        {name: InputSource(each, name, wanted_of(plan, name)) for name, each in sources.items()},
        ReadingMode(Timing(clock, case.lag, skew=skew)),
        Rejects(),
        Listeners(lambda _: None),
    )
    return Driver(antelog.Engine(case.program, arrival=ARRIVAL), reader, time=ManualTime())


def check(seed: int) -> None:
    case = case_of(seed)
    driver = driver_of(case, (None, 0, 7)[seed % 3])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "AT_ONCE", 1)  # so that there is a step after each poll
        tables = [(name, table) for step in driver.steps() for name, table in step.tables.items()]
    log = [{"query": name, **row} for name, table in tables for row in table.to_pylist()]
    assert driver.engine.rejects.to_pylist() == []
    assert driver.reader.rejects.tally["malformed"] == 0
    assert confirmed(log) == case.confirmed()


def _reader(turns: Turns, skew: int | None = None) -> InputReader:
    return driver_of(PaceCase("event", 1, turns), skew).reader


def _source(reader: InputReader, name: str) -> PacedSource:
    source = reader.inputs[name].source
    assert isinstance(source, PacedSource)
    return source


def _finished(reader: InputReader, seconds: int = 0) -> int:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "AT_ONCE", 1)
        reader.read(Now(-1, seconds * 1_000_000))
    return reader.finished(Now(-1, seconds * 1_000_000))


def rows(*times: int) -> Rows:
    return [Row("a", time, time) for time in times]


FIRST = {"Alarm": rows(90), "Ack/p0": rows(50), "Ack/p1": rows(3)}


def test_a_partition_with_more_to_read_holds_time() -> None:
    reader = _reader([FIRST, {"Ack/p0": rows(60)}, {"Ack/p1": rows(95)}])
    assert (_finished(reader), reader.holding()) == (2, Slowest("Ack from p1", 3, 87))
    assert (_finished(reader), reader.holding()) == (2, Slowest("Ack from p1", 3, 87))
    assert (_finished(reader), reader.holding()) == (94, None)


def test_a_source_that_is_too_far_ahead_is_not_read_on() -> None:
    turns = [FIRST, {"Alarm": rows(91), "Ack/p1": rows(20)}, {"Ack/p1": rows(80)}, {"Alarm": rows(99)}]
    reader = _reader(turns, skew=30)
    found = [[_finished(reader), reader.progress.highest["Alarm"]] for _ in turns]
    assert found == [[2, 90], [19, 90], [89, 90], [90, 91]]


@pytest.mark.parametrize("missing", ["there", "tells_end"])
def test_one_that_gave_nothing_and_has_no_end_holds_time_for_ten_seconds(missing: str) -> None:
    reader = _reader([{"Alarm": rows(5, 9)}])
    setattr(_source(reader, "Ack"), missing, False)
    assert [_finished(reader, seconds) for seconds in (0, 9, 10)] == [-1, -1, 8]


@pytest.mark.parametrize("seed", range(4))
def test_a_run_confirms_what_a_batch_does(seed: int) -> None:
    check(seed)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(4, 204))
def test_two_hundred_runs(seed: int) -> None:
    check(seed)
