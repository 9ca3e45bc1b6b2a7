"""When answers are confirmed: counts of the ticks that it took, by what state an answer was in.

Counted are answers that are settled, so late confirmations are not missing; of those counted, an answer of
some age has only later ones ahead. A state's counts are drawn towards those of its pattern.
"""

from __future__ import annotations

import numpy as np

from antelog.engine.columns.joins import pairs
from antelog.engine.columns.tables import Column, Numbers, in_order, keys_of, marked, once
from antelog.engine.step.lines import pattern_of
from antelog.forecast.judges.following import DecidedAnswers, stage_of
from antelog.forecast.rates import tally
from antelog.forecast.rates.tally import Ledger

OF_PATTERN = 5.0  # what is known of a pattern counts as this many answers of a state
PATTERN, _STATE = 0, 1
_EXACT, _STEPS = 64, 8  # longer lags are rounded up, to this many numbers up to twice as long
_LEAST = 1e-9


Lags = tuple[Column, Column, Numbers]
"""Rows, ticks counted from the answer's, and the shares of the confirmed that are confirmed by then."""


def entered(ledger: Ledger, decided: DecidedAnswers, half_life: Numbers) -> Ledger:
    """Counts the confirmed ones of decided answers, for each state they were in."""
    some = marked(decided.confirmed.take(decided.state_of))
    of, states = decided.state_of.take(some), decided.states.take(some)
    lag = _rounded((decided.tick - decided.answer[-1]).take(of))
    levels = np.repeat([PATTERN, _STATE], len(of))
    key = (levels, np.concatenate([pattern_of(stage_of(states)), states]), np.tile(lag, 2))
    return tally.entered(
        ledger, np.tile(decided.settled.take(of), 2), key, np.ones((2 * len(of), 1)), half_life
    )


def lags(ledger: Ledger, state: Column, tick: Column, age: Column, half_life: Numbers | None) -> Lags:
    """The lags of rows as counted before their ticks, faded by a half-life (None: as they are)."""
    level, class_, lag = ledger.tally.keys
    first, which = once(keys_of([[state, tick, age]])[0])
    pattern, known = pattern_of(stage_of(state.take(first))), marked(level == PATTERN)
    row, entry = pairs(pattern, class_.take(known))
    lag = lag.take(known).take(entry)
    ahead = marked(lag > age.take(first).take(row))
    ahead = ahead.take(in_order([row.take(ahead), lag.take(ahead) - lag.min(initial=0)]))
    row, lag = row.take(ahead), lag.take(ahead)
    at = first.take(row)

    def counted(of: int, classes: Column) -> Numbers:
        key = (np.full(len(row), of), classes, lag)
        if half_life is None:
            return tally.unfaded(ledger, key, len(row))[:, 0]
        return tally.before(ledger, key, tick.take(at), half_life)[:, 0]

    wider, count = counted(PATTERN, pattern.take(row)), len(first)
    every = np.maximum(np.bincount(row, wider, count), _LEAST)
    shares = counted(_STATE, state.take(at)) + OF_PATTERN * wider / every.take(row)
    sums, ends = np.append(0, np.cumsum(shares)), np.cumsum(np.bincount(row, minlength=count))
    start, total = sums.take(np.append(0, ends[:-1])), sums.take(ends)
    some = marked(shares > _LEAST)
    row, lag = row.take(some), lag.take(some)
    share = (sums[1:].take(some) - start.take(row)) / (total - start).take(row)
    # Rows that are alike have the same.
    here, each = pairs(which, row)
    return here, lag.take(each), share.take(each)


def _rounded(lag: Column) -> Column:
    steps = np.ceil(_STEPS * np.log2(np.maximum(lag, _EXACT) / _EXACT))
    return np.where(lag <= _EXACT, lag, np.ceil(_EXACT * np.exp2(steps / _STEPS)).astype(np.int64))
