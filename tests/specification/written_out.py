"""`first` and `next` written out as they are defined: semantics.md, "The first after".

first P(X, V, U) after S within n       P(X, V, U), U > S, U <= S+n, not P(X, _, S+1..U-1)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from antelog.language import syntax
from antelog.language.durations import ticks_later
from antelog.language.syntax import Comparison, First, Term, Variable, variable_of, variables_of


def written_out(rule: syntax.Rule, tick: int | None) -> syntax.Rule:
    """The rule in which each is replaced by what it is short for; `tick` has microseconds."""
    body = (part for each in rule.body for part in _parts(each, rule, tick))
    return replace(rule, body=tuple(body))


def _parts(literal: syntax.Literal, rule: syntax.Rule, tick: int | None) -> Iterator[syntax.Literal]:
    if not isinstance(literal, First):
        yield literal
        return
    *columns, time = literal.atom.terms
    yield literal.atom
    yield Comparison(time, ">", literal.after)
    if literal.within is not None:
        within = syntax.Shifted("", literal.within.amount, literal.within.unit)
        yield Comparison(time, "<=", _later(literal.after, ticks_later(within, tick), tick))
    under = [each if _is_kept(each, literal, rule) else syntax.Anonymous() for each in columns]
    between = syntax.Range(_later(literal.after, 1, tick), _later(time, -1, tick))
    yield syntax.Negation(syntax.Atom(literal.atom.predicate, (*under, between)))


def _later(time: Term, ticks: int, tick: int | None) -> Term:
    if isinstance(time, syntax.Constant):
        assert isinstance(time.value, int)
        return syntax.Constant(time.value + ticks)
    offset = ticks_later(time, tick) if isinstance(time, syntax.Shifted) else 0
    name = variable_of(time) or ""
    return syntax.Shifted(name, offset + ticks) if offset + ticks else Variable(name)


def _is_kept(term: Term, first: First, rule: syntax.Rule) -> bool:
    if first.per or first.word == "next":
        return term in first.per
    return isinstance(term, syntax.Constant) or variable_of(term) in _elsewhere(first, rule)


def _elsewhere(first: First, rule: syntax.Rule) -> set[str]:
    """The variables that the rest of a rule gives values, without what is sought after this one."""
    rest = [each for each in rule.body if each != first and not _comes_after(each, first, rule)]
    known = {
        name
        for each in rest
        for atom, negated in each.atoms
        if isinstance(each, syntax.Last) or not negated
        for name in variables_of(atom.terms[:-1] if isinstance(each, syntax.Last) else atom.terms)
    }
    known |= {each.defines for each in rest if isinstance(each, syntax.Aggregation) and each.defines}
    equal = [each.sides for each in rest if isinstance(each, Comparison) and each.operator == "="]
    for _ in equal:
        for one, other in (pair for sides in equal for pair in (sides, sides[::-1])):
            if isinstance(one, Variable) and variables_of([other]) <= known:
                known.add(one.name)
    return known


def _comes_after(literal: syntax.Literal, first: First, rule: syntax.Rule) -> bool:
    """Whether it is sought after the atom of another, or after one that is."""
    if not isinstance(literal, First):
        return False
    begin = variable_of(literal.after)
    before = (e for e in rule.body if isinstance(e, First) and variable_of(e.atom.terms[-1]) == begin)
    return any(each == first or (each != literal and _comes_after(each, first, rule)) for each in before)
