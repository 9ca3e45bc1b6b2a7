"""The page of a pipeline: each batch is written to a feed, which a separate process shows.

    with paging(program, settings, address) as page:
        page.batch(seen, batch, counts)     after the sinks have the batch

The feed has lines of changes and rejects, and counts of rows. The feed of a stream is a folder next to its
checkpoint, if that is on this machine; so a restarted stream shows open answers at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from antelog.accounts import REASONS
from antelog.cli.run.report import tables_of
from antelog.cli.serving import Tend, tending, with_page
from antelog.program import Program
from antelog.run.settings import Settings
from antelog.run.sinks.json_lines import Style, change_lines
from antelog.run.sinks.result import StepResult
from antelog.run.sinks.set_aside import reject_of
from antelog.run.store import BatchFeed, FeedBatch, FolderFeed, about, reject_line
from antelog.temporary import temporary_folder
from antelog.watch.web.address import PageAddress

if TYPE_CHECKING:  # PySpark is imported when it is known that it will be needed
    from antelog.spark import Outputs
    from antelog.spark.pipeline.stream_run import Counts

_MOST_REJECTS = 100
"""Rows set aside that are shown of a batch, at most."""


@dataclass(eq=False)
class Paging:
    """Writes the feed; `tend` restarts the page's process if it has ended."""

    program: Program
    feed: BatchFeed
    tend: Tend
    given: int = 0
    aside: Counter[tuple[str, str]] = field(default_factory=Counter)

    def batch(self, seen: Outputs, number: int | None, counts: Counts) -> None:
        """Writes a batch to the feed: its changes, its rejects and its counts."""
        lines: list[str] = []
        if counts.get("changes"):
            relations = list(self.program.plan.queries)
            shown = StepResult(0, tables_of(seen, relations))
            lines += change_lines(relations, shown, Style()).splitlines()
        if any(counts.get(reason) for reason in REASONS):
            lines += self._rejects(seen)
        self.given += counts.get("given") or 0
        self.feed.write(FeedBatch(number, lines, {"tick": counts.get("now"), "inputs": self._inputs()}))
        self.tend()

    def _rejects(self, seen: Outputs) -> list[str]:
        for row in seen.rejects.groupBy("input", "reason").count().collect():
            self.aside[row["input"], row["reason"]] += row["count"]
        rows = (row.asDict() for row in seen.rejects.limit(_MOST_REJECTS).collect())
        found = (reject_of(row, "", None, self.program.plan.timescale) for row in rows)
        names = {"input": "predicate", "reason": "reason", "row": "row", "detail": "detail"}
        return [reject_line({key: getattr(each, name) for key, name in names.items()}) for each in found]

    def _inputs(self) -> dict[str, Any]:
        """The status of each input; rows are counted in total, so only a single input has `facts`."""
        found = {}
        for source in self.program.plan.inputs:
            rejects = {reason: n for (name, reason), n in self.aside.items() if name == source.name}
            found[source.name] = {"delay": max(source.delays), "rejects": rejects}
            if len(self.program.plan.inputs) == 1:
                found[source.name]["facts"] = self.given
        return found


@contextmanager
def paging(program: Program, settings: Settings, address: PageAddress | None) -> Iterator[Paging | None]:
    """Serves a page while the pipeline runs, if there is an address for it."""
    if address is None:
        yield None
        return
    with ExitStack() as stack:
        # Next to a checkpoint, if that is on this machine.
        if settings.checkpoint is None or ":" in settings.checkpoint:
            folder = stack.enter_context(temporary_folder())
        else:
            folder = Path(f"{settings.checkpoint.rstrip('/')}.feed")
        feed = BatchFeed(FolderFeed(folder), about(program.source, program.plan.tick))
        yield Paging(program, feed, tending(with_page(folder, address, stack)))
