"""Chances on Spark, by a model or learned in each bucket; rates that all keys share stay as in the model."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike

import pyarrow as pa

from antelog.compile.nodes.plan import Plan
from antelog.forecast.columns import COLUMNS, HOLDS
from antelog.forecast.inference.forms import is_lossy
from antelog.forecast.lines import NO_LIMITS, Limits
from antelog.forecast.model_file import Model
from antelog.forecast.rates.learning import Learning
from antelog.process import LEARN

GivenModel = Model | str | PathLike[str] | None  # a model, the path of one, or "learn"


@dataclass(frozen=True)
class Forecasts:
    """The source of chances; a model is sent to workers as its `content`."""

    learning: Learning
    content: bytes | None = None
    limits: Limits = NO_LIMITS

    @cached_property
    def model(self) -> Model | None:
        return None if self.content is None else Model.from_bytes(self.content)

    def columns(self, plan: Plan) -> dict[str, tuple[pa.Field, ...]]:
        """The columns of chances of each query."""
        queries = [query.name for query in plan.queries]
        return {name: (*COLUMNS, *(HOLDS if is_lossy(plan, name) else ())) for name in queries}

    @property
    def learns_what_is_shared(self) -> bool:
        return self.learning.on and self.learning.shared


def forecasts_of(plan: Plan, given: GivenModel, learning: Learning) -> Forecasts | None:
    """The source of chances, if there is any. Raises StateError for a model of another program."""
    learning = replace(learning, shared=False)
    if given == LEARN:
        return Forecasts(replace(learning, on=True))
    if given is None:
        return Forecasts(learning) if learning.on or plan.declares_chances else None
    model = given if isinstance(given, Model) else Model.load(given)
    model = model.of(plan, "the model" if isinstance(given, Model) else str(given))
    half_life = learning.half_life if learning.on else model.half_life
    return Forecasts(replace(learning, half_life=half_life), model.to_bytes())


def to_learn() -> Forecasts:
    """Learns from all facts of a batch alike, however old they are."""
    return Forecasts(Learning(True, None))
