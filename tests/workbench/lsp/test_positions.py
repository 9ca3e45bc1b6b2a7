"""antelog/workbench/lsp/places.py: offsets to lines and characters and back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol.types import Position, PositionEncodingKind

from antelog.workbench.lsp.places import LineTable

TEXTS = st.text(st.sampled_from("aä€😀\n\r\t %"), max_size=30)


@given(TEXTS, st.sampled_from(list(PositionEncodingKind)))
def test_there_and_back(text: str, encoding: PositionEncodingKind) -> None:
    table = LineTable(text, encoding)
    for offset in range(len(text) + 1):
        back = table.offset(table.position(offset))
        # Between the signs of a line's end there is no place.
        assert back == offset or (text[back : offset + 1] == "\r\n" and back == offset - 1)


@pytest.mark.parametrize(
    ("encoding", "character"),
    [(PositionEncodingKind.Utf8, 6), (PositionEncodingKind.Utf16, 3), (PositionEncodingKind.Utf32, 2)],
)
def test_units(encoding: PositionEncodingKind, character: int) -> None:
    table = LineTable("a\nä😀b", encoding)
    assert table.position(4) == Position(1, character)
    assert table.offset(Position(1, character)) == 4


def test_places_that_are_not_there() -> None:
    table = LineTable("ab\r\ncd")
    assert table.offset(Position(0, 9)) == 2
    assert table.offset(Position(9, 0)) == 6
    assert table.offset(Position(1, 9)) == 6


def test_half_of_a_character() -> None:
    assert LineTable("😀b").offset(Position(0, 1)) == 0
