"""DuckDB, asked again after each batch over all events so far; or asked once, when all have come."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial

import duckdb
import pyarrow as pa

from benchmarks.compare.engines.sql import SQL
from benchmarks.compare.folder import Folder, answer


def again(name: str, folder: Folder) -> Iterator[pa.Table]:
    connection, asked = _prepared(name, folder)
    connection.execute(f"CREATE TABLE reported AS {asked(0)}")
    for end, file in zip(folder.settings["ends"], folder.files, strict=True):
        connection.execute(f"INSERT INTO events FROM read_parquet('{file}')")
        connection.execute(f"CREATE OR REPLACE TABLE new AS ({asked(end)}) EXCEPT FROM reported")
        connection.execute("INSERT INTO reported FROM new")
        yield connection.execute("FROM new").to_arrow_table()


def once(name: str, folder: Folder) -> Iterator[pa.Table]:
    connection, asked = _prepared(name, folder)
    connection.execute(f"INSERT INTO events FROM read_parquet('{folder.path}/batches/*.parquet')")
    yield connection.execute(asked(folder.settings["ends"][-1])).to_arrow_table()


def _prepared(name: str, folder: Folder) -> tuple[duckdb.DuckDBPyConnection, Callable[[int], str]]:
    """A database without events, and the question as of a tick."""
    connection = duckdb.connect()
    connection.execute(f"CREATE TABLE events AS FROM read_parquet('{folder.files[0]}') LIMIT 0")
    for file in (folder.path / "static").glob("*.parquet"):
        connection.execute(f"CREATE TABLE {file.stem} AS FROM read_parquet('{file}')")
    delay = folder.settings["delay"]
    return connection, lambda end: SQL[name].format(end=end, delay=delay)


if __name__ == "__main__":
    how = {"again": again, "once": once}[sys.argv[1]]
    answer({name: partial(how, name) for name in SQL}, sys.argv[2:])
