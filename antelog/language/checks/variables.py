"""Variables that are used once, and probably meant to be something else: another variable, or a value."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from antelog.diagnostics import Diagnostic
from antelog.language import syntax
from antelog.language.checks.suggestions import similar
from antelog.language.parser import Parsed
from antelog.language.syntax import Term, Variable, variable_of
from antelog.language.vocabulary import Vocabulary


def check_lone_variables(parsed: Parsed, vocabulary: Vocabulary) -> Iterator[Diagnostic]:
    for rule in parsed.document.rules:
        terms = [term for term in _terms(rule) if variable_of(term)]
        count = Counter(map(variable_of, terms))
        repeated = [name for name in count if name and count[name] > 1]
        like_values = {id(term) for term in _like_values(rule, vocabulary)}
        for term in terms:
            name = variable_of(term)
            if name is None or count[name] > 1:
                continue
            message = f"{name} occurs only once in this rule"
            near = similar(name, repeated)
            if near:
                hint = f"Did you mean {' or '.join(near)}? If any value will do, write `_`."
                yield Diagnostic("W105", message, term.span, hint)
            elif id(term) in like_values:
                message += ": it is a variable, for it begins with a capital letter, and stands for any value"
                hint = f'If you mean the text, write `"{name}"`; if any value will do, write `_`.'
                yield Diagnostic("W109", message, term.span, hint)


_WORD = re.compile(r"[A-Z][a-z]{2,}|[A-Z]{4,}")


def _like_values(rule: syntax.Rule, vocabulary: Vocabulary) -> Iterator[Variable]:
    """Variables that look like texts, in columns that are not called so.

    Those under `not` alone are warned of anyway.
    """
    for atom, is_negated in syntax.atoms_of(rule):
        if is_negated:
            continue
        predicate = vocabulary[atom.predicate]
        columns = predicate.columns if predicate.declared else ()
        for term, column in zip(atom.terms, columns, strict=False):
            if isinstance(term, Variable) and _WORD.fullmatch(term.name):
                alike = term.name.lower() in column.lower() or column.lower() in term.name.lower()
                if not alike and not similar(term.name, [column]):
                    yield term


def _terms(rule: syntax.Rule) -> Iterator[Term]:
    yield from rule.head.terms
    for literal in rule.body:
        yield from literal.operands
