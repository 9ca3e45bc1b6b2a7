"""The outbox of a store: a letter is stored with the position after its line, so no line makes one twice."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from antelog.errors import StateError
from antelog.run.store import database as files
from antelog.watch.alerts.alert import AlertError
from antelog.watch.alerts.letters import Letter

SENT, FAILED, REFUSED, DROPPED = "sent", "failed", "refused", "dropped"
OUTCOMES = (SENT, FAILED, REFUSED, DROPPED)
WAITING = "waiting"
_EXPORTED = ("--otlp", "position")  # no receiver has such a name
MOST = 100_000  # letters that wait for a receiver, at most


@contextmanager
def opened(path: Path) -> Iterator[Outbox]:
    """Opens the outbox of a store. Raises AlertError if it cannot be used."""
    try:
        with closing(files.opened(path)) as database:
            yield Outbox(database)
    except (StateError, sqlite3.Error) as error:
        raise AlertError("outbox", path=path, error=error) from error


def counts_in(path: Path | None) -> dict[str, dict[str, int]]:
    """Counts the letters of each receiver that has alerts now, by outcome; empty without a store."""
    if path is None or not files.is_store(path):
        return {}
    with closing(files.opened(path)) as database:
        return Outbox(database).counts()


class Outbox:
    def __init__(self, database: sqlite3.Connection) -> None:
        self.database = database
        self._room = Counter[str]()  # more letters that fit for each receiver, at least

    @property
    def position(self) -> int | None:
        """The position up to which the feed has been read; None at first."""
        return self._number("SELECT position FROM place")

    def receive(self, receivers: Iterable[str]) -> None:
        with files.transaction(self.database):
            self.database.execute("DELETE FROM receivers")
            self.database.executemany("INSERT INTO receivers VALUES (?)", [(name,) for name in receivers])

    def begin_at(self, tick: int) -> None:
        self.database.execute("INSERT OR REPLACE INTO alerts_from VALUES (1, ?)", (tick,))

    @property
    def begin(self) -> int | None:
        """The first tick whose changes are sent; None if it is not known yet."""
        return self._number("SELECT tick FROM alerts_from")

    def add(self, letters: Iterable[tuple[str, Letter]]) -> None:
        """Stores letters with their receivers, within a transaction."""
        rows = [(name, letter.key, letter.body, letter.about) for name, letter in letters]
        self.database.executemany(
            "INSERT INTO letters (receiver, key, body, about) VALUES (?, ?, ?, ?)", rows
        )
        for receiver, more in Counter(name for name, *_ in rows).items():
            self._room[receiver] -= more
            if self._room[receiver] < 0:
                self._drop_beyond_most(receiver)

    def read_to(self, position: int) -> None:
        self.database.execute("INSERT OR REPLACE INTO place VALUES (1, ?)", (position,))

    @property
    def exported(self) -> int | None:
        """The position up to which a collector of telemetry has all changes; None at first."""
        return self._number("SELECT number FROM counts WHERE receiver = ? AND outcome = ?", *_EXPORTED)

    def export_to(self, position: int) -> None:
        self.database.execute("INSERT OR REPLACE INTO counts VALUES (?, ?, ?)", (*_EXPORTED, position))

    def first(self, receiver: str, without: Iterable[int] = ()) -> Letter | None:
        """Finds the letter to try next: the oldest, but one with five failures of its own yields to others.

        None overtakes another one about the same answer.
        """
        found = self.database.execute(
            "SELECT key, body, about, id FROM letters WHERE receiver = ? "
            "AND id NOT IN (SELECT value FROM json_each(?)) "
            "AND NOT EXISTS (SELECT 1 FROM letters AS other WHERE other.receiver = letters.receiver "
            "AND other.about = letters.about AND other.id < letters.id) ORDER BY tries / 5, id LIMIT 1",
            (receiver, json.dumps(list(without))),
        ).fetchone()
        return None if found is None else Letter(*found)

    def settle(self, receiver: str, letter: Letter, outcome: str) -> None:
        """Removes a letter that was sent or refused, and counts it."""
        with files.transaction(self.database):
            self.database.execute("DELETE FROM letters WHERE id = ?", (letter.number,))
            self._count(receiver, outcome, 1)

    def fail(self, receiver: str, letter: Letter, *, itself: bool) -> None:
        """Counts a failure; with `itself` also against this letter, as the receiver answered."""
        with files.transaction(self.database):
            self._count(receiver, FAILED, 1)
            self.database.execute(
                "UPDATE letters SET tries = tries + ? WHERE id = ?", (itself, letter.number)
            )

    def counts(self) -> dict[str, dict[str, int]]:
        """Counts the alerts of each receiver by outcome, and those that wait, also for others of a group."""
        names = [name for (name,) in self.database.execute("SELECT name FROM receivers ORDER BY rowid")]
        found = {name: dict.fromkeys(OUTCOMES, 0) for name in names}
        for name, outcome, number in self.database.execute("SELECT * FROM counts").fetchall():
            if name in found:
                found[name][outcome] = number
        waiting = self.waiting() + self._by_receiver("count(*) FROM held")
        waiting += self._by_receiver("sum(beyond) FROM alert_groups")
        return {name: {**counts, WAITING: waiting[name]} for name, counts in found.items()}

    def waiting(self) -> Counter[str]:
        return self._by_receiver("count(*) FROM letters")

    def _by_receiver(self, what: str) -> Counter[str]:
        rows = self.database.execute(f"SELECT receiver, {what} GROUP BY receiver")
        return Counter(dict(rows.fetchall()))

    def _drop_beyond_most(self, receiver: str) -> None:
        """Drops the oldest letters beyond the limit: newer ones are more useful."""
        beyond = (self._number("SELECT count(*) FROM letters WHERE receiver = ?", receiver) or 0) - MOST
        self._room[receiver] = max(0, -beyond)
        if beyond > 0:
            self.database.execute(
                "DELETE FROM letters WHERE id IN "
                "(SELECT id FROM letters WHERE receiver = ? ORDER BY id LIMIT ?)",
                (receiver, beyond),
            )
            self._count(receiver, DROPPED, beyond)

    def _number(self, query: str, *values: object) -> int | None:
        found = self.database.execute(query, values).fetchone()
        return None if found is None else int(found[0])

    def _count(self, receiver: str, outcome: str, number: int) -> None:
        self.database.execute(
            "INSERT INTO counts VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET number = number + excluded.number",
            (receiver, outcome, number),
        )
