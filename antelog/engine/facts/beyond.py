"""Rows that arrived after the tick that was to be the last.

--until 5, and a row that arrived at 6: counted as `after --until`
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from antelog.accounts import Counts
from antelog.arrow.ticks import LAST
from antelog.compile.nodes.plan import Plan
from antelog.engine.columns.tables import Column
from antelog.engine.facts.admission import admit
from antelog.engine.facts.frames import Frame
from antelog.engine.facts.rejects import MALFORMED
from antelog.engine.values.values import Values


@dataclass(frozen=True, eq=False)
class Beyond:
    """The counts of such rows; those set aside, and their rows in their frames."""

    counts: Counts
    rejects: pa.Table
    places: Column


def beyond(plan: Plan, frames: Mapping[str, Frame], until: int, *, arrival: str) -> Beyond:
    """The counts of rows that arrived after tick `until`; malformed ones are set aside with their reason."""
    batch = admit(plan, frames, Values(), until, LAST, arrival=arrival)
    malformed = pc.equal(batch.rejects.column("reason"), MALFORMED)
    rejects = batch.rejects.filter(malformed)
    given = sum(counts.given for counts in batch.counts.values())
    counts = Counts(malformed=rejects.num_rows, after_until=given - rejects.num_rows)
    return Beyond(counts, rejects, batch.places[malformed.to_numpy(zero_copy_only=False)])
