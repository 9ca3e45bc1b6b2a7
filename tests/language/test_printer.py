"""antelog/language/printer.py: what is printed can be read, and reads as the same."""

import pytest
from hypothesis import given

from antelog.diagnostics import Source
from antelog.language import syntax
from antelog.language.parser import parse
from antelog.language.printer import to_text, value_text
from antelog.language.syntax import Value
from tests.language.documents import DOCUMENTS


@given(DOCUMENTS)
def test_round_trip(document: syntax.Document) -> None:
    text = to_text(document)
    parsed = parse(Source(text))
    assert parsed.diagnostics == ()
    assert parsed.document == document
    assert to_text(parsed.document) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("high", "high"),
        ("High", '"High"'),
        ("n/a", '"n/a"'),
        ("", '""'),
        ("42", '"42"'),
        ("_", '"_"'),
        ("not", '"not"'),
        ("window", '"window"'),
        ("größe", "größe"),
        ('say "hi"', '"say \\"hi\\""'),
        ("two\nlines", '"two\\nlines"'),
        (91, "91"),
        (91.0, "91"),
        (-0.5, "-0.5"),
    ],
)
def test_constants_have_quotes_only_where_needed(value: Value, text: str) -> None:
    assert value_text(value) == text


def test_a_sum_with_nothing_is_in_parentheses_where_others_are() -> None:
    rule = "P(X, T) :- R(X, V, T), R(X, W, T+1), (W+0) * V >= 5."
    (parsed,) = parse(Source(rule)).document.rules
    assert to_text(parsed) == rule
