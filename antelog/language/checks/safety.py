"""Safety: every variable gets its values from somewhere."""

from __future__ import annotations

from collections.abc import Iterator

from antelog.diagnostics import Diagnostic
from antelog.language import syntax
from antelog.language.checks.sorts import sorts_of
from antelog.language.parser import Parsed
from antelog.language.printer import to_text
from antelog.language.syntax import Anonymous, Comparison, variable_of
from antelog.language.vocabulary import Vocabulary


def check_safety(parsed: Parsed, vocabulary: Vocabulary) -> Iterator[Diagnostic]:
    for rule in parsed.document.rules:
        sorts = sorts_of(rule, vocabulary)
        positive, negated = _variables(rule)
        yield from _check_head(rule, positive, negated, vocabulary)
        yield from _check_comparisons(rule, positive, negated, sorts)
        yield from _check_negations(rule, positive, sorts, vocabulary)


def _variables(rule: syntax.Rule) -> tuple[set[str], set[str]]:
    """The variables of the rule's positive atoms, and those of its negated ones."""
    sides: tuple[set[str], set[str]] = (set(), set())
    for atom, is_negated in syntax.atoms_of(rule):
        sides[is_negated].update(v for t in atom.terms if (v := variable_of(t)))
    return sides


def _check_head(
    rule: syntax.Rule, positive: set[str], negated: set[str], vocabulary: Vocabulary
) -> Iterator[Diagnostic]:
    static = vocabulary.is_static(rule.head.predicate)
    bound = positive if static else positive | negated
    compared = {v for c in rule.body if isinstance(c, Comparison) for v in _sides(c)}
    reported: set[str] = set()
    for term in rule.head.terms:
        name = variable_of(term)
        if isinstance(term, Anonymous):
            message = "the head of a rule cannot have `_`: it says which values hold"
            yield Diagnostic("E401", message, term.span, "Write a variable of the body, or a constant.")
        elif name is not None and name not in bound | compared | reported:
            reported.add(name)
            message = f"{name} occurs in the head but in no {'positive ' if static else ''}atom of the body"
            hint = f"Add a condition that says which values {name} has, or write a constant."
            if not rule.body:
                message = f"`{to_text(rule.head)}` is a fact, and facts have no variables"
                hint = "Write constants, or add conditions behind `:-`."
            yield Diagnostic("E401", message, term.span, hint)


def _sides(comparison: Comparison) -> Iterator[str]:
    for side in (comparison.left, comparison.right):
        name = variable_of(side)
        if name is not None:
            yield name


def _check_comparisons(
    rule: syntax.Rule, positive: set[str], negated: set[str], sorts: dict[str, bool]
) -> Iterator[Diagnostic]:
    for comparison in rule.body:
        if not isinstance(comparison, Comparison):
            continue
        for side in (comparison.left, comparison.right):
            name = variable_of(side)
            if isinstance(side, Anonymous):
                message = "`_` has no value that could be compared"
                yield Diagnostic("E402", message, side.span, "Name the variable and use it in an atom too.")
            elif name is None or name in positive or (name in negated and sorts.get(name)):
                continue
            elif name in negated:
                message = (
                    f"{name} is compared, but occurs only under negation, where nothing gives it a value"
                )
                hint = f"Add a positive condition that says which values {name} has."
                yield Diagnostic("E402", message, side.span, hint)
            else:
                message = f"{name} is compared, but no atom of the rule gives it a value"
                hint = f"Use {name} in an atom of the body."
                yield Diagnostic("E402", message, side.span, hint)


def _check_negations(
    rule: syntax.Rule, positive: set[str], sorts: dict[str, bool], vocabulary: Vocabulary
) -> Iterator[Diagnostic]:
    in_head = {v for t in rule.head.terms if (v := variable_of(t))}
    reported: set[str] = set()
    for atom, is_negated in syntax.atoms_of(rule):
        if not is_negated:
            continue
        static = vocabulary.is_static(atom.predicate)
        if not static and atom.terms and isinstance(atom.terms[-1], Anonymous):
            message = f"`not {to_text(atom)}` would be certain only when time has ended"
            hint = "Give the negated atom a time the rest of the rule knows, such as T or T+1."
            yield Diagnostic("E403", message, atom.span, hint)
        for term in atom.terms:
            name = variable_of(term)
            if name is None or name in positive or name in reported:
                continue
            if static:
                reported.add(name)
                message = f"{name} occurs only under negation, and {atom.predicate} is static"
                hint = f"Add a positive condition that says which values {name} has, or write `_`."
                yield Diagnostic("E403", message, term.span, hint)
            elif name not in in_head:
                reported.add(name)
                kind = "time" if sorts.get(name) else "value"
                message = (
                    f"{name} occurs only under negation: any {kind} for which the negation holds will do"
                )
                hint = f"Write `_` for `no {kind} at all`, or add a positive condition for {name}."
                if sorts.get(name):
                    hint = f"Add a positive condition that says which times {name} has."
                yield Diagnostic("W103", message, term.span, hint)
