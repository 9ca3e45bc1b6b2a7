"""The engine as users have it: what changes, and how likely each open answer is.

engine = Engine(program, model="learn"); engine.advance(3, {"Temp": frame}): lines with chances
"""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from antelog.engine import engine, saving
from antelog.engine.engine import Planned, plan_of
from antelog.engine.log.changes import KINDS as PLAIN_KINDS
from antelog.engine.log.changes import Lines
from antelog.engine.state import State
from antelog.errors import DataError, UnsupportedError
from antelog.forecast import forecasting
from antelog.forecast.alerting import LIKELY, UNLIKELY
from antelog.forecast.chances.layout import is_declared
from antelog.forecast.dropping import DROPPED, Limits, dropped_table
from antelog.forecast.files import resuming
from antelog.forecast.files.model import Model
from antelog.forecast.query import Learning
from antelog.forecast.renewing import lighter
from antelog.forecast.scores import Scores, table

__all__ = ["KINDS", "Engine", "Model"]

KINDS = (*PLAIN_KINDS, LIKELY, UNLIKELY, DROPPED)
"""All kinds of changes; two more come of queries with an `alert`, the last one of `min_chance` and `most`."""

LEARN = "learn"


class Engine(engine.Engine):
    """Runs a program over facts that arrive late and out of order.

    Args:
        program: what to run
        model: how likely open answers are: a Model or the path of one, or "learn" to learn while running.
            What the program declares itself (`chance`) needs no model
        learn: whether to go on learning with a given model
        min_chance: answers with a smaller chance are dropped, and nothing more is told of them
        most: of each query not more open answers than so many are told; the least likely are dropped
        others: as for the engine without a model: only, static, arrival, limit, keep_rejects, budget
    """

    def __init__(
        self,
        program: Planned,
        *,
        model: Model | str | PathLike[str] | None = None,
        learn: bool = False,
        min_chance: float | None = None,
        most: int | None = None,
        only: Sequence[str] | None = None,
        **others: Any,
    ) -> None:
        plan = plan_of(program)
        given = None if model is None or model == LEARN else _model(model).of(plan, _name(model))
        learning = Learning(learn or model == LEARN)
        if given is not None and not learn:
            learning = Learning(False, given.half_life, given.epoch)
        limits = _limits(min_chance, most)
        self._start = (given, learning, limits) if model is not None or is_declared(plan) else None
        if limits and self._start is None:
            raise UnsupportedError(_NO_MODEL)
        super().__init__(program, only=only, **others)

    def _set_up(self, saved: saving.Saved, only: Sequence[str], arrival: str, keep_rejects: int) -> None:
        super()._set_up(saved, only, arrival, keep_rejects)
        self._forecasting: forecasting.Forecasting | None = None
        if saved.beside:
            self._forecasting = resuming.resumed(saved.plan, saved.beside)
        elif (began := getattr(self, "_start", None)) is not None:
            given, learning, limits = began
            self._forecasting = forecasting.start(saved.plan, learning, limits, given)

    @property
    def model(self) -> Model:
        """What was learned so far. Raises UnsupportedError if the engine has no model."""
        return forecasting.model_of(self._plan, self._known(), self.now)

    def scores(self) -> pa.Table:
        """How good the chances were that settled answers were told with, a row for each query."""
        return table(self.scored)

    @property
    def scored(self) -> dict[str, Scores]:
        """The same as sums, which `antelog.forecast.report` makes a page of."""
        return forecasting.scores_of(self._known())

    @property
    def dropped_answers(self) -> pa.Table:
        """For each query how many answers were dropped, and how many confirmations are lost on average."""
        return dropped_table({name: each.dropping for name, each in self._known().queries.items()})

    def _known(self) -> forecasting.Forecasting:
        if self._forecasting is None:
            raise UnsupportedError(_NO_MODEL)
        return self._forecasting

    @property
    def forecasting(self) -> forecasting.Forecasting | None:
        """What is known for forecasts; None without a model."""
        return self._forecasting

    @property
    def state(self) -> State:
        """The kernel's state."""
        return self._state

    # ---- what the engine without a model asks ----

    @property
    def _all_kinds(self) -> tuple[str, ...]:
        return KINDS

    @property
    def _kinds(self) -> tuple[str, ...]:
        if self._forecasting is None:
            return tuple(kind for kind in self._only if kind in PLAIN_KINDS)
        return PLAIN_KINDS

    @property
    def _staged(self) -> bool:
        return self._forecasting is not None

    def _log(self, finished: engine.Finished) -> dict[str, pa.Table]:
        if self._forecasting is None:
            return super()._log(finished)
        current, log = forecasting.told(self._plan, self._forecasting, finished)
        self._forecasting = lighter(current)
        if set(self._only) == set(KINDS):
            return log
        only = pa.array(self._only, pa.string())
        return {name: table.filter(pc.is_in(table.column("change"), only)) for name, table in log.items()}

    def _told(self, query: str, lines: Lines) -> pa.Table:
        if self._forecasting is None:
            return lines.table
        return forecasting.with_chances(self._plan, self._forecasting, self._state, (query, lines))

    def _saved(self) -> saving.Saved:
        saved = super()._saved()
        if self._forecasting is not None:
            saved = saving.beside(saved, resuming.members(self._forecasting))
        return saved


_NO_MODEL = (
    'this engine forecasts nothing: make it with `model="learn"` or a model, '
    "or declare a `chance` in the program"
)


def _limits(min_chance: float | None, most: int | None) -> Limits:
    if min_chance is not None and not 0 <= min_chance <= 1:
        raise DataError(f"min_chance is {min_chance}, and a chance is from 0 to 1")
    if most is not None and most < 1:
        raise DataError(f"most is {most}, but at least one answer has to be told")
    return Limits(min_chance, most)


def _model(model: Model | str | PathLike[str]) -> Model:
    return model if isinstance(model, Model) else Model.load(model)


def _name(model: Model | str | PathLike[str]) -> str:
    return "the model" if isinstance(model, Model) else str(model)
