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
    """A table of changes for each query after a tick, or of open answers, with `changes` beside them then.

    There are no tables where nothing is to be shown. `relations` are given if they are those of another plan.
    """

    tick: int
    tables: Tables
    changes: Tables | None = None
    relations: Sequence[Relation] | None = None


class Sink(Protocol):
    """Writes the steps of a run."""

    def write(self, step: StepResult) -> None: ...

    def mark(self) -> Mapping[str, Any] | None:
        """The position after the last safe write, as JSON; None if no run can resume from there."""

    def close(self) -> None: ...
