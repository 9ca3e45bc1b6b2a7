"""antelog/engine/values/decoding.py: texts to which more are added, and texts in order."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antelog.engine.values.decoding import GrowingTexts, sorted_once

PARTS = st.lists(st.lists(st.text("aé😀", max_size=40), max_size=40), max_size=12)


@given(PARTS, st.integers(0, 2))
def test_what_was_taken_stays_as_it_is_when_more_is_added(parts: list[list[str]], skipped: int) -> None:
    texts, so_far = GrowingTexts(), list[str]()
    taken = [(texts.array, so_far.copy())]
    for part in parts:
        # Arrays may be parts of others.
        texts.extend(pa.array(["before"] * skipped + part, pa.string())[skipped:])
        so_far += part
        taken.append((texts.array, so_far.copy()))
    assert len(texts) == len(so_far)
    for array, expected in taken:
        array.validate(full=True)
        assert array.to_pylist() == expected


def test_adding_does_not_copy_what_is_there() -> None:
    texts = GrowingTexts()
    texts.extend(pa.array(["some text"] * 1_000))
    places = set()
    for number in range(1_000):
        texts.extend(pa.array([f"{number}"]))
        places.add(texts.array.buffers()[2].address)
    assert len(places) == 1


def test_more_texts_than_a_column_can_have_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("antelog.engine.values.decoding._MOST", 100)
    texts = GrowingTexts()
    texts.extend(pa.array(["a" * 99]))
    with pytest.raises(OverflowError, match="101 bytes of texts, more than the 100"):
        texts.extend(pa.array(["bc"]))
    assert texts.array.to_pylist() == ["a" * 99]


# ---- order ----

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
