"""What is told as text, read back into the specification's terms, so that both can be compared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from antelog.diagnostics import Source
from antelog.language import syntax
from antelog.language.parser import parse
from antelog.language.syntax import Comparison, Negation
from tests.specification.answers import Answer, Explanation, explanation
from tests.specification.terms import ANY, OTHERS, Atom, Condition, Denial, Literal, Term, Variable, by_time
from tests.specification.terms import Comparison as Compared


def answer_of(row: Mapping[str, Any], others: Iterable[str] | None) -> Answer:
    """An answer as it is written: null is an open variable, or stands for all `others`."""
    return tuple((name, OTHERS if name in (others or ()) else value) for name, value in row.items())


def explanation_of(told: Mapping[str, Any], own: Iterable[str]) -> Explanation:
    evidence, hypotheses = (map(literal_of, told[part]) for part in ("evidence", "hypotheses"))
    return explanation(evidence, hypotheses, frozenset(own))


def explanations_of(told: Iterable[Mapping[str, Any]], own: Iterable[str]) -> frozenset[Explanation]:
    """Explanations that are all different."""
    names, rows = tuple(own), list(told)
    found = frozenset(explanation_of(each, names) for each in rows)
    assert len(found) == len(rows), f"something is told twice: {rows}"
    return found


def in_order(texts: Iterable[str]) -> list[str]:
    """Literals as they are printed, in the order of the specification."""
    printed = {literal_of(text): text for text in texts}
    return [printed[literal] for literal in by_time(printed)]


def literal_of(text: str) -> Literal:
    """A literal as it is printed: `Reading(a, V, 1) where V >= 90.5`."""
    parsed = parse(Source(f"head(0) :- {text.replace(' where ', ', ')}."))
    assert not parsed.diagnostics, text
    (rule,) = parsed.document.rules
    first, *conditions = rule.body
    ((atom, negated),) = first.atoms
    return Literal(_atom(atom), not negated, frozenset(map(_condition, conditions)))


def _condition(condition: syntax.Literal) -> Condition:
    if isinstance(condition, Comparison):
        return Compared(_term(condition.left), condition.operator, _term(condition.right))
    assert isinstance(condition, Negation), "a background fact is no condition"
    return Denial(_atom(condition.atom))


def _atom(atom: syntax.Atom) -> Atom:
    return Atom(atom.predicate, tuple(map(_term, atom.terms)))


def _term(term: syntax.Term) -> Term:
    match term:
        case syntax.Variable(name):
            return Variable(name)
        case syntax.Shifted(name, shift):
            return Variable(name, shift)
        case syntax.Constant(value):
            return value
        case _:
            return ANY
