"""antelog/forecast/rates/series.py: the facts that meet a literal, a yes or no for each key and tick."""

from __future__ import annotations

from antelog.compile.literals.comparison import Comparison
from antelog.compile.literals.fact import Atom
from antelog.compile.literals.terms import Const, Sum, Time, Var
from antelog.forecast.rates.series import Series, exclusive, series_of

AT = Time("T", 0)


def test_constants_keys_and_open_columns() -> None:
    atom = Atom("Temp", (Var("X"), Const("high"), Var("Y")), AT)
    series, key = series_of(atom, {"X": Var("Device")}, ())
    assert series == Series("Temp", ((1, "high"),), (), (0,), ())
    assert key == (Var("Device"),)


def test_a_variable_that_stands_for_a_constant_is_one() -> None:
    series, key = series_of(Atom("Temp", (Var("X"), Var("L")), AT), {"X": Const("wt2")}, ())
    assert (series.constants, series.key, key) == (((0, "wt2"),), (), ())


def test_an_open_variable_twice_asks_for_equal_columns() -> None:
    series, _ = series_of(Atom("Move", (Var("A"), Var("B"), Var("A")), AT), {}, ())
    assert series.repeats == ((0, 2),)


def test_a_known_variable_twice_is_two_columns_of_the_key() -> None:
    series, key = series_of(Atom("Move", (Var("A"), Var("A")), AT), {"A": Var("X")}, ())
    assert (series.key, series.repeats, key) == ((0, 1), (), (Var("X"), Var("X")))


def test_tests_on_open_columns_are_named_after_them() -> None:
    tests = (
        Comparison(Var("V"), ">=", Const(90)),
        Comparison(Sum("V", 5), "<", Var("W")),
        Comparison(Var("V"), ">", Var("X")),  # rests on a value of the answer: no part of the series
    )
    atom = Atom("Reading", (Var("X"), Var("V"), Var("W")), AT)
    series, _ = series_of(atom, {"X": Var("X")}, tests)
    assert series.tests == (Comparison(Var("1"), ">=", Const(90)), Comparison(Sum("1", 5), "<", Var("2")))


def test_series_exclude_each_other_by_different_constants() -> None:
    high, low = (Series("Temp", ((1, level),), (), (0,), ()) for level in ("high", "low"))
    any_ = Series("Temp", (), (), (0,), ())
    assert exclusive(high, low)
    assert not exclusive(high, high)
    assert not exclusive(high, any_)
    one, same = (Series("Reading", ((1, number),), (), (0,), ()) for number in (1, 1.0))
    assert not exclusive(one, same)  # equal numbers, however they are written
