"""Recorded facts through an engine: what changes, and what is open, tick by tick."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antelog.engine.engine import Engine
from antelog.files import ARRIVAL, Batch
from antelog.files.cells import part

Tables = Mapping[str, pa.Table]


@dataclass(frozen=True, eq=False)
class Shown:
    """What is to be shown after a tick: a table for each query, in the program's order."""

    tick: int
    tables: Tables


def changes(engine: Engine, batches: Iterable[Batch], until: int | None) -> Iterator[Shown]:
    """The change log, in the pieces in which it is found."""
    for batch in batches:
        yield Shown(batch.now, engine.advance(batch.now, batch.facts))
    end = last_tick(engine) if until is None else until
    if end > engine.now:
        yield Shown(end, engine.advance(end))


def snapshots(
    engine: Engine,
    batches: Iterable[Batch],
    until: int | None,
    progress: Callable[[int], None] = lambda _: None,
) -> Iterator[Shown]:
    """The answers of every tick: those open at it, and those confirmed at it."""

    def at(tick: int, facts: Tables) -> Shown:
        engine.advance(tick, facts)
        progress(1)
        return Shown(tick, {relation.name: engine.answers(relation.name) for relation in engine.plan.queries})

    for batch in batches:
        for tick in range(engine.now + 1, batch.now + 1):
            yield at(tick, _arrived(batch.facts, tick))
    end = last_tick(engine) if until is None else until
    for tick in range(engine.now + 1, end + 1):
        yield at(tick, {})


def _arrived(facts: Tables, tick: int) -> dict[str, pa.Table]:
    """The facts that arrived at a tick, of tables sorted by arrival."""
    found = {}
    for name, table in facts.items():
        arrivals = table.column(ARRIVAL).to_numpy()
        first, last = np.searchsorted(arrivals, [tick, tick + 1])
        if last > first:
            found[name] = part(table, int(first), int(last))
    return found


def last_tick(engine: Engine) -> int:
    """The tick at which everything that is open now is decided, if no further fact arrives.

    What is not decided by then has no bound. A program that says something new with every tick
    always has something open; what it says after the last fact is of no interest here.
    """
    end = max(engine.now, 0)
    if engine.now < 0:
        return end
    for relation in engine.plan.queries:
        table = engine.answers(relation.name)
        silent, decided = table.column("if_silent"), table.column("decided_by")
        by_silence = pc.cast(
            decided if pa.types.is_null(silent.type) else pc.struct_field(silent, "tick"), pa.int64()
        )
        latest = pc.max(pc.coalesce(by_silence, pc.cast(decided, pa.int64()))).as_py()
        end = max(end, latest or 0)
    return end
