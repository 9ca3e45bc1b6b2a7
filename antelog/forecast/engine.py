"""The engine as users have it: the kernel's changes, and how likely each open answer is."""

from __future__ import annotations

import pyarrow as pa

from antelog.engine import engine
from antelog.forecast import forecasting


class Engine(engine.Engine):
    __doc__ = engine.Engine.__doc__

    def _set_up(self, *given: object) -> None:
        super()._set_up(*given)  # type: ignore[arg-type]
        self._forecasting = forecasting.start(self._plan) if forecasting.is_declared(self._plan) else None

    def _log(self, finished: engine.Finished) -> dict[str, pa.Table]:
        if self._forecasting is None:
            return super()._log(finished)
        self._forecasting, log = forecasting.told(self._plan, self._forecasting, finished)
        return log
