"""Programs and facts written differently, in ways that must not matter."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

from antelog.language import syntax
from antelog.language.printer import to_text, value_text
from tests.strategies import Case

Fact: TypeAlias = tuple[str, tuple[syntax.Value, ...], int]
ON, OFF = "on", "off"


def _with_atoms(document: syntax.Document, change: Callable[[syntax.Atom], syntax.Atom]) -> syntax.Document:
    """The document with every atom changed, in rules and queries."""

    def literal(node: syntax.Literal) -> syntax.Literal:
        if isinstance(node, syntax.Negation):
            return replace(node, atom=change(node.atom))
        if isinstance(node, syntax.Last):
            atom = change(node.atom)
            named = tuple(atom.terms[node.atom.terms.index(term)] for term in node.per)
            # What is added to an atom of an input names its slot as well.
            added = (atom.terms[-2],) if named and len(atom.terms) > len(node.atom.terms) else ()
            return replace(node, atom=atom, per=(*named, *added))
        if isinstance(node, syntax.Aggregation):
            right = aggregate(node.right) if isinstance(node.right, syntax.Aggregate) else node.right
            return replace(node, left=aggregate(node.left), right=right)
        return change(node) if isinstance(node, syntax.Atom) else node

    def aggregate(node: syntax.Aggregate) -> syntax.Aggregate:
        return replace(node, atom=change(node.atom))

    def statement(node: syntax.Statement) -> syntax.Statement:
        if isinstance(node, syntax.Rule):
            return replace(node, head=change(node.head), body=tuple(map(literal, node.body)))
        return replace(node, atom=change(node.atom)) if isinstance(node, syntax.Query) else node

    return syntax.Document(tuple(map(statement, document.statements)))


# ---- other names for the constants ----


def renamed(case: Case, names: Mapping[str, str]) -> Case:
    """The case with other texts in the program and in the facts."""

    def term(node: syntax.Term) -> syntax.Term:
        if isinstance(node, syntax.Constant) and isinstance(node.value, str):
            return syntax.Constant(names[node.value])
        return node

    def statement(node: syntax.Statement) -> syntax.Statement:
        if isinstance(node, syntax.Delay):
            return replace(node, pattern=tuple(map(term, node.pattern)))
        if isinstance(node, syntax.Rule):
            return replace(node, body=tuple(map(compared, node.body)))
        return node

    def compared(node: syntax.Literal) -> syntax.Literal:
        if isinstance(node, syntax.Comparison):
            return replace(node, left=term(node.left), right=term(node.right))
        return node

    document = _with_atoms(case.checked.document, lambda a: replace(a, terms=tuple(map(term, a.terms))))
    text = to_text(syntax.Document(tuple(map(statement, document.statements))))

    def value(given: syntax.Value) -> syntax.Value:
        return names[given] if isinstance(given, str) else given

    facts = tuple((name, tuple(map(value, values)), tick) for name, values, tick in case.facts)
    return Case(text, facts, case.until)


def with_names(log: list[dict[str, Any]], names: Mapping[str, str]) -> list[dict[str, Any]]:
    """The lines of a log with other texts, in an order that does not depend on these."""
    printed = {value_text(one): value_text(other) for one, other in names.items()}
    # A whole argument or side of a comparison: texts stand between parentheses, commas, blanks.
    word = re.compile(rf"(?<=[( ])({'|'.join(map(re.escape, printed))})(?=[,) ]|$)")

    def value(given: Any) -> Any:
        if isinstance(given, dict):
            return {key: inside(key, each) for key, each in given.items()}
        if isinstance(given, list):
            return sorted(map(value, given), key=str)
        # Values of columns that may hold numbers as well are written as in programs.
        return names.get(given, printed.get(given, given)) if isinstance(given, str) else given

    def text(given: str) -> str:
        return word.sub(lambda found: printed[found[0]], given)

    def inside(key: str, given: Any) -> Any:
        if key in ("change", "query"):
            return given
        if key in ("evidence", "hypotheses", "because", "lost") and given is not None:
            return sorted(map(text, given))
        if key == "literal":
            return text(given)
        return value(given)

    return sorted((value(row) for row in log), key=str)


def compares_texts_by_order(case: Case) -> bool:
    """Whether it matters which of two texts comes first: a rule asks, or it decides which fact has a slot."""
    if any(isinstance(d, syntax.Input) and d.one_per is not None for d in case.checked.document.declarations):
        return True
    return any(
        isinstance(literal, syntax.Comparison)
        and literal.operator not in ("=", "!=")
        and {syntax.variable_of(literal.left), syntax.variable_of(literal.right)} & {"X", "Y"}
        for rule in case.checked.document.rules
        for literal in rule.body
    )


# ---- facts that no rule speaks of ----


def switched(case: Case) -> Case:
    """The case with one more column in each input, about which every rule says `on`; so are the facts."""
    document = case.checked.document
    inputs = {each.name for each in document.declarations if isinstance(each, syntax.Input)}

    def atom(node: syntax.Atom) -> syntax.Atom:
        if node.predicate not in inputs:
            return node
        return replace(node, terms=(*node.terms[:-1], syntax.Constant(ON), node.terms[-1]))

    def statement(node: syntax.Statement) -> syntax.Statement:
        if isinstance(node, syntax.Input):
            column = syntax.Column("switch", "text")
            slot = None if node.one_per is None else (*node.one_per, syntax.Column(column.name))
            return replace(node, columns=(*node.columns[:-1], column, node.columns[-1]), one_per=slot)
        if isinstance(node, syntax.Delay):
            return replace(node, pattern=(*node.pattern[:-1], syntax.Anonymous(), node.pattern[-1]))
        return node

    document = _with_atoms(case.checked.document, atom)
    text = to_text(syntax.Document(tuple(map(statement, document.statements))))
    facts = tuple(_switched(fact, ON) if fact[0] in inputs else fact for fact in case.facts)
    return Case(text, facts, case.until)


def switched_off(case: Case) -> Iterator[Fact]:
    """Facts that no rule of the switched case speaks of: its own facts, but `off`."""
    for name, values, tick in case.facts:
        if values[-2:-1] == (ON,):
            yield _switched((name, (*values[:-2], values[-1]), tick), OFF)


def _switched(
    fact: tuple[str, tuple[syntax.Value, ...], int], value: str
) -> tuple[str, tuple[syntax.Value, ...], int]:
    name, values, tick = fact
    return name, (*values[:-1], value, values[-1]), tick


# ---- rules whose facts never come ----


def with_idle_rules(case: Case) -> Case | None:
    """The case with one more rule for each query, whose facts never come; None if a rule rests on a query."""
    document, lines = case.checked.document, ["input Never(time)."]
    rested_on = {atom.predicate for rule in document.rules for atom, _ in syntax.atoms_of(rule)}
    for query in document.queries:
        head, time = query.atom, query.atom.terms[-1]
        names = list(dict.fromkeys(filter(None, map(syntax.variable_of, head.terms[:-1]))))
        if head.predicate in rested_on or isinstance(time, syntax.Constant):
            return None
        idle = syntax.Atom(f"{head.predicate}Idle", (*map(syntax.Variable, names), time))
        rule = syntax.Rule(head, (idle,))
        lines.append(f"input {head.predicate}Idle({', '.join([*map(str.lower, names), 'time'])}).")
        lines.append(to_text(rule).removesuffix(".") + ", Never(Sometime).")
    return Case("\n".join((case.text, *lines)), case.facts, case.until)
