"""antelog/run/{clock,reading}.py, sources/kafka.py: what is read at different pace loses no answer."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence

import pytest

import antelog
from antelog.files import ARRIVAL, Rejects
from antelog.run import reading
from antelog.run.clock import Slowest, Timing
from antelog.run.driver import Driver
from antelog.run.reading import InputReader, InputSource, Listeners, Now, wanted_of
from antelog.run.sources.kafka import Kafka, KafkaTopic
from tests.run.pace import INPUTS, PROGRAM, SEEDS, PaceCase, at, case_of
from tests.run.running import ManualTime
from tests.run.sources.brokers import Broker

PLAN = PROGRAM.plan


def driver_of(case: PaceCase, skew: int | None, paces: Sequence[int], dice: random.Random) -> Driver:
    """Reads each source as a partition of a topic, at one of these paces."""
    inputs = {}
    for name, sources in INPUTS.items():
        parts = enumerate(case.rows[each] for each in sources if each in case.rows)
        broker = Broker({number: [json.dumps(row).encode() for row in rows] for number, rows in parts})
        broker.most = {number: dice.choice(paces) for number in broker.messages}
        topic = KafkaTopic(Kafka("b", "temp", "json"), wanted_of(PLAN, name), make=broker)
        inputs[name] = InputSource(topic, name, wanted_of(PLAN, name))
    timing = Timing(case.clock, case.lag, skew=skew)
    reader = InputReader(PLAN, inputs, timing, Rejects(), Listeners(lambda _: None))
    return Driver(antelog.Engine(PROGRAM, arrival=ARRIVAL), reader, time=ManualTime())


@pytest.fixture(autouse=True)
def _one_poll_a_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "AT_ONCE", 1)


def _reader(**times: tuple[int, ...]) -> InputReader:
    case = PaceCase("event", 1, [{name.replace("_", "/"): at(*each) for name, each in times.items()}])
    return driver_of(case, 30, [1], random.Random(0)).reader


def _finished(reader: InputReader, seconds: int = 0) -> int:
    now = Now(-1, seconds * 1_000_000)
    reader.read(now)
    return reader.finished(now)


def test_what_is_read_slowly_holds_time_and_what_is_too_far_ahead_is_not_read_on() -> None:
    reader = _reader(Alarm=(90, 91, 99), Ack_p0=(50,), Ack_p1=(3, 20, 80))
    highest = reader.progress.highest
    found = [(_finished(reader), reader.holding(), highest["Alarm from temp[0]"]) for _ in range(5)]
    slow = [Slowest("Ack from temp[1]", tick, 90 - tick) for tick in (3, 20)]
    assert found == [(2, slow[0], 90), (19, slow[1], 90), (89, None, 90), (90, None, 91), (98, None, 99)]


@pytest.mark.parametrize("missing", ["there", "tells_end"])
def test_one_that_gave_nothing_and_has_no_end_holds_time_for_ten_seconds(missing: str) -> None:
    reader = _reader(Alarm=(5, 9))
    setattr(reader.inputs["Ack"].source, missing, False)
    assert [_finished(reader, seconds) for seconds in (0, 9, 10)] == [-1, -1, 8]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_run_confirms_what_a_batch_does(seed: int) -> None:
    case = case_of(seed)
    driver = driver_of(case, (None, 0, 7)[seed % 3], [1, 1, 7, 99], random.Random(seed))
    tables = [each for step in driver.steps() for each in step.tables.items()]
    assert driver.engine.rejects.to_pylist() == []
    assert not driver.reader.rejects.tally["malformed"]
    case.check(tables)
