"""antelog/run/sources/opening.py: standard input."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress

import pytest

from antelog.run.sources.opening import StandardInput
from tests.run.sources.taking import HEADER, WANTED, devices, taken


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    ends = os.pipe()
    yield ends
    for end in ends:
        with suppress(OSError):
            os.close(end)


def test_it_is_read_as_it_comes_and_never_waited_for(pipe: tuple[int, int]) -> None:
    source = StandardInput(WANTED, descriptor=pipe[0])
    assert source.poll() == []
    os.write(pipe[1], (HEADER + "a,1,7,7\nb,").encode())
    assert devices(source) == ["a"]
    os.close(pipe[1])
    assert source.poll() == []
    assert source.ended
    assert taken(source.finish()) == ([], ["<stdin>:3: has 2 values, not 4"])


def test_json_lines_are_known_by_their_brace(pipe: tuple[int, int]) -> None:
    os.write(pipe[1], b'{"device": "a", "value": 1, "time": 7}\n')
    assert devices(StandardInput(WANTED, descriptor=pipe[0])) == ["a"]


def test_a_complete_one_is_behind_until_it_ends(pipe: tuple[int, int]) -> None:
    source = StandardInput(WANTED, complete=True, mark={"lines": 5}, descriptor=pipe[0])
    os.write(pipe[1], (HEADER + "a,1,7,7\n").encode())
    assert devices(source) == ["a"]
    behind = [source.behind]
    os.close(pipe[1])
    assert source.poll() == []
    assert [*behind, source.behind] == [True, False]
    assert source.mark == {"lines": 7}
