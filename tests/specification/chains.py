"""The model of facts: how they come about tick by tick, and how late they come.

    chance Temp(_, high, _) = 5%, again 80%.

A *series* is `Temp(wt2, high, ·)`: a fact literal with its values, over all ticks; `Ack(wt2, _, ·)` is one
too, and there is a fact of it at a tick if there is one with any value. At each tick a series has a fact or
it has none: with probability `once` after a tick without, `again` after a tick with one. There is none
before time begins. Different series know nothing of each other.

Series whose facts exclude each other (`one per device`) are one chain. Its states are: none, a fact of
each series, and a fact of each other kind that declarations speak of. From a state to another one that is a
fact the probability is that one's `once`; to the same one its `again`; to none it is the rest.

A slot may also have another fact, of which nothing is declared. How often is not declared either: it is found
in the stream, by `others`. Of the rest that is the part of another fact, and what is left is none.

A true fact about `t` arrives at `t + d` with the share of `d`, and never with what is missing to 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from antelog.language.vocabulary import DeclaredChance, DeclaredDelay, Predicate, Type, Vocabulary
from tests.specification.resting import UndeterminedError
from tests.specification.stream import delta
from tests.specification.terms import ANY, OTHERS, Atom, Term

Values: TypeAlias = tuple[Term, ...]
"""The arguments of a fact but for its time."""

Shares: TypeAlias = Callable[[str, int], Sequence[Fraction | float]]
"""For an input and a delay without declared shares: those of the facts that come 0, 1, 2 … ticks late."""


@dataclass(frozen=True)
class Others:
    """The part of ticks without a declared fact that has another one: after none, a declared, another."""

    none: Fraction
    declared: Fraction
    other: Fraction


def even_shares(_input: str, delay: int) -> Sequence[Fraction]:
    """Any delay is as likely as another, and nothing is lost."""
    return (Fraction(1, delay + 1),) * (delay + 1)


@dataclass(frozen=True)
class State:
    """A fact that a chain may have at a tick; the one with these `values` stands for all of its kind."""

    predicate: str
    values: Values
    once: Fraction
    again: Fraction
    shares: tuple[Fraction, ...]

    def fact(self, tick: int) -> Atom:
        return Atom(self.predicate, (*self.values, tick))


@dataclass(frozen=True)
class Event:
    """A true fact, and when it arrives (None: never)."""

    fact: Atom
    arrival: int | None


@dataclass(frozen=True)
class Seen:
    """The state that has arrived about a tick, and how likely a true fact comes that late.

    The state is `OTHER` if an undeclared fact takes the slot, and the stream says something of such facts.
    """

    state: int | None
    share: Fraction


OTHER = -1
"""The state of another fact."""

Outcome: TypeAlias = tuple[Event, ...]
"""What becomes of a chain at the ticks that matter, beyond what has been seen."""


@dataclass(frozen=True)
class Chain:
    """States, the ticks about which an answer asks, what has been seen, and another fact of the slot."""

    states: tuple[State, ...]
    ticks: frozenset[int]
    seen: Mapping[int, Seen]
    other: State | None = None
    others: Others | None = None

    def outcomes(self, begin: int, now: int) -> dict[Outcome, Fraction]:
        """The possible outcomes given what has arrived by `now`; weights are not normalized.

        The weight of an outcome is the sum over all ways in which its chain can go from `begin` on.
        """
        weights: dict[tuple[int | None, Outcome], Fraction] = {(None, ()): Fraction(1)}
        for tick in range(begin, max(now, *self.ticks) + 1):
            grown: dict[tuple[int | None, Outcome], Fraction] = {}
            for (before, outcome), weight in weights.items():
                for state, event, share in self._ways(tick, now):
                    step = weight * self._transition(before, state) * share
                    key = state, (*outcome, event) if event and tick in self.ticks else outcome
                    if step:
                        grown[key] = grown.get(key, Fraction(0)) + step
            weights = grown
        found: dict[Outcome, Fraction] = {}
        for (_, outcome), weight in weights.items():
            found[outcome] = found.get(outcome, Fraction(0)) + weight
        return found

    def _ways(self, tick: int, now: int) -> Iterator[tuple[int | None, Event | None, Fraction]]:
        """What may be true about a tick, with what is not seen of it, and how likely it comes like that."""
        seen = self.seen.get(tick)
        if seen is not None:
            yield seen.state, None, seen.share
            return
        yield None, None, Fraction(1)
        for i, state in self._facts():
            for late, share in enumerate(state.shares):
                if tick + late > now:
                    yield i, Event(state.fact(tick), tick + late), share
            yield i, Event(state.fact(tick), None), 1 - sum(state.shares, Fraction(0))

    def _facts(self) -> Iterator[tuple[int, State]]:
        yield from enumerate(self.states)
        if self.other is not None and self.others is not None:
            yield OTHER, self.other

    def _transition(self, before: int | None, after: int | None) -> Fraction:
        if after is not None and after != OTHER:
            return self.states[after].again if after == before else self.states[after].once
        rest = 1 - sum((self._transition(before, i) for i in range(len(self.states))), Fraction(0))
        other = self._part_of_other(before)
        return rest * (other if after == OTHER else 1 - other)

    def _part_of_other(self, before: int | None) -> Fraction:
        if self.other is None or self.others is None:
            return Fraction(0)
        if before is None:
            return self.others.none
        return self.others.other if before == OTHER else self.others.declared


@dataclass(frozen=True)
class Model:
    """What a program declares, with shares where it does not."""

    vocabulary: Vocabulary
    shares: Shares = even_shares
    others: Others | None = None

    def chains(self, atoms: Iterable[Atom], arrivals: Mapping[Atom, int]) -> Iterator[Chain]:
        """The chains of the series that atoms belong to; raises UndeterminedError if one has no chance."""
        by_input: dict[str, dict[Values, set[int]]] = {}
        for atom in atoms:
            assert isinstance(atom.time, int)
            if OTHERS not in atom.arguments:  # no fact has this value
                by_input.setdefault(atom.predicate, {}).setdefault(atom.arguments[:-1], set()).add(atom.time)
        for name, series in by_input.items():
            _check_apart(self.vocabulary[name], list(series))
            for group in _together(self.vocabulary[name], list(series)):
                states = [self._state(name, values, of_series=True) for values in group]
                states += self._other_states(name, group)
                ticks = frozenset[int]().union(*(series[values] for values in group))
                other = self._other(name, group) if self.others else None
                seen = self._seen(name, group, states, arrivals)
                if other is not None:
                    seen = {t: s if s.state is not None else Seen(OTHER, s.share) for t, s in seen.items()}
                chain = Chain(tuple(states), ticks, seen, other, self.others)
                _check_sums(name, states)
                yield chain

    def has_odds(self, atoms: Sequence[Atom]) -> bool:
        """Whether it is declared how likely the facts of a chain are whose series atoms belong to."""
        group = list(dict.fromkeys(atom.arguments[:-1] for atom in atoms))
        (name,) = {atom.predicate for atom in atoms}
        try:
            states = [self._state(name, values, of_series=True) for values in group]
            _check_sums(name, [*states, *self._other_states(name, group)])
        except UndeterminedError:
            return False
        return True

    def _state(self, name: str, values: Values, of_series: bool) -> State:
        predicate, chances = self.vocabulary[name], self.vocabulary.odds_of(name).chances
        if of_series and names_open_value(values, (*chances, *predicate.schedule.refinements)):
            raise UndeterminedError(f"a declaration for {name} names a value that a literal leaves open")
        fact = _standing_for(predicate, values)
        chance = deciding(chances, fact)
        if not isinstance(chance, DeclaredChance):
            raise UndeterminedError(f"no chance is declared for {name}")
        return State(name, fact, chance.once, chance.again, self._shares_of(predicate, fact))

    def _shares_of(self, predicate: Predicate, fact: Values) -> tuple[Fraction, ...]:
        refinement = deciding(predicate.schedule.refinements, fact)
        declared = self.vocabulary.odds_of(predicate.name).shares
        if isinstance(refinement, DeclaredDelay):
            declared = refinement.shares
        delay = delta(predicate, (*fact, 0))
        return declared or tuple(Fraction(share) for share in self.shares(predicate.name, delay))

    def _other_states(self, name: str, group: Sequence[Values]) -> Iterator[State]:
        """For a slot, facts of other kinds that declarations speak of: any of them takes it as well."""
        predicate = self.vocabulary[name]
        if predicate.slot is None or any(group[0][i] is ANY for i in predicate.slot):
            return
        kinds: dict[Values, None] = {}
        for chance in self.vocabulary.odds_of(name).chances:
            own = {i: group[0][i] for i in predicate.slot}
            if all(value in (None, own.get(i, value)) for i, value in enumerate(chance.pattern)):
                wanted = (
                    own.get(i, ANY if value is None else value) for i, value in enumerate(chance.pattern)
                )
                kinds[_standing_for(predicate, tuple(wanted))] = None
        for kind in kinds:
            if not any(meets(kind, values) for values in group):
                yield self._state(name, kind, of_series=False)

    def _other(self, name: str, group: Sequence[Values]) -> State | None:
        """Another fact of a slot: one that is asked for by nobody, and has no declared chance."""
        predicate = self.vocabulary[name]
        if predicate.slot is None or any(group[0][i] is ANY for i in predicate.slot):
            return None
        values = (group[0][i] if i in predicate.slot else ANY for i in range(predicate.arity - 1))
        fact = _standing_for(predicate, tuple(values))
        if any(meets(fact, own) for own in group) or deciding(self.vocabulary.odds_of(name).chances, fact):
            return None
        return State(name, fact, Fraction(0), Fraction(0), self._shares_of(predicate, fact))

    def _seen(
        self, name: str, group: Sequence[Values], states: Sequence[State], arrivals: Mapping[Atom, int]
    ) -> dict[int, Seen]:
        """Of several facts of one series and tick the first counts."""
        predicate, chances = self.vocabulary[name], self.vocabulary.odds_of(name).chances
        found: dict[int, Seen] = {}
        for fact, arrival in sorted(arrivals.items(), key=lambda each: each[1]):
            values, tick = fact.arguments[:-1], fact.time
            if fact.predicate != name or not isinstance(tick, int) or tick in found:
                continue
            share = self._shares_of(predicate, values)[arrival - tick]
            own = [i for i, series in enumerate(group) if meets(values, series)]
            if own:
                found[tick] = Seen(own[0], share)
            elif predicate.slot is not None and all(values[i] == group[0][i] for i in predicate.slot):
                chance = deciding(chances, values)
                kinds = [
                    i for i in range(len(group), len(states)) if chance is deciding(chances, states[i].values)
                ]
                found[tick] = Seen(kinds[0], share) if kinds else Seen(None, Fraction(1))
        return found


def deciding(
    declared: Sequence[DeclaredChance] | Sequence[DeclaredDelay], values: Values
) -> DeclaredChance | DeclaredDelay | None:
    """Of the declarations that fit a fact the one with the most constants."""
    fitting = [d for d in declared if all(p in (None, v) for p, v in zip(d.pattern, values, strict=True))]
    return max(fitting, key=lambda each: each.constants, default=None)


def meets(values: Values, series: Values) -> bool:
    return all(wanted in (ANY, value) for value, wanted in zip(values, series, strict=True))


_NO_TEXT, _NO_NUMBER = "a value no fact has", 8_765_432_109.625


def _standing_for(predicate: Predicate, values: Values) -> Values:
    """A fact with these values that has others in open columns than any fact."""
    fresh = (_NO_NUMBER if type_ is Type.NUMBER else _NO_TEXT for type_ in predicate.types)
    return tuple(new if value is ANY else value for value, new in zip(values, fresh, strict=True))


def names_open_value(values: Values, declared: Iterable[DeclaredChance | DeclaredDelay]) -> bool:
    """Whether a declaration is about some of the values that a series leaves open, and not about others."""
    for each in declared:
        pairs = list(zip(each.pattern, values, strict=True))
        if all(p is None or v in (ANY, p) for p, v in pairs) and any(
            v is ANY and p is not None for p, v in pairs
        ):
            return True
    return False


def _check_apart(predicate: Predicate, series: Sequence[Values]) -> None:
    """No fact may belong to two series, nor may it be open whether two series share a slot."""
    for i, one in enumerate(series):
        for other in series[:i]:
            pairs = list(zip(one, other, strict=True))
            if all(a == b or ANY in (a, b) for a, b in pairs):
                raise UndeterminedError(f"one fact of {predicate.name} can be of two series")
            if predicate.slot is not None and any(ANY in pairs[i] for i in predicate.slot):
                raise UndeterminedError(f"it is open which facts of {predicate.name} exclude each other")


def _together(predicate: Predicate, series: Sequence[Values]) -> list[list[Values]]:
    """Series that share a slot, or each by itself."""
    if predicate.slot is None:
        return [[values] for values in series]
    groups: dict[Values, list[Values]] = {}
    for values in series:
        groups.setdefault(tuple(values[i] for i in predicate.slot), []).append(values)
    return list(groups.values())


def _check_sums(name: str, states: Sequence[State]) -> None:
    once = sum((state.once for state in states), Fraction(0))
    if max(once, *(once - state.once + state.again for state in states)) > 1:
        raise UndeterminedError(f"facts of {name} that exclude each other have chances of more than 100%")
