"""The judge of outcomes: the share of confirmed answers among those that were once in this state.

Counts of a key are drawn towards all keys, those towards the pattern, those towards the query. A fast memory
follows when the stream changes, a slow one rests on more: each is drawn towards the next slower one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import is_

import numpy as np

from antelog.engine.columns.tables import Column, Mask, Numbers, keys_of, marked, numbered, once
from antelog.engine.step.lines import pattern_of
from antelog.forecast.columns import HALF_LIFE
from antelog.forecast.judges import lags as when
from antelog.forecast.judges.following import DecidedAnswers, either_of, stage_of
from antelog.forecast.judges.judge import AnswerRows, Judge
from antelog.forecast.judges.lags import Lags
from antelog.forecast.rates import tally
from antelog.forecast.rates.learning import Learns
from antelog.forecast.rates.tally import Ledger
from antelog.forecast.scores.scored_lines import UNIT, exactly, log_losses_of

WEIGHTS = (1.0, 1.0, 1.0, 2.0)
"""What is known of wider classes counts as answers: query, pattern, state whether silent or not, state."""

AT_FIRST = 5.0  # knowledge of all keys counts as this many answers of one, before there are many
OF_ALL = AT_FIRST * 40 ** np.linspace(-1, 1, 7)  # later, as that number by which past answers were likeliest
OF_SLOWER = 10.0  # a slower memory's knowledge of a state counts as this many answers

MEMORIES, SHARES = {"fast": 2.0, "slow": 4.0}, (50, 1)
"""The memories with their weights at first, and the parts of the longest half-life that theirs are."""

BASE, OF_BASE = "base", 1.0  # the confirmed share of all answers of the query, and its weight at first
OF_KEY, OF_OF_KEY = "own", 1.0  # the same of the key's, whatever state they were in
_ANY = -1  # stands for all states of a key

FORGOTTEN = 2000  # a key of which no answer was decided in this many ticks is forgotten


def half_lives(longest: float | None) -> Numbers:
    """The half-lives of memories in ticks, the fastest first, given the longest (None: it never fades)."""
    found = (HALF_LIFE if longest is None else longest) / np.array(SHARES)
    if longest is None:
        found[-1] = np.inf
    return found


@dataclass(frozen=True, eq=False)
class OutcomeStatistics(Judge):
    """Counts of answers that were in each state, and of the confirmed ones among them, in each memory."""

    of_all: (
        Ledger  # all keys by level and class: the query, a pattern, a state regardless of silence, a state
    )
    by_key: Ledger  # by state and key
    drawn: Ledger  # losses by each number of OF_ALL, which decide how strongly a key is drawn to all
    lags: Ledger  # how long it took until answers were confirmed
    half_lives: Numbers

    @property
    def columns(self) -> Mapping[str, float]:
        return {**MEMORIES, BASE: OF_BASE, OF_KEY: OF_OF_KEY}

    @property
    def rows(self) -> int:
        return self.of_all.tally.count + self.by_key.tally.count

    def predict(self, rows: AnswerRows) -> Numbers:
        """The confirmed share of answers in these states, by each memory; NaN where nothing was counted."""
        if not self.rows or len(rows.tick) == 0:
            return np.full((len(rows.tick), len(self.columns)), np.nan)
        states, ticks, which = _different(rows.state, rows.tick)
        shared, known, base = self._of_all_keys(states, ticks, fades=rows.learns is Learns.ALL)
        shared, known, base = shared.take(which, axis=0), known.take(which), base.take(which)
        key, learns = (rows.state, *rows.key), rows.learns is not Learns.NOTHING
        own = self._found(self.by_key, key, rows.tick, fades=learns)
        weight = self._weight_of_all(rows.tick, fades=rows.learns is Learns.ALL)
        every = self._found(self.by_key, (np.full_like(rows.state, _ANY), *rows.key), rows.tick, fades=learns)
        chance = np.column_stack([shared, base, _drawn(every[:, -2:], base, AT_FIRST)])
        for memory in reversed(range(len(self.half_lives))):
            toward = shared[:, memory]
            chance[:, memory] = _drawn(own[:, 2 * memory : 2 * memory + 2], toward, weight)
        chance[~(known | (own[:, -2] > 0))] = np.nan
        return chance

    def _weight_of_all(self, ticks: Column, *, fades: bool) -> Numbers:
        """As how many answers the knowledge of all keys counts: the mean in logs, by how well each fits."""
        different, which = np.unique(ticks, return_inverse=True)
        lost = self._found(self.drawn, (), different, fades=fades) + np.abs(np.log(OF_ALL / AT_FIRST))
        share = np.exp(lost.min(axis=1, keepdims=True) - lost)
        weight: Numbers = np.exp(share @ np.log(OF_ALL) / share.sum(axis=1))
        return weight.take(which)

    def _of_all_keys(self, states: Column, ticks: Column, *, fades: bool) -> tuple[Numbers, Mask, Numbers]:
        """Chances of states by each memory, whatever the key; where anything is known; the base rate."""
        sums = self._found(self.of_all, _classes(states), np.tile(ticks, len(WEIGHTS)), fades=fades)
        *found, state = sums.reshape(len(WEIGHTS), len(states), sums.shape[1])
        # Wider classes say something where a state was seldom seen, so only the slowest memory asks them.
        slow = np.full(len(states), 0.5)
        for outer, inner, weight in zip(found, (*found[1:], state), WEIGHTS, strict=False):
            # If the same few counted at each level, two confirmed ones would make a chance of 98 %.
            others = np.maximum(outer[:, -2:] - inner[:, -2:], 0)
            others[:, 1] = np.minimum(others[:, 1], others[:, 0])
            slow = _drawn(others, slow, weight)
        chance = np.empty((len(states), len(self.half_lives)))
        weight = WEIGHTS[-1]
        for memory in reversed(range(len(self.half_lives))):
            slow = chance[:, memory] = _drawn(state[:, 2 * memory : 2 * memory + 2], slow, weight)
            weight = OF_SLOWER
        answers, confirmed = found[0][:, -2:].T
        return chance, answers > 0, (confirmed + 0.5) / (answers + 1)

    def _found(self, level: Ledger, key: Sequence[Column], ticks: Column, *, fades: bool) -> Numbers:
        if not fades:
            return tally.unfaded(level, key, len(ticks))
        return tally.before(level, key, ticks, self._half_lives(level))

    def _half_lives(self, level: Ledger) -> Numbers:
        """The half-lives of the memories in which a ledger counts."""
        return self.half_lives[-1:] if level in (self.drawn, self.lags) else self.half_lives

    def learn(self, decided: DecidedAnswers, key: Sequence[int], learns: Learns) -> OutcomeStatistics:
        """Adds the answers; sums over all keys may be kept as they are."""
        states, of = decided.states, decided.state_of
        ticks, confirmed = decided.settled.take(of), decided.confirmed.take(of)
        numbers = np.stack([np.ones(len(of)), confirmed.astype(np.float64)], axis=1)
        cells = (decided.answer[column].take(of) for column in key)
        twice = (np.append(states, np.full_like(states, _ANY)), *(np.tile(each, 2) for each in cells))
        own = self._entered(self.by_key, twice, np.tile(ticks, 2), np.tile(numbers, (2, 1)))
        if learns is not Learns.ALL:
            return replace(self, by_key=own)
        # States are few: what all keys share is added up from their sums, not from every answer.
        (states, ticks), numbers = tally.summed((states, ticks), numbers)
        levels = len(WEIGHTS)
        of_all = self._entered(
            self.of_all, _classes(states), np.tile(ticks, levels), np.tile(numbers, (levels, 1))
        )
        lags = when.entered(self.lags, decided, self._half_lives(self.lags))
        taught = replace(self, of_all=of_all, by_key=own, lags=lags)
        return replace(taught, drawn=taught._drawn_by())

    def when(self, rows: AnswerRows, some: Column) -> Lags:
        """When answers of some rows are confirmed, of those that are."""
        half_life = self._half_lives(self.lags) if rows.learns is Learns.ALL else None
        state, tick, time = (column.take(some) for column in (rows.state, rows.tick, rows.answer[-1]))
        return when.lags(self.lags, state, tick, tick - time, half_life)

    def _entered(self, level: Ledger, key: tuple[Column, ...], ticks: Column, numbers: Numbers) -> Ledger:
        return tally.entered(level, ticks, key, numbers, self._half_lives(level))

    def _drawn_by(self) -> Ledger:
        """Adds the losses by each number of OF_ALL, for answers of keys with earlier ones."""
        own = self.by_key
        if len(own.tally.keys) == 1:  # there is one key, which is all
            return self.drawn
        earlier = own.sums[:, -2:] - own.counted
        some = marked((earlier[:, 0] > 0) & (own.tally.keys[0].take(own.row) != _ANY))
        tick = own.tick.take(some)
        states, ticks, which = _different(own.tally.keys[0].take(own.row.take(some)), tick)
        chance, *_ = self._of_all_keys(states, ticks, fades=True)
        known = np.column_stack([earlier.take(some, axis=0), chance[:, -1].take(which)])
        (tick,), lost = _lost(tick, known, own.counted.take(some, axis=0))
        return self._entered(self.drawn, (), tick, lost)

    def settled(self, now: int) -> OutcomeStatistics:
        after = [tally.closed(each, now) for each in self._ledgers]
        return self if all(map(is_, after, self._ledgers)) else self._with_ledgers(after)

    def at_tick(self, tick: int) -> OutcomeStatistics:
        """Fades the statistics to a tick, without the keys that are forgotten by then."""
        return self._with_ledgers(
            tally.opened(tally.at_tick(each.tally, tick, self._half_lives(each))) for each in self._ledgers
        )

    def merged(self, others: Sequence[OutcomeStatistics]) -> OutcomeStatistics:
        """Merges the statistics of several workers, all as of the same tick."""
        ledgers = zip(*(each._ledgers for each in (self, *others)), strict=True)
        return self._with_ledgers(
            tally.opened(tally.merged([each.tally for each in same])) for same in ledgers
        )

    def part(self, mine: Callable[[Column], Mask]) -> OutcomeStatistics:
        counts = self.by_key.tally
        return replace(self, by_key=tally.opened(counts.take(np.flatnonzero(mine(counts.keys[1])))))

    def renewed(self, newer: OutcomeStatistics) -> OutcomeStatistics:
        return replace(newer, by_key=self.by_key)

    @property
    def _ledgers(self) -> tuple[Ledger, Ledger, Ledger, Ledger]:
        return self.of_all, self.by_key, self.drawn, self.lags

    def _with_ledgers(self, ledgers: Iterable[Ledger]) -> OutcomeStatistics:
        of_all, by_key, drawn, lags = ledgers
        return OutcomeStatistics(of_all, by_key, drawn, lags, self.half_lives)


def nothing_known(keys: int, half_life: float | None) -> OutcomeStatistics:
    """Makes the judge before any outcome."""
    memories = half_lives(half_life)
    count = 2 * len(memories)
    return OutcomeStatistics(
        tally.opened(tally.nothing_counted(2, count)),
        tally.opened(tally.nothing_counted(1 + keys, count, forgets=FORGOTTEN if keys else None)),
        tally.opened(tally.nothing_counted(0, len(OF_ALL))),
        tally.opened(tally.nothing_counted(3, 1)),
        memories,
    )


def _lost(tick: Column, known: Numbers, counted: Numbers) -> tuple[tuple[Column], Numbers]:
    """The losses of answers by each number of OF_ALL, given what is `known` of each key: ticks, and sums."""
    answers, confirmed = counted.T
    sides = np.concatenate([marked(confirmed > 0), marked(answers > confirmed)])
    right = np.arange(len(sides)) < np.count_nonzero(confirmed)
    number = np.where(right, confirmed.take(sides), (answers - confirmed).take(sides))
    answers, confirmed, of_all = known.take(sides, axis=0).T.copy()
    found = np.stack([answers, np.where(right, confirmed, answers - confirmed)], axis=1)
    of_all = np.where(right, of_all, 1 - of_all)
    different, which = numbered(tick.take(sides))
    lost = [
        np.bincount(which, exactly(number * log_losses_of(_drawn(found, of_all, weight))), len(different))
        for weight in OF_ALL
    ]
    return (different,), np.stack(lost, axis=1) / UNIT


def _classes(states: Column) -> tuple[Column, Column]:
    """The keys of the classes of states, level by level: the levels, and numbers of classes in them."""
    of_query, pattern = np.zeros_like(states), pattern_of(stage_of(states))
    levels = np.repeat(np.arange(len(WEIGHTS)), len(states))
    return levels, np.concatenate([of_query, pattern, either_of(states), states])


def _different(states: Column, ticks: Column) -> tuple[Column, Column, Column]:
    """Each pair of a state and a tick once, and for each row the number of its pair."""
    (key,) = keys_of([[states, ticks]])
    first, which = once(key)
    return states.take(first), ticks.take(first), which


def _drawn(found: Numbers, chance: Numbers, weight: float | Numbers) -> Numbers:
    """The confirmed shares of counts (answers, confirmed), drawn towards the chances of the wider level."""
    return (found[:, 1] + weight * chance) / (found[:, 0] + weight)
