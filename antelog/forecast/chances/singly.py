"""The chances of few answers, one by one: the same as by columns, in plain numbers.

    x at 0, x at 1; once 0.05, again 0.8; x came at 0, nothing yet at 1: 0.8, by tick 1

In come rows that say what matters of each answer, out go their chances. What a row has given is kept, for in
a small step most rows are like some of the steps before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import product
from math import nan, prod
from typing import NamedTuple, TypeAlias

import numpy as np

from antelog.engine.columns import few
from antelog.forecast.chances.answers import Asked
from antelog.forecast.chances.evaluating import FOREVER, TRUTH
from antelog.forecast.chances.forms import Form
from antelog.forecast.chances.questions import OtherStatesError, Shape, certain, diagram, fits
from antelog.forecast.chances.rows import Row, rows_of
from antelog.forecast.chances.shapes import GROWN, Chances, Growth
from antelog.forecast.chances.table import Known
from antelog.forecast.formulas.diagrams import BEFORE, Diagram, Layer
from antelog.forecast.formulas.plain import TRUE
from antelog.forecast.odds.odds import IMPOSSIBLE, Rates


class Single(NamedTuple):
    """The chance of an answer, that it holds in the world (if facts may be lost), and how the first grows."""

    chance: float
    holds: float
    growth: tuple[tuple[int, float], ...]


UNKNOWN = Single(nan, nan, ())


def few_chances(known: Known, form: Form, asked: Asked) -> Chances | None:
    """The chances of few answers without open variables; None where columns are the shorter way after all."""
    rows = rows_of(known, form, asked)
    if rows is None:
        return None
    number: dict[Row, int] = {}
    which = [number.setdefault(row, len(number)) for row in rows]
    each: list[Single] = []
    for row in number:
        single = worked_out(form, row)
        if single is None:
            return None
        each.append(single)
    grown = [(of, at, chance) for of, one in enumerate(each) for at, chance in one.growth]
    of, at, chance = zip(*grown, strict=True) if grown else ((), (), ())
    return Chances(
        np.array([one.chance for one in each], np.float64),
        Growth(np.array(of, np.int64), np.array(at, np.int64), np.array(chance, np.float64)),
        np.array([one.holds for one in each], np.float64),
        np.array([-1 if each[at] is UNKNOWN else at for at in which], np.int64),
        np.zeros(len(each), np.bool_),
    )


@lru_cache(maxsize=4096)
def worked_out(form: Form, row: Row) -> Single | None:
    """The chance of a row; None where that is much to work out."""
    sure = all(rates.known for rates in row.rates)
    if not all(rates.known or _settled(form, row, chain) for chain, rates in enumerate(row.rates)):
        return UNKNOWN
    shape = Shape(row.conditions, row.twins, tuple(rates.delay for rates in row.rates))
    try:
        whole = diagram(form, shape, FOREVER) if fits(form, shape) else None
    except OtherStatesError:
        return UNKNOWN
    if whole is None or whole.width * len(_states(row.rates)) > few.FEW:
        return None
    course = _Course(form, row, whole, FOREVER)
    holds = _Course(form, row, whole, TRUTH).chance if form.memory and sure else nan
    if not shape.slowest:
        ticks = [*range(row.age + 1, form.last + 1)]
        return Single(course.chance, holds, tuple(_growth(ticks, [course.at(tick) for tick in ticks])))
    ticks = [tick for tick in shape.ticks(form).tolist() if tick > row.age]
    by_tick = [
        course.chance
        if tick >= form.last + shape.slowest
        else course.by(tick, certain(form, shape, tick), shape.slowest)
        for tick in ticks
    ]
    return Single(course.chance, holds, tuple(_growth(ticks, by_tick)))


def _settled(form: Form, row: Row, chain: int) -> bool:
    """Whether a chain has shown everything the formula asks of it: then its odds make no difference."""
    delay, shown = row.rates[chain].delay, row.shown[chain]
    return all(
        row.age >= leaf.at + delay[leaf.state - 1]
        or (0 <= leaf.at - row.begin < len(shown) and shown[leaf.at - row.begin] > 0)
        for leaf in form.leaves.values()
        if leaf.chain == chain
    )


def _growth(ticks: Sequence[int], by_tick: Sequence[float]) -> Iterator[tuple[int, float]]:
    """The ticks at which a chance grows, given that by each of some ticks after now."""
    before = 0.0
    for tick, chance in zip(ticks, by_tick, strict=True):
        if chance > before + GROWN:
            yield tick, chance
        before = chance


Held: TypeAlias = list[list[float]]
"""For each node of a diagram, and each state of all chains together, how likely the ticks have led there."""

Moves: TypeAlias = Sequence[Sequence[float]]


class _Course:
    """How likely a formula is after each tick from the row's first on, as it is known by a horizon."""

    def __init__(self, form: Form, row: Row, whole: Diagram, horizon: int) -> None:
        self._row = row
        self._slotted = [chain.slotted for chain in form.chains]
        self._states = _states(row.rates)
        self._moves, self._still = _together(tuple(rates.moves for rates in row.rates)), _still(row.rates)
        self._end = max(form.last, row.age)
        at = tuple(shown[0] % (1 + len(r.delay)) for shown, r in zip(row.shown, row.rates, strict=True))
        held = [[0.0] * len(self._states) for _ in range(BEFORE)]
        held[whole.root][self._states.index(at)] = 1.0  # another fact is no state
        layers = {layer.at: layer for layer in whole.layers}
        self._held = [held]
        for tick in range(row.begin + 1, self._end + 1):
            self._held.append(self._after(self._held[-1], tick, layers.get(tick), horizon))

    @property
    def chance(self) -> float:
        """The chance by the horizon."""
        return sum(self._held[-1][TRUE])

    def at(self, tick: int) -> float:
        """The chance by what came up to a tick, once everything has come that ever will."""
        return sum(self._held[tick - self._row.begin][TRUE])

    def by(self, horizon: int, whole: Diagram, slowest: int) -> float:
        """The chance by another horizon, after now.

        Of ticks so long before it that all has come, the same is known by any horizon. After it nothing
        comes any more.
        """
        layers = {layer.at: layer for layer in whole.layers}
        start = min(max(horizon - slowest, self._row.begin), self._end)
        held = self._held[start - self._row.begin]
        for tick in range(start + 1, min(horizon, self._end) + 1):
            held = self._after(held, tick, layers.get(tick), horizon)
        left = [sum(each) for each in held]
        for layer in whole.layers:
            if layer.at > horizon:
                _, silent = layer.leads[0]
                after = [0.0] * layer.width
                for node, then in enumerate(silent):
                    after[then] += left[node]
                left = after
        return left[TRUE]

    def _after(self, held: Held, tick: int, layer: Layer | None, horizon: int) -> Held:
        """What is held a tick later."""
        moved = _moved(held, self._moves if tick >= self._row.since else self._still)
        weights = [self._weights(chain, tick, horizon) for chain in range(len(self._slotted))]
        here = () if layer is None else layer.chains
        beside = [(chain, [*map(sum, own)]) for chain, own in enumerate(weights) if chain not in here]
        others = [prod([own[state[chain]] for chain, own in beside]) for state in self._states]
        led = [[0.0] * len(others) for _ in range(len(held) if layer is None else layer.width)]
        for outcome, leads in [((), range(len(held)))] if layer is None else layer.leads:
            said = [*zip(here, outcome, strict=True)]
            for at, (other, state) in enumerate(zip(others, self._states, strict=True)):
                weight = other * prod([weights[chain][state[chain]][number] for chain, number in said])
                if weight:
                    for node, own in moved:
                        led[leads[node]][at] += own[at] * weight
        total = sum(map(sum, led)) or nan
        return [[each / total for each in own] for own in led]

    def _weights(self, chain: int, tick: int, horizon: int) -> list[list[float]]:
        """For each state and outcome of a tick: how likely what is known of it is, and that outcome."""
        row = self._row
        come, shown, place = row.rates[chain].come, row.shown[chain], tick - row.begin
        states = 1 + len(come)
        weights = [[0.0] * (states + self._slotted[chain]) for _ in range(states)]
        if place < len(shown) and shown[place]:
            outcome = shown[place]
            weights[0 if outcome == states else outcome][outcome] = 1.0
            return weights
        weights[0][0] = 1.0
        for state, own in enumerate(come, 1):
            latest = len(own) - 2
            now = own[min(max(row.age - tick, -1), latest) + 1]
            then = 1.0 if horizon == TRUTH else own[min(max(horizon - tick, -1), latest) + 1]
            weights[state][state] = max(then - now, 0.0)
            weights[state][0] = max(1 - max(then, now), 0.0)
        return weights


def _moved(held: Held, moves: Moves) -> list[tuple[int, list[float]]]:
    """All chains a tick further, for each node that may have been reached."""
    moved = []
    for node, own in enumerate(held):
        there = [(chance, to) for chance, to in zip(own, moves, strict=True) if chance]
        if there:
            after = [sum([chance * to[state] for chance, to in there]) for state in range(len(moves))]
            moved.append((node, after))
    return moved


def _states(rates: Sequence[Rates]) -> list[tuple[int, ...]]:
    """The states that all chains together may be in."""
    return [*product(*(range(1 + len(each.delay)) for each in rates))]


@lru_cache(maxsize=4096)
def _together(moves: tuple[Moves, ...]) -> Moves:
    """The chance to get from each state of all chains together to each."""
    states = [*product(*(range(len(own)) for own in moves))]
    return [
        [prod(own[a][b] for own, a, b in zip(moves, one, other, strict=True)) for other in states]
        for one in states
    ]


def _still(rates: Sequence[Rates]) -> Moves:
    """The same before the first tick, when there are no facts."""
    states = _states(rates)
    return [[IMPOSSIBLE ** sum(map(bool, state)) for state in states]] * len(states)
