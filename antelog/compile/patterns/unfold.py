"""One step of resolution: a clause, and a pattern for each of its derived goals, give a pattern.

In comes a clause with the patterns there are for its goals, out goes a pattern for each choice of
these that fits: variables stand for the same, times meet, comparisons can hold together. What does not
fit is told as None, for trying costs as well.

    P(X, T) :- Q(X, T), B(X, T).    and    A(X, T+1) for Q(X, T)    give    A(X, T+1), B(X, T)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from msgspec.structs import replace

from antelog.compile.conditions.comparisons import outcome
from antelog.compile.conditions.ordering import possible
from antelog.compile.nodes.patterns import Atom, Comparison, Earliest, Literal, Operand, Pattern, Time
from antelog.compile.nodes.substitution import Substitution
from antelog.compile.patterns.renaming import from_zero, readable, renamed
from antelog.compile.patterns.subsume import condense
from antelog.compile.rules.clauses import Clause
from antelog.compile.rules.queries import Frame

ANSWER = "<answer>"
"""The time of the query's answer, where it is not known yet: in what a window says of loose times."""


@dataclass(frozen=True, slots=True)
class Spanned:
    """A pattern, and how far before and after its time the goals of its derivation lie.

    Goals whose times are not tied to that of the pattern do not count.
    """

    pattern: Pattern
    first: int
    last: int

    def renamed(self, suffix: str) -> Spanned:
        """The same with variables no other pattern or clause has."""
        return Spanned(renamed(self.pattern, suffix), self.first, self.last)


Choice: TypeAlias = Sequence[Spanned] | None
"""The patterns there are for a goal; None if it is an input fact."""


def combinations(clause: Clause, choices: Sequence[Choice], frame: Frame | None) -> Iterator[Spanned | None]:
    """The patterns of a clause, one for each fitting choice of patterns for its derived goals.

    None stands for a choice that does not fit, so that the caller can count the effort.
    """
    known = Substitution()
    derived = [i for i, choice in enumerate(choices) if choice is not None]
    if not derived:
        yield _build(clause, {}, known, frame)
        return
    options = [[each.renamed(f"~{i}") for each in choices[i] or ()] for i in derived]
    chosen: dict[int, Spanned] = {}
    stack = [(known.mark(), iter(options[0]))]
    while stack:
        mark, remaining = stack[-1]
        known.undo(mark)
        spanned = next(remaining, None)
        position = derived[len(stack) - 1]
        if spanned is None:
            stack.pop()
        elif not _fits(spanned.pattern, clause.goals[position], known):
            yield None
        else:
            chosen[position] = spanned
            if len(stack) == len(derived):
                yield _build(clause, chosen, known, frame)
            else:
                stack.append((known.mark(), iter(options[len(stack)])))


def _fits(pattern: Pattern, goal: Atom, known: Substitution) -> bool:
    return known.unify_times(pattern.time, goal.time) and all(
        map(known.unify_terms, pattern.answer, goal.arguments)
    )


def _build(
    clause: Clause, chosen: Mapping[int, Spanned], known: Substitution, frame: Frame | None
) -> Spanned | None:
    """The clause with its derived goals replaced, or None if it can hold at no time or is too wide."""
    span = _span(clause, chosen)
    if frame is not None and max(-span[0], span[1]) > frame.width:
        return None
    parts = [chosen[i].pattern for i in sorted(chosen)]
    sources: list[Clause | Pattern] = [clause, *parts]
    first = earliest_of([*clause.earliest, *((e.variable, e.tick) for p in parts for e in p.earliest)], known)
    comparisons = [known.comparison(c) for source in sources for c in source.comparisons]
    if frame is not None:
        comparisons += map(known.comparison, _limits(clause, chosen, frame))
    if first is None or not possible(comparisons, first):
        return None
    literals: list[Literal] = [
        known.literal(literal)
        for i, goal in enumerate(clause.goals)
        for literal in (chosen[i].pattern.literals if i in chosen else (goal,))
    ]
    literals += map(known.literal, clause.negations)
    statics = [known.static(s) for source in sources for s in source.statics]
    head = known.atom(clause.head)
    pattern = readable(
        Pattern(
            head.arguments,
            head.time,
            tuple(dict.fromkeys(literals)),
            tuple(dict.fromkeys(statics)),
            tuple(c for c in dict.fromkeys(comparisons) if outcome(c) is None),
            tuple(Earliest(variable, tick) for variable, tick in first.items()),
        )
    )
    return Spanned(condense(from_zero(pattern)), *span)


def _span(clause: Clause, chosen: Mapping[int, Spanned]) -> tuple[int, int]:
    """How far before and after the head the goals lie, those of the chosen patterns too."""
    first = last = 0
    for i, time in enumerate(clause.body_times):
        offset = time.after(clause.head.time)
        if offset is not None:
            spanned = chosen.get(i)
            first = min(first, offset + (spanned.first if spanned else 0))
            last = max(last, offset + (spanned.last if spanned else 0))
    return first, last


def _limits(clause: Clause, chosen: Mapping[int, Spanned], frame: Frame) -> Iterator[Comparison]:
    """Comparisons that keep the goals whose times are not tied to the head's in the frame."""
    for i, time in enumerate(clause.body_times):
        if time.after(clause.head.time) is None:
            spanned = chosen.get(i)
            yield Comparison(Time(ANSWER, frame.first), "<=", time + (spanned.first if spanned else 0))
            yield Comparison(time + (spanned.last if spanned else 0), "<=", Time(ANSWER, frame.last))


def earliest_of(conditions: list[tuple[str, int]], known: Substitution) -> dict[str, int] | None:
    """The first tick of every time variable, or None if a fixed time is before its own."""
    first: dict[str, int] = {}
    for variable, tick in conditions:
        time = known.time(Time(variable, 0))
        if time.variable is None:
            if time.offset < tick:
                return None
        else:
            first[time.variable] = max(first.get(time.variable, tick - time.offset), tick - time.offset)
    return first


def framed(pattern: Pattern, offset: int) -> Pattern | None:
    """The pattern with its frame around its own time plus an offset, or None if that leaves no room.

    Within it literals may be needless that were not while the answer's time was unknown.
    """
    centre = pattern.time + offset

    def placed(operand: Operand) -> Operand:
        if isinstance(operand, Time) and operand.variable == ANSWER:
            return centre + operand.offset
        return operand

    comparisons = [Comparison(placed(c.left), c.operator, placed(c.right)) for c in pattern.comparisons]
    if not possible(comparisons, {e.variable: e.tick for e in pattern.earliest}):
        return None
    kept = tuple(c for c in dict.fromkeys(comparisons) if outcome(c) is None)
    return condense(replace(pattern, comparisons=kept))
