"""antelog/language/literals: what each kind of literal says of itself."""

from __future__ import annotations

import pytest

from antelog.diagnostics import Source
from antelog.language.literals import KINDS, Literal
from antelog.language.parser import parse
from antelog.language.printer import KEYWORDS, to_text
from antelog.language.syntax import variables_of

EACH = {
    "atom": "P(X, _, T+1)",
    "negation": "not P(X, high, T)",
    "comparison": "V+0.5 >= 90",
    "aggregation": "count(P(X, _, T-9..T)) >= 3",
    "last": "last P(X, up, T-9..T) per X",
    "first": "first P(X, up, U) after T+1 within 5 per X",
}


def literal_of(text: str) -> Literal:
    (rule,) = parse(Source(f"H(T) :- {text}.")).document.rules
    (literal,) = rule.body
    return literal


def test_there_is_an_example_of_each_kind() -> None:
    assert {name: type(literal_of(text)) for name, text in EACH.items()} == KINDS


@pytest.mark.parametrize("text", EACH.values())
def test_a_literal_reads_as_it_was_written(text: str) -> None:
    assert to_text(literal_of(text)) == text


@pytest.mark.parametrize(
    ("kind", "atoms", "variables"),
    [
        ("atom", [("P(X, _, T+1)", False)], {"X", "T"}),
        ("negation", [("P(X, high, T)", True)], {"X", "T"}),
        ("comparison", [], {"V"}),
        ("aggregation", [("P(X, _, T-9..T)", True)], {"X", "T"}),
        ("last", [("P(X, up, T-9..T)", True)], {"X", "T"}),
        ("first", [("P(X, up, U)", False), ("P(_, _, T+1)", True)], {"X", "T", "U"}),
    ],
)
def test_atoms_and_variables(kind: str, atoms: list[tuple[str, bool]], variables: set[str]) -> None:
    literal = literal_of(EACH[kind])
    assert [(to_text(atom), negated) for atom, negated in literal.atoms] == atoms
    assert variables_of(literal.operands) == variables


def test_the_words_of_literals_are_words_of_the_language() -> None:
    assert "not" in KEYWORDS
    assert all(kind.KEYWORDS <= KEYWORDS for kind in KINDS.values())
    (wrong,) = parse(Source("H(T) :- not(T).")).diagnostics
    assert wrong.code == "E001"
