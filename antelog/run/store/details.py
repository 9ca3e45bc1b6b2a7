"""The answers that people look at now, for which the run works out details; a table of the store.

ask(path, "9f2c…", line, now)          from the process of the page: somebody looks at this answer
Details(database).wanted(now)           the run finds it, with its line, and
Details(database).put("9f2c…", found)  puts there what it knows
ask(path, "9f2c…", line, now)          found
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from antelog.run.store.database import opened, transaction

WHILE = 20.0
"""Seconds for which details are kept up to date after somebody asked for them."""
_AGAIN = 5.0
"""Seconds after which it is noted again that somebody looks at an answer."""
MOST = 20
"""Answers of which there are details, at most, those that were asked for last."""


class Details:
    """The table, for the writer of a store."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    def wanted(self, now: float) -> Mapping[str, str]:
        """The lines of answers that somebody looks at, by their ids."""
        rows = self._database.execute(
            "SELECT answer, line FROM details WHERE at > ? ORDER BY at DESC LIMIT ?", (now - WHILE, MOST)
        )
        return dict(rows.fetchall())

    def put(self, name: str, found: bytes) -> None:
        """The details of an answer."""
        self._database.execute("UPDATE details SET found = ? WHERE answer = ?", (found, name))


def ask(path: Path, name: str, line: bytes, now: float) -> bytes | None:
    """The details of an answer, of which this is the latest line; None if they are not there yet.

    Raises StateError.
    """
    with closing(opened(path)) as database, transaction(database):
        row = database.execute("SELECT found, line, at FROM details WHERE answer = ?", (name,)).fetchone()
        if row is None or row[1] != line.decode() or abs(now - row[2]) > _AGAIN:
            database.execute("DELETE FROM details WHERE at < ? OR at > ?", (now - WHILE, now + WHILE))
            database.execute(
                "INSERT INTO details VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET line = excluded.line, "
                "at = excluded.at",
                (name, line.decode(), now, None),
            )
    found: bytes | None = None if row is None else row[0]
    return found
