"""Decision diagrams by the shape of answers, each built once.

    Malf(wt2, 0) and Malf(wt7, 20): no conditions, one chain, facts up to 1 tick late: one shape

A shape has the values of the conditions, the chains that coincide, and the delays of facts.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from antelog.engine.columns.tables import Column
from antelog.forecast.inference.diagrams import Diagram, DiagramTooLargeError, Leaf, Question, diagram_of
from antelog.forecast.inference.evaluation import FOREVER
from antelog.forecast.inference.forms import QueryForm
from antelog.forecast.inference.formulas import UnknownChanceError
from antelog.forecast.rates.series import exclusive


@dataclass(frozen=True)
class DiagramShape:
    """The features of an answer on which its diagrams depend: conditions, equal chains, delays."""

    conditions: tuple[bool, ...]
    twins: tuple[int, ...]
    delays: tuple[tuple[int, ...], ...]

    @property
    def slowest(self) -> int:
        return max((max(each) for each in self.delays), default=0)

    def until(self, leaf: Leaf) -> int:
        """The last tick at which a fact of a leaf may come."""
        return leaf.at + self.delays[leaf.chain][leaf.state - 1]

    def ticks(self, form: QueryForm) -> Column:
        """The ticks at which the chance of a confirmation by then is computed."""
        # Before the first of its ticks a formula becomes neither true nor false. The ticks must not depend on
        # the ages of the rows: which rows there are depends on how a run is cut.
        first, end = form.first, form.last + self.slowest
        if self.slowest and end - first >= _HORIZONS:
            return np.unique(np.linspace(first, end, _HORIZONS).round().astype(np.int64))
        return np.arange(first, end + 1)


_HORIZONS = 24
"""The most ticks at which the chance of a confirmation by then is computed, where facts may be late."""


def question(form: QueryForm, shape: DiagramShape, horizon: int = FOREVER) -> Question:
    """The formula of a shape by a horizon; the delays decide which leaves are over by then.

    Raises UnknownChanceError if two chains are one slot with different states.
    """
    outcomes = [chain.outcomes for chain in form.chains]
    leaves = {literal: _twin(form, shape, leaf) for literal, leaf in form.leaves.items()}
    return Question(
        form.formula.whole, shape.conditions, leaves, outcomes, lambda leaf: shape.until(leaf) <= horizon
    )


@lru_cache(maxsize=4096)
def diagram(form: QueryForm, shape: DiagramShape, horizon: int) -> Diagram | None:
    """The diagram of a shape by a horizon; None if it is too large."""
    try:
        return diagram_of(question(form, shape, horizon))
    except DiagramTooLargeError:
        return None


@lru_cache(maxsize=4096)
def fits(form: QueryForm, shape: DiagramShape) -> bool:
    """Whether no diagram of a shape is too large: whether chances are exact depends on the shape alone."""
    horizons = [FOREVER, *(shape.ticks(form).tolist() if shape.slowest else [])]
    return all(diagram(form, shape, horizon) is not None for horizon in horizons)


def whole_fits(form: QueryForm) -> bool:
    """Whether no diagram is too large where all conditions hold and all chains differ."""
    delays = tuple((form.slowest,) * len(chain.states) for chain in form.chains)
    shape = DiagramShape((True,) * len(form.formula.conditions), tuple(range(len(form.chains))), delays)
    return fits(form, shape)


def certain(form: QueryForm, shape: DiagramShape, horizon: int) -> Diagram:
    """The diagram of a shape all of whose diagrams fit."""
    found = diagram(form, shape, horizon)
    assert found is not None
    return found


def _twin(form: QueryForm, shape: DiagramShape, leaf: Leaf) -> Leaf:
    """The leaf, or that of the first chain with equal facts."""
    twin = shape.twins[leaf.chain]
    if twin == leaf.chain:
        return leaf
    series = form.chains[leaf.chain].states[leaf.state - 1].series
    states = [state.series for state in form.chains[twin].states]
    state = states.index(series) if series in states else len(states)
    # The facts of a state are not those of any before it.
    if state == len(states) or not all(exclusive(series, each) for each in states[:state]):
        raise UnknownChanceError("two chains are one slot, and have different states")
    return Leaf(twin, state + 1, leaf.at)
