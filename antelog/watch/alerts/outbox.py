"""The file of what waits to be sent, what has been sent, and how far the feed is read.

    with opened(path) as outbox:
        outbox.take((3, 8_000), [("slack:@slack.url", letter)])     read up to there, and this is to be sent
        waiting = outbox.first("slack:@slack.url")                   the next one to try
        outbox.settle(waiting, "sent")

It is a database of SQLite, so that each of these either has happened or has not, whenever the process ends.
The keys of what has been sent are kept for a while: lines of the feed that are read again are not sent again.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from antelog.watch.alerts.alert import AlertError
from antelog.watch.alerts.letters import Letter

SENT, FAILED, REFUSED, DROPPED = "sent", "failed", "refused", "dropped"
OUTCOMES = (SENT, FAILED, REFUSED, DROPPED)
MOST = 100_000
"""So many letters of a receiver wait at most; the keys of the latest twice as many of all are kept."""

_TABLES = """
CREATE TABLE IF NOT EXISTS place (one INTEGER PRIMARY KEY CHECK (one = 1), segment INTEGER, offset INTEGER);
CREATE TABLE IF NOT EXISTS letters (
    id INTEGER PRIMARY KEY, receiver TEXT, key TEXT, body TEXT, tries INTEGER DEFAULT 0,
    UNIQUE (receiver, key)
);
CREATE INDEX IF NOT EXISTS waiting ON letters (receiver, tries / 5, id) WHERE body IS NOT NULL;
CREATE TABLE IF NOT EXISTS counts (
    receiver TEXT, outcome TEXT, number INTEGER, PRIMARY KEY (receiver, outcome)
);
"""


@dataclass(frozen=True)
class Waiting:
    """A letter that waits, by its number in the outbox."""

    number: int
    receiver: str
    letter: Letter


@contextmanager
def opened(path: Path) -> Iterator[Outbox]:
    """The outbox in a file, which is made if it is not there. Raises AlertError if it is something else."""
    try:
        path.touch(mode=0o600)  # what facts say is not for everybody on this machine
    except OSError as error:
        raise AlertError(
            f"{path}: the file of alerts cannot be made: {error.strerror}",
            "See that its folder can be written.",
        ) from error
    try:
        with closing(sqlite3.connect(path, isolation_level=None)) as database:
            database.executescript(_TABLES)
            yield Outbox(database)
    except sqlite3.Error as error:
        raise AlertError(
            f"{path}: the file of alerts cannot be used: {error}", "Move it away to begin with an empty one."
        ) from error


class Outbox:
    """What waits and what has been sent; `opened` makes it."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    @property
    def position(self) -> tuple[int, int] | None:
        """How far the feed has been read: a segment, and a place in it."""
        found: tuple[int, int] | None = self._database.execute("SELECT segment, offset FROM place").fetchone()
        return found

    def take(self, position: tuple[int, int], letters: Iterable[tuple[str, Letter]]) -> None:
        """Keep letters with their receivers, but for those it knows, and that the feed is read so far."""
        rows = [(name, letter.key, letter.body) for name, letter in letters]
        with self._at_once():
            self._database.executemany(
                "INSERT OR IGNORE INTO letters (receiver, key, body) VALUES (?, ?, ?)", rows
            )
            self._database.execute("INSERT OR REPLACE INTO place VALUES (1, ?, ?)", position)
            for receiver in {name for name, _, _ in rows}:
                self._drop_beyond_most(receiver)

    def first(self, receiver: str) -> Waiting | None:
        """The letter to try next: the oldest, but one that has failed five times by itself lets others go."""
        found = self._database.execute(
            "SELECT id, key, body FROM letters WHERE receiver = ? AND body IS NOT NULL "
            "ORDER BY tries / 5, id LIMIT 1",
            (receiver,),
        ).fetchone()
        return None if found is None else Waiting(found[0], receiver, Letter(found[1], found[2]))

    def settle(self, waiting: Waiting, outcome: str) -> None:
        """It is sent, or will never be."""
        with self._at_once():
            self._database.execute("UPDATE letters SET body = NULL WHERE id = ?", (waiting.number,))
            self._count(waiting.receiver, outcome, 1)
            self._database.execute(
                "DELETE FROM letters WHERE id <= ? AND body IS NULL", (waiting.number - 2 * MOST,)
            )

    def fail(self, waiting: Waiting, *, itself: bool) -> None:
        """It is still to be sent; it may be this letter `itself` with which the receiver fails."""
        with self._at_once():
            self._count(waiting.receiver, FAILED, 1)
            self._database.execute(
                "UPDATE letters SET tries = tries + ? WHERE id = ?", (itself, waiting.number)
            )

    def counts(self, receivers: Iterable[str]) -> dict[str, dict[str, int]]:
        """For each receiver what became of letters, since the file is there, and how many wait."""
        found = {name: dict.fromkeys(OUTCOMES, 0) for name in receivers}
        for name, outcome, number in self._database.execute("SELECT * FROM counts"):
            if name in found:
                found[name][outcome] = number
        waiting = self.waiting()
        return {name: {**counts, "waiting": waiting.get(name, 0)} for name, counts in found.items()}

    def waiting(self) -> dict[str, int]:
        """How many letters wait, by their receivers."""
        return dict(
            self._database.execute(
                "SELECT receiver, count(*) FROM letters WHERE body IS NOT NULL GROUP BY receiver"
            ).fetchall()
        )

    def _drop_beyond_most(self, receiver: str) -> None:
        """Of too many that wait the oldest are given up: newer ones are of more use."""
        beyond = self.waiting().get(receiver, 0) - MOST
        if beyond > 0:
            self._database.execute(
                "UPDATE letters SET body = NULL WHERE id IN (SELECT id FROM letters "
                "WHERE receiver = ? AND body IS NOT NULL ORDER BY id LIMIT ?)",
                (receiver, beyond),
            )
            self._count(receiver, DROPPED, beyond)

    def _count(self, receiver: str, outcome: str, number: int) -> None:
        self._database.execute(
            "INSERT INTO counts VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET number = number + excluded.number",
            (receiver, outcome, number),
        )

    @contextmanager
    def _at_once(self) -> Iterator[None]:
        """All of it or nothing."""
        self._database.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._database.execute("ROLLBACK")
            raise
        self._database.execute("COMMIT")
