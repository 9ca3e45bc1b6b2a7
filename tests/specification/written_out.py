"""`first` and `next` written out as they are defined: semantics.md, "The first after".

first P(X, V, U) after S within n       P(X, V, U), U > S, U <= S+n, not P(X, _, S+1..U-1)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from antelog.language import Checked, syntax
from antelog.language.durations import ticks_later
from antelog.language.parser import printed_literal
from antelog.language.printer import to_text
from antelog.language.syntax import Comparison, First, Term, Variable, variable_of, variables_of


def written_out(rule: syntax.Rule, tick: int | None) -> syntax.Rule:
    """The rule in which each is replaced by what it is short for; `tick` has microseconds."""
    body = (part for each in rule.body for part in _parts(each, rule, tick))
    return replace(rule, body=tuple(body))


def _parts(literal: syntax.Literal, rule: syntax.Rule, tick: int | None) -> tuple[syntax.Literal, ...]:
    if not isinstance(literal, First):
        return (literal,)
    return _long(literal, [_is_kept(each, literal, rule) for each in literal.atom.terms[:-1]], tick)


def _long(first: First, kept: Sequence[bool], tick: int | None) -> tuple[syntax.Literal, ...]:
    """The atom, its bounds and the negation; `kept` says which columns keep their terms under `not`."""
    *columns, time = first.atom.terms
    bounds = [Comparison(time, ">", first.after)]
    if first.within is not None:
        within = ticks_later(syntax.Shifted("", first.within.amount, first.within.unit), tick)
        bounds.append(Comparison(time, "<=", _later(first.after, within, tick)))
    under = (each if keep else syntax.Anonymous() for each, keep in zip(columns, kept, strict=True))
    between = syntax.Range(_later(first.after, 1, tick), _later(time, -1, tick))
    return first.atom, *bounds, syntax.Negation(syntax.Atom(first.atom.predicate, (*under, between)))


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


# ---- as it reads ----


def spelt_out(explanation: Mapping[str, Any], checked: Checked) -> dict[str, Any]:
    """An explanation of a line in which what reads as `first` reads as it is defined."""
    sides = {side: explanation[side] for side in ("evidence", "hypotheses")}
    return {side: [each for text in texts for each in _spelt(text, checked)] for side, texts in sides.items()}


def _spelt(text: str, checked: Checked) -> Iterator[str]:
    literal, *conditions = printed_literal(text) or (None,)
    if not isinstance(literal, First):
        yield text
        return
    shape = (literal.word, literal.atom.predicate)
    first, rule = next(
        (each, rule)
        for rule in checked.document.rules
        for each in rule.body
        if isinstance(each, First) and (each.word, each.atom.predicate) == shape
    )
    kept = [_is_kept(term, first, rule) for term in first.atom.terms[:-1]]
    atom, *bounds, denied = _long(literal, kept, checked.vocabulary.tick)
    where = [*bounds, *conditions] if isinstance(literal.atom.terms[-1], Variable) else []
    behind = f" where {', '.join(map(to_text, where))}" if where else ""
    if where and not checked.vocabulary.is_derived(literal.atom.predicate):
        yield to_text(atom) + behind
    yield to_text(denied) + behind
