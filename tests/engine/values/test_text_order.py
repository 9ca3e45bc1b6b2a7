"""antelog/engine/values/decoding.py: texts in order, as Python orders their code points."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antelog.engine.values.decoding import sorted_once

# Few characters, some of which take several bytes, so that many texts are alike or begin alike.
TEXTS = st.lists(st.text("ab,é\0😀", max_size=11) | st.text("a", max_size=11), min_size=1, max_size=12)


@given(TEXTS, st.integers(0, 3))
def test_texts_are_in_order_and_each_is_there_once(texts: list[str], skipped: int) -> None:
    # Arrays may be parts of others.
    ordered, place = sorted_once(pa.array(["before"] * skipped + texts, pa.string())[skipped:])
    assert ordered.to_pylist() == sorted(set(texts))
    assert [ordered[i].as_py() for i in place.tolist()] == texts


@pytest.mark.parametrize(
    "texts", [["a" * 8, "a" * 9], ["a" * 9, "a" * 10], ["a\0", "a"], ["", "\0"], ["b", "a" * 9, "a"], []]
)
def test_texts_that_first_bytes_do_not_tell_apart(texts: list[str]) -> None:
    ordered, place = sorted_once(pa.array(texts, pa.string()))
    assert ordered.to_pylist() == sorted(set(texts))
    assert [ordered[i].as_py() for i in place.tolist()] == texts
