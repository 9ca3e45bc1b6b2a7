"""The engine as users have it: what changes, and how likely each open answer is.

engine = Engine(program, model="learn"); engine.advance(3, {"Temp": frame}): lines with chances
"""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from antelog.engine import engine, saving
from antelog.engine.engine import Planned, plan_of
from antelog.engine.log.changes import KINDS as PLAIN_KINDS
from antelog.engine.log.changes import Lines
from antelog.engine.state import State
from antelog.errors import UnsupportedError
from antelog.forecast.kinds import KINDS
from antelog.forecast.odds.tally import HALF_LIFE
from antelog.given import FLAG, LENGTH, MODEL, NUMBER, TEXTS, WHOLE, checked, optional

if TYPE_CHECKING:
    from antelog.forecast.files.model import Model
    from antelog.forecast.forecasting import Forecasting
    from antelog.forecast.running import Running
    from antelog.forecast.scores import Scores

LEARN = "learn"
"""The model that is learned while an engine runs."""


class Engine(engine.Engine):
    """Runs a program over facts that arrive late and out of order.

    Args:
        program: what to run
        model: how likely open answers are: a Model or the path of one, or "learn" to learn while running.
            What the program declares itself (`chance`) needs no model
        learn: whether to go on learning with a given model
        min_chance: answers with a smaller chance are dropped, and nothing more is told of them
        most: of each query not more open answers than so many are told; the least likely are dropped
        epoch: what so many ticks teach is counted together, and used from the end of the next so many on; 20
            unless told otherwise, or as the given model has it
        half_life: after so many epochs what was learned counts half; None: never
        only: the kinds of changes asked for, all unless told otherwise
        others: `static`, background facts in addition to those of the program, as frames or lists of tuples;
            `arrival`, what frames call the column of arrivals; `limit`, to keep at most so many facts: when
            more of them matter, those about the oldest ticks are dropped (see `dropped`); `keep_rejects`, how
            many of the latest rejects are kept, while all are counted; `budget`, how many bytes a table
            within a step may take, about
    """

    _running: Running | None = None

    @checked(
        model=optional(MODEL),
        learn=FLAG,
        epoch=optional(WHOLE),
        half_life=optional(LENGTH),
        min_chance=optional(NUMBER),
        most=optional(WHOLE),
        only=optional(TEXTS),
    )
    def __init__(
        self,
        program: Planned,
        *,
        model: Model | str | PathLike[str] | None = None,
        learn: bool = False,
        epoch: int | None = None,
        half_life: float | None = HALF_LIFE,
        min_chance: float | None = None,
        most: int | None = None,
        only: Sequence[str] | None = None,
        **others: Any,
    ) -> None:
        plan = plan_of(program)
        if model is not None or learn or plan.declares_chances:
            from antelog.forecast.running import begun  # noqa: PLC0415 - see `running`

            self._running = begun(
                plan,
                None if model == LEARN else model,
                (learn or model == LEARN, half_life, epoch),
                (min_chance, most),
            )
        elif (min_chance, most, epoch) != (None, None, None):
            raise UnsupportedError(_NO_MODEL)
        super().__init__(program, only=only, **others)

    def _set_up(self, saved: saving.Saved, only: Sequence[str], arrival: str, keep_rejects: int) -> None:
        super()._set_up(saved, only, arrival, keep_rejects)
        if saved.beside:
            from antelog.forecast.running import resumed  # noqa: PLC0415 - see `running`

            self._running = resumed(saved.plan, saved.beside)

    @property
    def model(self) -> Model:
        """What was learned so far. Raises UnsupportedError if the engine has no model."""
        return self._forecasts().model(self.now)

    def scores(self) -> pa.Table:
        """How good the chances were that settled answers were told with, a row for each query."""
        from antelog.forecast.scores import table  # noqa: PLC0415 - see `running`

        return table(self.scored)

    @property
    def scored(self) -> dict[str, Scores]:
        """The same as sums, which `antelog.forecast.report` makes a page of."""
        return self._forecasts().scores()

    @property
    def dropped_answers(self) -> pa.Table:
        """For each query how many answers were dropped, and how many confirmations are lost on average."""
        return self._forecasts().dropped()

    def _forecasts(self) -> Running:
        if self._running is None:
            raise UnsupportedError(_NO_MODEL)
        return self._running

    @property
    def forecasting(self) -> Forecasting | None:
        """What is known for forecasts; None without a model."""
        return None if self._running is None else self._running.known

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
        if self._running is None:
            return tuple(kind for kind in self._only if kind in PLAIN_KINDS)
        return PLAIN_KINDS

    @property
    def _staged(self) -> bool:
        return self._running is not None

    def _log(self, finished: engine.Finished) -> dict[str, pa.Table]:
        if self._running is None:
            return super()._log(finished)
        self._running, log = self._running.told(finished)
        if set(self._only) == set(KINDS):
            return log
        only = pa.array(self._only, pa.string())
        return {name: table.filter(pc.is_in(table.column("change"), only)) for name, table in log.items()}

    def _told(self, query: str, lines: Lines) -> pa.Table:
        if self._running is None:
            return lines.table
        return self._running.with_chances(query, lines, self._state)

    def _saved(self) -> saving.Saved:
        saved = super()._saved()
        return saved if self._running is None else saving.beside(saved, self._running.members())


_NO_MODEL = (
    'this engine forecasts nothing: make it with `model="learn"` or a model, '
    "or declare a `chance` in the program"
)
