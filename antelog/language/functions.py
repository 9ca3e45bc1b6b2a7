"""Functions that rules call: those that are built in, and those that a program declares.

    function near(lat1, lon1, lat2, lon2).           a condition: near(A, B, C, D), not near(A, B, C, D)
    function km(lat1, lon1, lat2, lon2) -> number.   a value: km(A, B, C, D) < 5, D = km(A, B, 52.5, 13.4)

An atom and the call of a condition read alike; which one it is follows from the declarations of the whole
program.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from antelog.language import syntax
from antelog.language.vocabulary import Signature, Type

_TEXT, _NUMBER = Type.TEXT, Type.NUMBER

BUILT_IN: Mapping[str, Signature] = {
    each.name: each
    for each in (
        Signature("lower", ("text",), (_TEXT,), _TEXT),
        Signature("upper", ("text",), (_TEXT,), _TEXT),
        Signature("length", ("text",), (_TEXT,), _NUMBER),
        Signature("contains", ("text", "part"), (_TEXT, _TEXT)),
        Signature("starts_with", ("text", "start"), (_TEXT, _TEXT)),
        Signature("matches", ("text", "pattern"), (_TEXT, _TEXT)),
        Signature("distance_km", ("lat1", "lon1", "lat2", "lon2"), (_NUMBER,) * 4, _NUMBER),
    )
}
"""The built-in functions of texts and places; those of numbers are in `arithmetic`."""


def resolved(statements: Iterable[syntax.Statement]) -> tuple[syntax.Statement, ...]:
    """Statements in which what reads like an atom, but is named as a function, is a call."""
    every = tuple(statements)
    names = {*BUILT_IN, *(each.name for each in every if isinstance(each, syntax.Function))}
    for each in every:  # a name that is a predicate's as well is refused
        if isinstance(each, syntax.Input | syntax.Static):
            names.discard(each.name)
        elif isinstance(each, syntax.Rule):
            names.discard(each.head.predicate)
    return tuple(_with_calls(each, names) if isinstance(each, syntax.Rule) else each for each in every)


def _with_calls(rule: syntax.Rule, names: Collection[str]) -> syntax.Rule:
    calls = [_call(literal, names) for literal in rule.body]
    if not any(calls):
        return rule
    return replace(rule, body=tuple(call or literal for call, literal in zip(calls, rule.body, strict=True)))


def _call(literal: syntax.Literal, names: Collection[str]) -> syntax.Call | None:
    negated = isinstance(literal, syntax.Negation)
    atom = literal.atom if isinstance(literal, syntax.Negation) else literal
    if not isinstance(atom, syntax.Atom) or atom.predicate not in names:
        return None
    function = syntax.Calculation(atom.predicate, atom.terms, span=atom.span)
    return syntax.Call(function, negated, span=literal.span)
