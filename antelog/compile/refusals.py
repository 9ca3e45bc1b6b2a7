"""Patterns that cannot be run, though each rule by itself is fine.

    OK(X, T) :- not Bad(X, T).    Any(T) :- OK(_, T).

Put together, `Any(T) :- not Bad(X, T)` asks whether some X makes the negation true, which nearly
every X nobody has named does. What a rule says by itself is checked with the language.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from antelog.compile.explain import pattern_text
from antelog.compile.plan import Comparison, Const, Negated, Pattern, Time, Var
from antelog.compile.prepare import compared, variables_of
from antelog.compile.times import times_of
from antelog.diagnostics import Diagnostic, Span
from antelog.language import syntax


def refusals(
    name: str, predicate: str, asked: bool, patterns: Iterable[Pattern], document: syntax.Document
) -> Iterator[Diagnostic]:
    """What stands against running the patterns of a relation, each kind of objection once."""
    span = _place(name, predicate, asked, document)
    seen: set[str] = set()
    for pattern in patterns:
        for code, message, hint in _objections(pattern):
            if code not in seen:
                seen.add(code)
                text = f"{message}, once the rules are put together: {pattern_text(pattern)}"
                yield Diagnostic(code, text, span, hint)


def _place(name: str, predicate: str, asked: bool, document: syntax.Document) -> Span:
    """The query, or the negated atom, that asks for the relation."""
    if asked:
        return next(query.span for query in document.queries if query.atom.predicate == name)
    for rule in document.rules:
        for atom, is_negated in syntax.atoms_of(rule):
            if is_negated and atom.predicate == predicate:
                return atom.span
    return next(query.span for query in document.queries)


def _objections(pattern: Pattern) -> Iterator[tuple[str, str, str]]:
    answer = {term.name for term in pattern.answer if isinstance(term, Var)} | {pattern.time.variable}
    guarded = pattern.guarded
    times = {pattern.time.variable, *(literal.time.variable for literal in pattern.literals)}
    for literal in pattern.literals:
        if isinstance(literal, Negated):
            for name in sorted(variables_of(literal) - guarded - answer):
                kind = "time" if name in times else "value"
                yield (
                    "E404",
                    f"{name} occurs only under negation, which asks whether some {kind} makes the negation true",
                    f"Some {kind} nearly always does. Ask for {name} in the answer too, or add a condition "
                    f"without `not` that says which values {name} has.",
                )
    time = pattern.unguarded_time
    if time is not None and not pattern.clock_driven and not _ends(pattern):
        yield (
            "E405",
            f"{time} occurs in no condition without `not`, so one fact would have answers at every tick there is",
            f"Say up to when, such as `{time} <= U + 10` where U is the time of a fact.",
        )
    if len(pattern.unguarded) > 1:
        names = " and ".join(pattern.unguarded)
        yield (
            "E406",
            f"{names} occur only under negation, so each would range over everything",
            "Add a condition without `not` that says which values they have, for all of them but one.",
        )
    for name in pattern.unguarded:
        if any(name in compared(c) and not _by_name(c, name) for c in pattern.comparisons):
            yield (
                "E402",
                f"{name} is compared, but occurs only under negation, where it may have any value",
                f"Add a condition without `not` that says which values {name} has. Without one, it can be "
                "compared with constants by `=` and `!=` only.",
            )


def _ends(pattern: Pattern) -> bool:
    """Whether a time of a fact says how late the answer's time may be."""
    times = times_of(pattern)
    known = [Time(None, 0), *(atom.time for atom in pattern.atoms)]
    return any(times.furthest(time, pattern.time) is not None for time in known)


def _by_name(comparison: Comparison, name: str) -> bool:
    sides = (comparison.left, comparison.right)
    return (
        Var(name) in sides and any(isinstance(s, Const) for s in sides) and comparison.operator in ("=", "!=")
    )
