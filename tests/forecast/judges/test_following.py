"""antelog/forecast/judges/following.py: open answers from their first line until they are decided."""

from __future__ import annotations

import numpy as np

from antelog.engine.step.lines import PATTERN
from antelog.engine.step.query import CONFIRM, POSSIBLE, REJECT, REVISED
from antelog.forecast.judges.following import (
    AnswerLines,
    FollowedStep,
    TrackedAnswers,
    age_bucket,
    followed,
    nobody,
    stage_of,
    state_of,
)

A, B = 100, 200  # stages
NO_ENDS, NONE = np.zeros(1, np.int64), np.zeros(0, np.int64)
EXAMPLE = ((2, 0, 0, POSSIBLE, A), (2, 0, 1, REVISED, B), (2, 0, 2, REJECT, -1))

Line = tuple[int, int, int, int, int]


def lines(*rows: Line) -> AnswerLines:
    """Lines given as (device, the answer's tick, the line's tick, kind, stage)."""
    columns = [np.array(column, np.int64) for column in zip(*rows, strict=True)] if rows else [NONE] * 5
    device, time, tick, kind, stage = columns
    return AnswerLines((device, time), tick, kind, stage, tick)


def step(*rows: Line, now: int, before: TrackedAnswers | None = None, delay: int | None = 4) -> FollowedStep:
    return followed(nobody(2) if before is None else before, lines(*rows), now, delay, NO_ENDS)


def stretches(found: FollowedStep) -> list[tuple[int, ...]]:
    """Number, stage, since, until, line of each stretch."""
    s = found.stretches
    columns = (s.number, s.stage, s.since, s.until, s.line)
    return [tuple(row) for row in zip(*(column.tolist() for column in columns), strict=True)]


State = tuple[int, int, bool]  # a stage, a bucket of ages, and whether the answer was silent


def decided(found: FollowedStep) -> list[tuple[int, int, bool, list[State]]]:
    """Number, when, whether confirmed, and the states, of each."""
    s = found.decided
    rows = zip(s.number.tolist(), s.tick.tolist(), s.confirmed.tolist(), strict=True)
    return [(*row, sorted(map(opened, s.states[s.state_of == i].tolist()))) for i, row in enumerate(rows)]


def opened(state: int) -> State:
    stage = int(stage_of(np.array([state]))[0])
    rest = state - int(state_of(np.array([stage]), np.array([0]), np.array([False]))[0])
    return stage, rest // 2, bool(rest % 2)


def reported(stage: int, age: int) -> State:
    return stage, bucket(age), False


def silent(stage: int, *ages: int) -> list[State]:
    return [(stage, bucket(age), True) for age in ages]


def bucket(age: int) -> int:
    return int(age_bucket(np.array([age]))[0])


def test_stages_last_until_the_next_line() -> None:
    found = step(*EXAMPLE, now=2)
    assert stretches(found) == [(0, A, 0, 1, 0), (0, B, 1, 2, 1)]
    assert decided(found) == []  # rejected at 2, but another way may confirm it up to 4
    assert found.after.next == 1


def test_a_confirmed_answer_counts_once_its_atom_is_settled() -> None:
    confirmed = step((2, 0, 0, POSSIBLE, A), (2, 0, 3, CONFIRM, -1), now=3)
    assert decided(confirmed) == []
    found = step(now=4, before=confirmed.after)
    assert found.decided.settled.tolist() == [4]
    assert decided(found) == [(0, 3, True, [reported(A, 0), *silent(A, 1, 2)])]


def test_an_open_answer_stays_as_it_is_as_far_as_a_step_tells() -> None:
    before = step(*EXAMPLE[:2], now=1)
    assert stretches(before) == [(0, A, 0, 1, 0), (0, B, 1, 2, 1)]
    after = step(now=6, before=before.after)
    assert stretches(after) == [(0, B, 2, 7, -1)]  # the line was reported in the step before
    (done,) = decided(step((2, 0, 7, REJECT, -1), now=7, before=after.after))
    assert done == (0, 7, False, [reported(A, 0), reported(B, 1), *silent(B, *range(2, 7))])


def test_ages_are_told_apart_one_by_one_and_then_by_powers_of_two() -> None:
    buckets = [bucket(age) for age in range(-8, 9)]
    assert buckets == list(range(buckets[0], buckets[0] + 17))
    assert bucket(8) < bucket(9) == bucket(16) < bucket(17) == bucket(32)
    assert bucket(-9) == bucket(-16) < bucket(-8)
    assert 0 <= bucket(-(2**40)) <= bucket(2**40) < 64


def test_ages_of_patterns_that_count_are_counted_from_where_they_end() -> None:
    """Stage A is of a pattern that counts up to 50 ticks after the answer's, stage B of one that does not."""
    one, other = A, B + (1 << PATTERN)
    rows = lines((2, 0, 0, POSSIBLE, one), (3, 0, 0, POSSIBLE, other), (2, 0, 47, REVISED, one))
    found = followed(
        nobody(2),
        rows.and_then(lines(*((each, 0, 49, REJECT, -1) for each in (2, 3)))),
        50,
        50,
        np.array([50, 0]),
    )
    states = {
        (i, *opened(state)) for i, state in zip(found.decided.state_of, found.decided.states, strict=True)
    }
    assert {each for each in states if not each[-1]} == {
        (0, one, bucket(-50), False),
        (0, one, bucket(-3), False),
        (1, other, bucket(0), False),
    }
    assert (0, one, bucket(-2), True) in states


def test_a_step_with_few_lines_finds_what_one_that_looks_at_all_answers_finds() -> None:
    """Many answers, of which a few have lines in each step, early and late, until they are decided."""
    random = np.random.default_rng(4)
    few = every = step(*((device, 0, 0, POSSIBLE, A) for device in range(300)), now=0, delay=9)
    waited = 0
    for now in range(1, 10):
        kinds = random.choice([REVISED, REJECT, CONFIRM, POSSIBLE], 4)
        rows = [(int(d), 0, now, int(k), B) for d, k in zip(random.choice(310, 4, False), kinds, strict=True)]
        given = lines(*rows)
        few = followed(few.after, given, now, 9, NO_ENDS, every=False)
        every = followed(every.after, given, now, 9, NO_ENDS)
        waited += few.after.older.count > 250
        assert decided(few) == decided(every)
        assert few.numbers.tolist() == every.numbers.tolist()
        assert sorted(few.after.last.number.tolist()) == sorted(every.after.last.number.tolist())
        assert [each for each in stretches(every) if each[-1] >= 0] == [
            each for each in stretches(few) if each[-1] >= 0
        ]
    assert waited == 9
