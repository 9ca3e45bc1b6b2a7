"""Inputs whose latest values the chances of a query may look at.

query Hot(X, T) given Load(X, L, T).    the latest values of L that have come about X
"""

from __future__ import annotations

from collections.abc import Iterator

from antelog.diagnostics import Diagnostic
from antelog.language.checks.suggestions import did_you_mean
from antelog.language.parser import Parsed
from antelog.language.printer import to_text
from antelog.language.syntax import Anonymous, Atom, Constant, Query, Variable
from antelog.language.vocabulary import PredicateKind, Vocabulary


def check_covariates(parsed: Parsed, vocabulary: Vocabulary) -> Iterator[Diagnostic]:
    """Inputs behind `given` that are none, or of which nothing could be seen."""
    for query in parsed.document.queries:
        for atom in query.given:
            yield from _problems(query, atom, vocabulary)


def _problems(query: Query, atom: Atom, vocabulary: Vocabulary) -> Iterator[Diagnostic]:
    known = vocabulary.predicates.get(atom.predicate)
    if known is None or known.kind is not PredicateKind.INPUT:
        inputs = [p.name for p in vocabulary.predicates.values() if p.kind is PredicateKind.INPUT]
        declared = f"Declare it, as in `input {to_text(atom)}.`" if known is None else "Name an input."
        message = f"{atom.predicate} is not an input, and chances can look at nothing else"
        hint = did_you_mean(atom.predicate, inputs) or declared
        yield Diagnostic("E117", message, atom.name_span, hint)
    elif len(atom.terms) == known.arity:  # any other number is reported elsewhere
        yield from _terms(query, atom)


def _terms(query: Query, atom: Atom) -> Iterator[Diagnostic]:
    *columns, time = atom.terms
    asked = query.atom.terms
    for term in columns:
        if not isinstance(term, Variable | Constant | Anonymous):
            message = f"`{to_text(term)}` is not a variable, a value or `_`"
            yield Diagnostic(
                "E117", message, term.span, "Write a variable alone; nothing is worked out here."
            )
            return
    if not asked or time != asked[-1]:
        wanted = to_text(Atom(atom.predicate, (*columns, asked[-1] if asked else Variable("T"))))
        message = "the values that are looked at are the latest ones at each tick, whatever their time"
        yield Diagnostic("E117", message, time.span, f"Write the time of the query: `given {wanted}`.")
    elif not any(isinstance(term, Variable) and term not in asked for term in columns):
        message = f"there is nothing to look at in `{to_text(atom)}`: all its columns are known or left open"
        hint = "Write a variable that the query does not have for the column with the values."
        yield Diagnostic("E117", message, atom.span, hint)
