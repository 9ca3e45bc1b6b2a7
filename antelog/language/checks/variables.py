"""Variables that are probably misspelt: used once, and much like another of the rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from antelog.diagnostics import Diagnostic, Span
from antelog.language import syntax
from antelog.language.checks.suggestions import similar
from antelog.language.parser import Parsed
from antelog.language.syntax import Comparison, Term, variable_of
from antelog.language.vocabulary import Vocabulary


def check_similar_variables(parsed: Parsed, _vocabulary: Vocabulary) -> Iterator[Diagnostic]:
    for rule in parsed.document.rules:
        places: dict[str, Span] = {}
        count: Counter[str] = Counter()
        for term in _terms(rule):
            name = variable_of(term)
            if name is not None:
                count[name] += 1
                places.setdefault(name, term.span)
        for name, span in places.items():
            near = similar(name, [other for other in count if count[other] > 1]) if count[name] == 1 else []
            if near:
                message = f"{name} occurs only once in this rule"
                hint = f"Did you mean {' or '.join(near)}? If any value will do, write `_`."
                yield Diagnostic("W105", message, span, hint)


def _terms(rule: syntax.Rule) -> Iterator[Term]:
    yield from rule.head.terms
    for literal in rule.body:
        if isinstance(literal, Comparison):
            yield from (literal.left, literal.right)
        else:
            yield from (literal.atom if isinstance(literal, syntax.Negation) else literal).terms
