"""Which constructs of the language a program uses.

Tests on random programs use it to make sure that everything occurs among them.
"""

from __future__ import annotations

from collections.abc import Iterator

from antelog.diagnostics import Source
from antelog.language import Checked, read, syntax
from antelog.language.syntax import Anonymous, Comparison, Constant, Shifted, Variable, variable_of
from antelog.language.vocabulary import Kind

CONSTRUCTS = frozenset(
    {
        "negated derived atom",
        "negated input atom",
        "negated static atom",
        "_ under negation",
        "_ in a positive atom",
        "delay",
        "refined delay",
        "shared variable",
        "unshared variable",
        "variable under negation only",
        "time under negation only",
        "repeated variable",
        "constant",
        "several time variables",
        "time unrelated to the head",
        "constant time",
        "comparison of times",
        "comparison of numbers",
        "comparison of objects",
        "static relation",
        "static recursion",
        "fact about a derived predicate",
        "head in the past",
        "head in the future",
        "negation through time",
        "recursion",
        "window",
        "horizon",
        "query with a constant",
        "query with _",
        "several queries",
    }
)


def constructs(text: str) -> frozenset[str]:
    """The names of the constructs a program uses, out of `CONSTRUCTS`."""
    checked = read(Source(text))
    document = checked.document
    found = {name for rule in document.rules for name in _rule_constructs(rule, checked)}
    for predicate in checked.vocabulary.predicates.values():
        found |= {"delay"} if predicate.delay else set()
        found |= {"refined delay"} if predicate.refinements else set()
    for query in document.queries:
        found |= {"window"} if query.window else set()
        found |= {"horizon"} if query.horizon else set()
        found |= (
            {"query with a constant"} if any(isinstance(t, Constant) for t in query.atom.terms) else set()
        )
        found |= {"query with _"} if any(isinstance(t, Anonymous) for t in query.atom.terms) else set()
    return frozenset(found | ({"several queries"} if len([*document.queries]) > 1 else set()))


def _rule_constructs(rule: syntax.Rule, checked: Checked) -> Iterator[str]:
    vocabulary = checked.vocabulary
    head = rule.head
    static = vocabulary.is_static(head.predicate)
    atoms = list(syntax.atoms_of(rule))
    if not rule.body and not static:
        yield "fact about a derived predicate"
    for atom, negated in atoms:
        kind = vocabulary[atom.predicate].kind
        if negated:
            yield f"negated {kind.value} atom"
        elif kind is Kind.STATIC and not static:
            yield "static relation"
        if atom.predicate == head.predicate:
            yield "static recursion" if static else "negation through time" if negated else "recursion"
        for term in atom.terms:
            if isinstance(term, Anonymous):
                yield "_ under negation" if negated else "_ in a positive atom"
        if kind is not Kind.STATIC and any(isinstance(t, Constant) for t in atom.terms[:-1]):
            yield "constant"
    if static:
        return
    last = head.terms[-1]
    if isinstance(last, Shifted):
        yield "head in the past" if last.offset < 0 else "head in the future"
    timed = [a for a in (head, *(a for a, _ in atoms)) if vocabulary[a.predicate].temporal]
    times = {name for a in timed if (name := variable_of(a.terms[-1]))}
    if len(times) > 1:
        yield "several time variables"
    if times - {variable_of(last)}:
        yield "time unrelated to the head"
    if any(isinstance(a.terms[-1], Constant) for a in timed) and rule.body:
        yield "constant time"
    yield from _variable_constructs(rule, times)
    yield from _comparison_constructs(rule, times)


def _variable_constructs(rule: syntax.Rule, times: set[str]) -> Iterator[str]:
    places: dict[str, list[bool]] = {}
    for atom, negated in syntax.atoms_of(rule):
        names = [name for term in atom.terms if (name := variable_of(term))]
        if len(names) > len(set(names)):
            yield "repeated variable"
        for name in set(names):
            places.setdefault(name, []).append(negated)
    in_head = {variable_of(term) for term in rule.head.terms}
    for name, negated_places in places.items():
        if all(negated_places):
            yield "time under negation only" if name in times else "variable under negation only"
        elif name not in times and len(negated_places) > 1:
            yield "shared variable"
        elif len(negated_places) == 1 and name not in in_head:
            yield "unshared variable"


def _comparison_constructs(rule: syntax.Rule, times: set[str]) -> Iterator[str]:
    for comparison in rule.body:
        if isinstance(comparison, Comparison):
            sides = (comparison.left, comparison.right)
            if any(variable_of(side) in times for side in sides):
                yield "comparison of times"
            elif any(isinstance(s, Constant) and not isinstance(s.value, str) for s in sides):
                yield "comparison of numbers"
            elif any(isinstance(s, Variable) for s in sides):
                yield "comparison of objects"
