"""What a command has to show after a tick, before anyone writes it down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from antelog.files import Reject

Tables = Mapping[str, pa.Table]


@dataclass(frozen=True, eq=False)
class Shown:
    """What is to be shown after a tick: a table for each query, in the program's order.

    There are no tables where nothing is to be shown. Facts may have been set aside nevertheless. Where the
    tables are snapshots, `changes` has what changed at the tick, for the summary at the end.
    """

    tick: int
    tables: Tables
    set_aside: Sequence[Reject] = ()
    changes: Tables | None = None
