"""Limits: numbers with names, which can stand wherever a number can, and be set from outside."""

import pytest

import antelog
from antelog import DataError, Program, parse
from antelog.compile import to_json
from antelog.diagnostics import Source
from antelog.language.parser import parse as parse_statements
from antelog.language.printer import to_text

RULES = """
limit hot = 90.
limit cold = -5.
limit patience = 30.
tick 10 minutes.
input Temp(device, value: number, time) delay patience minutes.
Hot(X, T) :- Temp(X, V, T), V >= hot, V > cold, V - hot < 100, not Temp(X, cold, T..T + patience minutes).
query Hot(X, T).
"""
NUMBERS = """
tick 10 minutes.
input Temp(device, value: number, time) delay 30 minutes.
Hot(X, T) :- Temp(X, V, T), V >= 85, V > -5, V - 85 < 100, not Temp(X, -5, T..T + 30 minutes).
query Hot(X, T).
"""


def same(one: Program, other: Program) -> bool:
    return to_json(one.plan) == to_json(other.plan)


def test_a_limit_is_its_number_and_another_one_if_it_is_set() -> None:
    assert same(parse(RULES, limits={"hot": 85}), parse(NUMBERS))
    assert same(parse(RULES), parse(NUMBERS.replace("85", "90")))
    assert same(parse(RULES, limits={"hot": 85.0, "patience": 30}), parse(NUMBERS))


def test_a_limit_of_a_length() -> None:
    text = "limit step = 10.\ntick step minutes.\nP(X, T) :- Q(X, T).\nquery P(X, T)."
    assert parse(text).plan.tick == 600_000_000
    assert parse(text, limits={"step": 20}).plan.tick == 1_200_000_000


def test_what_is_in_quotes_is_a_text() -> None:
    text = 'limit hot = 90.\nP(X, T) :- Q(X, "hot", T), Q(X, V, T), V > hot.\nquery P(X, T).'
    with pytest.raises(antelog.ProgramError, match="E302"):
        parse(text)  # a column of numbers and texts
    document = parse_statements(Source(text)).document
    assert to_text(document) == text + "\n"


def test_names_are_printed_whatever_is_set() -> None:
    statements = [line for line in RULES.splitlines() if line]
    printed = to_text(parse(RULES, limits={"hot": 85}).document).splitlines()
    assert printed == [each.replace("V - hot", "V-hot").replace("T + p", "T+p") for each in statements]


def test_values_from_outside_are_checked() -> None:
    with pytest.raises(DataError, match=r"no limit hott\. Did you mean hot\?"):
        parse(RULES, limits={"hott": 85})
    with pytest.raises(DataError, match=r"no limit hot\. It has none"):
        parse(NUMBERS, limits={"hot": 85})
    for wrong in ({"hot": "85"}, {"hot": float("nan")}, {"hot": 10**400}, ["hot"]):
        with pytest.raises(DataError, match="a dictionary from the names of limits to numbers"):
            parse(RULES, limits=wrong)  # type: ignore[arg-type]  # what a user may give


def test_a_program_with_errors_says_these() -> None:
    with pytest.raises(antelog.ProgramError, match="E001"):
        parse(RULES + "P(X", limits={"hott": 85})
    with pytest.raises(antelog.ProgramError, match="the limit patience is -1"):
        parse(RULES, limits={"patience": -1})
