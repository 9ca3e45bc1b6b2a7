"""Replaces times that a column of the background shifts by variables with bounds.

static Within(priority, limit <= 24).
not Ack(X, T..T+N), Within(P, N)      not Ack(X, T..TN), Within(P, N), TN = T+N, TN >= T, TN <= T+24

So far they stand in literals that are asked: there both T and N have values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from itertools import chain, count
from typing import Any

from antelog.diagnostics import Diagnostic
from antelog.language import syntax
from antelog.language.durations import ticks_later
from antelog.language.printer import to_text
from antelog.language.terms import Node, Value
from antelog.language.vocabulary import Vocabulary


def with_times_apart(document: syntax.Document, vocabulary: Vocabulary) -> syntax.Document:
    """The document with such times in rules replaced."""
    if not vocabulary.most:
        return document
    statements = (
        _apart(each, vocabulary) if isinstance(each, syntax.Rule) else each for each in document.statements
    )
    return replace(document, statements=tuple(statements))


def is_ticks(value: Value, most: int) -> bool:
    """Whether a value is a number of ticks, and no more than the most."""
    return not isinstance(value, str) and 0 <= value <= most and value % 1 == 0


def no_ticks(most: int) -> str:
    """The complaint about any other value."""
    return f"is not a whole number of ticks from 0 to {most}"


def check_ticks_of_background(document: syntax.Document, vocabulary: Vocabulary) -> Iterator[Diagnostic]:
    """Facts of the program in whose columns numbers of ticks belong."""
    for rule in document.rules:
        name = rule.head.predicate
        for term, most in zip(rule.head.terms, vocabulary.most.get(name, ()), strict=False):
            if isinstance(term, syntax.Constant) and most is not None and not is_ticks(term.value, most):
                message = f"`{to_text(term)}` {no_ticks(most)}"
                hint = f"Give a number of ticks, or a larger bound where {name} is declared."
                yield Diagnostic("E103", message, term.span, hint)


def _apart(rule: syntax.Rule, vocabulary: Vocabulary) -> syntax.Rule:
    most: dict[str, int] = {}
    times: set[str] = set()
    for atom in (each for each in rule.body if isinstance(each, syntax.Atom)):
        if not vocabulary.is_static(atom.predicate):
            times |= syntax.variables_of(atom.terms[-1:])
            continue
        for term, bound in zip(atom.terms, vocabulary.most.get(atom.predicate, ()), strict=False):
            if isinstance(term, syntax.Variable) and bound is not None:
                most[term.name] = bound
    if not most or not times:
        return rule
    taken = syntax.variables_of(rule.head.terms).union(
        *(syntax.variables_of(literal.operands) for literal in rule.body)
    )
    parts = _Times(most, times, taken, vocabulary.tick)
    body = tuple(parts.of(each) if any(negated for _, negated in each.atoms) else each for each in rule.body)
    return replace(rule, body=(*body, *parts.conditions()))


@dataclass
class _Times:
    """The times of a rule that are replaced, each with its variable.

    `most` has the variables that are numbers of ticks, `times` those that atoms without `not` give values.
    """

    most: Mapping[str, int]
    times: set[str]
    taken: set[str]
    tick: int | None
    found: dict[syntax.Later, syntax.Variable] = field(default_factory=dict)

    def of(self, node: Any) -> Any:
        """A node of the syntax tree with these times replaced."""
        if isinstance(node, tuple):
            return tuple(map(self.of, node))
        if isinstance(node, syntax.Calculation):
            time = self._time(node)
            if time is None:
                return node
            if time not in self.found:
                stem = f"{syntax.variable_of(time.time)}{time.by.name}"
                names = chain([stem], (f"{stem}{i}" for i in count(2)))
                name = next(each for each in names if each not in self.taken)
                self.taken.add(name)
                self.found[time] = syntax.Variable(name, span=node.span)
            return self.found[time]
        if not isinstance(node, Node):
            return node
        return replace(node, **{each.name: self.of(getattr(node, each.name)) for each in fields(node)})

    def _time(self, node: syntax.Calculation) -> syntax.Later | None:
        if node.function != "+":
            return None
        time, by = node.arguments
        if not isinstance(time, syntax.Variable | syntax.Shifted) or not isinstance(by, syntax.Variable):
            return None
        is_time = syntax.variable_of(time) in self.times and by.name in self.most
        return syntax.Later(time, by, span=node.span) if is_time else None

    def conditions(self) -> Iterator[syntax.Literal]:
        for later, variable in self.found.items():
            offset = ticks_later(later.time, self.tick) if isinstance(later.time, syntax.Shifted) else 0
            last = syntax.Shifted(syntax.variable_of(later.time) or "", offset + self.most[later.by.name])
            yield syntax.Comparison(variable, "=", later, span=later.span)
            yield syntax.Comparison(variable, ">=", later.time, span=later.span)
            yield syntax.Comparison(variable, "<=", last, span=later.span)
