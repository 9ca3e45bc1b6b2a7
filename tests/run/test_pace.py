"""antelog/run/{clock,reading}.py: inputs that are read at different pace lose no answer."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

import antelog
from antelog.engine.facts.frames import columns_in
from antelog.files import ARRIVAL, Rejects
from antelog.files.reading import frame_chunks
from antelog.run import reading
from antelog.run.clock import Slowest, Timing
from antelog.run.driver import Driver
from antelog.run.reading import InputReader, InputSource, Listeners, Now, ReadingMode, wanted_of
from antelog.run.sources.source import FactSource, SourcePiece
from tests.run.pace import DELAYS, INPUTS, PROGRAM, SEEDS, PaceCase, Turn, at, case_of
from tests.run.running import ManualTime

PLAN = PROGRAM.plan


class PacedSource(FactSource):
    """Gives its next rows at each poll, some or none of each part."""

    def __init__(self, case: PaceCase, name: str) -> None:
        super().__init__()
        self._wanted = wanted_of(PLAN, name)
        known = dict.fromkeys(each for turn in case.turns for each in turn if INPUTS[each] == name)
        self._left = {each.partition("/")[2]: [turn.get(each) for turn in case.turns] for each in known}

    @property
    def unread(self) -> list[str]:
        return [part for part, left in self._left.items() if any(left)]

    @property
    def mark(self) -> Mapping[str, object]:
        return {}

    def poll(self) -> list[SourcePiece]:
        next_of = {p: left.pop(0) for p, left in self._left.items() if left and p not in self.ahead}
        self.behind = bool(self.unread)
        return [
            SourcePiece(chunk, "rows", part)
            for part, rows in next_of.items()
            if rows is not None
            for chunk in frame_chunks(*columns_in("rows", rows), Path("rows"), self._wanted)
        ]


def driver_of(case: PaceCase, skew: int | None) -> Driver:
    inputs = {name: InputSource(PacedSource(case, name), name, wanted_of(PLAN, name)) for name in DELAYS}
    mode = ReadingMode(Timing(case.clock, case.lag, skew=skew))
    reader = InputReader(PLAN, inputs, mode, Rejects(), Listeners(lambda _: None))
    return Driver(antelog.Engine(PROGRAM, arrival=ARRIVAL), reader, time=ManualTime())


@pytest.fixture(autouse=True)
def _one_poll_a_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "AT_ONCE", 1)


def _reader(*turns: Turn, skew: int | None = None) -> InputReader:
    return driver_of(PaceCase("event", 1, turns), skew).reader


def _finished(reader: InputReader, seconds: int = 0) -> int:
    now = Now(-1, seconds * 1_000_000)
    reader.read(now)
    return reader.finished(now)


def test_what_is_read_slowly_holds_time_and_what_is_too_far_ahead_is_not_read_on() -> None:
    turns: list[Turn] = [{"Alarm": at(90), "Ack/p0": at(50), "Ack/p1": at(3)}]
    turns += [{"Alarm": at(91), "Ack/p1": at(20)}, {"Ack/p1": at(80)}, {"Alarm": at(99)}]
    reader = _reader(*turns, skew=30)
    found = [(_finished(reader), reader.holding(), reader.progress.highest["Alarm"]) for _ in range(5)]
    slow = [Slowest("Ack from p1", tick, 90 - tick) for tick in (3, 20)]
    assert found == [(2, slow[0], 90), (19, slow[1], 90), (89, None, 90), (90, None, 91), (90, None, 91)]


@pytest.mark.parametrize("missing", ["there", "tells_end"])
def test_one_that_gave_nothing_and_has_no_end_holds_time_for_ten_seconds(missing: str) -> None:
    reader = _reader({"Alarm": at(5, 9)})
    setattr(reader.inputs["Ack"].source, missing, False)
    assert [_finished(reader, seconds) for seconds in (0, 9, 10)] == [-1, -1, 8]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_run_confirms_what_a_batch_does(seed: int) -> None:
    case = case_of(seed)
    driver = driver_of(case, (None, 0, 7)[seed % 3])
    tables = [each for step in driver.steps() for each in step.tables.items()]
    assert driver.engine.rejects.to_pylist() == []
    assert not driver.reader.rejects.tally["malformed"]
    case.check(tables)
