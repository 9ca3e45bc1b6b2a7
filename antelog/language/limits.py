"""Limits on the size of a program: beyond them it is refused, before it costs minutes or all memory.

No program somebody wrote comes near these limits; what does is made by a script, or is not a program at all.

    P(X0, X1, …, X19999, T) :- …      this atom has 20001 columns; a predicate may have 1000 at most
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lark import Token, Tree

from antelog.diagnostics import Diagnostic, Span
from antelog.language import syntax

LONGEST_TEXT = 50_000_000
LONGEST_WORD = 10_000
MOST_STATEMENTS = 40_000
MOST_RULES = 20_000
MOST_QUERIES = 2_000
MOST_UNREAD = 1_000
MOST_COLUMNS = 1_000
MOST_LITERALS = 5_000
DEEPEST = 100

_LONG_WORD = re.compile(rf'(?:\d+\.)?\w{{{LONGEST_WORD + 1},}}|"[^"\n]{{{LONGEST_WORD + 1},}}')
_FACTS_FILE = "Facts of a static predicate may lie in a file: `--static P=FILE`."


def too_long(text: str) -> Diagnostic | None:
    """A text, or a name, number or quoted text in it, that is longer than may be.

    A comment may be as long as it likes, as long as it has spaces.
    """
    if len(text) > LONGEST_TEXT:
        message = f"this program has {len(text)} characters; {LONGEST_TEXT} are the most there may be"
        return _found(message, Span(0, 1), _FACTS_FILE)
    word = _LONG_WORD.search(text)
    if word is None:
        return None
    message = f"this name, number or text has more than {LONGEST_WORD} characters, the most there may be"
    return _found(message, Span(*word.span()), "Use a short name for it, or leave it out.")


def too_many(rules: int, facts: int, queries: int, unread: int, span: Span) -> Diagnostic | None:
    """The diagnostic if the counts of statements up to the one at `span` exceed a limit."""
    if rules > MOST_RULES:
        message = f"there are more than {MOST_RULES} rules and declarations, the most there may be"
        hint = "Rules that differ in a value only can be one rule, with the values in a static predicate. "
        return _found(message, span, hint + _FACTS_FILE)
    if queries > MOST_QUERIES:
        message = f"there are more than {MOST_QUERIES} queries, the most there may be"
        return _found(message, span, "Give what differs in a value only a column, and ask one query.")
    if rules + facts > MOST_STATEMENTS:
        message = f"there are more than {MOST_STATEMENTS} statements, the most there may be"
        return _found(message, span, _FACTS_FILE)
    if unread > MOST_UNREAD:
        message = f"more than {MOST_UNREAD} statements cannot be read; what follows was not looked at"
        return _found(message, span, "Is this a program? Mend the first mistakes, and try again.")
    return None


def too_wide(statement: syntax.Statement) -> Diagnostic | None:
    """A rule with too many literals, or a predicate with too many columns."""
    if isinstance(statement, syntax.Rule) and len(statement.body) > MOST_LITERALS:
        message = f"this rule has {len(statement.body)} conditions; {MOST_LITERALS} are the most there may be"
        hint = "Let other rules derive parts of it. What differs in a value only can be a static predicate."
        return _found(message, statement.span, hint)
    for columns, span in _widths(statement):
        if columns > MOST_COLUMNS:
            message = f"this predicate has {columns} columns; {MOST_COLUMNS} are the most there may be"
            hint = "Name the columns that matter: others in a file are ignored. Or have a row for each value."
            return _found(message, span, hint)
    return None


def too_deep(tree: Tree[Token], span: Span) -> Diagnostic | None:
    """A statement that holds terms within terms, such as a calculation of very many parts."""
    depth, level = 0, [tree]
    while level and depth <= DEEPEST:
        level = [child for each in level for child in each.children if isinstance(child, Tree)]
        depth += 1
    if depth <= DEEPEST:
        return None
    message = f"this is more than {DEEPEST} calculations within each other, the most there may be"
    hint = "Work parts of it out before, as in `D = W - V`. What is added up over facts is a `sum`."
    return _found(message, span, hint)


def _widths(statement: syntax.Statement) -> Iterator[tuple[int, Span]]:
    """The number of columns of each predicate that a statement names, and its span."""
    if isinstance(statement, syntax.Input | syntax.Static | syntax.Function):
        yield len(statement.columns), statement.span
    elif isinstance(statement, syntax.Delay | syntax.Chance):
        yield len(statement.pattern), statement.span
    elif isinstance(statement, syntax.Query):
        yield len(statement.atom.terms), statement.atom.span
    elif isinstance(statement, syntax.Rule):
        for atom in (statement.head, *(atom for atom, _ in syntax.atoms_of(statement))):
            yield len(atom.terms), atom.span


def _found(message: str, span: Span, hint: str) -> Diagnostic:
    return Diagnostic("E003", message, span, hint)
