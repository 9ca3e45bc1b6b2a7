"""The result of a step, and the protocol of sinks that write it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import pyarrow as pa

from antelog.compile.nodes.plan import Relation

Tables = Mapping[str, pa.Table]


@dataclass(frozen=True, eq=False)
class StepResult:
    """A table for each query after a tick, in the program's order: changes, or what is open.

    The `relations` are those of another plan, if they are given.
    There are no tables where nothing is to be shown. Where the tables are snapshots, `changes` has the
    changes of the tick, for the summary at the end.
    """

    tick: int
    tables: Tables
    changes: Tables | None = None
    relations: Sequence[Relation] | None = None


class Sink(Protocol):
    """Writes the steps of a run."""

    def write(self, step: StepResult) -> None: ...

    def mark(self) -> Mapping[str, Any] | None:
        """The position after the last safe write, as JSON; None if a run cannot resume from there."""

    def close(self) -> None: ...
