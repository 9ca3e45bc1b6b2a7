"""What the engine cannot run, found before a single fact is read."""

from __future__ import annotations

import math
from collections.abc import Iterator

from antelog.compile.explain import literal_text, pattern_text
from antelog.compile.plan import Comparison, Negated, Pattern, Plan, Sum, Var
from antelog.engine.foresight import foresee
from antelog.engine.layout import Layout, compared
from antelog.engine.prepared import layouts


def cannot_run(plan: Plan) -> str | None:
    """Why the engine cannot run a program, or None if it can."""
    return next(_reasons(plan), None)


def _reasons(plan: Plan) -> Iterator[str]:
    foresight, prepared = foresee(plan), layouts(plan)
    for relation in plan.relations:
        for layout in prepared[relation.name]:
            ahead = [foresight.evidence(layout)] if layout.seeded else []
            ahead += [foresight.evidence_at(layout, time) for time in _open_times(layout)]
            if math.inf in ahead:
                yield f"a negation in {pattern_text(layout.pattern)} is certain for ever, before any fact"
    for name, position in sorted(_asked_for_all(plan, prepared)):
        for pattern in plan.relation(name).patterns:
            yield from _undecidable(pattern, position, name, plan)


def _open_times(layout: Layout) -> set[str]:
    """The times besides the answer's that may be open where negated literals are certain."""
    return (_open(layout, asked=True, denied=False) & layout.time_variables) - {layout.pattern.time.variable}


def _asked_for_all(plan: Plan, prepared: dict[str, tuple[Layout, ...]]) -> set[tuple[str, int]]:
    """The relations, and which of their values, that are asked for values nobody has named."""
    found: set[tuple[str, int]] = set()
    waiting: list[tuple[Negated, set[str]]] = []
    denied = {n.relation for relation in plan.relations for p in relation.patterns for n in p.negations}
    for relation in plan.relations:
        for layout in prepared[relation.name]:
            open_ = _open(layout, relation.asked, relation.name in denied)
            waiting += [(negation, open_) for negation in layout.negations]
    while waiting:
        negation, open_ = waiting.pop()
        for position, term in enumerate(negation.asked):
            at = (negation.relation, position)
            if isinstance(term, Var) and term.name in open_ and at not in found:
                found.add(at)
                for layout in prepared[negation.relation]:
                    inner = layout.pattern.answer[position]
                    if isinstance(inner, Var):
                        waiting += [(each, {inner.name}) for each in layout.negations]
    return found


def _open(layout: Layout, asked: bool, denied: bool) -> set[str]:
    """The variables of negated literals that may be open where these are looked at."""
    known = list(layout.known) if asked else []
    if denied:
        own = {a.name for a in layout.pattern.answer if isinstance(a, Var)}
        known.append(layout.given | own)
    return {name for names in known for name in layout.denied - names}


def _undecidable(pattern: Pattern, position: int, name: str, plan: Plan) -> Iterator[str]:
    """Whether a pattern tells unnamed values apart: by their order, or by being the same."""
    term = pattern.answer[position]
    if not isinstance(term, Var):
        return
    if sum(other == term for other in pattern.answer) > 1:
        yield f"{_about(name, plan)} is asked for any two values, and tells whether they are the same"
    for comparison in pattern.comparisons:
        if term.name in compared(comparison) and not _by_name(comparison):
            text = pattern_text(pattern)
            yield f"{_about(name, plan)} is asked for any value, and compares it by order, in {text}"


def _about(name: str, plan: Plan) -> str:
    asker = next(
        (n for r in plan.relations for p in r.patterns for n in p.negations if n.relation == name), None
    )
    return name if asker is None else f"`{literal_text(asker)}`"


def _by_name(comparison: Comparison) -> bool:
    sides = (comparison.left, comparison.right)
    plain = comparison.operator in ("=", "!=") and not any(isinstance(s, Sum) for s in sides)
    return plain and not all(isinstance(s, Var) for s in sides)
