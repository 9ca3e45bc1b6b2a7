"""Recorded facts as grounds of explanations: all of them at once, each with its file and line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from antelog.compile.nodes.plan import Plan
from antelog.engine.columns.tables import Column, marked
from antelog.engine.facts.frames import Frame
from antelog.engine.facts.history import Facts
from antelog.engine.values.values import Values
from antelog.files import ARRIVAL, Rejects
from antelog.program import Program
from antelog.run.reading import InputReader, Now
from antelog.run.replay import Recording, static_facts
from antelog.run.waiting import DueRows, QueuedRows, joint_rows
from antelog.why import Grounds
from antelog.why.grounds import FactPlaces


@dataclass(frozen=True, eq=False)
class RecordedPlaces(FactPlaces):
    """The files and lines of recorded rows."""

    plan: Plan
    rows: Mapping[str, QueuedRows]
    names: Sequence[str]

    def of_fact(self, predicate: str, facts: Facts, values: Values) -> str | None:
        rows = self.rows.get(predicate)
        if rows is None:
            return None
        *columns, time = next(each.columns for each in self.plan.inputs if each.name == predicate)
        fits = (rows.table.column(time).to_numpy() == facts.time[0]) & (rows.arrivals == facts.arrival[0])
        at: Column = marked(fits)
        for column, cell in zip(columns, facts.columns, strict=True):
            array = rows.table.column(column).take(at).combine_chunks()
            cells, _ = values.encode_usable(array)
            at = at[(cells == cell[0]) | (values.spelled(cells) == cell[0])]
        return self.of_row(predicate, int(at[0])) if len(at) else None

    def of_row(self, predicate: str, row: int) -> str | None:
        rows = self.rows[predicate]
        return f"{self.names[rows.files[row]]}:{rows.lines[row]}"


def recorded_grounds(program: Program, recording: Recording, at: int | None, rejects: Rejects) -> Grounds:
    """The grounds of recorded facts as of a tick; None: of all of them."""
    static = static_facts(program.plan, recording.statics, rejects, recording.maps)
    return grounds_of(program, recording.reader(program.plan, rejects), static, at)


def grounds_of(program: Program, reader: InputReader, static: Mapping[str, Frame], at: int | None) -> Grounds:
    """The grounds of all facts of a reader."""
    plan = program.plan
    batches = list(_batches(reader))
    names = batches[-1].names if batches else ()
    rows = {
        name: joint_rows([each.rows[name] for each in batches if name in each.rows])
        for name in dict.fromkeys(name for each in batches for name in each.rows)
    }
    frames = DueRows(0, rows).facts
    grounds = Grounds.of_facts(program, frames, at, static=static, arrival=ARRIVAL)
    return replace(grounds, places=RecordedPlaces(plan, rows, names))


def _batches(reader: InputReader) -> Iterator[DueRows]:
    """All rows of a reader, in the order of their arrival."""
    now = -1
    while True:
        reader.read(Now(now, 0))
        end = reader.finished(Now(now, 0))
        if reader.ended:
            reader.finish(Now(now, 0), ended_only=False)
            end = reader.waiting.last
        while now < end:
            batch = reader.waiting.batch(end)
            now = batch.now
            yield batch
        if reader.ended:
            return
