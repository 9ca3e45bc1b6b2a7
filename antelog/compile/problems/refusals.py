"""Patterns that cannot be run, though each rule by itself is fine.

Put together, the rules below ask whether some X makes the negation true, which is so for nearly every X.
What a rule says by itself is checked with the language.

    OK(X, T) :- not Bad(X, T).    Any(T) :- OK(_, T).
    Any: not Bad(X, T), X occurs only under `not`: E404
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from antelog.compile.conditions import times_of
from antelog.compile.literals.aggregate import Aggregation
from antelog.compile.literals.last import Last
from antelog.compile.literals.terms import Time, Var, times_in, variables_in
from antelog.compile.nodes.patterns import Pattern
from antelog.compile.patterns.relations import Request, Resolved
from antelog.diagnostics import Diagnostic, Span
from antelog.language import syntax
from antelog.language.graph import components

LARGEST_OFFSET = 2**53 - 1
"""No tick is later, so no two are further apart."""


def refusals(relations: Iterable[Resolved], document: syntax.Document) -> Iterator[Diagnostic]:
    """The reasons why relations cannot be run, each kind once for each relation."""
    relations = tuple(relations)
    patterns = {each.request.name: each.patterns for each in relations}
    ranging = _ranging(patterns)
    asked = {
        name: [each.name for p in own for literal in p.asked for each in literal.references]
        for name, own in patterns.items()
    }
    # For each relation those that it rests on and that rest on it, itself among them.
    circles = {name: frozenset(members) for members in components(asked) for name in members}
    for relation in relations:
        seen: set[str] = set()
        for pattern in relation.patterns:
            circle = circles[relation.request.name]
            anything = {*pattern.unguarded, *_at(pattern, ranging[relation.request.name])}
            for each in (
                *_objections(pattern),
                *_endless(pattern, patterns),
                *_taking(pattern, anything),
                *_resting_on_itself(pattern, circle, relation.request.predicate),
                *_comparisons(pattern, anything),
            ):
                if each.code not in seen:
                    seen.add(each.code)
                    text = f"{each.message}, once the rules are put together: {pattern.text}"
                    yield Diagnostic(each.code, text, _place(relation.request, document), each.hint)


def _ranging(relations: Mapping[str, tuple[Pattern, ...]]) -> Mapping[str, set[int]]:
    """For each relation the positions at which asked literals ask for all others."""
    found: dict[str, set[int]] = {name: set() for name in relations}
    waiting = list(relations)
    while waiting:
        name = waiting.pop()
        for pattern in relations[name]:
            anything = {*pattern.unguarded, *_at(pattern, found[name])}
            for each in (reference for literal in pattern.asked for reference in literal.references):
                new = {i for i, t in enumerate(each.given) if isinstance(t, Var) and t.name in anything}
                if each.name in found and not new <= found[each.name]:
                    found[each.name] |= new
                    waiting.append(each.name)
    return found


def _at(pattern: Pattern, positions: set[int]) -> set[str]:
    return {t.name for i, t in enumerate(pattern.answer) if i in positions and isinstance(t, Var)}


def _place(relation: Request, document: syntax.Document) -> Span:
    """The query, or the negated atom, that asks for the relation."""
    if relation.by_query:
        return next(query.span for query in document.queries if query.atom.predicate == relation.name)
    for rule in document.rules:
        for atom, is_negated in syntax.atoms_of(rule):
            if is_negated and atom.predicate == relation.predicate:
                return atom.span
    return next(query.span for query in document.queries)


@dataclass(frozen=True)
class _Refusal:
    code: str
    message: str
    hint: str


def _objections(pattern: Pattern) -> Iterator[_Refusal]:
    times = variables_in(pattern.times)
    for literal in pattern.asked:
        for name in sorted(literal.variables - pattern.guarded - pattern.answered):
            kind = "time" if name in times else "value"
            yield _Refusal(
                "E404",
                f"{name} occurs only under `not`: the rule would hold if the atom is false for "
                f"just one {kind}",
                f"That is nearly always so. Ask for {name} in the answer too, or add a condition "
                f"without `not` that says which values {name} has.",
            )
    sides = (side for each in pattern.comparisons for side in each.operands)
    compared = (times_in(side) for side in sides)
    stated = (literal.times for literal in pattern.stated)
    far = max((abs(time.offset) for times in (*stated, *compared) for time in times), default=0)
    if far > LARGEST_OFFSET:
        yield _Refusal(
            "E407",
            f"a time lies {far} ticks away, but there are no more than {LARGEST_OFFSET}",
            f"The largest offset is {LARGEST_OFFSET}. Write a smaller one, or declare a longer `tick`.",
        )
    time = pattern.unguarded_time
    if time is not None and not pattern.clock_driven and not _ends(pattern):
        yield _Refusal(
            "E405",
            f"{time} has no upper bound: it occurs only under `not`, "
            "so a fact would have an answer at every tick to come",
            f"Say up to when, such as `{time} <= U + 10` where U is the time of a fact.",
        )
    taken = pattern.guarded | {pattern.time.variable}
    for name in sorted(variables_in(each for each in pattern.answer if isinstance(each, Time)) - taken):
        yield _Refusal(
            "E404",
            f"{name} occurs only under `not`, so every tick would be an answer",
            f"Add a condition without `not` that says which times {name} has, such as a fact at {name}.",
        )
    if len(pattern.unguarded) > 1:
        names = " and ".join(pattern.unguarded)
        yield _Refusal(
            "E406",
            f"{names} occur only under `not`, so every combination of values would be an answer",
            "Add a condition without `not` that says which values they have, for all of them but one.",
        )


def _endless(pattern: Pattern, relations: Mapping[str, tuple[Pattern, ...]]) -> Iterator[_Refusal]:
    """Aggregates of atoms that are true for all values but a few."""
    for literal in pattern.asked:
        for each in (reference for reference in literal.references if reference.each):
            given = {place for place, term in enumerate(each.given) if term is not None}
            for inner in relations.get(each.name, ()):
                if names := {*inner.unguarded} - _at(inner, given):
                    yield _Refusal(
                        "E404",
                        f"there is no end of what `{literal.text}` is about: {' and '.join(sorted(names))} "
                        f"occurs only under `not` in {each.predicate}, which is true for nearly all values",
                        f"Give {each.predicate} a condition without `not` that says which values there are.",
                    )


def _resting_on_itself(pattern: Pattern, circle: frozenset[str], predicate: str) -> Iterator[_Refusal]:
    """An aggregate gives its value before anything that it counts can rest on that."""
    for literal, variables, _ in pattern.takings:
        if isinstance(literal, Aggregation) and literal.left.inside.relation in circle:
            (name,) = variables
            yield _Refusal(
                "E409",
                f"nothing gives {name} a value: `{literal.text}` is about atoms that rest on {predicate}, "
                f"and {predicate} on {name}",
                f"Compare it with a number, as in `{literal.left.function}(…) < 3`; or use the value of an "
                f"aggregate of what does not rest on {predicate}.",
            )


def _taking(pattern: Pattern, anything: set[str]) -> Iterator[_Refusal]:
    """`last` gives values where it is known of what slot, and where a slot has one fact a tick.

    What gives values needs others, which something before it gives.
    """
    given: dict[str, Last] = {}
    for literal, variables, missing in pattern.takings:
        names, later = " and ".join(sorted(variables)), missing & pattern.guarded
        if isinstance(literal, Aggregation):
            if later:
                yield _Refusal(
                    "E409",
                    f"nothing gives {' and '.join(sorted(later))} a value: `{literal.text}` has none without",
                    "Add a condition that says which values it has.",
                )
            continue
        if not literal.slot.promised:
            yield _Refusal(
                "E408",
                f"nothing gives {names} a value: `{literal.text}` asks for one",
                "`last` gives values of an input that promises one fact for each slot and tick: "
                f"`input {literal.predicate}(…), one per …`, without `per`. Else write the value, or add a "
                "condition that gives it.",
            )
        if lost := later | (literal.needs & anything):
            yield _Refusal(
                "E408",
                f"nothing gives {' and '.join(sorted(lost))} a value: it says of what `{literal.text}` "
                "is the latest",
                "Add a condition that says which values it has.",
            )
        given |= dict.fromkeys(variables, literal)
    for other in (each for each in pattern.asked if isinstance(each, Last)):
        for name in sorted(other.variables - other.needs):
            if given.get(name, other) != other:
                yield _Refusal(
                    "E408",
                    f"two latest facts would give {name} its value: `{given[name].text}` and `{other.text}`",
                    "Give it another name in one of them.",
                )


def _comparisons(pattern: Pattern, anything: set[str]) -> Iterator[_Refusal]:
    """All others cannot be compared: only that they equal no constant is known."""
    for literal in pattern.literals:
        for name in sorted(literal.compared & anything):
            yield _Refusal(
                "E402",
                f"`{literal.text}` needs a value of {name}, which occurs only under `not`, where it may have "
                "any value",
                f"Add a condition without `not` that says which values {name} has. Without one, it can be "
                "compared with constants by `=` and `!=` only.",
            )


def _ends(pattern: Pattern) -> bool:
    """Whether a time of a fact bounds the answer's time from above."""
    times = times_of(pattern)
    known = [Time(None, 0), *(fact.time for fact in pattern.facts)]
    return any(times.furthest(time, pattern.time) is not None for time in known)
