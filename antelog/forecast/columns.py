"""The names and types of the columns of forecasts, and the kinds of changes; cheap to import.

chance  forecast                      chance_from    holds
0.64    [[2, 0.14], [3, 0.43], …]     model          null
"""

from __future__ import annotations

import pyarrow as pa

from antelog.engine.step.query import KINDS as PLAIN_KINDS

FORECAST = pa.list_(pa.struct([("tick", pa.int64()), ("chance", pa.float64())]))

COLUMNS = pa.schema([("chance", pa.float64()), ("forecast", FORECAST), ("chance_from", pa.string())])
"""The columns of all lines; null where no chance is known."""

HOLDS = pa.schema([("holds", pa.float64())])
"""One more column where facts may be lost."""

NAMES = (*COLUMNS.names, *HOLDS.names)

LIKELY, UNLIKELY = "likely", "unlikely"

FALL = 0.1
"""An answer is unlikely once its chance is this far below the threshold that made it likely."""

KINDS = (*PLAIN_KINDS, LIKELY, UNLIKELY)
"""All kinds of changes; the last two come of queries with an `alert`."""

MODEL, OUTCOMES, VALUES = "model", "outcomes", "values"
JUDGE_NAMES = (MODEL, OUTCOMES, VALUES)
"""The judges: their names in the column `chance_from`."""

HALF_LIFE = 5000.0
"""Counts are worth half after this many ticks, while a stream runs."""
