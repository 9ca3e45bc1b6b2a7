"""antelog/compile/naming/terms.py: the words in which it is said what names values."""

from __future__ import annotations

from antelog.compile.literals.comparison import Comparison
from antelog.compile.literals.terms import Const, Time, Var
from antelog.compile.naming.terms import TIME, beginning, is_private, place, strongest

OTHER = Comparison(Var(place(0)), "!=", Const("a"))


def since(tick: int, later: int = 0) -> Comparison:
    return Comparison(Time(TIME, later), ">=", Time(None, tick))


def test_places_are_the_answers_and_the_rest_is_private() -> None:
    assert not is_private(place(0))
    assert is_private("V~")
    assert is_private("?1")


def test_of_tests_where_answers_begin_the_one_that_says_most_is_kept() -> None:
    kept = strongest([since(7), since(3), OTHER, OTHER])
    assert [test.text for test in kept] == ["<t> >= 7", "<0> != a"]
    assert strongest([since(0), OTHER]) == (OTHER,)


def test_where_answers_begin_counts_what_is_added_to_their_time() -> None:
    assert beginning([since(7, later=2), OTHER]) == (5, [OTHER])
