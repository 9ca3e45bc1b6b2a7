"""The report of a pipeline on stderr: a line for each batch, rows set aside, and a summary."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from rich.status import Status
from rich.text import Text

from antelog.accounts import FATES, REASONS
from antelog.arrow.ticks import UTC_ASSUMED, comes_twice
from antelog.cli.show import listing
from antelog.cli.show.set_aside import SetAside, facts, number
from antelog.cli.show.terminal import escaped, for_stderr, print_text, say, to_stderr, to_stdout
from antelog.compile.nodes.plan import Plan, Relation
from antelog.escaping import shown
from antelog.files import Reject
from antelog.files.setting_aside import SHOWN
from antelog.language.moments import Timescale, tick_in_words, timed
from antelog.run.sinks.result import StepResult

if TYPE_CHECKING:  # PySpark is imported when it is known that it will be needed
    from antelog.spark import Outputs
    from antelog.spark.pipeline.stream_run import Progress

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
        again = (comes_twice(count, name) for name, count in sorted(self.twice.items()) if count)
        for note in (*self._why(stream=stream), *again):
            say(f"note: {note}")
        counts = {reason: self.totals[reason] for reason in REASONS}
        SetAside(counts, self.first, timescale).say(rejects, "--rejects SINK")

    def _why(self, *, stream: bool) -> Iterator[str]:
        """Notes on why there was no batch, or why facts are still held."""
        if stream and not self.batches and not self.totals["given"]:
            yield "there was no batch, for nothing has come that was not read before"
        if held := self.standing.get("held"):
            many = f"{held:,} facts wait: their ticks are not finished"
            yield "1 fact waits: its tick is not finished" if held == 1 else many


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
    """The changes of each query, collected from Spark."""
    return {relation.name: _named(outputs, relation) for relation in relations}


def _named(outputs: Outputs, relation: Relation) -> pa.Table:
    """The changes of a query, with columns named as its variables again where Spark's names clash."""
    table = outputs.query(relation.name).toArrow()
    shown = {f"{name}_": name for name in relation.answer.names if name not in table.column_names}
    table = table.rename_columns([shown.get(name, name) for name in table.column_names])
    # Spark's times are of the zone of its session.
    times = pa.timestamp("us", outputs.job.plan.zone)
    names = {timed(name) for name in table.column_names}
    return table.cast(
        pa.schema([each.with_type(times) if each.name in names else each for each in table.schema])
    )
