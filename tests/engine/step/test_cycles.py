"""antelog/engine/step/cycles.py: rules on their own past; lines are reasoned by hand from docs/semantics."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import antelog
from antelog import Engine
from antelog.engine.facts.history import rows_of
from antelog.engine.step.derivations import ALWAYS, DecidedAtoms, nothing_decided
from antelog.engine.values.encoding import OTHERS
from tests.engine.telling import by_arrival, lines_of, reported, reported_both_ways

# Each press switches: what the press before has switched off, the next one does not.
TOGGLE = """
input Press(x: text, time) delay 1.
Off(X, T+1) :- Press(X, T+1), not Off(X, T).
query Off(X, T).
"""
SLOW_TOGGLE = TOGGLE.replace("delay 1", "delay 2")


def test_a_switch_that_is_pressed_at_every_tick() -> None:
    presses = [("Press", "a", tick, tick) for tick in (1, 2, 3)]
    assert reported_both_ways(TOGGLE, presses, 3) == {
        1: ["confirmed Off(a, 1): not Off(a, 0), Press(a, 1) |"],
        # Off(a, 1) makes Off(a, 2) impossible, so the press about 2 says nothing.
        3: ["confirmed Off(a, 3): not Off(a, 2), Press(a, 3) |"],
    }


def test_a_press_that_comes_late_undoes_what_rested_on_its_absence() -> None:
    presses = [("Press", "a", 2, 2), ("Press", "a", 1, 3)]
    assert reported_both_ways(SLOW_TOGGLE, presses, 3) == {
        2: ["possible Off(a, 2): Press(a, 2) | not Off(a, 1), confirmed at 3, decided by 3"],
        3: [
            "confirmed Off(a, 1): not Off(a, 0), Press(a, 1) |",
            "rejected Off(a, 2): Press(a, 2) | not Off(a, 1), because not Off(a, 1)",
        ],
    }


def test_a_press_that_does_not_come_is_decided_by_its_bound() -> None:
    lines = reported(SLOW_TOGGLE, [("Press", "a", 2, 2)], 3)
    assert "confirmed Off(a, 2): not Off(a, 1), Press(a, 2) |" in lines[3]


def test_an_edge_waits_for_what_may_have_been_there_before() -> None:
    text = """
    input Alarm(x: text, time) delay 2.
    Rise(X, T) :- Alarm(X, T), not Alarm(X, T-1).
    query Rise(X, T).
    """
    alarms = [("Alarm", "a", 2, 2), ("Alarm", "b", 2, 2), ("Alarm", "b", 1, 3)]
    assert reported(text, alarms, 3) == {
        2: [
            "possible Rise(a, 2): Alarm(a, 2) | not Alarm(a, 1), confirmed at 3, decided by 3",
            "possible Rise(b, 2): Alarm(b, 2) | not Alarm(b, 1), confirmed at 3, decided by 3",
        ],
        3: [
            "confirmed Rise(b, 1): not Alarm(b, 0), Alarm(b, 1) |",
            "confirmed Rise(a, 2): not Alarm(a, 1), Alarm(a, 2) |",
            "rejected Rise(b, 2): Alarm(b, 2) | not Alarm(b, 1), because not Alarm(b, 1)",
        ],
    }


# With a beat at every tick: Ping at 1, 2, 5, 6, …, and Pong a tick later.
PING_PONG = """
input Beat(x: text, time) delay 2.
Ping(X, T) :- Beat(X, T), not Pong(X, T-1).
Pong(X, T) :- Beat(X, T), Ping(X, T-1).
query Ping(X, T).
query Pong(X, T).
"""


@pytest.mark.parametrize("lag", [0, 1, 2])
@pytest.mark.parametrize("ends", [range(15), [14], [3, 4, 9, 14]])
def test_predicates_that_rest_on_each_other(lag: int, ends: list[int]) -> None:
    engine = Engine(antelog.parse(PING_PONG), only=("confirmed",))
    found = []
    for end in ends:
        beats = [("a", tick, tick + lag) for tick in range(12) if engine.now < tick + lag <= end]
        for name, table in engine.advance(end, {"Beat": beats}).items():
            found += [(name, row["T"], row["tick"]) for row in table.to_pylist()]
    pings = [("Ping", tick, tick + lag) for tick in (1, 2, 5, 6, 9, 10)]
    pongs = [("Pong", tick, tick + lag) for tick in (2, 3, 6, 7, 10, 11)]
    assert sorted(found) == [*pings, *pongs]


# ---- what has to be remembered ----


def presses(ticks: int, devices: int, lag: int) -> dict[int, Any]:
    random = Random(5)
    return by_arrival(
        ("Press", f"d{device}", tick, tick + random.randint(0, lag))
        for tick in range(ticks)
        for device in range(devices)
        if random.random() < 0.7
    )


def switched_off(arriving: Mapping[int, Mapping[str, Any]]) -> set[tuple[str, int]]:
    """What is switched off, straight from the rule."""
    pressed = {(x, tick) for batch in arriving.values() for x, tick, _ in batch["Press"]}
    off: set[tuple[str, int]] = set()
    for x, tick in sorted(pressed, key=lambda press: press[1]):
        if tick > 0 and (x, tick - 1) not in off:
            off.add((x, tick))
    return off


def confirmed(changed: Mapping[str, pa.Table]) -> set[tuple[str, int]]:
    return {(row["X"], row["T"]) for row in changed["Off"].to_pylist() if row["change"] == "confirmed"}


@pytest.mark.slow
def test_what_is_kept_does_not_grow() -> None:
    devices, lag, step = 5, 1, 10
    arriving = presses(5_000, devices, lag)
    engine = Engine(antelog.parse(TOGGLE), only=("confirmed",))
    found: set[tuple[str, int]] = set()
    rows, remembered = [], []
    for end in range(step - 1, 5_000 + step, step):
        batch = [fact for now in range(end - step + 1, end + 1) for fact in arriving.get(now, _NO)["Press"]]
        found |= confirmed(engine.advance(end, {"Press": batch}))
        rows.append(rows_of(engine._state.history))
        remembered.append(len(engine._state.decided["Off"].ticks))
    assert found == switched_off(arriving)
    # What the presses of a tick are needed for is decided a tick later, and asked for at the next one.
    # The facts of a few ticks and the atoms of fewer are enough, whatever came before.
    assert 0 < max(rows) <= devices * 8
    assert 0 < max(remembered) <= devices * 4
    assert engine.status.state_rows == rows[-1]


_NO: Mapping[str, Any] = {"Press": ()}


def test_a_saved_engine_remembers_what_was_switched_off() -> None:
    program = antelog.parse(TOGGLE)
    arriving = by_arrival(("Press", "a", tick, tick) for tick in range(1, 9))
    engine = Engine(program)
    for now in range(5):
        engine.advance(now, arriving.get(now))
    restored = Engine.restore(engine.to_bytes(), program)
    off = set()
    for now in range(5, 9):
        changed = restored.advance(now, arriving.get(now))
        assert lines_of(changed) == lines_of(engine.advance(now, arriving.get(now)))
        off |= confirmed(changed)
    assert off == {("a", 5), ("a", 7)}


def test_what_comes_and_goes_for_good_without_any_fact() -> None:
    # P1 is true at 1 alone, so from then on P2 rests on nothing but its own absence two ticks before.
    text = """
    input A(x: text, time). input C(time).
    P1(1).  P1(T) :- A(_, T), T < 0.
    P2(a, T+1) :- not P1(T), not P2(_, T-1).
    query P2(X, T).
    """
    assert reported_both_ways(text, [], 7) == {
        tick: [f"confirmed P2(a, {tick}): not P2(_, {tick - 2}), not P1({tick - 1}) |"] for tick in (3, 4, 7)
    }


# ---- aggregates of the past ----

LIMITED = """
input Fail(x: text, time) delay 1.
Alarm(X, T) :- Fail(X, T), count(Alarm(X, T-3..T-1)) < 2.
query Alarm(X, T).
"""


def test_alarms_are_limited_by_the_count_of_those_before() -> None:
    facts = [("Fail", "a", time, time) for time in range(6)]
    confirmed = [
        line for lines in reported(LIMITED, facts, 8).values() for line in lines if "confirmed" in line
    ]
    assert [line.partition(":")[0] for line in confirmed] == [
        f"confirmed Alarm(a, {t})" for t in (0, 1, 4, 5)
    ]


def test_a_late_fact_may_take_the_place_of_a_later_alarm() -> None:
    facts = [("Fail", "a", 0, 0), ("Fail", "a", 2, 2), ("Fail", "a", 1, 3)]
    lines = reported(LIMITED.replace("delay 1", "delay 2"), facts, 8)
    hope = "count(Alarm(a, -1..1)) < 2"
    assert lines == {
        0: ["confirmed Alarm(a, 0): count(Alarm(a, -3..-1)) < 2, Fail(a, 0) |"],
        2: [f"possible Alarm(a, 2): Fail(a, 2) | {hope}, confirmed at 3, decided by 3"],
        3: [
            "confirmed Alarm(a, 1): count(Alarm(a, -2..0)) < 2, Fail(a, 1) |",
            f"rejected Alarm(a, 2): Fail(a, 2) | {hope}, because {hope}",
        ],
    }


SUMMED = """
input Pay(card: text, amount: number, time) delay 2.
Paid(C, V, T) :- Pay(C, V, T), sum(W : Paid(C, W, T-5..T-1), W >= 0) < 100.
query Paid(C, V, T).
"""


@pytest.mark.parametrize("seed", range(5))
def test_payments_up_to_a_limit_are_those_of_plain_python(seed: int) -> None:
    random = Random(seed)
    facts = [
        ("Pay", card, random.choice([10, 40.5, 60]), time, time + random.randint(0, 2))
        for time in range(40)
        for card in "ab"
        if random.random() < 0.6
    ]
    paid: dict[tuple[str, int], float] = {}
    for _, card, amount, time, _ in facts:
        if sum(paid.get((card, before), 0) for before in range(time - 5, time)) < 100:
            paid[card, time] = amount
    engine, found = Engine(antelog.parse(SUMMED)), {}
    for tick, given in sorted({**by_arrival(facts), 50: {}}.items()):
        for row in engine.advance(tick, given)["Paid"].to_pylist():
            if row["change"] == "confirmed":
                found[row["C"], row["T"]] = row["V"]
        engine = Engine.restore(engine.to_bytes(), antelog.parse(SUMMED))
    assert found == paid


# ---- what is remembered ----

A, B, C = 11, 12, 13


def decided(*rows: tuple[int, int, bool]) -> DecidedAtoms:
    cells, ticks, true = (np.array(column) for column in zip(*rows, strict=True))
    return DecidedAtoms(5, (cells,), ticks, true.astype(np.bool_), np.full(len(rows), ALWAYS))


def asked(known: DecidedAtoms, cells: list[int], tick: int) -> list[bool]:
    true, _ = known.lookup([np.array(cells)], np.full(len(cells), tick))
    return [bool(each) for each in true]


def test_an_atom_that_is_not_remembered_is_false() -> None:
    known = decided((A, 3, True))
    assert asked(known, [A, B], 3) == [True, False]
    assert asked(known, [A, B], 4) == [False, False]


def test_a_value_without_an_atom_of_its_own_is_as_all_others() -> None:
    known = decided((OTHERS, 3, True), (A, 3, False))
    assert asked(known, [A, B, C], 3) == [False, True, True]


def test_atoms_come_and_go() -> None:
    known = nothing_decided(1).and_then(decided((A, 3, True), (B, 5, True)))
    assert known.until == 5
    assert asked(known, [A, B], 3) == [True, False]
