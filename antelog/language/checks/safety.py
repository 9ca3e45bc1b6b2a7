"""Safety: every variable gets its values from somewhere."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from antelog.diagnostics import Diagnostic
from antelog.language import syntax
from antelog.language.checks.sorts import sorts_of
from antelog.language.checks.unguarded import comparable
from antelog.language.parser import Parsed
from antelog.language.printer import to_text
from antelog.language.syntax import Anonymous, Comparison, Term, Variable, variable_of
from antelog.language.vocabulary import Vocabulary


@dataclass(frozen=True)
class _Looked:
    """A rule; its variables in atoms without `not`, and in those with it; which variables are times."""

    rule: syntax.Rule
    positive: set[str]
    negated: set[str]
    sorts: dict[str, bool]
    vocabulary: Vocabulary


def check_safety(parsed: Parsed, vocabulary: Vocabulary) -> Iterator[Diagnostic]:
    for rule in parsed.document.rules:
        looked = _Looked(rule, *syntax.in_atoms(rule), sorts_of(rule, vocabulary), vocabulary)
        yield from _check_head(looked)
        yield from _check_comparisons(looked)
        yield from _check_negations(looked)


def _check_head(looked: _Looked) -> Iterator[Diagnostic]:
    rule, negated = looked.rule, looked.negated
    static = looked.vocabulary.is_static(rule.head.predicate)
    bound = looked.positive if static else looked.positive | negated
    compared = {v for c in rule.body if isinstance(c, Comparison) for v in syntax.compared(c)}
    reported: set[str] = set()
    for term in rule.head.terms:
        name = variable_of(term)
        if isinstance(term, Anonymous):
            message = "the head of a rule cannot have `_`: it says which values the rule derives"
            yield Diagnostic("E401", message, term.span, "Write a variable of the body, or a constant.")
        elif name is not None and name not in bound | compared | reported:
            reported.add(name)
            message = f"{name} occurs in the head but in no atom of the body"
            message += " without `not`" if name in negated else ""
            hint = f"Add a condition that says which values {name} has, or write a constant."
            if looked.sorts.get(name):
                hint = f"Add a condition that says at which times {name} the head holds, or write a number."
            if not rule.body:
                message = f"`{to_text(rule.head)}` is a fact, and facts have no variables"
                hint = "Write constants, or add conditions behind `:-`."
            yield Diagnostic("E401", message, term.span, hint)


def _check_comparisons(looked: _Looked) -> Iterator[Diagnostic]:
    rule, negated, sorts = looked.rule, looked.negated, looked.sorts
    for comparison in rule.body:
        if not isinstance(comparison, Comparison):
            continue
        for side in (comparison.left, comparison.right):
            name = variable_of(side)
            if isinstance(side, Anonymous):
                message = "`_` has no value that could be compared"
                yield Diagnostic("E402", message, side.span, "Name the variable and use it in an atom too.")
            elif name is None or name in looked.positive or (name in negated and sorts.get(name)):
                continue
            elif name in negated and comparable(rule, comparison, name, looked.vocabulary):
                pass  # an unguarded variable, which may be anything
            elif name in negated and any(variable_of(term) == name for term in rule.head.terms):
                message = f"{name} is compared, but occurs only under `not`, where it may have any value"
                hint = (
                    f"Add a condition without `not` that says which values {name} has. Without one, it can "
                    "be compared with constants by `=` and `!=` only."
                )
                yield Diagnostic("E402", message, side.span, hint)
            elif name in negated:
                message = f"{name} is compared, but occurs only under `not`, which gives it no value"
                hint = (
                    f"If no such {name} may exist, derive a predicate from the atom and the comparison, and "
                    f"negate that. Else add a condition without `not` that says which values {name} has."
                )
                yield Diagnostic("E402", message, side.span, hint)
            else:
                message = f"{name} is compared, but no atom in the body of the rule gives it a value"
                yield Diagnostic("E402", message, side.span, _where_from(name, side, comparison, sorts))


def _where_from(name: str, side: Term, comparison: Comparison, sorts: dict[str, bool]) -> str:
    """What to do about a variable that is compared and has no value."""
    other = comparison.right if side is comparison.left else comparison.left
    if comparison.operator == "=" and isinstance(side, Variable) and variable_of(other) != name:
        return f"Remove the comparison and write `{to_text(other)}` where {name} stands."
    if sorts.get(name):
        return f"Use {name} as the time of an atom in the body: it says at which times the head may hold."
    return f"Use {name} in an atom of the body."


def _check_negations(looked: _Looked) -> Iterator[Diagnostic]:
    rule, vocabulary = looked.rule, looked.vocabulary
    in_head = syntax.variables_of(rule.head.terms)
    reported = {
        v
        for c in rule.body
        if isinstance(c, Comparison)
        for v in syntax.compared(c)
        if not looked.sorts.get(v) and not comparable(rule, c, v, vocabulary)
    }
    if vocabulary.is_static(rule.head.predicate):
        reported |= in_head
    for atom, is_negated in syntax.atoms_of(rule):
        if not is_negated:
            continue
        static = vocabulary.is_static(atom.predicate)
        if not static and atom.terms and isinstance(atom.terms[-1], Anonymous):
            message = f"`not {to_text(atom)}` would be certain only when time has ended"
            hint = "Give the negated atom a time that the rest of the rule has, such as T or T+1."
            yield Diagnostic("E403", message, atom.span, hint)
        for term in atom.terms:
            name = variable_of(term)
            if name is None or name in looked.positive or name in reported:
                continue
            if static:
                reported.add(name)
                message = f"{name} occurs only under `not`, so nothing says which values to try"
                hint = f"Add a condition without `not` that says which values {name} has"
                hint += "." if name in in_head else ", or write `_` if there must be no fact at all."
                yield Diagnostic("E403", message, term.span, hint)
