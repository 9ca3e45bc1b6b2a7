"""One step of resolution: a clause, and a pattern for each of its derived goals, give a pattern.

P(X, T) :- Q(X, T), B(X, T).    and    A(X, T+1) for Q(X, T)    give    A(X, T+1), B(X, T)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from msgspec.structs import replace

from antelog.compile.comparisons import possible
from antelog.compile.literals import AnyLiteral, Atom, Comparison
from antelog.compile.literals.terms import Substitution, Time
from antelog.compile.nodes.patterns import Earliest, Pattern, Readable, Suffixed, arranged, from_zero
from antelog.compile.patterns.subsume import Budget, condense
from antelog.compile.rules.clauses import Clause, EvidenceFrame, undecided

ANSWER = "<answer>"
"""The time of the query's answer, where it is not known yet: in what a window says of loose times."""


@dataclass(frozen=True, slots=True)
class Spanned:
    """A pattern with the span of its goals before and after its time; only goals tied to it count."""

    pattern: Pattern
    first: int
    last: int


_TO_FIT, _TO_RENAME, _TO_BUILD = 4, 4, 7
"""Steps to try a pattern for a goal, and for each literal to rename it and to build a pattern with it."""

Choice: TypeAlias = Sequence[Spanned] | None
"""The patterns there are for a goal; None if it is an input fact."""


def combinations(
    clause: Clause, choices: Sequence[Choice], frame: EvidenceFrame | None, work: Budget
) -> Iterator[Spanned]:
    """Yields a pattern for each fitting choice of patterns for the derived goals of a clause."""
    known = Substitution()
    derived = [i for i, choice in enumerate(choices) if choice is not None]
    if not derived:
        built = _build(clause, {}, known, frame, work)
        if built is not None:
            yield built
        return
    work.spend(_TO_RENAME * sum(len(each.pattern.literals) for i in derived for each in choices[i] or ()))
    # No other pattern, and not the clause, has their variables.
    options = [
        [Spanned(Suffixed(f"~{i}").pattern(each.pattern), each.first, each.last) for each in choices[i] or ()]
        for i in derived
    ]
    chosen: dict[int, Spanned] = {}
    stack = [(known.mark(), iter(options[0]))]
    while stack:
        mark, remaining = stack[-1]
        known.undo(mark)
        spanned = next(remaining, None)
        position = derived[len(stack) - 1]
        if spanned is None:
            stack.pop()
            continue
        work.spend(_TO_FIT)
        pattern, goal = spanned.pattern, clause.facts[position]
        columns = [*zip(pattern.answer, goal.arguments, strict=True)]
        # The answer's time names its variable, then the first column that has it: those come last.
        if all(known.equate(*each) for each in (*columns[::-1], (pattern.time, goal.time))):
            chosen[position] = spanned
            if len(stack) == len(derived):
                built = _build(clause, chosen, known, frame, work)
                if built is not None:
                    yield built
            else:
                stack.append((known.mark(), iter(options[len(stack)])))


def _build(
    clause: Clause,
    chosen: Mapping[int, Spanned],
    known: Substitution,
    frame: EvidenceFrame | None,
    work: Budget,
) -> Spanned | None:
    """Replaces the derived goals of a clause; None if it can hold at no time or is too wide."""
    span = _span(clause, chosen)
    if frame is not None and max(-span[0], span[1]) > frame.width:
        return None
    parts = [chosen[i].pattern for i in sorted(chosen)]
    work.spend(_TO_BUILD * (5 + sum(len(source.literals) for source in (clause, *parts))))
    first = earliest_of([*clause.earliest, *(each for part in parts for each in part.earliest)], known)
    if first is None:
        return None
    sources: list[Clause | Pattern] = [clause, *parts]
    conditions: list[AnyLiteral] = [c.replaced(known) for source in sources for c in source.conditions]
    if frame is not None:
        conditions += (limit.replaced(known) for limit in _limits(clause, chosen, frame))
    if not possible([each for each in conditions if isinstance(each, Comparison)], first):
        return None
    stated: list[AnyLiteral] = []
    for i, goal in enumerate(clause.facts):
        stated += chosen[i].pattern.stated if i in chosen else (goal,)
    stated += (each for each in clause.stated if not isinstance(each, Atom))
    literals = arranged((*(each.replaced(known) for each in stated), *conditions))
    head = clause.head.replaced(known)
    earliest = tuple(Earliest(variable, tick) for variable, tick in first.items())
    pattern = Readable().pattern(Pattern(head.arguments, head.time, undecided(literals), earliest))
    return Spanned(condense(from_zero(pattern), work), *span)


def _span(clause: Clause, chosen: Mapping[int, Spanned]) -> tuple[int, int]:
    """Returns the span of the goals before and after the head, with those of the chosen patterns."""
    first = last = 0
    for i, time in enumerate(clause.body_times):
        offset = time.after(clause.head.time)
        if offset is not None:
            spanned = chosen.get(i)
            first = min(first, offset + (spanned.first if spanned else 0))
            last = max(last, offset + (spanned.last if spanned else 0))
    return first, last


def _limits(clause: Clause, chosen: Mapping[int, Spanned], frame: EvidenceFrame) -> Iterator[Comparison]:
    """Yields comparisons that keep goals whose times are not tied to the head's in the frame."""
    for i, time in enumerate(clause.body_times):
        if time.after(clause.head.time) is None:
            spanned = chosen.get(i)
            yield Comparison(Time(ANSWER, frame.first), "<=", time + (spanned.first if spanned else 0))
            yield Comparison(time + (spanned.last if spanned else 0), "<=", Time(ANSWER, frame.last))


def earliest_of(conditions: Iterable[Earliest], known: Substitution) -> dict[str, int] | None:
    """Returns the first tick of every time variable; None if a fixed time is before its own."""
    first: dict[str, int] = {}
    for each in conditions:
        time = known.time(Time(each.variable, 0))
        tick = each.tick - time.offset
        if time.variable is not None:
            first[time.variable] = max(first.get(time.variable, tick), tick)
        elif tick > 0:
            return None
    return first


def framed(pattern: Pattern, offset: int, work: Budget) -> Pattern | None:
    """Puts a frame around the pattern's own time plus an offset; None if that leaves no room."""
    known = Substitution()
    known.bind_time(ANSWER, pattern.time + offset)
    placed = replace(pattern, literals=arranged(literal.replaced(known) for literal in pattern.literals))
    if not possible(placed.comparisons, {e.variable: e.tick for e in pattern.earliest}):
        return None
    # Literals may be needless that were not while the answer's time was unknown.
    return condense(replace(placed, literals=undecided(placed.literals)), work)
