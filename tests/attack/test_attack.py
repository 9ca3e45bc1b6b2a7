"""The attacks, a few seconds of each: nothing that no user should see.

`python -m tests.attack --help` has all sizes.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator
from random import Random

import pytest

from antelog.errors import DataError
from tests.attack import calls, files, frames, programs, sizes, sources
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
    _nothing_found(programs.attempts(200, 7))


def test_odd_calls_are_refused_with_reasons() -> None:
    _nothing_found(calls.attempts(150, 7))


def test_odd_frames_work_or_are_refused_with_reasons() -> None:
    _nothing_found(_some(frames.attempts, 100, 1300))


def test_odd_files_are_read_as_far_as_they_can_be() -> None:
    _nothing_found(itertools.islice(files.attempts(1000, 7), 410, 440))


def test_odd_first_records_stop_no_source() -> None:
    _nothing_found(sources.attempts(180, 7))


def test_large_programs_work_or_are_refused() -> None:
    _nothing_found(sizes.attempts(100, 7))


@pytest.mark.slow
def test_every_odd_frame_works_or_is_refused_with_reasons() -> None:
    _nothing_found(frames.attempts(10_000, 7))


@pytest.mark.slow
def test_every_odd_column_of_parquet_is_read_as_far_as_it_can_be() -> None:
    _nothing_found(files.attempts(460, 7))


def test_whatever_is_no_error_of_antelog_is_a_finding() -> None:
    def refused() -> None:
        raise DataError("no")

    def broken() -> None:
        raise KeyError("x")

    count, found = all_of([Attempt("fine", int), Attempt("refused", refused), Attempt("broken", broken)])
    assert (count, [each.name for each in found]) == (3, ["broken"])
    assert next(report(count, found)) == "3 attempts, 1 findings in 1 places"


def test_what_takes_too_long_is_a_finding() -> None:
    def slow() -> None:
        end = time.process_time() + 0.05
        while time.process_time() < end:
            pass

    finding = attempt("slow", slow, patience=0.01)
    assert finding is not None
    assert finding.what.startswith("takes")


def test_a_traceback_in_a_message_is_a_finding() -> None:
    def shown() -> None:
        raise DataError("Traceback (most recent call last)")

    assert attempt("shown", shown) is not None
