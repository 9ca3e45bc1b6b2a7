"""A savepoint: a state as one folder of Parquet files, which people can read, and other versions take in.

    savepoint.json           its version, the last finished tick, counts, how far inputs were read, the files
    plan.json, types.arrow   the rules, and the types of columns, as a state has them
    facts/Temp.parquet       the facts of Temp that still matter; likewise latest, seen, decided and settled
    waiting/Temp.parquet     rows whose ticks are not finished
    open/Hot.parquet         the answers that are open, for people: they follow from the facts
    forecast/…, watch/…      what chances are made of, as it is stored; the other tables of a store

A column of values has the type of its facts where that holds each exactly; else structs of a kind and a text.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.metadata import version
from os import PathLike
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pyarrow.types as is_a

from antelog.arrow.arrays import array_of
from antelog.compile.nodes.plan import Plan, from_json, to_json
from antelog.engine import saving
from antelog.engine.columns.tables import Column
from antelog.engine.saving import FORECAST, SavedEngine, SavedState, StateParts, columns_of, names_of
from antelog.engine.sealed import AGAIN, VERSIONS, other_version
from antelog.engine.state import pruned, start
from antelog.engine.values.types import MIXED
from antelog.engine.values.values import Values
from antelog.errors import OutputError, PlanError, StateError
from antelog.functions import NO_FUNCTIONS, UserFunction
from antelog.language.moments import Timescale, tick_in_words, timed

ABOUT, _PLAN, _TYPES = "savepoint.json", "plan.json", "types.arrow"
ARRIVAL = "arrival"
FOLDER = "savepoint"  # its place in a checkpoint of Spark that begins with it
WAITING, OPEN, WATCH = "waiting/", "open/", "watch/"


@dataclass(frozen=True, eq=False)
class Savepoint:
    """The content of a folder: an engine's state, `tables` by name, and how far its `run` has read."""

    engine: SavedEngine
    tables: Mapping[str, pa.Table] = field(default_factory=dict)
    run: Mapping[str, Any] = field(default_factory=dict)  # as the journal has it, or up to where Spark read

    def waiting(self, name: str) -> pa.Table | None:
        """The rows of an input that wait for their ticks."""
        return self.tables.get(f"{WAITING}{name}")


# ---- to a folder ----


def write(folder: str | PathLike[str], savepoint: Savepoint) -> None:
    """Writes a savepoint into a new folder, wholly or not at all. Raises OutputError."""
    saved, plan = savepoint.engine, savepoint.engine.plan
    state = pruned(plan, saved.state)
    with _made(Path(folder)) as made:
        files: dict[str, dict[str, Any]] = {}

        def put(name: str, table: pa.Table, of: str) -> None:
            path = made / f"{name}.parquet"
            path.parent.mkdir(exist_ok=True)
            pq.write_table(table, path)
            files[name] = {"rows": table.num_rows, "of": of}

        for member, columns in columns_of(plan, state).items():
            of = _named(plan, member)
            types = state.observed.types.get(of, ()) if member.startswith(("facts/", "latest/")) else ()
            put(_file(plan, member), _table(plan, member, columns, types, state.values), of)
        for name, table in savepoint.tables.items():
            put(name, _without_unions(table), name.partition("/")[2])
        for name, content in saved.forecast.items():
            (made / name).parent.mkdir(exist_ok=True)
            (made / name).write_bytes(content)
        (made / _PLAN).write_text(to_json(plan))
        (made / _TYPES).write_bytes(saving.types_to_bytes(state.observed.types))
        about = {
            "savepoint": VERSIONS["savepoint"],
            "antelog": version("antelog"),
            "after": tick_in_words(state.now, plan.timescale) if state.now >= 0 else None,
            "state": saving.head_of(saved),
            "limits": saving.limits_of(state),
            "run": savepoint.run,
            "files": files,
        }
        (made / ABOUT).write_bytes(msgspec.json.format(msgspec.json.encode(about)))


@contextmanager
def _made(folder: Path) -> Iterator[Path]:
    """A new folder, which has its name once the block ends well. Raises OutputError."""
    beside = folder.with_name(f".{folder.name}.partial")
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise OutputError(f"{folder} is there already; a savepoint needs a folder of its own")
        shutil.rmtree(beside, ignore_errors=True)
        beside.mkdir(mode=0o700, parents=True)
        yield beside
        beside.replace(folder)
    except OSError as error:
        raise OutputError(f"{folder}: cannot be written: {error.strerror or error}") from None
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _named(plan: Plan, member: str) -> str:
    """The input or relation that a member is about; the number of values seen."""
    kind, number = member.split("/")
    return number if kind == "seen" else _names(plan, kind)[int(number)]


def _member(plan: Plan, file: str, of: str) -> str:
    """The member in a file about an input or relation, which may have other numbers than where it is from."""
    kind = file.partition("/")[0]
    return f"{kind}/{of if kind == 'seen' else _names(plan, kind).index(of)}"


def _names(plan: Plan, kind: str) -> list[str]:
    return [each.name for each in (plan.inputs if kind in ("facts", "latest") else plan.relations)]


def _file(plan: Plan, member: str) -> str:
    kind, number = member.split("/")
    if kind in ("decided", "settled"):
        return f"{kind}/{plan.relations[int(number)].predicate}-{number}"
    return f"{kind}/{_named(plan, member)}"


def _table(
    plan: Plan, member: str, columns: Sequence[Column], types: Sequence[pa.DataType], values: Values
) -> pa.Table:
    cells, ticks = names_of(plan, member)
    found = [
        _written(values, column, types[at] if at < len(types) else MIXED)
        for at, column in enumerate(columns[: len(cells)])
    ]
    found += map(pa.array, columns[len(cells) :])
    names, scale = [*cells, *ticks], plan.timescale
    if scale is not None and ticks[0] not in ("since", "true"):
        names.append(timed(ticks[0]))
        found.append(_times(columns[len(cells)], scale))
    # An input may have a column that is called as one of ours.
    return pa.table(found, [name + "_" * names[:at].count(name) for at, name in enumerate(names)])


def _times(ticks: Column, scale: Timescale) -> pa.Array:
    """The beginnings of ticks, for people."""
    different, which = np.unique(ticks, return_inverse=True)
    times = [scale.time(tick) if tick in scale.ticks else None for tick in different.tolist()]
    return pa.array(times, pa.timestamp("us", scale.zone)).take(pa.array(which))


def _written(values: Values, cells: Column, type_: pa.DataType) -> pa.Array:
    """Values in a type, if that holds all of them exactly; else as structs."""
    if type_ != MIXED:
        found = values.decode(cells, type_)
        if np.array_equal(values.encode(found), cells):
            return found
    return values.written_out(cells)


def _without_unions(table: pa.Table) -> pa.Table:
    """Parquet has no unions: their values become structs."""
    values = Values()
    for at, each in enumerate(table.schema):
        if is_a.is_union(each.type):
            table = table.set_column(at, each.name, values.written_out(values.encode(table.column(at))))
    return table


def _with_unions(table: pa.Table) -> pa.Table:
    values = Values()
    for at, each in enumerate(table.schema):
        if is_a.is_struct(each.type):
            table = table.set_column(at, each.name, array_of(values.plain(values.read_in(table.column(at)))))
    return table


# ---- from a folder ----


def read(
    folder: str | PathLike[str],
    program: Plan | None = None,
    functions: Mapping[str, UserFunction] = NO_FUNCTIONS,
) -> Savepoint:
    """Reads a savepoint of the rules in its folder, or of a `program` like it. Raises StateError."""
    path, name = Path(folder), str(folder)
    try:
        about = msgspec.json.decode((path / ABOUT).read_bytes(), type=dict[str, Any])
        if about.get("savepoint") != VERSIONS["savepoint"]:
            raise other_version(name, "savepoint", about.get("savepoint"))
        plan = _rules(path, program)
        saving.check_functions(name, plan, functions)
        head = msgspec.convert(about["state"], SavedState)
        # The constants of the rules come first: their cells are never given up.
        values = start(plan, head.given, functions=functions).values
        tables = {each: _read_table(path, each, known["rows"]) for each, known in about["files"].items()}
        columns = {
            (member := _member(plan, each, known["of"])): _columns(plan, member, tables[each], values)
            for each, known in about["files"].items()
            if each.partition("/")[0] in saving.KINDS
        }
        types = saving.types_from((path / _TYPES).read_bytes())
        forecast = {f"{FORECAST}{each.name}": each.read_bytes() for each in path.glob(f"{FORECAST}*")}
        parts = StateParts(head, about["limits"], types, values, columns, forecast)
        engine = saving.assembled(plan, parts, functions)
        others = {n: _with_unions(t) if n.startswith(WAITING) else t for n, t in tables.items()}
        return Savepoint(engine, others, about["run"])
    except FileNotFoundError as error:
        if not (path / ABOUT).is_file():
            raise StateError(f"{name} is not a savepoint: it has no {ABOUT}") from None
        raise StateError(f"{name} is damaged: it has no {error.filename}. {AGAIN}") from None
    except OSError as error:
        raise StateError(f"{name}: cannot be read: {error.strerror or error}") from None
    except (msgspec.MsgspecError, pa.ArrowException, LookupError, ValueError) as error:
        raise StateError(f"{name} is damaged, or of other rules: {error}. {AGAIN}") from None


def _rules(path: Path, program: Plan | None) -> Plan:
    """The rules of a savepoint; those of the `program` if they are in a form that is no longer read."""
    try:
        plan = from_json((path / _PLAN).read_bytes())
    except PlanError as error:
        if program is None:
            raise StateError(f"{path} has rules of another version: {error}. Give --program") from None
        return program
    if program is not None and not plan.means(program):
        raise saving.other_rules(str(path), plan, program)
    return plan


def _read_table(path: Path, name: str, rows: int) -> pa.Table:
    file = path / f"{name}.parquet"
    if not file.is_file():
        raise StateError(f"{path} is damaged: it has no {name}.parquet. {AGAIN}")
    table = pq.read_table(file, partitioning=None)
    if table.num_rows != rows:
        raise StateError(f"{path} is damaged: {name} has {table.num_rows:,} rows, and not {rows:,}. {AGAIN}")
    return table


def _columns(plan: Plan, member: str, table: pa.Table, values: Values) -> list[Column]:
    cells, ticks = names_of(plan, member)
    count = len(cells)
    found = [
        values.read_in(column) if is_a.is_struct(column.type) else values.encode(column)
        for column in table.columns[:count]
    ]
    return [*found, *(each.to_numpy() for each in table.columns[count : count + len(ticks)])]
