"""antelog/cli/arguments/{kinds,pairs,ticks}.py: files of predicates, ticks, and kinds of changes."""

from pathlib import Path

import click
import pytest

import antelog
from antelog.cli.arguments.pairs import Pair, files_of_inputs, files_of_statics, pair
from antelog.cli.arguments.ticks import tick_of
from antelog.run.values import SettingError, kinds

RULES = """input Temp(x: text, time). static Site(x: text).
Hot(X, T) :- Temp(X, T), Site(X). query Hot(X, T)."""
PLAN = antelog.parse(RULES).plan
TEN_MINUTES = antelog.parse("tick 10 minutes. " + RULES).plan


def test_a_pair_has_a_predicate_and_a_file() -> None:
    assert pair("Temp = data/temp.csv.gz") == Pair("Temp", Path("data/temp.csv.gz"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("temp.csv", "is not of the form P=FILE; write it like Temp=temp.csv"),
        ("Temp=", "is not of the form P=FILE; write it like Temp=FILE"),
        ("Temp=temp.xlsx", "tells no form of file"),
    ],
)
def test_what_is_no_pair(text: str, message: str) -> None:
    with pytest.raises(click.BadParameter, match=message):
        pair(text)


def test_pairs_belong_to_the_program() -> None:
    temp, site = pair("Temp=a.csv"), pair("Site=b.csv")
    assert files_of_inputs(PLAN, [temp]) == {"Temp": Path("a.csv")}
    assert files_of_statics(PLAN, [site]) == {"Site": Path("b.csv")}
    for pairs, message in [
        ([temp, temp], "Temp is given twice"),
        ([site], "Give its facts with --static Site=b.csv"),
        ([pair("Tmp=a.csv")], r"Did you mean Temp\?"),
        ([pair("Hot=a.csv")], "The rules derive it from others"),
    ]:
        with pytest.raises(click.BadParameter, match=message):
            files_of_inputs(PLAN, pairs)


def test_a_tick_is_a_number_or_a_moment_in_it() -> None:
    assert tick_of(None, PLAN, "--until") is None
    assert tick_of("7", PLAN, "--until") == 7
    assert tick_of("1970-01-01 00:25", TEN_MINUTES, "--until") == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("soon", "is not a whole number"),
        ("-1", "before tick 0"),
        ("1970-01-01", "declare it: `tick 10 minutes"),
    ],
)
def test_what_is_no_tick(text: str, message: str) -> None:
    with pytest.raises(click.BadParameter, match=message):
        tick_of(text, PLAN, "--until")


def test_kinds_have_commas_between_them() -> None:
    assert kinds("possible, confirmed") == ("possible", "confirmed")
    with pytest.raises(SettingError, match=r"Did you mean confirmed\?"):
        kinds("possible,confirmd")
