"""antelog/pictures/labels.py: labels are cut in the middle, and as little as that."""

import pytest

import antelog
from antelog.pictures.labels import width_of
from tests.pictures.looks import texts

LONG = {"X": "a_turbine_with_a_long_name", "T": 1234}


def row(answer: dict[str, object]) -> dict[str, object]:
    return {"tick": 3, "change": "possible", "query": "Malfunction", "answer": answer, "explanations": []}


def label(width: int, answer: dict[str, object] = LONG) -> str:
    (found,) = (
        text for text in texts(antelog.draw(row(answer), width=width).svg()) if text.startswith("Malf")
    )
    return found


@pytest.mark.parametrize("width", [300, 400, 500, 600])
def test_a_label_that_is_too_long_has_its_beginning_and_its_end(width: int) -> None:
    shown = label(width)
    begin, dots, end = shown.partition("…")
    assert dots
    assert "Malfunction(a_turbine_with_a_long_name, 1234)".startswith(begin)
    assert end.endswith(", 1234)"[-len(end) :])
    assert abs(len(begin) - len(end)) <= 1
    assert "…" not in end, "cut once, in the middle"
    assert width * 0.36 - 45 < width_of(shown) < width * 0.36 - 8, "what room there is is used"


def test_a_label_that_fits_is_whole() -> None:
    assert label(1100) == "Malfunction(a_turbine_with_a_long_name, 1234)"
    assert label(300, {"X": "a"}) == "Malfunction(a)"


def test_texts_of_many_letters_and_of_few() -> None:
    assert width_of("") == 0
    assert width_of("illi") < width_of("abcd") < width_of("MWMW") < width_of("温度温度")
