"""The names and types of the columns that stand beside the log; those who only pass them on load this alone.

chance  forecast                      chance_from    holds
0.64    [[2, 0.14], [3, 0.43], …]     model          null
"""

from __future__ import annotations

import pyarrow as pa

FORECAST = pa.list_(pa.struct([("tick", pa.int64()), ("chance", pa.float64())]))

COLUMNS = pa.schema([("chance", pa.float64()), ("forecast", FORECAST), ("chance_from", pa.string())])
"""What lines have besides; null where no chance is known."""

HOLDS = pa.schema([("holds", pa.float64())])
"""What they have besides where facts may be lost."""

NAMES = (*COLUMNS.names, *HOLDS.names)
