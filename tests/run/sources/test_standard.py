"""antelog/watch/sources/standard.py: standard input, and what is lost of it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from antelog.watch.sources.standard import StandardInput
from tests.watch.sources.taking import HEADER, WANTED, devices, taken


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


def test_what_was_lost_is_said(pipe: tuple[int, int], tmp_path: Path) -> None:
    counter = tmp_path / "read"
    source = StandardInput(WANTED, counter=counter, descriptor=pipe[0])
    os.write(pipe[1], (HEADER + "a,1,7,7\n").encode())
    source.poll()
    mark = source.mark
    assert mark == {"lines": 2}
    assert StandardInput(WANTED, mark=mark, counter=counter, descriptor=pipe[0]).notes == []
    os.write(pipe[1], b"b,1,7,7\nc,1,7,7\nd,1")
    source.poll()
    again = StandardInput(WANTED, mark=mark, counter=counter, descriptor=pipe[0])
    assert again.notes == ["2 lines of standard input were read after the last state was saved, and are lost"]
