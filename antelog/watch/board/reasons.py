"""Which rules are behind an explanation, and where in the program they stand.

    rules_behind(program, "Malf", {"Temp"})    the rules that lead from Temp to Malf, as they are written

In come a program, a query and the predicates of an explanation's literals; out go rules with their places.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from antelog.language.syntax import Rule, atoms_of
from antelog.program import Program


@dataclass(frozen=True)
class Reason:
    """A rule: its text, and the line of the program at which it begins."""

    text: str
    line: int


def rules_behind(program: Program, query: str, predicates: Collection[str]) -> list[Reason]:
    """The rules through which the query can rest on these predicates, in the program's order."""
    rules = [rule for rule in program.document.rules if rule.body]
    plan = next((each for each in program.plan.queries if each.name == query), None)
    leading = _leading(rules, predicates)
    wanted, found = [plan.predicate if plan else query], []
    seen = set(wanted)
    while wanted:
        head = wanted.pop()
        for rule in rules:
            # What the explanation has as a literal is not followed further.
            if rule.head.predicate != head or not _rests(rule, leading):
                continue
            found.append(rule)
            below = {atom.predicate for atom, negated in atoms_of(rule) if not negated} - seen
            seen |= below
            wanted += [each for each in below if each in leading and each not in predicates]
    places = {
        rule.span: Reason(_text(program, rule), program.source.place(rule.span.start)[0]) for rule in found
    }
    return sorted(places.values(), key=lambda each: each.line)


def _leading(rules: list[Rule], predicates: Collection[str]) -> set[str]:
    """The predicates that rest on these, and themselves."""
    leading, before = set(predicates), -1
    while len(leading) != before:
        before = len(leading)
        leading |= {rule.head.predicate for rule in rules if _rests(rule, leading)}
    return leading


def _rests(rule: Rule, on: Collection[str]) -> bool:
    return any(atom.predicate in on for atom, _ in atoms_of(rule))


def _text(program: Program, rule: Rule) -> str:
    return program.source.text[rule.span.start : rule.span.end]
