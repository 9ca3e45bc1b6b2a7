"""The constructs of the language that a program uses, and those that each rule of the grammar needs."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

from lark import Lark

from antelog.diagnostics import Source
from antelog.language import Checked, read, syntax
from antelog.language.checks.safety import amounts
from antelog.language.functions import ARITHMETIC
from antelog.language.graph import components
from antelog.language.literals.aggregate import FUNCTIONS as AGGREGATES
from antelog.language.vocabulary import PredicateKind

_DATA = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))

CONSTRUCTS = frozenset(
    {
        *_DATA["constructs"],
        *(f"comparison by {operator}" for operator in syntax.OPERATORS),
        *(f"calculation with {function}" for function in ARITHMETIC),
        *(f"aggregate {function}" for function in (*AGGREGATES, "count distinct")),
    }
)

GRAMMAR: dict[str, tuple[int, tuple[str, ...]]] = {
    name: (each["forms"], tuple(each.get("constructs", ()))) for name, each in _DATA["grammar"].items()
}
"""For each rule of the grammar how many forms it has, and the constructs that show it at work."""


def forms_of_the_grammar() -> dict[str, int]:
    """For each rule of the grammar, or its name where it has several, how many forms it has."""
    text = files("antelog.language").joinpath("grammar.lark").read_text("utf-8")
    rules = Lark(text, parser="lalr", maybe_placeholders=False).rules
    names = (str(rule.alias or rule.origin.name) for rule in rules)
    return Counter(name for name in names if not name.startswith("__"))


def constructs(text: str) -> frozenset[str]:
    """The names of the constructs a program uses, out of `CONSTRUCTS`."""
    checked = read(Source(text))
    document = checked.document
    found = {name for rule in document.rules for name in _rule_constructs(rule, checked)}
    for predicate in checked.vocabulary.predicates.values():
        found |= {"delay"} if predicate.schedule.bound else set()
        found |= {"refined delay"} if predicate.schedule.refinements else set()
        found |= (
            {"undeclared input"}
            if predicate.kind is PredicateKind.INPUT
            and predicate.name not in {d.name for d in document.declarations}
            else set()
        )
    for declaration in document.declarations:
        if isinstance(declaration, syntax.Input) and declaration.one_per is not None:
            found.add("one per column" if declaration.one_per else "one per tick")
        if isinstance(declaration, syntax.Input) and declaration.every is not None:
            found.add("expected gap per column" if declaration.every.per else "expected gap")
        found |= {"typed column" if c.type else "untyped column" for c in declaration.columns[:-1]}
    for query in document.queries:
        found |= {"window"} if query.window else set()
        found |= {"horizon"} if query.horizon else set()
        kinds = {type(term) for term in query.atom.terms}
        found |= {"query with a constant"} if syntax.Constant in kinds else set()
        found |= {"query with _"} if syntax.Anonymous in kinds else set()
    found |= {"time in a head"} if checked.vocabulary.times else set()
    found |= {"negation of each other through time"} if _negated_by_each_other(document) else set()
    return frozenset(found | ({"several queries"} if len([*document.queries]) > 1 else set()))


def _negated_by_each_other(document: syntax.Document) -> bool:
    """Whether a predicate rests on the negation of another one that rests on it."""
    uses: dict[str, set[str]] = {rule.head.predicate: set() for rule in document.rules}
    negated = set()
    for rule in document.rules:
        for atom, under in syntax.atoms_of(rule):
            uses[rule.head.predicate].add(atom.predicate)
            if under and atom.predicate != rule.head.predicate:
                negated.add((rule.head.predicate, atom.predicate))
    return any({one, other} <= set(group) for group in components(uses) for one, other in negated)


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
        elif kind is PredicateKind.STATIC and not static:
            yield "static relation"
        if atom.predicate == head.predicate:
            yield "static recursion" if static else "negation through time" if negated else "recursion"
        for term in atom.terms:
            if isinstance(term, syntax.Anonymous):
                yield "_ under negation" if negated else "_ in a positive atom"
        if any(syntax.variable_of(atom.terms[place]) for place in vocabulary.times_of(atom.predicate)):
            yield "time of a helper under negation" if negated else "time of a helper"
        if atom.range is not None:
            yield "range under negation" if negated else "range of a positive atom"
            if len({syntax.variable_of(end) for end in atom.range.ends} - {None}) > 1:
                yield "range between two times"
        if kind is not PredicateKind.STATIC and any(isinstance(t, syntax.Constant) for t in atom.terms[:-1]):
            yield "constant"
    for literal in rule.body:
        if isinstance(literal, syntax.Last):
            ranged = "latest fact of a range" if literal.atom.range is not None else "latest fact"
            yield "latest atom per column" if literal.per else ranged
            if literal.gives(vocabulary)[1] - syntax.in_atoms(rule)[0]:
                promised = literal.is_promised(vocabulary)
                yield "value of the latest fact" if promised else "value of the latest derived atom"
    if amounts(rule, vocabulary):
        yield "value of an aggregate"
    if static:
        return
    last = head.terms[-1]
    if isinstance(last, syntax.Shifted):
        yield "head in the past" if last.offset < 0 else "head in the future"
    timed = [a for a in (head, *(a for a, _ in atoms)) if vocabulary[a.predicate].temporal]
    times = {name for a in timed if (name := syntax.variable_of(a.terms[-1]))}
    if len(times) > 1:
        yield "several time variables"
    if times - {syntax.variable_of(last)}:
        yield "time unrelated to the head"
    if any(isinstance(a.terms[-1], syntax.Constant) for a in timed) and rule.body:
        yield "constant time"
    yield from _calculation_constructs(rule)
    yield from _variable_constructs(rule, times)
    yield from _comparison_constructs(rule, times)


def _calculation_constructs(rule: syntax.Rule) -> Iterator[str]:
    for literal in rule.body:
        if isinstance(literal, syntax.Comparison):
            if literal.defines is not None and any(
                isinstance(side, syntax.Calculation) for side in literal.sides
            ):
                yield "equation"
            for side in literal.sides:
                yield from _parts(side)
        elif isinstance(literal, syntax.Aggregation):
            yield from (["two aggregates"] if len(literal.aggregates) > 1 else [])
            for each in literal.aggregates:
                yield f"aggregate {each.function}{' distinct' if each.distinct else ''}"
                yield from (["condition in an aggregate"] if each.conditions else [])
                yield from (["aggregate times or plus a number"] if each.steps else [])


def _parts(term: syntax.Term) -> Iterator[str]:
    if isinstance(term, syntax.Calculation):
        yield f"calculation with {term.function}"
        for each in term.arguments:
            yield from _parts(each)
    elif isinstance(term, syntax.Constant) and not isinstance(term.value, str) and term.value < 0:
        yield "negative number"


def _variable_constructs(rule: syntax.Rule, times: set[str]) -> Iterator[str]:
    places: dict[str, list[bool]] = {}
    for atom, negated in syntax.atoms_of(rule):
        names = [name for term in atom.terms if (name := syntax.variable_of(term))]
        if len(names) > len(set(names)):
            yield "repeated variable"
        for name in set(names):
            places.setdefault(name, []).append(negated)
    in_head = {syntax.variable_of(term) for term in rule.head.terms}
    comparisons = [literal for literal in rule.body if isinstance(literal, syntax.Comparison)]
    compared = {syntax.variable_of(side) for c in comparisons for side in (c.left, c.right)}
    for name, negated_places in places.items():
        if all(negated_places):
            yield "time under negation only" if name in times else "variable under negation only"
            if name not in times and name in compared:
                yield "variable under negation only compared"
        elif name not in times and len(negated_places) > 1:
            yield "shared variable"
        elif len(negated_places) == 1 and name not in in_head:
            yield "unshared variable"


def _comparison_constructs(rule: syntax.Rule, times: set[str]) -> Iterator[str]:
    comparisons = [each for each in rule.body if isinstance(each, syntax.Comparison)]
    between = Counter(frozenset(map(syntax.variable_of, (c.left, c.right))) for c in comparisons)
    if any(n > 1 and len(names) == 2 and names <= times for names, n in between.items()):
        yield "window of times"
    for comparison in comparisons:
        sides = (comparison.left, comparison.right)
        yield f"comparison by {comparison.operator}"
        if any(isinstance(s, syntax.Shifted) and s.variable not in times for s in sides):
            yield "sum in a comparison"
        if any(syntax.variable_of(side) in times for side in sides):
            yield "comparison of times"
        elif any(isinstance(s, syntax.Constant) and not isinstance(s.value, str) for s in sides):
            yield "comparison of numbers"
        elif any(isinstance(s, syntax.Variable) for s in sides):
            yield "comparison of objects"
