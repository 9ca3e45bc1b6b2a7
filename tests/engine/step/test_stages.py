"""antelog/engine/step/lines.py: how far each answer has come, as a number that is equal where that is."""

from __future__ import annotations

import numpy as np

from antelog.engine.columns.tables import marked
from antelog.engine.step.explanations import kinds
from antelog.engine.step.lines import LITERALS, NO_STAGE, PATTERN, pattern_of, stages
from antelog.engine.step.query import KINDS
from tests.engine.stages import Fact, stage

MALF = """input Temp(x, time) delay 2. input Ping(x, time).
Malf(X, T) :- Temp(X, T), Temp(X, T+1), Temp(X, T+2).
Malf(X, T) :- Ping(X, T), Temp(X, T+1).
query Malf(X, T)."""


Opened = tuple[int, list[int], int]
"""A pattern, its true literals, and the quarters that its counts have reached."""


def found(*facts: Fact, now: int = 9, text: str = MALF) -> dict[tuple[int, int, str], Opened]:
    """For each line (its tick, the answer's, its kind) its stage."""
    given = stage(text, list(facts), now)
    (query,) = given.plan.queries
    reported = given.reported()
    kind = kinds(reported, KINDS, -1)
    moment = marked(kind >= 0)
    stage_ = stages(given.known, query.name, reported, moment)
    time = reported.found.time.take(reported.found.by_answer.first.take(reported.at.answer)).take(moment)
    rows = zip(reported.at.tick.take(moment).tolist(), time.tolist(), kind.take(moment).tolist(), strict=True)
    return {
        (tick, about, KINDS[number]): _opened(int(each))
        for (tick, about, number), each in zip(rows, stage_, strict=True)
    }


def _opened(number: int) -> Opened:
    if number == NO_STAGE:
        return NO_STAGE, [], 0
    true = [i for i in range(LITERALS) if number >> i & 1]
    return int(pattern_of(np.array([number]))[0]), true, (number & (1 << PATTERN) - 1) >> LITERALS


def test_the_true_literals_of_the_shortest_explanation() -> None:
    lines = found(("Temp", "a", 3, 3), ("Temp", "a", 4, 4))
    assert lines[3, 3, "possible"] == (0, [0], 0)
    assert lines[4, 3, "revised"] == (0, [0, 1], 0)
    # No ping for tick 2 can come any more, so the first pattern is all there is.
    assert lines[3, 2, "possible"] == (0, [1], 0)


def test_the_pattern_that_has_least_to_wait_for() -> None:
    lines = found(("Temp", "a", 3, 3), ("Ping", "a", 3, 3))
    assert lines[3, 3, "possible"] == (1, [0], 0)


def test_answers_that_have_come_equally_far_have_equal_stages() -> None:
    lines = found(("Temp", "a", 3, 3), ("Temp", "b", 7, 7), ("Temp", "b", 8, 9))
    assert lines[3, 3, "possible"] == lines[7, 7, "possible"] != lines[9, 7, "revised"]


def test_an_answer_without_an_explanation_has_no_stage() -> None:
    lines = found(("Temp", "a", 3, 3))
    rejected = [each for (_, _, kind), each in lines.items() if kind == "rejected"]
    assert rejected
    assert set(map(str, rejected)) == {str((NO_STAGE, [], 0))}


def test_the_quarters_that_a_count_has_reached() -> None:
    text = "input Ping(x, time). Often(X, T) :- Ping(X, T), count(Ping(X, T..T+9)) >= 4. query Often(X, T)."
    lines = found(*(("Ping", "a", tick, tick) for tick in (0, 2, 5)), now=5, text=text)
    reached = [lines[tick, 0, kind] for tick, kind in ((0, "possible"), (2, "revised"), (5, "revised"))]
    assert reached == [(0, [0], quarters) for quarters in (1, 2, 3)]


def test_long_rules() -> None:
    body = ", ".join(f"Temp(X, T+{i})" for i in range(LITERALS + 9))
    text = f"input Temp(x, time). Malf(X, T) :- {body}. query Malf(X, T)."
    facts: list[Fact] = [("Temp", "a", tick, tick) for tick in range(LITERALS + 3)]
    lines = found(*facts, now=LITERALS + 3, text=text)
    before = lines[LITERALS - 2, 0, "revised"]
    assert before == (0, list(range(LITERALS - 1)), 0)
    # From here on literals share a place: so many tell stages apart.
    assert lines[LITERALS - 1, 0, "revised"] == (0, list(range(LITERALS)), 0)
