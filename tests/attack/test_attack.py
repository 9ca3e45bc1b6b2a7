"""The attacks, a few seconds of each; `python -m tests.attack --help` has all sizes."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from random import Random

import pytest

from antelog.errors import DataError
from tests.attack.__main__ import attempts
from tests.attack.findings import Attempt, all_of, attempt, report

pytestmark = pytest.mark.filterwarnings("ignore")  # libraries warn of what is odd

FEW = [("programs", 100), ("calls", 150), ("rotations", 144), ("sources", 180), ("changing", 30)]
FEW += [("sizes", 100), ("times", 15), ("functions", 150), ("receivers", 2)]
MANY = [("functions", 4_000), ("calls", 5_000), ("times", 2_000), ("changing", 3_000), ("posts", 100)]
MANY += [("words", 10_000), ("frames", 10_000), ("files", 460), ("processes", 60), ("receivers", 200)]
SAMPLED = [("suites", 30, 1000), ("frames", 100, 1300), ("words", 20, 266)]


def _nothing_found(attempts: Iterable[Attempt]) -> None:
    _, found = all_of(attempts)
    assert not found, "\n".join(report(len(found), found))


@pytest.mark.parametrize(("attack", "count"), FEW)
def test_what_is_odd_works_or_is_refused_with_reasons(attack: str, count: int) -> None:
    _nothing_found(attempts(attack, count, 7))


@pytest.mark.long
@pytest.mark.parametrize(("attack", "count"), MANY)
def test_of_many_attempts_none_is_a_finding(attack: str, count: int) -> None:
    _nothing_found(attempts(attack, count, 7 if attack in ("words", "frames", "files") else 8))


@pytest.mark.parametrize(("attack", "count", "of"), SAMPLED)
def test_of_some_that_are_the_same_each_time_none_is_a_finding(attack: str, count: int, of: int) -> None:
    wanted = set(Random(7).sample(range(of), count))
    _nothing_found(each for number, each in enumerate(attempts(attack, of, 7)) if number in wanted)


@pytest.mark.parametrize(("first", "end"), [(456, 486), (0, 46)], ids=["texts", "parquet"])
def test_odd_files_are_read_as_far_as_they_can_be(first: int, end: int) -> None:
    _nothing_found(islice(attempts("files", 1000, 7), first, end))


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
