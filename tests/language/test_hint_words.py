"""antelog/language/syntax_hints.py: the words that hints look at, also in very long texts."""

from __future__ import annotations

import pytest

from antelog.diagnostics import Source
from antelog.language import read
from antelog.language.syntax_hints import last_word


@pytest.mark.parametrize(("text", "word"), [("a b_1", "b_1"), ("a (", ""), ("ab", "ab"), ("", "")])
def test_the_last_word(text: str, word: str) -> None:
    assert last_word(text) == word


def test_a_function_around_the_place_is_found() -> None:
    found = read(Source("P(X, T) :- V > max(abs(X)), A(X, T). query P(X, T).")).diagnostics
    (error,) = (each for each in found if each.code == "E001")
    assert "an atom within some ticks" in error.hint
