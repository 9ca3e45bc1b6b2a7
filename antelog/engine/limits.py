"""What the engine cannot run yet, found before a single fact is read.

The compiler accepts these programs and the specification says what they mean. To run them the
engine has to remember what was settled (negation that rests on itself in the past), or to
speak of all values at once but for some (what holds for values no fact has named).
"""

from __future__ import annotations

from collections.abc import Iterator

from antelog.compile.bounds import static_variables
from antelog.compile.delays import Delays
from antelog.compile.explain import literal_text, pattern_text
from antelog.compile.plan import Negated, Pattern, Plan, Relation, Var
from antelog.engine.layout import compared, layout, variables_of


def cannot_run(plan: Plan) -> str | None:
    """Why the engine cannot run a program, or None if it can."""
    return next(_reasons(plan), None)


def _reasons(plan: Plan) -> Iterator[str]:
    components: dict[int, list[str]] = {}
    for relation in plan.relations:
        components.setdefault(relation.level.component, []).append(relation.name)
        if relation.name in relation.bounds.asked_by:
            yield f"{relation.name} rests on its own negation in the past"
    for names in components.values():
        if len(names) > 1:
            yield f"{' and '.join(names)} rest on each other's negation in the past"
    for relation in plan.relations:
        if relation.asked and _questions(relation, plan) > _MOST:
            yield f"{relation.name} rests on negations of negations, more than {_MOST} in all"
    for relation in plan.relations:
        if (
            relation.asked
            and not _told_by_ticks(relation, plan)
            and any(layout(p).by_clock for p in relation.patterns)
        ):
            yield f"an answer to {relation.name} may rest on a negation that is settled at no fixed time"
        for pattern in relation.patterns:
            yield from _of_pattern(relation, pattern, plan)


_MOST = 500
"""Each negation is evaluated where it is asked for, those within it again and again."""


def _questions(asked: Relation, plan: Plan) -> int:
    """How many relations are evaluated to answer a query, each as often as it is asked for."""
    known: dict[str, int] = {}
    for relation in sorted(plan.relations, key=lambda r: r.level.component):
        asks = (known[negation.relation] for p in relation.patterns for negation in p.negations)
        known[relation.name] = min(1 + sum(asks), _MOST + 1)
    return known[asked.name]


def _told_by_ticks(relation: Relation, plan: Plan) -> bool:
    """Whether the tick of an answer says at which ticks everything stands that it rests on."""
    for pattern in relation.patterns:
        prepared = layout(pattern)
        if prepared.places and not prepared.sliced:
            return False
        for negation in prepared.negations:
            tied = negation.time.variable == pattern.time.variable is not None
            if not tied or not _told_by_ticks(plan.relation(negation.relation), plan):
                return False
    return True


def _of_pattern(relation: Relation, pattern: Pattern, plan: Plan) -> Iterator[str]:
    given = static_variables(pattern)
    prepared = layout(pattern)
    if prepared.by_clock and prepared.places:
        yield f"the time of {relation.name} occurs under negation only, in {pattern_text(pattern)}"
    if prepared.by_clock and pattern.time.variable is not None:
        given.add(pattern.time.variable)
    if relation.asked:
        known = [place.variables | given for place in prepared.places] or [frozenset(given)]
    else:
        names = {a.name for a in pattern.answer if isinstance(a, Var)}
        known = [frozenset(names | given | ({pattern.time.variable} if pattern.time.variable else set()))]
    for negation in prepared.negations:
        if not all(variables_of(negation) <= names for names in known):
            text = literal_text(negation)
            yield f"`{text}` can be certain before its values are known, in {pattern_text(pattern)}"
    if relation.asked and prepared.places:
        for negation in prepared.negations:
            if _comes_first(pattern, negation, plan):
                text = literal_text(negation)
                yield f"`{text}` can be certain before any fact has come, in {pattern_text(pattern)}"


def _comes_first(pattern: Pattern, negation: Negated, plan: Plan) -> bool:
    """Whether a negated atom may be certain while the facts of the pattern are still awaited."""
    if pattern.fails_by is None or negation.time.variable != pattern.time.variable:
        return True
    # Only patterns that any values fit keep every atom undecided until they cannot hold any more.
    fitting = [p for p in plan.relation(negation.relation).patterns if _fits_all(p)]
    soonest = [_fails_first(each, plan) for each in fitting]
    if any(ticks is None for ticks in soonest):
        return False
    certain = max((ticks for ticks in soonest if ticks is not None), default=-(10**9))
    return negation.time.offset - pattern.time.offset + certain < pattern.fails_by


def _fits_all(pattern: Pattern) -> bool:
    """Whether every atom can be derived by the pattern, whatever has happened before."""
    names = {a.name for a in pattern.answer if isinstance(a, Var)}
    plain = len(names) == len(pattern.answer) and pattern.time.variable is not None
    known = names | {pattern.time.variable}
    free = not any(compared(c) <= known for c in pattern.comparisons)
    always = all(e.tick <= 0 for e in pattern.earliest if e.variable == pattern.time.variable)
    return plain and free and always and not pattern.statics and not any(pattern.negations)


def _fails_first(pattern: Pattern, plan: Plan) -> int | None:
    """How long after an atom's time the pattern cannot hold any more, at the soonest."""
    delays = {source.name: Delays(source).smallest() for source in plan.inputs}
    tied = [atom for atom in pattern.atoms if atom.time.variable == pattern.time.variable]
    return min((a.time.offset - pattern.time.offset + delays[a.predicate] for a in tied), default=None)
