"""An engine's state as bytes or as a file, and back.

It is a zip archive, so damage is noticed. It holds

    state.json        version, the last finished tick, what was counted and given up, the static facts given
    plan.json         the plan, as `antelog.compile.plan_json` writes it
    types.arrow       an Arrow schema: for each input and static predicate a struct of its columns' types
    values.arrow      the values that have ids, the constants first
    facts/N.arrow     the kept facts of the plan's Nth input: cells, times, arrivals
    settled/N.arrow   the remembered atoms of the plan's Nth relation, if it rests on its own negation

in Arrow's file format. There is no pickled code in it. Values that no kept fact has are left out.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path

import msgspec
import pyarrow as pa

from antelog.accounts import Counts
from antelog.compile.plan import Plan
from antelog.compile.plan_json import from_json, to_json
from antelog.compile.statics import Row
from antelog.engine import kernel
from antelog.engine.counting import Dropped
from antelog.engine.facts import Facts
from antelog.engine.history import added, gather, pruned
from antelog.engine.kernel import State
from antelog.engine.schema import Types
from antelog.engine.settled import Settled
from antelog.engine.values import Values
from antelog.errors import PlanError, StateError

VERSION = 3
"""Counts up whenever a file of the version before can no longer be read."""


@dataclass(frozen=True)
class Saved:
    """Everything that has to be known to go on."""

    plan: Plan
    state: State
    given: Mapping[str, list[Row]]
    counts: Mapping[str, Counts]
    dropped: Mapping[str, Dropped]
    limit: int | None


class _State(msgspec.Struct, frozen=True):
    version: int
    now: int
    begin: int | None
    forgotten: int
    limit: int | None
    counts: dict[str, Counts]
    dropped: dict[str, Dropped]
    given: dict[str, list[tuple[str | int | float, ...]]]


class _Version(msgspec.Struct, frozen=True):
    version: int


def save(path: str | PathLike[str], saved: Saved) -> None:
    """Write a state; a file of that name is replaced only when the new one is complete."""
    target = Path(path)
    partial = target.with_name(target.name + ".partial")
    partial.write_bytes(to_bytes(saved))
    partial.replace(target)


def restore(path: str | PathLike[str]) -> Saved:
    """The state in a file; StateError if there is none that this version can read."""
    try:
        content = Path(path).read_bytes()
    except FileNotFoundError:
        raise StateError(f"{path}: there is no such file") from None
    except OSError as error:
        raise StateError(f"{path}: cannot be read: {error.strerror}") from None
    return from_bytes(content, str(path))


def to_bytes(saved: Saved) -> bytes:
    """A state for wherever bytes are kept; `from_bytes` reads it."""
    old = saved.state
    state = _State(
        VERSION, old.now, old.begin, old.forgotten, saved.limit,
        dict(saved.counts), dict(saved.dropped), dict(saved.given),
    )  # fmt: skip
    values, history, settled = pruned(old.values, old.history, old.settled)
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("state.json", msgspec.json.encode(state))
        archive.writestr("plan.json", to_json(saved.plan))
        archive.writestr("types.arrow", _types_schema(old.seen).serialize().to_pybytes())
        archive.writestr("values.arrow", _to_bytes(values.to_arrow()))
        for number, source in enumerate(saved.plan.inputs):
            archive.writestr(f"facts/{number}.arrow", _to_bytes(_table(gather(history, source.name, None))))
        for number, relation in enumerate(saved.plan.relations):
            if relation.name in settled:
                archive.writestr(f"settled/{number}.arrow", _to_bytes(_remembered(settled[relation.name])))
    return sink.getvalue()


def from_bytes(content: bytes, name: str = "the saved state") -> Saved:
    """The state in bytes, which messages call by this name; StateError if this version cannot read it."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            state = _state(archive.read("state.json"), name)
            plan = from_json(archive.read("plan.json"))
            types = pa.ipc.read_schema(pa.BufferReader(archive.read("types.arrow")))
            values = Values.from_arrow(_from_bytes(archive.read("values.arrow")))
            facts = {
                source.name: _facts(_from_bytes(archive.read(f"facts/{number}.arrow")))
                for number, source in enumerate(plan.inputs)
            }
            settled = {
                relation.name: _settled(_from_bytes(archive.read(f"settled/{number}.arrow")))
                for number, relation in enumerate(plan.relations)
                if f"settled/{number}.arrow" in archive.namelist()
            }
            start = kernel.seeing(plan, kernel.start(plan, state.given, values), _seen(types))
    except _DAMAGE as error:
        raise StateError(f"{name} is no state that can be restored, or it is damaged: {error}") from None
    resumed = replace(
        start,
        now=state.now,
        begin=state.begin,
        forgotten=state.forgotten,
        history=added(start.history, facts),
        settled={**start.settled, **settled},
    )
    return Saved(plan, resumed, state.given, state.counts, state.dropped, state.limit)


def _state(content: bytes, name: str) -> _State:
    version = msgspec.json.decode(content, type=_Version).version
    if version != VERSION:
        raise StateError(
            f"{name} is of version {version}, but this antelog reads version {VERSION}; "
            "replay the facts with this version, or go on with the one that wrote it"
        )
    return msgspec.json.decode(content, type=_State)


_DAMAGE = (
    *(OSError, EOFError, KeyError, ValueError, TypeError, NotImplementedError, RuntimeError),
    *(zipfile.BadZipFile, zlib.error, msgspec.DecodeError, pa.ArrowException, PlanError),
)
"""What reading a damaged archive can end in."""


def _types_schema(seen: Mapping[str, Types]) -> pa.Schema:
    columns = {
        name: pa.struct([pa.field(str(i), type_) for i, type_ in enumerate(types)])
        for name, types in seen.items()
    }
    return pa.schema(list(columns.items()))


def _seen(schema: pa.Schema) -> dict[str, Types]:
    return {field.name: tuple(column.type for column in field.type) for field in schema}


def _table(facts: Facts) -> pa.Table:
    columns = {str(i): column for i, column in enumerate(facts.columns)}
    return pa.table({**columns, "time": facts.time, "arrival": facts.arrival})


def _facts(table: pa.Table) -> Facts:
    *columns, time, arrival = (table.column(i).to_numpy() for i in range(table.num_columns))
    return Facts(tuple(columns), time, arrival)


def _remembered(settled: Settled) -> pa.Table:
    columns = {str(i): column for i, column in enumerate(settled.columns)}
    table = pa.table({**columns, "tick": settled.ticks, "true": settled.true, "when": settled.when})
    return table.replace_schema_metadata({"until": str(settled.until)})


def _settled(table: pa.Table) -> Settled:
    *columns, ticks, true, when = (table.column(i).to_numpy() for i in range(table.num_columns))
    return Settled(int(table.schema.metadata[b"until"]), tuple(columns), ticks, true, when)


def _to_bytes(table: pa.Table) -> bytes:
    sink = io.BytesIO()
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def _from_bytes(content: bytes) -> pa.Table:
    return pa.ipc.open_file(content).read_all()
