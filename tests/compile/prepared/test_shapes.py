"""antelog/compile/prepared/shapes.py: literals as they read, with gaps for known values."""

from __future__ import annotations

from antelog.compile.prepared.shapes import Cluster, units
from tests.compile.plans import prepared_of

JOIN = "q(X, T) :- p(X, T), r(Y, T), s(Y, T). query q(X, T)."


def of(text: str, *bound: str) -> list[Cluster]:
    return list(units(prepared_of(text), frozenset(bound), ("X",)))


def test_literals_that_share_an_open_variable_are_one_unit() -> None:
    known, open_ = of(JOIN, "X", "T")
    assert (known.literals, known.signature, known.is_open) == ((0,), "p(#, #)", False)
    assert (open_.literals, open_.signature, open_.is_open) == ((1, 2), "r(?0, #) s(?0, #)", True)


def test_each_is_alone_once_the_variable_has_a_value() -> None:
    assert [unit.signature for unit in of(JOIN, "X", "Y", "T")] == ["p(#, #)", "r(#, #)", "s(#, #)"]


def test_the_name_of_an_open_variable_does_not_count() -> None:
    other = JOIN.replace("Y", "Z")
    assert [unit.signature for unit in of(JOIN, "X", "T")] == [unit.signature for unit in of(other, "X", "T")]


def test_what_the_answer_leaves_open_is_called_as_the_query_calls_it() -> None:
    first, *_ = of(JOIN, "Y", "T")
    assert (first.signature, first.is_open) == ("p(X, #)", True)


def test_open_conditions_are_part_of_the_signature() -> None:
    text = "q(X, T) :- p(X, T), r(V, T+1), V > 3. query q(X, T)."
    assert of(text, "X", "T")[1].signature == "r(?0, #) where ?0 > #"


def test_literals_that_read_alike_have_their_gaps_in_every_order() -> None:
    text = "q(X, T) :- p(X, T), r(Y, a, T), r(Y, b, T). query q(X, T)."
    _, both = of(text, "X", "T")
    assert both.signature == "r(?0, #, #) r(?0, #, #)"
    assert len(both.gaps) == 2
