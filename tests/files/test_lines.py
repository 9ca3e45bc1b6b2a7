"""antelog/files/lines.py: blocks of whole lines."""

from pathlib import Path

import pytest

from tests.files.reading import blocks


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_blocks_are_whole_lines_with_their_numbers(temp: Path, size: int) -> None:
    temp.write_bytes(b"a\r\nbc\n\nd\r\ne")
    with temp.open("rb") as file:
        found = [(block.first, block.lines()) for block in blocks(file, temp, size)]
    assert [line for _, lines in found for line in lines] == [b"a", b"bc", b"", b"d", b"e"]
    assert all(first == 1 + sum(len(lines) for _, lines in found[:i]) for i, (first, _) in enumerate(found))
