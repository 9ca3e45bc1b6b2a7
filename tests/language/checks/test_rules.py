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


def test_suggestions() -> None:
    assert did_you_mean("Tepm", ["Temp", "Wind"]) == "Did you mean Temp?"
    assert did_you_mean("Rain", ["Temp", "Wind"]) == ""
    assert similar("Temp1", ["Temp2"]) == []  # those are meant to differ
    assert similar("temp", ["Temp"]) == ["Temp"]
