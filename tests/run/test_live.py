"""antelog/run/clock.py: which inputs are live, when rows arrive, and when a tick is over."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import antelog
from antelog import Engine
from antelog.engine.columns.tables import Column
from antelog.errors import UnsupportedError
from antelog.files import ARRIVAL, Rejects
from antelog.files.naming import Form
from antelog.language.moments import Timescale
from antelog.program import Program
from antelog.run import clock
from antelog.run.clock import NOTHING, ClockName, LiveInputs, Slowest, Timing, rhythms_of
from antelog.run.reading import InputReader, InputSource, Listeners, Now, ReadProgress, wanted_of
from antelog.run.sources.source import FactSource, LinesOf, SourcePiece

SECOND = 1_000_000
MINUTE = 60 * SECOND
START = 1_000_000 * MINUTE  # a moment at which a minute begins


class ScriptedSource(FactSource):
    """Gives what was put into `lines`, a line of CSV for each fact."""

    def __init__(self, program: Program, name: str) -> None:
        super().__init__()
        self.lines: list[str] = []
        self._rows = LinesOf(Form.CSV, name, wanted_of(program.plan, name), self.notes)
        self._rows.feed(b"x,time\n")

    @property
    def mark(self) -> Mapping[str, object]:
        return {}

    def poll(self) -> list[SourcePiece]:
        self.behind = False
        if not self.reachable:
            return []
        data = "".join(f"{line}\n" for line in self.lines).encode()
        self.lines.clear()
        return self._rows.feed(data) if data else []


class Run:
    """Inputs of a program that are read by a clock that the test moves on."""

    def __init__(self, text: str, progress: ReadProgress | None = None) -> None:
        self.program = antelog.parse(text)
        plan = self.program.plan
        assert plan.timescale is not None
        self.scale = plan.timescale
        self.sources = {each.name: ScriptedSource(self.program, each.name) for each in plan.inputs}
        self.notes: list[str] = []
        self.reader = InputReader(
            plan,
            {name: InputSource(each, name, wanted_of(plan, name)) for name, each in self.sources.items()},
            Timing(timescale=plan.timescale, rhythms=rhythms_of(plan)),
            Rejects(),
            Listeners(self.notes.append),
            progress or ReadProgress(),
        )
        self.now = -1
        self.late: list[int] = []
        self._delays = {each.name: each.delay for each in plan.inputs}

    def send(self, name: str, moment: int) -> None:
        self.sources[name].lines.append(f"a,{moment // self.scale.length}")

    def look(self, wall: int) -> int:
        """Reads at a moment; the last finished tick."""
        self.reader.read(Now(self.now, wall))
        self.now = self.reader.finished(Now(self.now, wall))
        batch = self.reader.waiting.batch(self.now)
        for name, rows in batch.rows.items():
            times = rows.column("time").to_pylist()
            arrived = rows.column(ARRIVAL).to_pylist()
            self.late += [t for t, a in zip(times, arrived, strict=True) if a > t + self._delays[name]]
        return self.now

    def go(self, first: int, last: int, step: int = SECOND) -> int:
        for wall in range(first, last + 1, step):
            self.look(wall)
        return self.now


RULE = "R(X, T) :- A(X, T), B(X, T). query R(X, T)."
MINUTES = f"tick 1 minute. input A(x, time). input B(x, time) delay 2. {RULE}"
BY_CLOCK = (
    "time goes by the clock of this machine now: facts are about the present ({}). "
    "A tick is over 1 s after it has ended"
)


def test_one_fact_is_answered_a_second_after_its_minute() -> None:
    run = Run(MINUTES)
    run.send("A", START + 20 * SECOND)
    tick = START // MINUTE
    assert run.go(START + 21 * SECOND, START + 60 * SECOND) == tick - 1
    assert run.look(START + 61 * SECOND) == tick
    assert run.go(START + 62 * SECOND, START + 3600 * SECOND) == tick + 58  # nothing ever comes again
    assert run.notes == [BY_CLOCK.format("A, its newest fact of 1971-11-26 10:40")]


def test_facts_of_yesterday_move_time_and_the_clock_does_not() -> None:
    run = Run(MINUTES)
    run.send("A", START - 86_400 * SECOND)
    run.send("A", START - 86_000 * SECOND)
    run.go(START, START + 600 * SECOND)
    assert (run.now, run.notes) == ((START - 86_000 * SECOND) // MINUTE - 1, [])


def test_facts_never_move_time_past_the_clock() -> None:
    run = Run(MINUTES)
    run.send("A", START + 1800 * SECOND)  # a clock that is half an hour ahead
    run.send("B", START + 5 * SECOND)
    tick = START // MINUTE
    assert run.go(START + 6 * SECOND, START + 61 * SECOND) == tick
    run.send("A", START + 62 * SECOND)
    run.go(START + 63 * SECOND, START + 2000 * SECOND)
    assert run.late == []


def test_the_grace_is_as_long_as_facts_are_late() -> None:
    live, source = LiveInputs({"A": MINUTE}, Timescale(MINUTE)), ScriptedSource(antelog.parse(MINUTES), "A")
    tick, source.behind = START // MINUTE, False
    live.look(START, {"A": tick}, {"A": source})
    assert (live.by_clock, live.grace) == (True, SECOND)
    live.hear("A", _ticks(tick, tick - 1), START + 3 * SECOND)
    assert live.grace == 3 * SECOND
    live.hear("A", _ticks(tick - 9), START + 3 * SECOND)  # longer than a tick: its source was not there
    assert live.grace == 3 * SECOND
    live.hear("A", _ticks(*[tick] * 100), START + 4 * SECOND)
    assert live.grace == SECOND


def _ticks(*ticks: int) -> Column:
    return np.array(ticks, np.int64)


def test_an_input_that_cannot_be_reached_holds_time_for_five_minutes() -> None:
    run, tick = Run(MINUTES), START // MINUTE
    run.send("A", START)
    run.send("B", START)
    run.go(START, START + 30 * SECOND)
    run.sources["A"].reachable = False
    run.send("B", START + 70 * SECOND)
    assert run.go(START + 31 * SECOND, START + 330 * SECOND) == tick - 1
    assert run.look(START + 331 * SECOND) == tick + 4
    assert run.notes[1:] == [
        "A cannot be reached: time waits for it, for 5 minutes at most",
        "time goes by facts again, until the inputs have been read to their ends",
        BY_CLOCK.format("B, its newest fact of 1971-11-26 10:41"),
    ]
    run.sources["A"].reachable = True
    assert run.go(START + 332 * SECOND, START + 600 * SECOND) == tick + 8


def test_an_input_that_was_live_is_live_again_after_a_restart() -> None:
    run, tick = Run(MINUTES), START // MINUTE
    run.send("A", START)
    run.go(START, START + 30 * SECOND)
    again = Run(MINUTES, run.reader.progress)
    assert again.go(START + 3600 * SECOND, START + 3605 * SECOND) == tick + 59


def test_an_input_that_cannot_tell_its_end_was_read_when_nothing_came_for_ten_seconds() -> None:
    run, tick = Run(MINUTES), START // MINUTE
    run.sources["A"].tells_end = False
    run.send("A", START + 45 * SECOND)
    run.go(START + 46 * SECOND, START + 55 * SECOND)
    assert run.notes == []
    assert run.go(START + 56 * SECOND, START + 61 * SECOND) == tick
    assert len(run.notes) == 1


@dataclass(frozen=True)
class Scene:
    """Facts of two inputs, some `gap` seconds apart; a broker, or the run, may be gone for half a minute."""

    tick: int
    delay: int
    gap: float
    broker_fails: bool = False
    run_pauses: bool = False

    @property
    def text(self) -> str:
        inputs = " ".join(f"input {name}(x, time) delay {self.delay}." for name in "AB")
        return f"tick {self.tick} s. {inputs} {RULE}"


SCENES = [
    Scene(1, 0, 0.3),
    Scene(1, 3, 5, broker_fails=True),
    Scene(10, 1, 1, run_pauses=True),
    Scene(60, 0, 90),
    Scene(600, 2, 40, broker_fails=True),
    Scene(3600, 1, 900, run_pauses=True),
]


def _sent(scene: Scene, draw: random.Random, length: int) -> list[tuple[int, str, int]]:
    """When facts can be read, their inputs, and the moments they are about: late, ahead, in bursts."""
    found = []
    tick = scene.tick * SECOND
    for name, gap in (("A", scene.gap), ("B", 7 * scene.gap)):
        at = START
        while at < START + length:
            at += round(draw.expovariate(1 / gap) * SECOND)
            for _ in range(draw.choice([1, 1, 1, 40])):
                about = at + draw.choice([0, 0, 0, 2 * tick])
                deadline = (about // tick + 1 + scene.delay) * tick
                came = at + draw.randrange(scene.delay * tick + SECOND)
                found.append((min(came, max(deadline - 1, at)), name, about))
    return sorted(found, reverse=True)


@pytest.mark.parametrize("scene", SCENES, ids=str)
def test_no_fact_is_late_that_its_delay_allows_and_a_tick_is_over_after_its_grace(scene: Scene) -> None:
    draw, run, tick = random.Random(repr(scene)), Run(scene.text), scene.tick * SECOND
    length = max(300 * SECOND, 6 * tick)
    sent, hole = _sent(scene, draw, length), range(START + 150 * SECOND, START + 180 * SECOND)
    buffered, began = set(), None
    assert run.reader.live is not None
    for wall in range(START, START + length, max(SECOND // 5, tick // 500)):
        run.sources["A"].reachable = not (scene.broker_fails and wall in hole)
        while sent and sent[-1][0] <= wall:
            _, name, about = sent.pop()
            run.send(name, about)
            if name == "A" and scene.broker_fails and wall in hole:
                buffered.add(about // tick)
        if scene.run_pauses and wall in hole:
            continue
        finished = run.look(wall)
        began = wall if began is None and run.reader.live.by_clock else began
        if began is not None and not (scene.broker_fails and wall in hole):
            assert finished >= (wall - run.reader.live.grace) // tick - 1
    assert began is not None
    assert [each for each in run.late if each not in buffered] == []


# ---- runs that are given a clock ----


TIMES = st.lists(st.integers(0, 20), min_size=1)


# ---- arrivals ----


@given(TIMES, st.integers(0, 3), st.integers(0, 100))
def test_their_arrivals_do_not_depend_on_how_rows_are_cut(times: list[int], lag: int, cut: int) -> None:
    timing, first, rest = Timing(lag=lag), times[: cut % len(times)], times[cut % len(times) :]
    highest = max(first, default=-1)
    now = clock.finished(timing, {"P": highest}, NOTHING)
    parts = [
        *clock.arrivals_in_order(_ticks(*first), timing, -1, NOTHING).tolist(),
        *clock.arrivals_in_order(_ticks(*rest), timing, highest, now).tolist(),
    ]
    assert parts == clock.arrivals_in_order(_ticks(*times), timing, -1, NOTHING).tolist()


# ---- finished ticks ----


def test_the_tick_that_lies_the_lag_behind_is_finished() -> None:
    assert clock.finished(Timing(lag=0), {"P": 9, "R": 5}, NOTHING) == 9
    assert clock.finished(Timing(lag=1), {"P": 9, "R": 5}, NOTHING) == 8
    assert clock.finished(Timing(lag=1), {"P": 9}, 12) == 12
    assert clock.finished(Timing(), {}, NOTHING) == NOTHING


def test_an_input_with_more_to_read_holds_time_back() -> None:
    timing, highest = Timing(lag=0), {"P": 9, "R": 5}
    assert clock.finished(timing, highest, NOTHING, behind=("R",)) == 5
    assert clock.finished(timing, highest, NOTHING, behind=("S",)) == NOTHING
    assert clock.slowest(highest, ("R", "P")) == Slowest("R", 5, 4)
    assert clock.slowest(highest, ()) is None
    assert clock.slowest(highest, ("P",)) == Slowest("P", 9, 0)


def test_after_a_silence_the_wall_clock_goes_on() -> None:
    timing = Timing(lag=1, idle=10 * SECOND, timescale=Timescale(SECOND))

    def finished(now: int, seconds: int, behind: tuple[str, ...] = ()) -> int:
        showing = clock.Showing(heard=100 * SECOND, wall=seconds * SECOND)
        return clock.finished(timing, {"P": 50}, now, showing, behind)

    assert [finished(NOTHING, 109), finished(49, 111), finished(49, 111, ("P",))] == [49, 60, 49]
    assert clock.shown(timing, 50, clock.Showing(100 * SECOND, 111 * SECOND)) == 61


def test_the_clock_is_looked_at_again_when_it_shows_another_tick() -> None:
    timing = Timing("processing", timescale=Timescale(SECOND))
    assert clock.alarm(timing, clock.Showing(0, 9 * SECOND + 7)) == 10 * SECOND
    idle = Timing(idle=10 * SECOND, timescale=Timescale(SECOND))
    assert clock.alarm(idle, clock.Showing(3 * SECOND, 4 * SECOND)) == 13 * SECOND
    assert clock.alarm(idle, clock.Showing(3 * SECOND, 14 * SECOND)) == 15 * SECOND
    assert clock.alarm(Timing(), clock.Showing(0, 0)) is None


@pytest.mark.parametrize(("name", "idle"), [("processing", None), (None, 5)])
def test_the_wall_clock_needs_ticks_with_a_length(name: ClockName | None, idle: int | None) -> None:
    with pytest.raises(UnsupportedError, match="tick 1 minute"):
        Timing(name, idle=idle)


# ---- where time begins and ends ----


TEXT = "input A(x, time) delay 1. P(X, T) :- A(X, T), A(X, T+{ahead}). query P(X, T)."


@pytest.mark.parametrize("ahead", [3, 9])
def test_a_replay_ends_when_what_is_open_is_decided(ahead: int) -> None:
    engine = Engine(antelog.parse(TEXT.format(ahead=ahead)))
    engine.advance(4, {"A": [("a", 3)]})
    assert clock.end(4, [engine.answers("P")]) == 3 + ahead + 1

    engine = Engine(antelog.parse(TEXT.format(ahead=ahead)))
    engine.advance(4)
    assert clock.end(4, [engine.answers("P")]) == 4
    assert clock.end(NOTHING, []) == 0
