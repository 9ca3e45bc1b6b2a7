"""The report of a pipeline: on stderr, and on a page if there is one.

On stderr there is a line for each batch, then rows set aside, and a summary. For the page each batch is
written to a feed, which a separate process shows: lines of changes and rejects, and counts of rows. The feed
of a stream is a folder next to its checkpoint, if that is on this machine; so a restarted stream shows open
answers at once.

    with paging(program, settings, address) as page:
        page.batch(seen, batch, counts)     after the sinks have the batch
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from rich.status import Status
from rich.text import Text

from antelog.accounts import FATES, REASONS
from antelog.arrow.ticks import UTC_ASSUMED, comes_twice
from antelog.cli.serving import Tend, tending, with_page
from antelog.cli.show import listing
from antelog.cli.show.set_aside import facts, number, say_what_was_set_aside
from antelog.cli.show.terminal import escaped, for_stderr, print_text, say, to_stderr, to_stdout
from antelog.compile.nodes.plan import Plan, Relation
from antelog.escaping import shown
from antelog.files import Reject
from antelog.files.setting_aside import SHOWN
from antelog.language.moments import Timescale, tick_in_words, timed
from antelog.program import Program
from antelog.run.settings import Settings
from antelog.run.sinks.json_lines import Style, change_lines
from antelog.run.sinks.result import StepResult
from antelog.run.sinks.set_aside import reject_of
from antelog.run.store import BatchFeed, FeedBatch, FolderFeed, about, reject_line
from antelog.watch.web.address import PageAddress
from antelog.writing import temporary_folder

if TYPE_CHECKING:  # PySpark is imported when it is known that it will be needed
    from antelog.spark import Outputs
    from antelog.spark.pipeline.stream_run import Counts, Progress

_STANDING = ("open", "held")
_UNITS = ("bytes", "kB", "MB", "GB", "TB")


@dataclass
class Report:
    """The counts of a pipeline so far; `status` is a terminal line that each batch replaces.

    Of some rows of each input the clock showed the times `twice`.
    """

    status: Status | None = None
    timescale: Timescale | None = None
    began: float = field(default_factory=time.monotonic)
    batches: int = 0
    totals: Counter[str] = field(default_factory=Counter)
    standing: dict[str, Any] = field(default_factory=dict)
    first: list[Reject] = field(default_factory=list)
    twice: Counter[str] = field(default_factory=Counter)

    def batch(self, done: Progress) -> None:
        """Prints the line of a finished batch."""
        self.batches += 1
        line = batch_line(done, self.timescale)
        if self.status is not None:
            self.status.update(escaped(Text(line)))
        else:
            say(line)

    def count(self, counts: Mapping[str, Any]) -> None:
        self.totals.update({name: counts.get(name) or 0 for name in ("given", "changes", *FATES)})
        # A micro-batch without rows may say nothing of how things stand; they stand as they did then.
        self.standing |= {name: counts[name] for name in _STANDING if counts.get(name) is not None}

    def clocks(self, rows: Iterable[Mapping[str, Any]], plan: Plan) -> None:
        """Counts rows whose times have no offset; says once that they are taken as those of UTC."""
        for row in rows:
            self.twice[row["input"]] += row["twice"]
            if plan.counting(row["input"]).zone is None:
                if not self.totals["local"]:
                    say(f"note: {UTC_ASSUMED}")
                self.totals["local"] += row["local"]

    @property
    def room(self) -> int:
        """The number of rejects that may still be shown in full."""
        return SHOWN - len(self.first)

    def warn(self, text: str) -> None:
        """Prints a warning, above the status line if there is one."""
        if self.status is not None:
            print_text(self.status.console, Text(for_stderr(f"warning: {shown(text)}")), soft_wrap=True)
        else:
            say(f"warning: {shown(text)}")

    def summarize(self, *, stream: bool, rejects: str | None, timescale: Timescale | None) -> None:
        """Prints the summary: counts, notes and rows set aside."""
        seconds = time.monotonic() - self.began
        came = facts(self.totals, _held_before({**self.totals, **self.standing}))
        parts = [came, number(self.totals["changes"], "change"), *_still(self.standing)]
        if stream:
            parts.insert(0, f"{self.batches:,} batch{'' if self.batches == 1 else 'es'}")
        say(f"done: {', '.join(parts)} in {seconds:,.1f} s")
        if stream and not self.batches and not self.totals["given"]:
            say("note: there was no batch, for nothing has come that was not read before")
        if held := self.standing.get("held"):
            many = f"{held:,} facts wait: their ticks are not finished"
            say(f"note: {'1 fact waits: its tick is not finished' if held == 1 else many}")
        for name, count in sorted(self.twice.items()):
            if count:
                say(f"note: {comes_twice(count, name)}")
        counts = {reason: self.totals[reason] for reason in REASONS}
        say_what_was_set_aside(counts, self.first, timescale, where=rejects, option="--rejects SINK")


@contextmanager
def reporting(timescale: Timescale | None, *, stream: bool, results_on_terminal: bool) -> Iterator[Report]:
    """A report; that of a stream uses a status line on a terminal, unless results are printed there."""
    console = to_stderr()
    if not stream or not console.is_terminal or (results_on_terminal and sys.stdout.isatty()):
        yield Report(timescale=timescale)
        return
    with console.status("waiting for facts; Ctrl-C ends it", spinner="dots") as status:
        yield Report(status, timescale)


def batch_line(done: Progress, timescale: Timescale | None = None) -> str:
    """The line of a batch, without unknown counts."""
    counts = done.counts
    given = counts.get("given") or 0
    speed = given / done.seconds if done.seconds else 0
    rate = f" ({speed:,.0f}/s)" if speed >= 10 else f" ({speed:.1f}/s)" if speed else ""
    parts = [f"{facts(counts, _held_before(counts))} in {done.seconds:,.1f} s{rate}"]
    parts += [number(counts.get("changes") or 0, "change"), *_still(counts)]
    kept = counts.get("kept")
    state = [*([] if kept is None else [number(kept, "fact")]), *_size(counts.get("state_bytes"))]
    parts += [f"state {' in '.join(state)}"] if state else []
    now = counts.get("now")
    parts += [] if now is None else [tick_in_words(now, timescale)]
    parts += [f"{count:,} {what} waiting" for what, count in done.waiting.items()]
    return f"batch {done.number}: {', '.join(parts)}"


def _held_before(counts: Mapping[str, int | None]) -> int:
    """The number of facts held from before: those counted now minus those that came."""
    after = sum(counts.get(name) or 0 for name in (*FATES, "held"))
    return after - (counts.get("given") or 0)


def _still(counts: Mapping[str, int | None]) -> list[str]:
    """The numbers of open answers and of held facts, where they are counted."""
    still, held = counts.get("open"), counts.get("held")
    return [*([] if still is None else [f"{still:,} open"]), *([f"{held:,} held"] if held else [])]


def _size(count: int | None) -> list[str]:
    if not count:
        return []
    size, unit = float(count), 0
    while size >= 1000 and unit < len(_UNITS) - 1:
        size, unit = size / 1000, unit + 1
    return [f"{size:,.0f} {_UNITS[unit]}" if size >= 10 or not unit else f"{size:.1f} {_UNITS[unit]}"]


def console_printer(plan: Plan) -> Callable[[Outputs], None]:
    """A function that prints the changes of a batch below those of the batch before."""
    relations = list(plan.queries)
    to = listing.listing(to_stdout(), plan.timescale, None)

    def show(outputs: Outputs) -> None:
        listing.print_changes(relations, StepResult(0, tables_of(outputs, relations)), to)
        to.console.file.flush()

    return show


def tables_of(outputs: Outputs, relations: Sequence[Relation]) -> dict[str, pa.Table]:
    """The changes of each query, collected from Spark, with columns named as variables again."""
    found = {}
    times = pa.timestamp("us", outputs.job.plan.zone)  # Spark's are of the zone of its session
    for relation in relations:
        table = outputs.query(relation.name).toArrow()
        clashing = {f"{name}_": name for name in relation.answer.names if name not in table.column_names}
        table = table.rename_columns([clashing.get(name, name) for name in table.column_names])
        timed_ = {timed(name) for name in table.column_names}
        fields = [each.with_type(times) if each.name in timed_ else each for each in table.schema]
        found[relation.name] = table.cast(pa.schema(fields))
    return found


# ---- the page ----

_MOST_REJECTS = 100
"""Rows set aside that are shown of a batch, at most."""
_REJECTED = {"input": "predicate", "reason": "reason", "row": "row", "detail": "detail"}


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
            for row in seen.rejects.groupBy("input", "reason").count().collect():
                self.aside[row["input"], row["reason"]] += row["count"]
            for row in seen.rejects.limit(_MOST_REJECTS).collect():
                each = reject_of(row.asDict(), "", None, self.program.plan.timescale)
                lines.append(reject_line({key: getattr(each, name) for key, name in _REJECTED.items()}))
        self.given += counts.get("given") or 0
        inputs: dict[str, Any] = {}
        for source in self.program.plan.inputs:
            rejects = {reason: n for (name, reason), n in self.aside.items() if name == source.name}
            inputs[source.name] = {"delay": max(source.delays), "rejects": rejects}
            if len(self.program.plan.inputs) == 1:  # rows are counted in total
                inputs[source.name]["facts"] = self.given
        self.feed.write(FeedBatch(number, lines, {"tick": counts.get("now"), "inputs": inputs}))
        self.tend()


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
