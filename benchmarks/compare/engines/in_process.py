"""antelog in a process: one call for each batch."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial

import pyarrow as pa
import pyarrow.compute as pc

from antelog import Engine, parse
from benchmarks.compare.folder import Folder, answer
from benchmarks.compare.systems import EVERYTHING
from benchmarks.workloads import ALL, CONFIRMED


def changes(only: tuple[str, ...], explanations: int | None, folder: Folder) -> Iterator[pa.Table]:
    """Whatever changes are asked for, the confirmed ones of them are the answers."""
    settings = folder.settings
    engine = Engine(parse(settings["program"]), only=only, explanations=explanations, static=folder.static())
    for end, table in folder.batches():
        facts = {
            kind: table.filter(pc.equal(table["kind"], kind)).select(names)
            for kind, names in settings["inputs"].items()
        }
        (log,) = engine.advance(end, facts).values()
        yield log.filter(pc.equal(log["change"], "confirmed")).select(settings["variables"])


if __name__ == "__main__":
    asked = {"all": (ALL, None), "bare": (ALL, 0), "confirmed": (CONFIRMED, None)}[sys.argv[1]]
    answer(dict.fromkeys(EVERYTHING, partial(changes, *asked)), sys.argv[2:])
