"""The engine as users have it: the kernel's changes, and how likely each open answer is."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from antelog.engine import engine
from antelog.engine.engine import Planned
from antelog.engine.log.changes import KINDS
from antelog.engine.state import State
from antelog.forecast import forecasting
from antelog.forecast.layout import is_declared


class Engine(engine.Engine):
    __doc__ = engine.Engine.__doc__

    def __init__(self, program: Planned, *, model: str | None = None, **given: Any) -> None:
        self._model = model
        super().__init__(program, **given)

    def _set_up(self, *given: object) -> None:
        super()._set_up(*given)  # type: ignore[arg-type]
        self._forecasting = None
        if self._model is not None or is_declared(self._plan):
            self._forecasting = forecasting.start(self._plan, forecasting.Learning(self._model == "learn"))

    @property
    def forecasting(self) -> forecasting.Forecasting | None:
        """What is known for forecasts; None without a model."""
        return self._forecasting

    @property
    def state(self) -> State:
        """The kernel's state."""
        return self._state

    @property
    def _kinds(self) -> tuple[str, ...]:
        return self._only if self._forecasting is None else KINDS

    @property
    def _staged(self) -> bool:
        return self._forecasting is not None

    def _log(self, finished: engine.Finished) -> dict[str, pa.Table]:
        if self._forecasting is None:
            return super()._log(finished)
        self._forecasting, log = forecasting.told(self._plan, self._forecasting, finished)
        if set(self._only) == set(KINDS):
            return log
        only = pa.array(self._only, pa.string())
        return {name: table.filter(pc.is_in(table.column("change"), only)) for name, table in log.items()}
