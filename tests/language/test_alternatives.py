"""`or` and `in`: rules and static predicates that are written shorter."""

from __future__ import annotations

import pytest

import antelog
from antelog.compile.show.explain import plan_text
from antelog.diagnostics import Source
from antelog.errors import ProgramError
from antelog.language import read
from antelog.language.printer import to_text
from tests.tables import cases

INPUTS = "input Temp(x, level, time) delay 1. input Press(x, v: number, time) delay 2. "
FACTS: dict[str, list[tuple[object, ...]]] = {
    "Temp": [("a", "high", 0), ("b", "high", 1), ("a", "low", 2), ("c", "high", 3), ("a", "high", 3)],
    "Press": [("a", 4, 1), ("b", 9, 2), ("c", 9, 3), ("d", 9, 3)],
}


def _lines(text: str) -> list[object]:
    engine = antelog.Engine(antelog.parse(INPUTS + text))
    return [table.to_pylist() for table in engine.advance(12, FACTS).values()]


@cases(__file__, "short")
def test_they_mean_what_they_are_short_for(short: str, long: str) -> None:
    assert _lines(short) == _lines(long) != []


def test_each_alternative_has_to_give_the_variables_values() -> None:
    with pytest.raises(ProgramError, match="V"):
        _lines("R(X, T) :- Temp(X, high, T) or Press(X, V, T), V > 5. query R(X, T).")


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("R(X, T) :- Temp(X, high, T) or not Press(X, _, T).", "atoms and comparisons"),
        ("R(X, T) :- Temp(X, L, T), L in (high, X).", "the list behind `in` has values"),
        (f"R(X, T) :- {', '.join(['Temp(X, a, T) or Temp(X, b, T)'] * 7)}.", "128 rules"),
    ],
)
def test_what_they_cannot_say_is_refused_with_what_to_write(rule: str, said: str) -> None:
    found = read(Source(f"{INPUTS}{rule} query R(X, T).")).diagnostics[0]
    assert (found.code, found.hint is not None) == ("E001", True)
    assert said in found.message


def test_a_program_is_printed_as_it_is_written_but_for_alternatives() -> None:
    text = INPUTS + 'R(X, T) :- Temp(X, in, T), X in (a, "b c", 5). query R(X, T).'
    document = read(Source(text)).document
    assert 'X in (a, "b c", 5)' in to_text(document)
    assert read(Source(to_text(document))).document == document


def test_views_show_the_list() -> None:
    program = antelog.parse(INPUTS + "R(X, T) :- Temp(X, L, T), L in (high, low). query R(X, T).")
    engine = antelog.Engine(program)
    engine.advance(1, {"Temp": FACTS["Temp"][:2]})
    assert "L in (high, low)" in plan_text(program.plan)
    assert "L in (high, low)" in str(engine.why("R(b, 1)"))


def test_words_that_read_so_are_values_still() -> None:
    rules = "In(X, T) :- Door(in, X, T). Or(T) :- In(or, T). query Or(T). query In(X, T)."
    engine = antelog.Engine(antelog.parse(f"input Door(way, or, time). {rules}"))
    lines = engine.advance(1, {"Door": [("in", "or", 0)]})
    assert lines["In"].column("X").to_pylist()[0] == "or"
    assert lines["Or"].num_rows > 0
