"""One step of resolution: a clause, and for each derived goal a way to derive it, give a pattern."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from antelog.compile.conditions.comparisons import outcome
from antelog.compile.conditions.ordering import possible
from antelog.compile.nodes.patterns import Atom, Comparison, Earliest, Literal, Operand, Pattern, Time
from antelog.compile.nodes.substitution import Substitution
from antelog.compile.patterns.renaming import from_zero, readable, renamed
from antelog.compile.patterns.subsume import condense
from antelog.compile.rules.clauses import Clause

ANSWER = "<answer>"
"""The time of the query's answer, where it is not known yet: in what a window says of loose times."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A declared window: goals and evidence lie in [T + first, T + last] for an answer about T."""

    first: int
    last: int

    @property
    def width(self) -> int:
        return self.last - self.first


@dataclass(frozen=True, slots=True)
class Way:
    """A pattern, and how far before and after its time the goals of its derivation lie.

    Goals whose times are not tied to that of the pattern do not count.
    """

    pattern: Pattern
    first: int
    last: int


def combinations(
    clause: Clause, choices: Sequence[Sequence[Way] | None], frame: Frame | None
) -> Iterator[Way | None]:
    """The ways of a clause, one for each fitting choice of ways for its derived goals.

    None stands for a choice that does not fit, so that the caller can count the effort.
    """
    known = Substitution()
    derived = [i for i, ways in enumerate(choices) if ways is not None]
    if not derived:
        yield _build(clause, {}, known, frame)
        return
    options = [[Way(renamed(w.pattern, f"~{i}"), w.first, w.last) for w in choices[i] or ()] for i in derived]
    chosen: dict[int, Way] = {}
    stack = [(known.mark(), iter(options[0]))]
    while stack:
        mark, remaining = stack[-1]
        known.undo(mark)
        way = next(remaining, None)
        position = derived[len(stack) - 1]
        if way is None:
            stack.pop()
        elif not _fits(way.pattern, clause.goals[position], known):
            yield None
        else:
            chosen[position] = way
            if len(stack) == len(derived):
                yield _build(clause, chosen, known, frame)
            else:
                stack.append((known.mark(), iter(options[len(stack)])))


def _fits(pattern: Pattern, goal: Atom, known: Substitution) -> bool:
    return known.unify_times(pattern.time, goal.time) and all(
        map(known.unify_terms, pattern.answer, goal.arguments)
    )


def _build(clause: Clause, chosen: Mapping[int, Way], known: Substitution, frame: Frame | None) -> Way | None:
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
    return Way(condense(from_zero(pattern)), *span)


def _span(clause: Clause, chosen: Mapping[int, Way]) -> tuple[int, int]:
    """How far before and after the head the goals lie, those of the chosen ways too."""
    first = last = 0
    head = clause.head.time
    for i, time in enumerate(clause.body_times):
        if time.variable == head.variable:
            offset = time.offset - head.offset
            way = chosen.get(i)
            first = min(first, offset + (way.first if way else 0))
            last = max(last, offset + (way.last if way else 0))
    return first, last


def _limits(clause: Clause, chosen: Mapping[int, Way], frame: Frame) -> Iterator[Comparison]:
    """Comparisons that keep the goals whose times are not tied to the head's in the frame."""
    for i, time in enumerate(clause.body_times):
        if time.variable != clause.head.time.variable:
            way = chosen.get(i)
            yield Comparison(Time(ANSWER, frame.first), "<=", time + (way.first if way else 0))
            yield Comparison(time + (way.last if way else 0), "<=", Time(ANSWER, frame.last))


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
