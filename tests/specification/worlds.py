"""How likely an answer is under declared chances: all the ways in which the facts can go, weighed.

    input  Temp(device, level, time) delay 1 (70%, 30%).
    chance Temp(_, high, _) = 5%, again 80%.
    Malf(X, T) :- Temp(X, high, T), Temp(X, high, T+1).

A *world* says of every fact that an answer can rest on whether it is true, and when it arrives or that it
never does. Worlds that disagree with what has arrived by `now`, or with what has not, are none. The others
have weights by the model in `chains`: after `Temp(wt2, high, 0)` at tick 0, `Malf(wt2, 0)` has chance 0.8.
While `Temp(wt2, high, 1)` has not come by tick 1, it is 0.8·0.3 / (0.2 + 0.8·0.3).

- `chance` is the share of the worlds in which the specification confirms the answer, at any tick.
- `forecast` is the same for "by tick u": pairs of u and probability, for each u after `now` where it grows.
- `holds` is the share of the worlds in whose true facts the answer follows, if each arrived at its own tick.
  Without loss, it is `chance`.

Nothing here knows what is true when: each world is handed to the specification as a stream.

An answer has no chance (None)
- if it has an open variable, or rests on a time that nothing bounds;
- if a variable is left without a value that stands in two literals, twice in one, or in a comparison, or is
  an aggregate's own and is taken or compared by it, unless there is one fact at a tick at most and
  declarations name its values;
- if a series has no declared chance, or a declaration (of a chance or a delay) names a value in a column
  that the series leaves open, or the chances in a slot exceed 100 % together (a declaration for any value
  counts for each literal that it fits); unless all that the answer asks of it is decided: its facts have
  come, or can come no more (of series that share a slot, all that is asked of them);
- if a fact can belong to two of its series;
- if what has arrived cannot be, by what is declared (a chance of 0 %).

All others, as a value of an answer, is a value that no fact ever has. Late, early, malformed and
conflicting facts are as if they had not come. A fact that takes a slot and for which nothing is declared was
not foreseen: at its tick the slot's chain has none of its facts, and that such a one comes again is not
reckoned with, unless it is known from the stream how often they come (`others`). Everything is exact; only
results are rounded.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import TypeAlias

from antelog.language import Checked
from tests.specification.answers import Answer, answers_of
from tests.specification.chains import (
    Event,
    Model,
    Others,
    Outcome,
    Shares,
    even_shares,
    meets,
    names_open_value,
)
from tests.specification.program import Query, prepare
from tests.specification.resting import UndeterminedError, facts_below
from tests.specification.stream import Arrival, Stream, delta, slot_of, time_of
from tests.specification.terms import Atom, Term
from tests.specification.world import NEVER, Tick, World

MOST_WORLDS = 2**12

Arrivals: TypeAlias = frozenset[tuple[Atom, int]]


class TooManyWorldsError(Exception):
    """An answer can rest on more than can be enumerated."""


@dataclass(frozen=True)
class Chance:
    """How likely an answer is; `forecast` has ticks and how likely it is confirmed by then."""

    chance: float
    forecast: tuple[tuple[int, float], ...]
    holds: float


def chance_of(
    checked: Checked, facts: Iterable[Arrival], now: int, query: str, answer: Answer
) -> Chance | None:
    """How likely an answer is at a tick; None if it has no chance. `Worlds` does it for many answers."""
    return Worlds(checked, Stream(tuple(facts)), now).chance_of(query, answer)


class Worlds:
    """What may be, of a program and what has arrived up to a tick."""

    def __init__(
        self,
        checked: Checked,
        stream: Stream,
        now: int,
        begin: int = 0,
        shares: Shares = even_shares,
        others: Others | None = None,
    ) -> None:
        """Time begins at `begin`. `shares` are those of delays for which none are declared."""
        known = replace(stream, arrivals=tuple(each for each in stream.arrivals if each.tick <= now))
        self._program = prepare(checked, known, now)
        self._queries: Mapping[str, Query] = {query.name: query for query in self._program.queries}
        self._model = Model(checked.vocabulary, shares, others)
        self._begin, self._now = begin, now

    def chance_of(self, query: str, answer: Answer) -> Chance | None:
        try:
            atoms = facts_below(self._program, self._queries[query], answer)
            chains = list(self._model.chains(self._uncertain(atoms), self._program.arrivals))
        except UndeterminedError:
            return None
        outcomes = [chain.outcomes(self._begin, self._now) for chain in chains]
        if math.prod(map(len, outcomes)) > MOST_WORLDS:
            raise TooManyWorldsError
        trial = _Trial(self, query, answer, self._arrived(atoms))
        total, holds = Fraction(0), Fraction(0)
        at: dict[Tick, Fraction] = {}
        for events, weight in _worlds(outcomes):
            total += weight
            tick = trial.confirmed(events)
            at[tick] = at.get(tick, Fraction(0)) + weight
            holds += weight if trial.follows(events) else 0
        if not total:
            return None
        return Chance(
            float(1 - at.get(NEVER, Fraction(0)) / total), self._forecast(at, total), float(holds / total)
        )

    def _forecast(self, at: Mapping[Tick, Fraction], total: Fraction) -> tuple[tuple[int, float], ...]:
        by = sum((weight for tick, weight in at.items() if tick <= self._now), Fraction(0))
        found = []
        for tick in sorted(int(tick) for tick in at if self._now < tick < NEVER):
            by += at[tick]
            found.append((tick, float(by / total)))
        return tuple(found)

    def _uncertain(self, atoms: Iterable[Atom]) -> Iterator[Atom]:
        """The atoms but for those of series without a chance of which everything is decided."""
        groups: dict[tuple[str, tuple[Term, ...]], list[Atom]] = {}
        for atom in atoms:
            slot = slot_of(self._program.vocabulary[atom.predicate], atom)
            values = atom.arguments[:-1] if slot is None else slot[1]
            groups.setdefault((atom.predicate, values), []).append(atom)
        for group in groups.values():
            if not all(map(self._decided, group)) or self._model.has_odds(group):
                yield from group

    def _decided(self, atom: Atom) -> bool:
        """Whether a fact of an atom has come, or can come no more."""
        predicate, tick = self._program.vocabulary[atom.predicate], atom.time
        assert isinstance(tick, int)
        slot = slot_of(predicate, atom)
        for fact in self._program.arrivals:
            if fact.predicate != atom.predicate:
                continue
            if meets(fact.arguments, atom.arguments) or (slot and slot == slot_of(predicate, fact)):
                return True
        longest = delta(predicate, atom.arguments)
        if names_open_value(atom.arguments[:-1], predicate.schedule.refinements):
            longest = max(predicate.schedule.bound, *(each.delay for each in predicate.schedule.refinements))
        return tick + longest <= self._now

    def _arrived(self, atoms: Iterable[Atom]) -> Arrivals:
        """The facts that have arrived, as far as the answer can rest on them or they exclude such."""
        vocabulary = self._program.vocabulary
        atoms = list(atoms)
        slots = {slot_of(vocabulary[atom.predicate], atom) for atom in atoms} - {None}
        return frozenset(
            (fact, arrival)
            for fact, arrival in self._program.arrivals.items()
            if slot_of(vocabulary[fact.predicate], fact) in slots
            or any(a.predicate == fact.predicate and meets(fact.arguments, a.arguments) for a in atoms)
        )

    def confirmed_at(self, query: str, answer: Answer, arrivals: Arrivals) -> Tick:
        """The tick at which the specification confirms an answer if just these facts arrive."""
        tick = answer[-1][1]
        until = tick if isinstance(tick, int) and self._queries[query].time else self._now
        program = replace(self._program, arrivals=dict(arrivals), until=until)
        candidates = answers_of(World(program), self._queries[query]).candidates.get(answer, ())
        return min((max(c.since, c.derivation.ticks.true_at) for c in candidates), default=NEVER)


def _worlds(outcomes: list[dict[Outcome, Fraction]]) -> Iterator[tuple[tuple[Event, ...], Fraction]]:
    """One outcome of each chain, in every way; chains are independent."""
    for chosen in product(*(each.items() for each in outcomes)):
        events = tuple(event for outcome, _ in chosen for event in outcome)
        yield events, math.prod((weight for _, weight in chosen), start=Fraction(1))


class _Trial:
    """Asks the specification about an answer, once for each set of facts."""

    def __init__(self, worlds: Worlds, query: str, answer: Answer, arrived: Arrivals) -> None:
        self._worlds, self._query, self._answer, self._arrived = worlds, query, answer, arrived
        self._known: dict[Arrivals, Tick] = {}

    def confirmed(self, events: tuple[Event, ...]) -> Tick:
        """The tick at which the answer is confirmed in a world."""
        coming = frozenset((each.fact, each.arrival) for each in events if each.arrival is not None)
        return self._ask(self._arrived | coming)

    def follows(self, events: tuple[Event, ...]) -> bool:
        """Whether the answer follows from what is true in a world, arrived or not."""
        true = frozenset((fact, time_of(fact)) for fact, _ in self._arrived)
        return self._ask(true | {(each.fact, time_of(each.fact)) for each in events}) < NEVER

    def _ask(self, arrivals: Arrivals) -> Tick:
        if arrivals not in self._known:
            self._known[arrivals] = self._worlds.confirmed_at(self._query, self._answer, arrivals)
        return self._known[arrivals]
