"""Recorded facts through an engine: what changes, and what is open, tick by tick."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from antelog.engine.columns.tables import Column
from antelog.files import ARRIVAL, Batch
from antelog.files.cells import part
from antelog.process import Engine
from antelog.run import clock
from antelog.telling.set_aside import Places, from_engine
from antelog.telling.shown import Shown


@dataclass(frozen=True)
class Recorded:
    """Recorded facts: batches of them, and where they come from."""

    batches: Iterable[Batch]
    places: Places


def changes(engine: Engine, recorded: Recorded, until: int | None) -> Iterator[Shown]:
    """The change log, in the pieces in which it is found."""
    for batch in recorded.batches:
        tables = engine.advance(batch.now, batch.facts)
        yield Shown(batch.now, tables, from_engine(engine.last_rejects, recorded.places, batch.lines))
    end = last_tick(engine) if until is None else until
    if end > engine.now:
        yield Shown(end, engine.advance(end))


def snapshots(
    engine: Engine,
    recorded: Recorded,
    since: int | None,
    until: int | None,
    progress: Callable[[int], None] = lambda _: None,
) -> Iterator[Shown]:
    """The answers of every tick: those open at it, and those confirmed at it.

    The first tick is `since`, or, if None, that of the first arrival.
    """

    def at(tick: int, facts: Batch | None, show: bool = True) -> Shown:
        changed = engine.advance(tick, facts.facts if facts else {})
        rejects = from_engine(engine.last_rejects, recorded.places, facts.lines) if facts else ()
        queries = engine.plan.queries if show else ()
        progress(1 if show else 0)
        answers = {relation.name: engine.answers(relation.name) for relation in queries}
        return Shown(tick, answers, rejects, changed)

    for batch in recorded.batches:
        if since is None:
            since = min(int(table.column(ARRIVAL)[0].as_py()) for table in batch.facts.values())
        before = min(since - 1, batch.now)
        if before > engine.now:
            yield at(before, _arrived(batch, engine.now, before), show=False)
        for tick in range(engine.now + 1, batch.now + 1):
            yield at(tick, _arrived(batch, tick - 1, tick))
    end = last_tick(engine) if until is None else until
    if since is not None and engine.now < since - 1 < end:
        yield at(since - 1, None, show=False)
    for tick in range(max(engine.now + 1, since or 0), end + 1):
        yield at(tick, None)


def _arrived(batch: Batch, after: int, until: int) -> Batch:
    """The facts that arrived after a tick up to another, of tables sorted by arrival."""
    facts: dict[str, pa.Table] = {}
    lines: dict[str, Column] = {}
    for name, table in batch.facts.items():
        arrivals = table.column(ARRIVAL).to_numpy()
        first, last = np.searchsorted(arrivals, [after, until], "right").tolist()
        if last > first:
            facts[name], lines[name] = part(table, first, last), batch.lines[name][first:last]
    return Batch(until, facts, lines)


def last_tick(engine: Engine) -> int:
    """The tick at which everything that is open now is decided, if no further fact arrives."""
    return clock.end(engine.now, (engine.answers(query.name) for query in engine.plan.queries))
