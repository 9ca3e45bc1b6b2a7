"""antelog/language/parser.py: programs beyond all measure are refused at once, and large ones are not."""

from __future__ import annotations

import pytest

from antelog import ProgramError, parse
from antelog.diagnostics import Source
from antelog.language import parser

RULE = "P(X, T) :- A(X, T). query P(X, T)."


def _columns(count: int) -> str:
    return ", ".join(f"X{i}" for i in range(count))


WRONG = {
    "name": (f"P{'a' * 10**6}(X, T) :- A(X, T).", "more than 10000 characters"),
    "quoted": (f'P(X, T) :- A(X, "{"a" * 10**6}", T).', "more than 10000 characters"),
    "number": (f"P(X, T) :- A(X, {'7' * 10**6}, T).", "more than 10000 characters"),
    "unfinished": (f"P(X, T) :- A(X, T), {'a' * 10**6}", "more than 10000 characters"),
    "columns": (f"P({_columns(20_000)}, T) :- A({_columns(20_000)}, T).", "20001 columns; 1000"),
    "input": (f"input A({_columns(1_000).lower()}, time).", "1001 columns; 1000"),
    "delay": (f"delay A({_columns(1_000)}, T) = 1.", "1001 columns; 1000"),
    "negated": (f"P(X, T) :- A(X, T), not B({_columns(1_000)}, T).", "1001 columns; 1000"),
    "conditions": (f"P(X, T) :- A(X, T){', X != 1' * 20_000}.", "20001 conditions; 5000"),
    "deep": (f"P(X, T) :- A(X, V, T), V > {' + '.join('V' * 1_000)}.", "more than 100 calculations"),
    "nested": (f"P(X, T) :- A(X, V, T), V > {'abs(' * 500}V{')' * 500}.", "more than 100 calculations"),
    "unread": ("." * 10**6, "more than 1000 statements cannot be read"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_too_large_is_refused_with_its_limit(name: str) -> None:
    text, reason = WRONG[name]
    with pytest.raises(ProgramError) as error:
        parse(f"{RULE}\n{text}")
    last = error.value.diagnostics[-1]
    assert (last.code, last.name) == ("E003", "too-large")
    assert reason in last.message
    assert last.hint
    assert last.span.start >= len(RULE)


def test_too_many_statements(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parser, "MOST_RULES", 3)
    monkeypatch.setattr(parser, "MOST_STATEMENTS", 6)
    assert [*parse("static S(a). S(a). S(b). S(c). P(X, T) :- A(X, T), S(X). query P(X, T).").plan.queries]
    with pytest.raises(ProgramError, match=r"more than 3 rules and declarations"):
        parse(RULE + "Q(X, T) :- A(X, T). query Q(X, T).")
    with pytest.raises(ProgramError, match=r"more than 6 statements"):
        parse("static S(a)." + "S(a)." * 6 + RULE)
    with pytest.raises(ProgramError, match=r"more than 6 statements"):
        parse("static S(a)." + "S(a)." * 9)


def test_a_text_that_is_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parser, "LONGEST_TEXT", 50)
    (found,) = parser.parse(Source(RULE * 2)).diagnostics
    assert "has 68 characters; 50 are the most" in found.message


def test_what_is_large_is_read() -> None:
    assert [*parse(f"% {'=' * 10**6}\n{RULE}").plan.queries], "lines that divide"
    assert [*parse(f'P(X, T) :- A(X, "{"a" * 9_000}", T). query P(X, T).').plan.queries]
    assert [*parse(f"P(X0, T) :- A({_columns(900)}, T). query P(X0, T).").plan.queries]
    assert [*parse(f"P(X, T) :- A(X, T){', X != 1' * 2_000}. query P(X, T).").plan.queries]
    assert [*parse(f"P(X, T) :- A(X, V, T), V > {' + '.join('V' * 90)}. query P(X, T).").plan.queries]
