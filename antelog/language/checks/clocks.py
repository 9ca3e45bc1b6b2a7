"""Rules that the clock drives: with no fact in their bodies, they are asked at every tick.

Velocity(C, T) :- count(Pay(C, _, T-9..T)) > 3.                  each tick at which it is so has an answer
Velocity(C, T) :- Pay(C, _, T), count(Pay(C, _, T-9..T)) > 3.    each such payment has one
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from antelog.diagnostics import Diagnostic
from antelog.language import syntax
from antelog.language.literals.aggregate import after_steps
from antelog.language.literals.comparison import HOLDS
from antelog.language.parser import Parsed
from antelog.language.printer import to_text
from antelog.language.syntax import (
    Aggregate,
    Aggregation,
    Anonymous,
    Constant,
    Last,
    Negation,
    Variable,
    variable_of,
)
from antelog.language.vocabulary import PredicateKind, Vocabulary


def check_clocks(parsed: Parsed, vocabulary: Vocabulary) -> Iterator[Diagnostic]:
    """Aggregates and latest values that some answers rest on without a fact beside them.

    Unless the rule is about silence: no fact can stand beside that.
    """
    asked = {query.atom.predicate for query in parsed.document.queries}
    waiting = list(asked)
    while waiting:
        name = waiting.pop()
        for rule in parsed.document.rules:
            if rule.head.predicate != name or vocabulary.is_static(name):
                continue
            beside = {atom.predicate for atom, under in syntax.atoms_of(rule) if not under}
            kinds = {vocabulary[each].kind for each in beside}
            if PredicateKind.INPUT in kinds or not rule.body:
                continue
            new = {each for each in beside if vocabulary.is_derived(each)} - asked
            asked |= new
            waiting += new
            if PredicateKind.DERIVED not in kinds:
                yield from _lone(rule, vocabulary)


def _lone(rule: syntax.Rule, vocabulary: Vocabulary) -> Iterator[Diagnostic]:
    denied = [each.atom.predicate for each in rule.body if isinstance(each, Negation)]
    silent = any(map(_of_silence, rule.body)) or not all(map(vocabulary.is_static, denied))
    for literal in rule.body:
        if isinstance(literal, Aggregation) and not _of_silence(literal):
            fact = to_text(_fact(literal.left, rule.head))
            hint = f"For an answer when a fact comes, add that fact: `{fact}`."
        elif isinstance(literal, Last) and not silent:
            fact = to_text(_now(literal.atom, literal.atom.terms[:-1], rule.head))
            hint = f"For an answer when a fact comes, add that fact, or ask for this one: `{fact}`."
        else:
            continue
        message = f"{rule.head.predicate} is asked at every tick: no fact stands beside this condition"
        yield Diagnostic("W111", message, literal.span, hint)


def _of_silence(literal: syntax.Literal) -> bool:
    """Whether it is a count that holds where there is nothing: `count(…) = 0`."""
    if not isinstance(literal, Aggregation):
        return False
    right = literal.right
    if literal.left.function != "count" or not isinstance(right, Constant) or isinstance(right.value, str):
        return False
    nothing = after_steps(0, literal.left.steps)
    return nothing is not None and bool(HOLDS[literal.operator](nothing, right.value))


def _fact(each: Aggregate, head: syntax.Atom) -> syntax.Atom:
    """The atom of an aggregate about the tick of the head, without the variables that only it has."""
    terms = (Anonymous() if variable_of(term) in each.inner else term for term in each.atom.terms[:-1])
    return _now(each.atom, terms, head)


def _now(atom: syntax.Atom, terms: Iterable[syntax.Term], head: syntax.Atom) -> syntax.Atom:
    """An atom of the same predicate about the tick of the head."""
    return syntax.Atom(atom.predicate, (*terms, head.terms[-1] if head.terms else Variable("T")))
