"""Advice for variables under `not` that are compared outside of it: one literal that says all.

not Temp(X, W, T+1), W > V              count(Temp(X, W, T+1), W > V) = 0
not Ack(X, U), U >= T, U <= T + 5       not Ack(X, T..T+5)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from antelog.language import syntax
from antelog.language.literals.comparison import MIRRORED
from antelog.language.printer import to_text
from antelog.language.vocabulary import Vocabulary

_FAR = 9  # from one end of a range to the other where that is missing


def in_one(rule: syntax.Rule, vocabulary: Vocabulary, known: frozenset[str], name: str) -> str | None:
    """Finds one literal that says the same as a negation and the comparisons with its own variable."""
    known |= syntax.variables_of(rule.head.operands)
    asked = [
        each
        for each in rule.body
        if isinstance(each, syntax.Negation | syntax.Aggregation)
        and any(name in syntax.variables_of(atom.operands) for atom, _ in each.atoms)
    ]
    if len(asked) != 1 or len(asked[0].atoms) != 1 or vocabulary.is_static(asked[0].atoms[0].atom.predicate):
        return None
    literal, ((atom, _),) = asked[0], asked[0].atoms
    own = syntax.variables_of(atom.operands) - known
    about = [each for each in rule.body if isinstance(each, syntax.Comparison) and each.variables & own]
    time = syntax.variable_of(atom.terms[-1])
    if atom.range is not None and syntax.variables_of(atom.range.ends) & own:
        return None
    of_time = [each for each in about if time in own and time in each.variables]
    conditions = [each for each in about if each not in of_time]
    if time in own:
        ends = _range(str(time), of_time)
        if ends is None:
            return None
        atom = replace(atom, terms=(*atom.terms[:-1], ends))
    if not about or not {name for each in conditions for name in each.variables} <= known | own - {time}:
        return None
    whole: syntax.Literal
    if isinstance(literal, syntax.Aggregation):
        left = replace(literal.left, atom=atom, conditions=(*literal.left.conditions, *conditions))
        whole = replace(literal, left=left)
    elif conditions or own - {time}:
        count = syntax.Aggregate("count", False, None, atom, tuple(conditions))
        whole = syntax.Aggregation(count, "=", syntax.Constant(0))
    else:
        whole = syntax.Negation(atom)
    stead = [f"`{to_text(each)}`" for each in (literal, *about)]
    both = ": a range has both of its ends" if of_time else ""
    return f"In place of {', '.join(stead[:-1])} and {stead[-1]} write `{to_text(whole)}`{both}."


def _range(time: str, conditions: Sequence[syntax.Comparison]) -> syntax.Range | None:
    """Returns the ticks that conditions leave a time; with one end alone, some ticks from there."""
    first, last = list[syntax.Term](), list[syntax.Term]()
    for each in conditions:
        turned = syntax.Comparison(each.right, MIRRORED[each.operator], each.left)
        for left, operator, right in ((c.left, c.operator, c.right) for c in (each, turned)):
            if left == syntax.Variable(time) and operator in _STEPS:
                end = _moved(right, _STEPS[operator])
                (first if operator in (">", ">=") else last).append(end)
    if not conditions or len(first) + len(last) != len(conditions) or max(len(first), len(last)) > 1:
        return None
    begin, end = *(first or [_moved(last[0], -_FAR)]), *(last or [_moved(first[0], _FAR)])
    return syntax.Range(begin, end) if begin != end or (first and last) else None  # no end to move from


_STEPS = {">": 1, ">=": 0, "<": -1, "<=": 0}


def _moved(end: syntax.Term, ticks: int) -> syntax.Term:
    """Adds ticks to a time; a time with a duration, such as `T + 5 minutes`, stays the same."""
    if isinstance(end, syntax.Variable) and ticks:
        return syntax.Shifted(end.name, ticks)
    if isinstance(end, syntax.Shifted) and end.unit is None and end.written is None:
        offset = end.offset + ticks
        return syntax.Shifted(end.variable, offset) if offset else syntax.Variable(end.variable)
    if isinstance(end, syntax.Constant) and isinstance(end.value, int):
        return syntax.Constant(max(0, end.value + ticks))
    return end
