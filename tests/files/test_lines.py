"""antelog/files/lines.py: blocks of whole lines."""

from pathlib import Path

import pytest

from antelog.files import lines
from antelog.files.lines import LineSplitter
from tests.files.reading import blocks


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_blocks_are_whole_lines_with_their_numbers(temp: Path, size: int) -> None:
    temp.write_bytes(b"a\r\nbc\n\nd\r\ne")
    with temp.open("rb") as file:
        found = [(block.first, block.lines()) for block in blocks(file, temp, size)]
    assert [line for _, lines in found for line in lines] == [b"a", b"bc", b"", b"d", b"e"]
    assert all(first == 1 + sum(len(lines) for _, lines in found[:i]) for i, (first, _) in enumerate(found))


@pytest.mark.parametrize("size", [1, 3, 1000])
@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_a_line_that_is_too_long_is_lost(size: int, end: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "LONGEST", 10)
    splitter, data = LineSplitter(), end.join([b"a", b"x" * 50, b"b", b"y" * 11, b"c", b""])
    found = [block for at in range(0, len(data), size) for block in splitter.feed(data[at : at + size])]
    found += splitter.end()
    assert [(line, block.first) for block in found for line in block.lines()][:1] == [(b"a", 1)]
    assert [line for block in found for line in block.lines() if line] == [b"a", b"b", b"c"]
    assert [each.line for block in found for each in block.lost] == [2, 4]
    assert (splitter.line, splitter.held) == (6, 0)
