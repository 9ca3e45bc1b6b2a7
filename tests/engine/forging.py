"""States that no engine has saved: the members of those that one has, changed, and sealed again."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

import antelog
from antelog import Engine
from antelog.engine import sealed
from antelog.engine.columns.tables import Column

Members = dict[str, bytes]


@dataclass(frozen=True)
class Example:
    """A program, and what arrives at each tick after the one its engine was saved at."""

    program: antelog.Program
    content: bytes
    later: Mapping[str, list[tuple[Any, ...]]]

    def told(self, content: bytes, program: antelog.Program | None = None) -> Any:
        """All that an engine tells that goes on from this content."""
        engine = Engine.from_bytes(content, program)
        said: list[Any] = [engine.now, engine.counts, engine.dropped.to_pylist(), engine.status]
        names = [query.name for query in engine.plan.queries]
        said += [engine.answers(name).to_pylist() for name in names]
        inputs = {source.name for source in engine.plan.inputs}
        for tick in range(engine.now + 1, engine.now + 4):
            now = {n: [(*row, tick) for row in rows] for n, rows in self.later.items() if n in inputs}
            said += [table.to_pylist() for table in engine.advance(tick, now).values()]
        return said


def example(text: str, rows: Mapping[str, list[tuple[Any, ...]]], **options: Any) -> Example:
    """An engine saved after some `ticks`; the rows, without times, come at each from the `first` on."""
    program, first, ticks = antelog.parse(text), options.pop("first", 0), options.pop("ticks", 4)
    engine = Engine(program, **options)
    for tick in range(first, first + ticks):
        engine.advance(tick, {name: [(*row, tick) for row in own] for name, own in rows.items()})
    return Example(program, engine.to_bytes(), rows)


TURBINES = """
input Temp(device, level, time) delay 1. delay Temp(wt2, _, _) = 2.
input Mute(device: text, time) delay 1.
static Site(device, name). static North(device).
Site(wt2, "North Sea"). North(X) :- Site(X, "North Sea").
Hot(X, N, T) :- Temp(X, high, T), Temp(X, high, T+1), Site(X, N), not North(X), not Muted(X, T).
Muted(X, T) :- Mute(X, T). Muted(X, T+2) :- Mute(X, T).
query Hot(X, N, T).
"""
TOGGLE = """
input Press(x: text, time) delay 1.
Off(X, T+1) :- Press(X, T+1), not Off(X, T).
query Off(X, T).
"""
ANY = "input P(v, w: number, time) delay 2. Q(V, W, T) :- P(V, W, T), P(V, W, T+1), W > 1. query Q(V, W, T)."
DATES = "tick 10 minutes. input P(v, time) delay 1. Q(V, T) :- P(V, T), P(V, T+2). query Q(V, T)."
CUT = "input Asked(x, time) delay 4. Given(X, T) :- Asked(X, T), Asked(X, T+3). query Given(X, T)."


def examples() -> dict[str, Example]:
    hot: dict[str, list[tuple[Any, ...]]] = {
        "Temp": [("wt4", "high"), ("wt2", "high"), ("wt4", "low")],
        "Mute": [("wt2",)],
    }
    mixed: list[tuple[Any, ...]] = [("a b", 2), (1.5, 2**60 + 1), (7, 3.25), (True, 2)]
    return {
        "turbines": example(TURBINES, hot, static={"Site": [("wt4", "7")]}),
        "toggle": example(TOGGLE, {"Press": [("a",), ("b",)]}, ticks=12),
        "any": example(ANY, {"P": mixed}),
        "dates": example(DATES, {"P": [(2**55 + 1,), (4,)]}, first=3_000_000),
        "cut": example(CUT, {"Asked": [(text,) for text in "abc"]}, limit=5),
    }


def members_of(content: bytes) -> Members:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def forged(content: bytes, change: Callable[[Members], object]) -> bytes:
    """A state with other members, and the right digest."""
    members = members_of(content)
    change(members)
    return sealed.pack(members)


def said(member: str, *path: Any, value: Any) -> Callable[[Members], object]:
    """Puts another value in a place of a JSON member."""

    def change(members: Members) -> None:
        document = found = json.loads(members[member])
        for key in path[:-1]:
            found = found[key]
        found[path[-1]] = value
        members[member] = json.dumps(document).encode()

    return change


def columns(member: str, width: int, edit: Callable[[Column], Any]) -> Callable[[Members], object]:
    """Edits the columns of a member, or gives others for them."""

    def change(members: Members) -> None:
        table = np.frombuffer(members[member], "<i8").reshape(width, -1).copy()
        edited = edit(table)
        members[member] = (table if edited is None else edited).astype("<i8").tobytes()

    return change


def types(**changed: pa.DataType) -> Callable[[Members], object]:
    """Says of predicates that their columns have these types."""

    def change(members: Members) -> None:
        old = pa.ipc.read_schema(pa.BufferReader(members["types.arrow"]))
        fields = [pa.field(field.name, changed.get(field.name, field.type)) for field in old]
        members["types.arrow"] = pa.schema(fields).serialize().to_pybytes()

    return change
