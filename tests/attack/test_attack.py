"""The attacks, a few seconds of each: nothing that no user should see.

`python -m tests.attack --help` has all sizes.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from random import Random

import pytest

from antelog.errors import DataError
from tests.attack import (
    calls,
    changing,
    files,
    frames,
    functions,
    posts,
    processes,
    programs,
    receivers,
    rotations,
    sizes,
    sources,
    suites,
    times,
    words,
)
from tests.attack.findings import Attempt, all_of, attempt, report

pytestmark = pytest.mark.filterwarnings("ignore")  # libraries warn of what is odd


def _some(attempts: Callable[[int, int], Iterator[Attempt]], count: int, of: int) -> list[Attempt]:
    """Some of so many attempts, the same each time."""
    wanted = set(Random(7).sample(range(of), count))
    return [each for number, each in enumerate(attempts(of, 7)) if number in wanted]


def _nothing_found(attempts: Iterator[Attempt] | list[Attempt]) -> None:
    _, found = all_of(attempts)
    assert not found, "\n".join(report(len(found), found))


def test_odd_programs_are_refused_with_reasons() -> None:
    _nothing_found(programs.attempts(100, 7))


def test_odd_files_of_tests_are_run_or_refused_with_reasons() -> None:
    _nothing_found(_some(suites.attempts, 30, 1000))


def test_odd_calls_are_refused_with_reasons() -> None:
    _nothing_found(calls.attempts(150, 7))


def test_odd_frames_work_or_are_refused_with_reasons() -> None:
    _nothing_found(_some(frames.attempts, 100, 1300))


def test_odd_files_are_read_as_far_as_they_can_be() -> None:
    _nothing_found(itertools.islice(files.attempts(1000, 7), 456, 486))


def test_each_row_of_a_log_that_is_rotated_is_read_once() -> None:
    _nothing_found(rotations.attempts(144, 7))


def test_hostile_parquet_is_refused_with_reasons() -> None:
    _nothing_found(itertools.islice(files.attempts(1000, 7), 46))


def test_odd_first_records_stop_no_source() -> None:
    _nothing_found(sources.attempts(180, 7))


def test_types_that_change_stop_nothing() -> None:
    _nothing_found(changing.attempts(30, 7))


def test_large_programs_work_or_are_refused() -> None:
    _nothing_found(sizes.attempts(100, 7))


def test_long_words_are_seen_in_every_view() -> None:
    _nothing_found(_some(words.attempts, 20, 266))


def test_far_times_stop_nothing() -> None:
    _nothing_found(times.attempts(15, 7))


def test_odd_functions_give_answers_or_reasons() -> None:
    _nothing_found(functions.attempts(150, 7))


@pytest.mark.long
def test_no_function_is_a_finding() -> None:
    _nothing_found(functions.attempts(4_000, 8))


@pytest.mark.long
def test_every_long_word_is_seen_in_every_view() -> None:
    _nothing_found(words.attempts(10_000, 7))


@pytest.mark.slow
@pytest.mark.parametrize("count", [2, pytest.param(60, marks=pytest.mark.long)])
def test_several_processes_on_one_state_write_as_one(count: int) -> None:
    _nothing_found(processes.attempts(count, 7))


@pytest.mark.long
def test_every_odd_frame_works_or_is_refused_with_reasons() -> None:
    _nothing_found(frames.attempts(10_000, 7))


@pytest.mark.long
def test_every_odd_column_of_parquet_is_read_as_far_as_it_can_be() -> None:
    _nothing_found(files.attempts(460, 7))


@pytest.mark.long
def test_no_call_is_a_finding() -> None:
    _nothing_found(calls.attempts(5_000, 8))


@pytest.mark.long
def test_no_far_times_are_a_finding() -> None:
    _nothing_found(times.attempts(2_000, 8))


@pytest.mark.slow
def test_posted_records_of_changing_types_are_all_taken() -> None:
    _nothing_found(posts.attempts(1, 7))


@pytest.mark.slow
@pytest.mark.parametrize("count", [2, pytest.param(200, marks=pytest.mark.long)])
def test_no_receiver_holds_up_another(count: int) -> None:
    _nothing_found(receivers.attempts(count, 7))


@pytest.mark.long
def test_no_posted_records_of_changing_types_are_a_finding() -> None:
    _nothing_found(posts.attempts(100, 8))


@pytest.mark.long
def test_no_types_that_change_are_a_finding() -> None:
    _nothing_found(changing.attempts(3_000, 8))


def test_whatever_is_no_error_of_antelog_is_a_finding() -> None:
    def refused() -> None:
        raise DataError("no")

    def broken() -> None:
        raise KeyError("x")

    count, found = all_of([Attempt("fine", int), Attempt("refused", refused), Attempt("broken", broken)])
    assert (count, [each.name for each in found]) == (3, ["broken"])
    assert next(report(count, found)) == "3 attempts, 1 findings in 1 places"


def test_a_traceback_in_a_message_is_a_finding() -> None:
    def shown() -> None:
        raise DataError("Traceback (most recent call last)")

    assert attempt("shown", shown) is not None
