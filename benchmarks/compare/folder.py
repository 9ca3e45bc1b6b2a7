"""What an engine is given: a folder of files. And what it leaves: a folder of answers.

events.csv         all events in the order of arrival, without a header
headed/*.csv       the events and the relations with headers
batches/*.parquet  the same, in batches
static/*.parquet   relations, if there are any; the same as CSV without a header
settings.json      antelog's program with its inputs and the variables of its answers, the last tick of
                   each batch, and how late events may be
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

if TYPE_CHECKING:
    from benchmarks.compare.workloads import Given, Workload

Answering = Callable[["Folder"], Iterable[pa.Table]]
"""From what is given to answers, as they come: their values in order, the tick last."""


@dataclass(frozen=True)
class Folder:
    path: Path

    @property
    def events(self) -> Path:
        return self.path / "events.csv"

    @property
    def files(self) -> list[Path]:
        return sorted((self.path / "batches").glob("*.parquet"))

    @property
    def settings(self) -> dict[str, Any]:
        return dict(json.loads((self.path / "settings.json").read_text(encoding="utf-8")))

    def batches(self) -> Iterator[tuple[int, pa.Table]]:
        """Each batch with its last tick, read when it is its turn."""
        for end, file in zip(self.settings["ends"], self.files, strict=True):
            yield end, pq.read_table(file)

    def static(self) -> dict[str, pa.Table]:
        return {file.stem: pq.read_table(file) for file in (self.path / "static").glob("*.parquet")}


def write(path: Path, workload: Workload, given: Given, *, empty: bool = False) -> Folder:
    """`empty`: nothing but the end of the stream, for what the start alone costs."""
    events, ends = given.events, given.ends.tolist()
    if empty:
        events, ends = events.filter(events["arrival"] == ends[-1]), ends[-1:]
    for name in ("batches", "static", "headed"):
        (path / name).mkdir(parents=True)
    start = 0
    for number, end in enumerate(ends):
        stop = int(events["arrival"].search_sorted(end, "right"))
        file = path / "batches" / f"{number:03}.parquet"
        events.slice(start, stop - start).write_parquet(file)
        os.utime(file, (1_000 + 10 * number,) * 2)  # Spark takes the oldest first
        start = stop
    events.write_csv(path / "events.csv", include_header=False)
    events.write_csv(path / "headed" / "events.csv")
    for name, relation in given.static.items():
        relation.write_parquet(path / "static" / f"{name}.parquet")
        relation.write_csv(path / "static" / f"{name}.csv", include_header=False)
        relation.write_csv(path / "headed" / f"{name}.csv")
    settings = {
        "program": workload.program,
        "inputs": {kind: [*names, "time", "arrival"] for kind, names in workload.inputs.items()},
        "variables": list(workload.variables),
        "delay": workload.delay,
        "ends": ends,
    }
    (path / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
    return Folder(path)


def answer(known: dict[str, Answering], arguments: list[str]) -> None:
    """The main function of an engine in Python: `WORKLOAD FOLDER OUT`."""
    name, path, out = arguments
    Path(out).mkdir()
    for number, table in enumerate(known[name](Folder(Path(path)))):
        pq.write_table(table, Path(out) / f"{number:03}.parquet")
