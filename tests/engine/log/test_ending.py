"""antelog/engine/log/ending.py: when there is nothing left to wait for."""

from __future__ import annotations

import antelog
from antelog import Engine
from antelog.engine.log.ending import last_tick

TEXT = "input A(x, time) delay 1. P(X, T) :- A(X, T), A(X, T+{ahead}). query P(X, T)."


def end(ahead: int) -> int:
    engine = Engine(antelog.parse(TEXT.format(ahead=ahead)))
    engine.advance(4, {"A": [("a", 3)]})
    return last_tick(4, [engine.answers("P")])


def test_it_ends_when_what_is_open_is_decided() -> None:
    assert end(3) == 3 + 3 + 1
    assert end(9) == 3 + 9 + 1


def test_it_ends_now_if_nothing_is_open() -> None:
    engine = Engine(antelog.parse(TEXT.format(ahead=1)))
    engine.advance(4)
    assert last_tick(4, [engine.answers("P")]) == 4
    assert last_tick(-1, []) == 0
