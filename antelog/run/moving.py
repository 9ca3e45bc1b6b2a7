"""A store of `antelog watch` as a savepoint, and back: state, marks of sources, and all other tables."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from contextlib import closing
from functools import partial
from pathlib import Path

import msgspec
import numpy as np
import pyarrow as pa

from antelog.arrow.arrays import from_blob, to_blob
from antelog.compile.nodes.plan import Plan
from antelog.engine import saving
from antelog.engine.savepoint import ARRIVAL, FOLDER, WAITING, WATCH, Savepoint
from antelog.errors import StateError
from antelog.files import ARRIVAL as ARRIVED
from antelog.files import LINE
from antelog.forecast.columns import KINDS
from antelog.functions import UserFunction
from antelog.process import Engine, EngineOptions
from antelog.run.journal import restored
from antelog.run.store.database import is_store
from antelog.run.store.store import Store, StoredRows
from antelog.run.waiting import WaitingRows

_OURS = {ARRIVED: ARRIVAL, LINE: "line"}  # the columns of waiting rows beside their own


def exported(path: Path, functions: Mapping[str, UserFunction]) -> Savepoint:
    """Reads the store, or the saved engine, in a file. Raises StateError."""
    if not is_store(path):
        saved = saving.restore(path, functions=functions)
        return Savepoint(saved, Engine.of_saved(saved, EngineOptions(KINDS)).open_tables())
    with closing(Store(path)) as store:
        found = restored(store, partial(Engine.restore, functions=functions, arrival=ARRIVED))
        if found is None:
            raise StateError(f"{path} has no state yet: nothing has been read into it")
        engine, known, waiting = found
        run = msgspec.to_builtins(known)
        others = {f"{WATCH}{name}": pa.table(columns) for name, columns in store.others().items()}
        tables = {**engine.open_tables(), **_waiting(waiting), **others}
        return Savepoint(engine.saved, tables, run)


def imported(path: Path, savepoint: Savepoint) -> None:
    """Makes a store of a savepoint. Raises StateError if the file is there already."""
    if path.exists():
        raise StateError(f"{path} is there already; give the name of a new file")
    store = Store(path)
    try:
        rows = [
            stored
            for name, table in savepoint.tables.items()
            if name.startswith(WAITING)
            for stored in _stored(savepoint.engine.plan, name.removeprefix(WAITING), table)
        ]

        def also() -> None:
            for name, table in savepoint.tables.items():
                if name.startswith(WATCH):
                    store.take_in(name.removeprefix(WATCH), table.to_pydict())

        run = msgspec.json.encode(savepoint.run)
        store.save(saving.to_bytes(savepoint.engine), rows, run, also)
    except BaseException:
        store.close()
        path.unlink(missing_ok=True)
        raise
    store.close()


def prepared(checkpoint: Path, folder: Path) -> None:
    """Puts a savepoint into a new checkpoint, of which a stream's buckets will begin."""
    if checkpoint.exists() and any(checkpoint.iterdir()):
        raise StateError(f"{checkpoint} is there already; give the name of a new folder")
    shutil.copytree(folder, checkpoint / FOLDER)


def left_out(savepoint: Savepoint, *, on_spark: bool) -> list[str]:
    """Sentences about what of a savepoint is of no use where it goes."""
    if "spark" in savepoint.run:
        place = "up to where Spark has read its sources is in savepoint.json, under `spark`"
        return [f"{place}: whoever goes on reads its inputs from their starts, so give what was not read yet"]
    if not on_spark:
        return []
    marks = {
        name: msgspec.json.encode(mark).decode() for name, mark in savepoint.run.get("marks", {}).items()
    }
    found = [f"Spark reads {name} from its start; it had been read up to {at}" for name, at in marks.items()]
    if any(name.startswith(WATCH) for name in savepoint.tables):
        found.append("the page's feed, alerts and acknowledgements are for `watch`, and stay in the folder")
    return found


def _waiting(waiting: WaitingRows) -> dict[str, pa.Table]:
    found: dict[str, list[pa.Table]] = {}
    for each in waiting.stored():
        rows = from_blob(each.content)
        rows = rows.rename_columns([_OURS.get(name, name) for name in rows.column_names])
        files = pa.array([each.file] * rows.num_rows, pa.string())
        found.setdefault(f"{WAITING}{each.input}", []).append(rows.append_column("file", files))
    return {name: pa.concat_tables(parts) for name, parts in found.items()}


def _stored(plan: Plan, name: str, table: pa.Table) -> list[StoredRows]:
    """The rows that wait, by file; those of Spark are of none."""
    columns = next(each.columns for each in plan.inputs if each.name == name)
    arrival, *place = table.columns[len(columns) :]
    line, file = place or (pa.array(np.zeros(len(table), np.int64)), pa.array([""] * len(table)))
    rows = pa.table([*table.columns[: len(columns)], arrival, line], [*columns, ARRIVED, LINE])
    files = file.to_pylist()
    return [
        StoredRows(name, each, to_blob(rows.filter(pa.array([other == each for other in files]))))
        for each in dict.fromkeys(files)
    ]
