"""Chances of open answers on Spark: the model, and whether a bucket learns from its own keys.

    model="turbines.model"    chances by that model, the same whatever comes
    model="learn"             each bucket learns from its own keys

Rates that all keys share stay as in the model, for no bucket sees the facts of others: so a chance depends
neither on the number of buckets nor on the cuts between batches.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike

import pyarrow as pa

from antelog.compile.nodes.plan import Plan
from antelog.errors import UnsupportedError
from antelog.forecast.columns import COLUMNS, HOLDS
from antelog.forecast.forecaster import LearningSettings
from antelog.forecast.inference.forms import is_lossy
from antelog.forecast.inference.learning import Learning
from antelog.forecast.lines import NO_LIMITS, Limits
from antelog.forecast.model_file import Model
from antelog.forecast.rates.tally import EPOCH
from antelog.process import LEARN

GivenModel = Model | str | PathLike[str] | None
"""A model, the path of one, or "learn"."""


@dataclass(frozen=True)
class Forecasts:
    """The source of chances, the limits by which lines are left out, and the judges that have a say.

    A model travels as its bytes, and is unpacked once by each worker.
    """

    learning: Learning
    content: bytes | None = None
    limits: Limits = NO_LIMITS
    judges: Sequence[str] | None = None

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

    @property
    def kind(self) -> str:
        """A text that identifies the kind of chances: a state fits only the same text."""
        return "learned" if self.learning.on else "not learned"


def forecasts_of(plan: Plan, given: GivenModel, settings: LearningSettings) -> Forecasts | None:
    """The source of chances; None if there is no model, and the program declares none.

    If it learns, a model that is given goes on learning. Raises StateError if it is of another program.
    """
    learn, judges, length = settings.learns, settings.judges, settings.epoch or EPOCH
    if given is None and not learn:
        learning = Learning(False, settings.half_life, shared=False, length=length, slots=True)
        return Forecasts(learning, judges=judges) if plan.declares_chances else None
    if given is None or given == LEARN:
        learning = Learning(True, settings.half_life, shared=False, length=length)
        return Forecasts(learning, judges=judges)
    model = given if isinstance(given, Model) else Model.load(given)
    model = model.of(plan, "the model" if isinstance(given, Model) else str(given))
    half_life = settings.half_life if learn else model.half_life
    learning = Learning(learn, half_life, model.epoch, shared=False, length=model.length)
    return Forecasts(learning, model.to_bytes(), judges=judges)


def within(found: Forecasts | None, limits: Limits) -> Forecasts | None:
    """The source of chances with limits. Raises UnsupportedError if there are limits and no chances."""
    if not limits:
        return found
    if found is None:
        raise UnsupportedError(
            'min_chance and most need chances: give a model or `model="learn"`, '
            "or declare a `chance` in the program"
        )
    return replace(found, limits=limits)


def to_learn() -> Forecasts:
    """Learns everything of a batch, without fading."""
    return Forecasts(Learning(True, None))
