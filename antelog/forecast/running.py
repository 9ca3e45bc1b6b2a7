"""Forecasts beside a running engine: what is known of the facts and answers of its program.

    begun(plan, None, Learning(True))    nothing is known yet, everything is learned from
    running.told(finished)               what is known after a step, and its lines with their chances

An engine without forecasts loads nothing of this.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from os import PathLike

import pyarrow as pa

from antelog.compile.nodes.plan import Plan
from antelog.engine.engine import Finished
from antelog.engine.log.changes import Lines
from antelog.engine.state import State
from antelog.errors import DataError, StateError
from antelog.forecast import forecasting, resuming
from antelog.forecast.dropping import dropped_table, limits_of
from antelog.forecast.files.model import Model
from antelog.forecast.forecasting import Forecasting
from antelog.forecast.odds.tally import EPOCH
from antelog.forecast.query import Learning
from antelog.forecast.renewing import lighter
from antelog.forecast.scores import Scores


@dataclass(frozen=True, eq=False)
class Running:
    """What is known for the forecasts of a plan's queries."""

    plan: Plan
    known: Forecasting

    def told(self, finished: Finished) -> tuple[Running, dict[str, pa.Table]]:
        known, log = forecasting.told(self.plan, self.known, finished)
        return replace(self, known=lighter(known)), log

    def with_chances(self, query: str, lines: Lines, state: State) -> pa.Table:
        """Open answers with their chances as of the last tick."""
        return forecasting.with_chances(self.plan, self.known, state, (query, lines))

    def model(self, now: int) -> Model:
        """What was learned up to a tick."""
        return forecasting.model_of(self.plan, self.known, now)

    def scores(self) -> dict[str, Scores]:
        return forecasting.scores_of(self.known)

    def dropped(self) -> pa.Table:
        """For each query how many answers were dropped, and how many confirmations are lost on average."""
        return dropped_table({name: each.dropping for name, each in self.known.queries.items()})

    def members(self) -> dict[str, bytes]:
        """What is saved beside the engine's state."""
        return resuming.members(self.known)


def begun(
    plan: Plan,
    model: Model | str | PathLike[str] | None,
    learning: tuple[bool, float | None, int | None],
    limits: tuple[float | None, int | None],
) -> Running:
    """Before the first step, with a model or the path of one, which is refused if it does not fit.

    `learning` says whether to learn, with which half-life, and how long an epoch is (None: as in the model,
    or else as usual); `limits` are the least chance that is told of, and how many answers.
    """
    on, half_life, length = learning
    if length is not None and length < 1:
        raise DataError(f"an epoch of {length} ticks is none: it has at least one")
    within, how = limits_of(*limits), Learning(on, half_life, length=length or EPOCH)
    if model is None:
        return Running(plan, forecasting.start(plan, how, within))
    name = "the model" if isinstance(model, Model) else str(model)
    given = (model if isinstance(model, Model) else Model.load(model)).of(plan, name)
    if length not in (None, given.length):
        raise StateError(
            f"{name} was learned in epochs of {given.length} ticks, not of {length}: leave the length out, "
            "or learn it again"
        )
    how = replace(how, length=given.length)
    if not how.on:
        how = replace(how, half_life=given.half_life, epoch=given.epoch)
    return Running(plan, forecasting.start(plan, how, within, given))


def resumed(plan: Plan, beside: Mapping[str, bytes]) -> Running:
    """What `members` has written. Raises StateError if that cannot be read."""
    return Running(plan, resuming.resumed(plan, beside))
