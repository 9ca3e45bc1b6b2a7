"""Names and types of the columns of forecasts, and the kinds of changes; cheap to import."""

from __future__ import annotations

import pyarrow as pa

from antelog.engine.step.query import KINDS as PLAIN_KINDS

FORECAST = pa.list_(pa.struct([("tick", pa.int64()), ("chance", pa.float64())]))

COLUMNS = pa.schema([("chance", pa.float64()), ("forecast", FORECAST), ("chance_from", pa.string())])
"""The columns of all lines; null where no chance is known."""

HOLDS = pa.schema([("holds", pa.float64())])  # a further column where facts may be lost

NAMES = (*COLUMNS.names, *HOLDS.names)

LIKELY, UNLIKELY = "likely", "unlikely"

FALL = 0.1  # an answer is unlikely once its chance is this far below the threshold that made it likely

KINDS = (*PLAIN_KINDS, LIKELY, UNLIKELY)  # of changes; the last two come from queries with an `alert`

MODEL, OUTCOMES, LINEAR = "model", "outcomes", "linear"
JUDGE_NAMES = (MODEL, OUTCOMES, LINEAR)  # in the column `chance_from`

HALF_LIFE = 5000.0  # while a stream runs, counts lose half their weight after this many ticks
