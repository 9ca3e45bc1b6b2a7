"""Literals of a pattern that one fact may serve: then they are one, and it is waited for once.

`Near(X, T) :- Seen(X, U), Seen(X, T), Hit(T), U <= T.` needs just one fact Seen where U is T, which
is `Near(X, T) :- Seen(X, T), Hit(T).` Such a factor says no more than the pattern it comes from, but
less is awaited where times or values are open.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, islice

from msgspec.structs import replace

from antelog.compile.comparisons import outcome
from antelog.compile.ordering import possible
from antelog.compile.plan import Earliest, Literal, Pattern, Term, Time, Var
from antelog.compile.renaming import renamed
from antelog.compile.substitution import Substitution
from antelog.compile.times import times_of
from antelog.compile.unfold import earliest_of


@dataclass(frozen=True, eq=False)
class Factor:
    """A pattern with some of its literals made one by a substitution.

    `numbers` says which literal of the factor each literal of the pattern it comes from became.
    """

    pattern: Pattern
    by: Substitution
    numbers: tuple[int, ...]


def factors(pattern: Pattern) -> Iterator[Factor]:
    """The pattern, and then all its factors, those with most literals first."""
    waiting, seen = [Substitution()], set()
    for by in waiting:
        factor = _applied(by, pattern)
        if factor is None or factor.numbers in seen:
            continue
        seen.add(factor.numbers)
        yield factor
        pairs = combinations(factor.pattern.literals, 2)
        unified = (_unified(by, factor.pattern, one, other) for one, other in pairs)
        waiting += [known for known in unified if known is not None]


def leaves_some(factor: Pattern, other: Pattern) -> bool:
    """Whether the literals of a factor, all different, may be literals of another pattern that has more.

    Only then what waits for these alone may make evidence for the others needless. True also where
    the search gives up.
    """
    one = renamed(factor, "~")
    known = Substitution()
    same = all(map(known.unify_terms, one.answer, other.answer))
    if not (same and known.unify_times(one.time, other.time)):
        return False
    waiting = [(known, one.literals)]
    for known, rest in islice(waiting, _STEPS):
        if not rest:
            became = {known.literal(literal) for literal in one.literals}
            if len(became) == len(one.literals) and not became.issuperset(map(known.literal, other.literals)):
                return True
        else:
            each = (_one_by(known, rest[0], literal, set(), None) for literal in other.literals)
            waiting += [(found, rest[1:]) for found in each if found is not None]
    return len(waiting) > _STEPS


_STEPS = 2_000


def _unified(by: Substitution, pattern: Pattern, one: Literal, other: Literal) -> Substitution | None:
    """What makes two more literals of a pattern one, if anything does."""
    kept = {term.name for term in pattern.answer if isinstance(term, Var)}
    known = _one_by(by, one, other, kept, pattern.time.variable)
    if known is None:
        return None
    times = times_of(pattern)
    apart = (times.furthest(*both) for both in ((one.time, other.time), (other.time, one.time)))
    return None if any(most is not None and most < 0 for most in apart) else known


def _one_by(
    by: Substitution, one: Literal, other: Literal, kept: set[str], kept_time: str | None
) -> Substitution | None:
    """What makes two literals one, besides what was before; some variables are kept where they can be."""
    if type(one) is not type(other) or one.predicate != other.predicate:
        return None
    known = by.copy()
    pairs = zip(one.arguments, other.arguments, strict=True)
    same = all(_same_terms(known, *both, kept) for both in pairs)
    return known if same and _same_times(known, one.time, other.time, kept_time) else None


def _same_terms(known: Substitution, one: Term | None, other: Term | None, kept: set[str]) -> bool:
    if one is None or other is None:
        return one is other
    one, other = known.term(one), known.term(other)
    own = isinstance(one, Var) and one.name not in kept
    answered = isinstance(other, Var) and other.name in kept
    return known.unify_terms(one, other) if own and answered else known.unify_terms(other, one)


def _same_times(known: Substitution, one: Time, other: Time, kept: str | None) -> bool:
    # A time may be given up for what is as late or later, so that it may be any tick from 0 on.
    given_up = other.variable not in (kept, None) and (one.variable == kept or other.offset <= one.offset)
    return known.unify_times(other, one) if given_up else known.unify_times(one, other)


def _applied(by: Substitution, pattern: Pattern) -> Factor | None:
    """The pattern as the substitution has it, if that can hold."""
    first = earliest_of([(e.variable, e.tick) for e in pattern.earliest], by)
    comparisons = [by.comparison(c) for c in pattern.comparisons]
    if first is None or not possible(comparisons, first):
        return None
    literals = tuple(map(by.literal, pattern.literals))
    number = {literal: i for i, literal in enumerate(dict.fromkeys(literals))}
    factor = replace(
        pattern,
        answer=tuple(map(by.term, pattern.answer)),
        time=by.time(pattern.time),
        literals=tuple(number),
        statics=tuple(dict.fromkeys(map(by.static, pattern.statics))),
        comparisons=tuple(c for c in dict.fromkeys(comparisons) if outcome(c) is None),
        earliest=tuple(Earliest(variable, tick) for variable, tick in first.items()),
    )
    return Factor(factor, by, tuple(number[literal] for literal in literals))
