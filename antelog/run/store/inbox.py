"""The inbox of a store: requests of the page's process to the run.

These are posted facts, for the source `http:`, and answers that people look at, whose details the run adds.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

from antelog.run.store.database import opened, transaction

WHILE = 20.0  # seconds for which the details of an answer are kept up to date after somebody asked for them
_AGAIN = 5.0  # seconds after which it is noted again that somebody looks at an answer
MOST = 20  # answers with details, at most: those asked for last


class Inbox:
    """Posted facts and answers that are looked at, for the writer of a store."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    def accept(self, name: str, names: Sequence[str] = ()) -> None:
        """Lets facts be posted for an input, each with these names."""
        self._database.execute(
            "INSERT INTO inputs VALUES (?, 0, ?) ON CONFLICT DO UPDATE SET names = excluded.names",
            (name, json.dumps(names)),
        )

    def posted(self, name: str) -> int:
        """The number of facts posted for an input so far."""
        found = self._database.execute("SELECT posted FROM inputs WHERE name = ?", (name,)).fetchone()
        return 0 if found is None else int(found[0])

    def read(self, name: str, after: int, limit: int) -> list[tuple[int, bytes]]:
        """Facts behind a line, each with its line, in whole posts, so there may be more than `limit`."""
        found: list[tuple[int, bytes]] = []
        rows = self._database.execute(
            "SELECT last, facts FROM posted WHERE input = ? AND last > ? ORDER BY number", (name, after)
        )
        try:
            for last, content in rows:
                facts = content.split(b"\n")
                first = last - len(facts) + 1
                found += [(line, fact) for line, fact in enumerate(facts, start=first) if line > after]
                if len(found) >= limit:
                    break
        finally:
            rows.close()
        return found

    def forget(self, name: str, line: int) -> None:
        """Removes facts up to a line, once a state has them."""
        self._database.execute("DELETE FROM posted WHERE input = ? AND last <= ?", (name, line))

    def wanted(self, now: float) -> Mapping[str, str]:
        """The lines of answers that somebody looks at, by the names of the answers."""
        rows = self._database.execute(
            "SELECT answer, line FROM details WHERE at > ? ORDER BY at DESC LIMIT ?", (now - WHILE, MOST)
        )
        return dict(rows.fetchall())

    def put(self, name: str, found: bytes) -> None:
        self._database.execute("UPDATE details SET found = ? WHERE answer = ?", (found, name))


def names_of(path: Path, name: str) -> list[str] | None:
    """The names that posted facts of an input must have; None if it accepts none. Raises StateError."""
    with closing(opened(path)) as database:
        row = database.execute("SELECT names FROM inputs WHERE name = ?", (name,)).fetchone()
    return None if row is None else list(json.loads(row[0]))


def post(path: Path, name: str, facts: Sequence[bytes]) -> bool:
    """Puts facts into the inbox of a store; False if the input accepts none. Raises StateError."""
    with closing(opened(path)) as database, transaction(database):
        row = database.execute("SELECT posted FROM inputs WHERE name = ?", (name,)).fetchone()
        if row is not None and facts:
            last = row[0] + len(facts)
            database.execute("UPDATE inputs SET posted = ? WHERE name = ?", (last, name))
            database.execute(
                "INSERT INTO posted (input, last, facts) VALUES (?, ?, ?)", (name, last, b"\n".join(facts))
            )
    return row is not None


def ask(path: Path, name: str, line: bytes, now: float) -> bytes | None:
    """The details of the answer in a line; None if the run has not added them yet. Raises StateError."""
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
