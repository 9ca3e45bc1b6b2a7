"""`if_silent` and `decided_by` of open answers: semantics.md, "Changes"."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

from tests.specification.answers import Answer, Answers
from tests.specification.literals import Aggregation, Comparison
from tests.specification.literals.literal import Around, Literal
from tests.specification.terms import Atom, Variable
from tests.specification.world import NEVER, START, Derivation, Tick, World, stated_apart


@dataclass(frozen=True, slots=True)
class Silence:
    """What becomes of an answer if no further fact arrives, and at which tick."""

    change: str
    tick: int


@dataclass(frozen=True, slots=True)
class Outlook:
    """What is known ahead about an open answer; None where nothing bounds it."""

    if_silent: Silence | None
    decided_by: int | None


def if_silent(answers: Answers, answer: Answer, now: int) -> Silence | None:
    """The first tick after `now` at which an answer is confirmed, or no longer reported."""
    turns: set[Tick] = set()
    for candidate in answers.candidates[answer]:
        turns.update((candidate.since, *candidate.derivation.latest[:2]))
        turns.update(tick for ticks in candidate.derivation.literals.values() for tick in ticks)
    for tick in sorted(int(tick) for tick in turns if now < tick < NEVER):
        reported = answers.explanations(answer, tick)
        if any(not e.hypotheses for e in reported):
            return Silence("confirmed", tick)
        if not reported:
            return Silence("rejected", tick)
    return None


def decided_by(world: World, answers: Answers, answer: Answer, now: int) -> int | None:
    """The largest t + δ among the input atoms its explanations still depend on, through negation, too."""
    search = _Search(world, now)
    latest_ = max((search.derivation(c.derivation) for _, c in answers.reported(answer, now)), default=START)
    return None if latest_ == NEVER else int(latest_)


class _Search:
    def __init__(self, world: World, now: int) -> None:
        self._world, self._now = world, now
        self._seen: set[tuple[Atom, tuple[Comparison, ...]]] = set()

    def derivation(self, derivation: Derivation) -> Tick:
        """By when the open literals of a derivation are decided."""
        open_ = (li for li, ticks in derivation.literals.items() if min(ticks) > self._now)
        return max((self._literal(li, derivation) for li in open_), default=START)

    def _literal(self, literal: Literal, derivation: Derivation) -> Tick:
        if isinstance(literal.body, Aggregation) and literal.body.variables <= literal.body.takes:
            return self._open(
                d for each in literal.body.aggregates for d in self._world.may_come(each, self._now)
            )
        around = derivation.around
        return max(
            [START, *(self._world.last_arrival(atom, around) for atom in [literal.body.goal] if atom)]
            + [self._asked(atom, literal.body.bounds, around) for atom in literal.body.asked]
        )

    def _asked(self, atom: Atom, bounds: tuple[Comparison, ...], around: Around) -> Tick:
        around = replace(around, comparisons=(*around.comparisons, *bounds))
        time, first = atom.time, around.first.items()
        comparisons = [*around.comparisons, *(Comparison(Variable(n), ">=", tick) for n, tick in first)]
        if isinstance(time, Variable):
            last = self._world.last(time, around)
            if last is None or last == math.inf:
                return START if last is None else NEVER
            comparisons.append(Comparison(time, "<=", int(last)))
        asked, own = stated_apart(atom, comparisons, {})
        if (asked, own) in self._seen:
            return START
        self._seen.add((asked, own))
        patterns, given = self._world.program.patterns_of(asked), self._world.program.asked_of(asked)
        return self._open(d for pattern in patterns for d in self._world.derivations(pattern, given, own))

    def _open(self, derivations: Iterable[Derivation]) -> Tick:
        """By when those that are not false are decided."""
        open_ = (each for each in derivations if each.ticks.false_at > self._now)
        return max(map(self.derivation, open_), default=START)
