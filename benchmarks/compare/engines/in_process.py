"""antelog in a process: one call for each batch; or with workers, which have the next batch meanwhile."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from functools import partial

import pyarrow as pa
import pyarrow.compute as pc

from antelog import Engine, parse
from antelog.files import ARRIVAL
from antelog.run.workers.divided import DividedEngine, engine_for
from benchmarks.compare.folder import Folder, answer
from benchmarks.compare.systems import EVERYTHING
from benchmarks.workloads import ALL, CONFIRMED


def changes(only: tuple[str, ...], explanations: int | None, folder: Folder) -> Iterator[pa.Table]:
    """Whatever changes are asked for, the confirmed ones of them are the answers."""
    settings = folder.settings
    engine = Engine(parse(settings["program"]), only=only, explanations=explanations, static=folder.static())
    for end, facts in _batches(folder):
        yield _confirmed(engine.advance(end, facts), folder)


def divided(workers: int, folder: Folder) -> Iterator[pa.Table]:
    """The confirmed answers of workers, which compute a batch while the next one is read."""
    program, static = parse(folder.settings["program"]), folder.static()
    engine = engine_for(program, workers, print, only=CONFIRMED, static=static)
    assert isinstance(engine, DividedEngine)
    for number, (end, facts) in enumerate(_batches(folder)):
        engine.begin_step(end, {name: _as_read(table) for name, table in facts.items()})
        if number:
            yield _confirmed(engine.taken(), folder)
    yield _confirmed(engine.taken(), folder)


def _as_read(table: pa.Table) -> pa.Table:
    """A table whose arrivals are called as in what a run has read."""
    return table.rename_columns([ARRIVAL if name == "arrival" else name for name in table.column_names])


def _batches(folder: Folder) -> Iterator[tuple[int, dict[str, pa.Table]]]:
    inputs = folder.settings["inputs"]
    for end, table in folder.batches():
        yield (
            end,
            {
                kind: table.filter(pc.equal(table["kind"], kind)).select(names)
                for kind, names in inputs.items()
            },
        )


def _confirmed(changes: Mapping[str, pa.Table], folder: Folder) -> pa.Table:
    (log,) = changes.values()
    return log.filter(pc.equal(log["change"], "confirmed")).select(folder.settings["variables"])


if __name__ == "__main__":
    name, *arguments = sys.argv[1:]
    if name.isdecimal():
        answering = partial(divided, int(name))
    else:
        answering = partial(
            changes, *{"all": (ALL, None), "bare": (ALL, 0), "confirmed": (CONFIRMED, None)}[name]
        )
    answer(dict.fromkeys(EVERYTHING, answering), arguments)
