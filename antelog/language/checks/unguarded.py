"""Variables that stand under negation, but in no atom without `not`.

One that the head has, too, is unguarded: it ranges over everything, and a time over every tick. One
that the head does not have asks whether the negation holds for *some* value, which it nearly always does.
"""

from __future__ import annotations

from collections.abc import Iterator

from antelog.diagnostics import Diagnostic
from antelog.language import syntax
from antelog.language.checks.safety import compared, comparisons
from antelog.language.checks.sorts import sorts_of
from antelog.language.parser import Parsed
from antelog.language.printer import to_text
from antelog.language.syntax import Constant, Term, variable_of
from antelog.language.vocabulary import Kind, Vocabulary


def check_unguarded(parsed: Parsed, vocabulary: Vocabulary) -> Iterator[Diagnostic]:
    for rule in parsed.document.rules:
        if vocabulary.is_static(rule.head.predicate):
            continue
        times = {name for name, is_time in sorts_of(rule, vocabulary).items() if is_time}
        under = _under_negation_only(rule, vocabulary)
        yield from _check_negated_only(rule, under, times)
        yield from _check_time(rule, under, times, vocabulary)
        yield from _check_several(rule, under, times)


def _under_negation_only(rule: syntax.Rule, vocabulary: Vocabulary) -> dict[str, Term]:
    """The variables of negated atoms that are in no others, each with its first place.

    Negated static atoms do not count: what they lack is reported elsewhere.
    """
    positive, _ = syntax.in_atoms(rule)
    found: dict[str, Term] = {}
    for atom, is_negated in syntax.atoms_of(rule):
        for term in atom.terms if is_negated and not vocabulary.is_static(atom.predicate) else ():
            name = variable_of(term)
            if name is not None and name not in positive:
                found.setdefault(name, term)
    return found


def _check_negated_only(rule: syntax.Rule, under: dict[str, Term], times: set[str]) -> Iterator[Diagnostic]:
    named = compared(rule) - times  # reported with their comparisons
    for name, term in under.items():
        if name in syntax.variables_of(rule.head.terms) or name in named:
            continue
        kind = "time" if name in times else "value"
        message = (
            f"{name} occurs only under `not`: the rule would hold if the atom is false for just one {kind}"
        )
        hint = (
            f'That is nearly always so. Write `_` to say "for no {kind} at all"; else add a condition '
            f"without `not` that says which values {name} has."
        )
        if name in times:
            hint = (
                "If it is to hold at none of these times, derive a predicate that holds when it does "
                f"at one of them, and negate that. Else add a condition without `not` on {name}."
            )
        yield Diagnostic("E404", message, term.span, hint)


def _check_time(
    rule: syntax.Rule, under: dict[str, Term], times: set[str], vocabulary: Vocabulary
) -> Iterator[Diagnostic]:
    """A fact must not give an answer at every later tick."""
    facts = [
        atom
        for atom, is_negated in syntax.atoms_of(rule)
        if not is_negated and vocabulary[atom.predicate].kind is Kind.INPUT
    ]
    last = rule.head.terms[-1] if rule.head.terms else None
    name = last and variable_of(last)
    if last is None or name is None or name not in under.keys() & times or not facts:
        return
    if _is_bounded(rule, name):
        return
    message = f"{name} has no upper bound: it occurs only under `not`, so one fact of {facts[0].predicate} "
    message += "would have an answer at every tick to come"
    other = variable_of(facts[0].terms[-1]) if facts[0].terms else None
    example = f"{name} <= {other} + 10" if other else f"{name} <= 100"
    hint = f"Say up to when, such as `{example}`, or add a condition without `not` about the ticks {name}."
    yield Diagnostic("E405", message, last.span, hint)


def _is_bounded(rule: syntax.Rule, name: str) -> bool:
    """Whether some comparison says how late a time may be."""
    positive, _ = syntax.in_atoms(rule)
    for comparison in comparisons(rule):
        for one, other, upper in (
            (comparison.left, comparison.right, ("<", "<=", "=")),
            (comparison.right, comparison.left, (">", ">=", "=")),
        ):
            known = isinstance(other, Constant) or variable_of(other) in positive
            if variable_of(one) == name and comparison.operator in upper and known:
                return True
    return False


def _check_several(rule: syntax.Rule, under: dict[str, Term], times: set[str]) -> Iterator[Diagnostic]:
    names = [name for name in under if name in syntax.variables_of(rule.head.terms) and name not in times]
    if len(names) < 2:
        return
    message = (
        f"{' and '.join(names)} occur only under `not`, so every combination of values would be an answer"
    )
    hint = "Add a condition without `not` that says which values they have, for all of them but one."
    head = next(t for t in rule.head.terms if variable_of(t) == names[1])
    message += f" of `{to_text(rule.head)}`"
    yield Diagnostic("E406", message, head.span, hint)
