"""An engine's state as a file, and back.

The file is a zip archive, so damage is noticed. It holds

    state.json        version, the last finished tick, what was counted, the static facts given
    plan.json         the plan, as `antelog.compile.plan_json` writes it
    values.arrow      the values that have ids
    facts/N.arrow     the kept facts of the plan's Nth input: cells, times, arrivals

in Arrow's file format. There is no pickled code in it.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from os import PathLike
from pathlib import Path

import msgspec
import pyarrow as pa

from antelog.compile.plan import Plan
from antelog.compile.plan_json import from_json, to_json
from antelog.compile.statics import Row
from antelog.engine.facts import Counts, Facts
from antelog.engine.history import History, Stream, added, gather
from antelog.engine.values import Values
from antelog.errors import PlanError, StateError

VERSION = 1
"""Counts up whenever a file of the version before can no longer be read."""

Given = dict[str, list[Row]]


@dataclass(frozen=True)
class Saved:
    """Everything that has to be known to go on."""

    plan: Plan
    now: int
    values: Values
    history: History
    given: Given
    counts: Mapping[str, Counts]


class _State(msgspec.Struct, frozen=True):
    version: int
    now: int
    counts: dict[str, dict[str, int]]
    given: dict[str, list[tuple[str | int | float, ...]]]


def save(path: str | PathLike[str], saved: Saved) -> None:
    """Write a state; a file of that name is replaced only when the new one is complete."""
    state = _State(VERSION, saved.now, {n: asdict(c) for n, c in saved.counts.items()}, saved.given)
    target = Path(path)
    partial = target.with_name(target.name + ".partial")
    with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("state.json", msgspec.json.encode(state))
        archive.writestr("plan.json", to_json(saved.plan))
        archive.writestr("values.arrow", _to_bytes(saved.values.to_arrow()))
        for number, source in enumerate(saved.plan.inputs):
            archive.writestr(
                f"facts/{number}.arrow", _to_bytes(_table(gather(saved.history, source.name, None)))
            )
    partial.replace(target)


def restore(path: str | PathLike[str]) -> Saved:
    """The state in a file; StateError if there is none that this version can read."""
    try:
        with zipfile.ZipFile(path) as archive:
            state = msgspec.json.decode(archive.read("state.json"), type=_State)
            if state.version != VERSION:
                raise StateError(
                    f"{path} is of version {state.version}, but this antelog reads version {VERSION}; "
                    "replay the facts with this version, or go on with the one that wrote it"
                )
            plan = from_json(archive.read("plan.json"))
            values = Values.from_arrow(_from_bytes(archive.read("values.arrow")))
            history: History = {source.name: Stream(len(source.types), {}) for source in plan.inputs}
            tables = {
                s.name: _from_bytes(archive.read(f"facts/{n}.arrow")) for n, s in enumerate(plan.inputs)
            }
    except FileNotFoundError:
        raise StateError(f"{path}: there is no such file") from None
    except _DAMAGE as error:
        raise StateError(f"{path} is no state that can be restored, or it is damaged: {error}") from None
    history = added(history, {name: _facts(table) for name, table in tables.items()})
    counts = {name: Counts(**each) for name, each in state.counts.items()}
    return Saved(plan, state.now, values, history, state.given, counts)


_DAMAGE = (
    *(OSError, EOFError, KeyError, ValueError, NotImplementedError, RuntimeError),
    *(zipfile.BadZipFile, zlib.error, msgspec.DecodeError, pa.ArrowException, PlanError),
)
"""What reading a damaged archive can end in."""


def _table(facts: Facts) -> pa.Table:
    columns = {str(i): column for i, column in enumerate(facts.columns)}
    return pa.table({**columns, "time": facts.time, "arrival": facts.arrival})


def _facts(table: pa.Table) -> Facts:
    *columns, time, arrival = (table.column(i).to_numpy() for i in range(table.num_columns))
    return Facts(tuple(columns), time, arrival)


def _to_bytes(table: pa.Table) -> bytes:
    sink = io.BytesIO()
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def _from_bytes(content: bytes) -> pa.Table:
    return pa.ipc.open_file(content).read_all()
