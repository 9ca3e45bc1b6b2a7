"""antelog/given.py: wrong arguments are said where they were written."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import antelog
from antelog import given
from antelog.errors import ArgumentError


@given.checked(text=given.TEXT, most=given.optional(given.POSITIVE))
def shout(text: str, *, most: int | None = None) -> str:
    """Say something."""
    return text.upper()[:most]


def test_right_arguments_go_through() -> None:
    assert shout("high") == shout(text="high") == "HIGH"
    assert shout("high", most=2) == "HI"
    assert shout.__doc__ == "Say something."


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: shout(7), "shout: text is 7, of type int; give a text"),  # type: ignore[arg-type]
        (lambda: shout("x", most=0), "shout: most is 0, of type int; give a whole number from 1 to 10**18,"),
        (lambda: shout("x", most=True), "shout: most is True, of type bool; give a whole number"),
    ],
)
def test_wrong_ones_are_said_with_what_was_expected(call: Any, said: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        call()
    assert str(caught.value).startswith(said)
    assert isinstance(caught.value, TypeError)


def test_too_many_arguments_are_what_python_says() -> None:
    with pytest.raises(TypeError, match="positional argument"):
        shout("a", "b")  # type: ignore[call-arg,arg-type]


@pytest.mark.parametrize(
    ("kind", "right", "wrong"),
    [
        (given.PATH, ["a", Path("a"), ""], [b"a", "a\0b", "\ud800", 7, None]),
        (given.TEXTS, [["a"], ("a", "b"), [], {"a": 1}], ["a", [1], itertools.repeat("x"), None]),
        (given.WHOLE, [0, -7, np.int64(7), 10**18], [True, 7.0, "7", 10**400, None]),
        (given.NATURAL, [0, 7], [-1, 7.5]),
        (given.NUMBER, [0, 7.5, np.float64(7), float("inf")], [float("nan"), True, 1j, "7", 10**400]),
        (given.LENGTH, [0.5, 7], [0, -1, "1"]),
        (given.FLAG, [True, False], [0, 1, None, "yes"]),
        (given.BYTES, [b"a", bytearray(b"a")], ["a", [1]]),
        (given.NAMED, [{}, {"a": 1}], [[], {1: 2}, "a", None]),
        (given.MODEL, ["learn", Path("m.model")], [7, b"m", {}]),
        (given.either(given.TEXT, given.FLAG), ["a", True], [7]),
        (given.of(Path, "a Path"), [Path()], ["a"]),
    ],
)
def test_each_kind_knows_its_own(kind: given.ArgumentKind, right: list[Any], wrong: list[Any]) -> None:
    assert all(map(kind.fits, right))
    assert not any(map(kind.fits, wrong))


def test_an_object_that_cannot_say_what_it_is_is_refused_as_well() -> None:
    class Evil:
        def __repr__(self) -> str:
            raise RuntimeError("no")

    with pytest.raises(ArgumentError, match="text is something, of type Evil"):
        shout(Evil())  # type: ignore[arg-type]


@pytest.mark.parametrize("listed", [pd.Series, np.array, tuple])
def test_texts_may_be_listed_in_any_way(listed: Any) -> None:
    program = antelog.parse(PROGRAM)
    engine = antelog.Engine(program, model="learn", judges=listed(["model"]), only=listed(["rejected"]))
    assert engine.advance(1, {"Temp": [("a", 0)]})["Hot"].num_rows == 0


def test_what_is_long_is_cut() -> None:
    assert len(given.short_repr("x" * 10_000)) < 100


PROGRAM = "input Temp(x, time). Hot(X, T) :- Temp(X, T). query Hot(X, T)."


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (antelog.parse, "parse: text is Program"),
        (lambda _: antelog.load(7), "load: path is 7"),  # type: ignore[arg-type]
        (lambda _: antelog.Engine("hot.alog"), "the program is 'hot.alog', of type str"),  # type: ignore[arg-type]
        (lambda p: antelog.Engine(p, only="confirmed"), "Engine: only is 'confirmed', of type str"),
        (lambda p: antelog.Engine(p, only=np.array(3)), "Engine: only is array\\(3\\)"),  # type: ignore[arg-type]
        (lambda p: antelog.Engine(p, only=pd.DataFrame({"no": [1]})), "only is .* of type DataFrame; give a"),
        (lambda p: antelog.Engine(p, judges=pd.DataFrame({"model": [1]})), "judges is .* type DataFrame; gi"),
        (lambda p: antelog.Engine(p, model="learn", half_life=float("inf")), "half_life is inf.* a finite n"),
        (lambda p: antelog.replay(p, {}, until="\ud800"), "is not a tick"),
        (lambda p: antelog.replay(p, {"Temp": "x" * 5000}), "does not say the form of its files"),
        (lambda _: antelog.live("x" * 5000), "there is no such file or folder"),
        (lambda p: antelog.Engine(p, limit="many"), "Engine: limit is 'many'"),  # type: ignore[arg-type]
        (lambda p: antelog.Engine(p, model=7), "Engine: model is 7"),  # type: ignore[arg-type]
        (lambda p: antelog.Engine(p).advance(3, []), "Engine.advance: facts is \\[\\]"),  # type: ignore[arg-type]
        (lambda p: antelog.Engine(p).advance("now"), "'now' is not a tick"),
        (lambda p: antelog.Engine(p).answers(p), "Engine.answers: query is Program"),
        (lambda _: antelog.Engine.restore(None), "Engine.restore: source is None"),  # type: ignore[arg-type]
        (lambda _: antelog.Model.load(7), "Model.load: path is 7"),  # type: ignore[arg-type]
        (lambda _: antelog.show([], most="all"), "show: most is 'all'"),  # type: ignore[arg-type]
        (lambda _: antelog.draw([], rows=None), "draw: rows is None"),  # type: ignore[arg-type]
        (lambda _: antelog.live("x", hosts="plant"), "live: hosts is 'plant'"),
    ],
)
def test_public_functions_say_what_they_were_given(call: Any, said: str) -> None:
    with pytest.raises(antelog.AntelogError, match=said):
        call(antelog.parse(PROGRAM))
