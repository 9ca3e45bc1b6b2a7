"""antelog/language/checks/{names,safety,sorts,static,suggestions,unguarded,unused,variables}.py: rules."""

import pytest

from antelog.diagnostics import Source
from antelog.language import read
from antelog.language.checks.suggestions import did_you_mean, similar

DECLARED = "input P(x, time). input Q(x, n, time). static Site(x).\n"
QUERY = "\nquery A(X, T)."


def _found(rule: str) -> list[tuple[str, str]]:
    """The codes of what is said of a rule, each with the text it points at."""
    text = DECLARED + rule + QUERY
    unused = "W102"  # of the declarations each rule needs some only
    return [
        (each.code, text[each.span.start : each.span.end])
        for each in read(Source(text)).diagnostics
        if each.code != unused
    ]


@pytest.mark.parametrize(
    "rule",
    [
        "A(X, T) :- P(X, T).",
        "A(X, T) :- Q(X, N, T), N > 3, not P(X, T+1).",
        "A(X, T) :- P(X, T), Site(X), not P(X, T+2).",
        "A(X, T) :- not P(X, T).",
        "A(X, T) :- P(X, T), P(X, U), U > T, U <= T+5.",
    ],
)
def test_nothing_is_wrong(rule: str) -> None:
    assert _found(rule) == []


@pytest.mark.parametrize(
    ("rule", "code", "place"),
    [
        # names
        ("A(X, T) :- P(X, T), Q(X, T).", "E202", "Q(X, T)"),
        # sorts
        ("A(X, T) :- P(X, T), P(T, X).", "E301", "T"),
        ("A(X, T) :- P(X, T), T > 0.5.", "E301", "T > 0.5"),
        # safety
        ("A(X, T) :- P(Y, T), Site(Y).", "E401", "X"),
        ("A(X, T) :- P(X, T), V > 3.", "E402", "V"),
        ("A(X, T) :- P(X, T), not P(X, _).", "E403", "P(X, _)"),
        # unguarded
        ("A(X, T) :- P(Y, T), Site(Y), not Q(X, 1, U).", "E404", "U"),
        # variables
        ("A(Xyz, T) :- P(Xyz, T), Q(Xyzz, 3, T).", "W105", "Xyzz"),
        ("A(X, T) :- P(X, T), Q(Mark, 3, T).", "W109", "Mark"),
    ],
)
def test_a_mistake_has_its_code_and_its_place(rule: str, code: str, place: str) -> None:
    assert (code, place) in _found(rule)


def test_what_no_query_needs_is_told() -> None:
    text = DECLARED + "A(X, T) :- P(X, T)." + QUERY
    unused = [d for d in read(Source(text)).diagnostics if d.code == "W102"]
    assert {text[d.span.start : d.span.end] for d in unused} == {"Q", "Site"}


def test_rules_for_background_rest_on_background() -> None:
    text = "static Site(x). static Far(x). input P(x, time).\n"
    text += "Far(X) :- {}.\nA(X, T) :- P(X, T), Far(X). query A(X, T)."
    assert read(Source(text.format("Site(X)"))).ok
    assert not read(Source(text.format("P(X, T)"))).ok


def test_suggestions() -> None:
    assert did_you_mean("Tepm", ["Temp", "Wind"]) == "Did you mean Temp?"
    assert did_you_mean("Rain", ["Temp", "Wind"]) == ""
    assert similar("Temp1", ["Temp2"]) == []  # those are meant to differ
    assert similar("temp", ["Temp"]) == ["Temp"]
