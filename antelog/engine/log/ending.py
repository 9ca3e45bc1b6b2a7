"""When there is nothing left to wait for.

at tick 3 an answer is open, rejected at 5 if nothing comes: 5
"""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa
import pyarrow.compute as pc


def last_tick(now: int, answers: Iterable[pa.Table]) -> int:
    """The tick at which everything that is open at `now` is decided, if no further fact arrives.

    `answers` are those of all queries at that tick. What is not decided by then has no bound. A program
    that says something new with every tick always has something open; what it says after the last
    fact is of no interest here.
    """
    end = max(now, 0)
    if now < 0:
        return end
    for table in answers:
        silent, decided = table.column("if_silent"), pc.cast(table.column("decided_by"), pa.int64())
        by_silence = decided if pa.types.is_null(silent.type) else pc.struct_field(silent, "tick")
        latest = pc.max(pc.coalesce(pc.cast(by_silence, pa.int64()), decided)).as_py()
        end = max(end, latest or 0)
    return end
