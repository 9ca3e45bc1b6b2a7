"""The store of a run: marks, state, feed and inbox in one file, and the outbox of its alerts.

A step records its rows, and `save` writes the state now and then, as it may be large. A resumed run repeats
the steps since the state, whose lines are in the feed already.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

from antelog.errors import StateError
from antelog.run.store import database as files
from antelog.run.store.feed import StoredFeed
from antelog.run.store.inbox import Acts, Inbox

PIECE = 64 << 20  # bytes of the state in one row, at most


@dataclass(frozen=True)
class StoredRows:
    """Rows read from a file or the like for an input: an Arrow stream, with their arrivals."""

    input: str
    file: str
    content: bytes


@dataclass(frozen=True)
class RecordedStep:
    """The tick up to which the engine was advanced, and the rows read since the step before."""

    now: int
    rows: tuple[StoredRows, ...] = ()


def _total(count: int, checksum: bytes, number: int, step: RecordedStep) -> tuple[int, bytes]:
    """The number of recorded rows and a checksum of them, with one more step."""
    found = blake2b(checksum + f"{number} {step.now}".encode(), digest_size=16)
    for each in step.rows:
        found.update(f"\0{each.input}\0{each.file}\0{len(each.content)}\0".encode())
        found.update(each.content)
    return count + len(step.rows), found.digest()


@dataclass(frozen=True)
class StoredState:
    """The last saved engine, the rows that waited then, the steps since, and the rest after the last."""

    engine: bytes
    waiting: tuple[StoredRows, ...]
    steps: tuple[RecordedStep, ...]
    known: bytes


class Store:
    """The store in the process that writes it, which makes it if it is missing."""

    def __init__(self, path: Path, *, temporary: bool = False, wait: bool = False) -> None:
        """Opens or makes a store, not synced if `temporary`. Raises InUseError, unless it is to `wait`."""
        self.path = path
        self._lock = files.StoreLock(path, wait=wait)
        try:
            self._database = files.created(path, durable=not temporary)
        except BaseException:
            self._lock.close()
            raise
        self.feed = StoredFeed(self._database)
        self.inbox = Inbox(self._database)
        self.acts = Acts(self._database)

    def close(self) -> None:
        self._database.close()
        self._lock.close()

    def transaction(self) -> AbstractContextManager[None]:
        return files.transaction(self._database)

    def record(self, known: bytes, step: RecordedStep) -> None:
        """Records a step after the state, which has to have been saved once."""
        (number,) = self._database.execute("SELECT coalesce(max(step), 0) + 1 FROM steps").fetchone()
        self._database.execute("INSERT INTO steps VALUES (?, ?)", (number, step.now))
        self._insert(number, step.rows)
        count, checksum = self._database.execute("SELECT recorded, checksum FROM state").fetchone()
        total = _total(count, checksum, number, step)
        self._database.execute("UPDATE state SET known = ?, recorded = ?, checksum = ?", (known, *total))

    def save(
        self,
        engine: bytes,
        waiting: Sequence[StoredRows],
        known: bytes,
        also: Callable[[], None] = lambda: None,
    ) -> None:
        """Replaces the state and the steps since; `also` runs in the same transaction."""
        found = self._database.execute("SELECT generation FROM state").fetchone()
        generation = int(found[0]) + 1 if found is not None else 1
        # Pieces are written one by one, so that no other process waits for long; some may be of before.
        self._database.execute("DELETE FROM pieces WHERE generation >= ?", (generation,))
        for number, start in enumerate(range(0, len(engine), PIECE)):
            self._database.execute(
                "INSERT INTO pieces VALUES (?, ?, ?)", (generation, number, engine[start : start + PIECE])
            )
        with self.transaction():
            total = _total(0, b"", 0, RecordedStep(generation, tuple(waiting)))
            self._database.execute(
                "INSERT OR REPLACE INTO state VALUES (1, ?, ?, ?, ?)", (known, generation, *total)
            )
            self._database.execute("DELETE FROM steps")
            self._database.execute("DELETE FROM rows")
            self._insert(0, waiting)
            also()
        self._database.execute("DELETE FROM pieces WHERE generation < ?", (generation,))

    def stored(self) -> StoredState | None:
        """The state and the steps since; None if nothing was saved. Raises StateError if rows are missing."""
        row = self._database.execute("SELECT known, generation, recorded, checksum FROM state").fetchone()
        if row is None:
            return None
        known, generation, *total = row
        pieces = self._database.execute(
            "SELECT content FROM pieces WHERE generation = ? ORDER BY number", (generation,)
        )
        engine = b"".join(content for (content,) in pieces)
        steps = self._database.execute("SELECT step, now FROM steps ORDER BY step").fetchall()
        recorded = tuple(RecordedStep(now, self._rows(step)) for step, now in steps)
        waiting = self._rows(0)
        there = _total(0, b"", 0, RecordedStep(generation, waiting))
        for (number, _), step in zip(steps, recorded, strict=True):
            there = _total(*there, number, step)
        if there != tuple(total):
            raise StateError.of("store.rows-missing", path=self.path, there=there[0], total=total[0])
        return StoredState(engine, waiting, recorded, known)

    def others(self) -> dict[str, dict[str, list[Any]]]:
        """The columns of the tables that have rows, besides those of the state."""
        found: dict[str, dict[str, list[Any]]] = {}
        for table in files.OTHERS:
            cursor = self._database.execute(f"SELECT * FROM {table}")
            rows = cursor.fetchall()
            if rows:
                names = [name for name, *_ in cursor.description]
                found[table] = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
        return found

    def take_in(self, table: str, columns: Mapping[str, Sequence[object]]) -> None:
        """Fills a table with what `others` of some version had; what is not known any more is left out."""
        if table not in files.OTHERS:
            return
        cursor = self._database.execute(f"SELECT * FROM {table} LIMIT 0")
        names = [name for name, *_ in cursor.description if name in columns]
        places = ", ".join("?" * len(names))
        rows = zip(*(columns[name] for name in names), strict=True)
        insert = f"INSERT INTO {table} ({', '.join(names)}) VALUES ({places})"
        self._database.executemany(insert, rows)

    def keep_slots(self, content: bytes) -> None:
        self._database.execute("INSERT OR REPLACE INTO slots VALUES (1, ?)", (content,))

    def slots(self) -> bytes | None:
        row = self._database.execute("SELECT content FROM slots").fetchone()
        return None if row is None else bytes(row[0])

    def lost(self) -> list[str]:
        return [line for (line,) in self._database.execute("SELECT line FROM lost ORDER BY rowid")]

    def keep_lost(self, changed: Mapping[str, str | None]) -> None:
        """Stores lines of lost answers by name; None removes one."""
        self._database.executemany("DELETE FROM lost WHERE answer = ?", [(name,) for name in changed])
        rows = [(name, line) for name, line in changed.items() if line is not None]
        self._database.executemany("INSERT INTO lost VALUES (?, ?)", rows)

    def _insert(self, step: int, rows: Sequence[StoredRows]) -> None:
        self._database.executemany(
            "INSERT INTO rows (step, input, file, content) VALUES (?, ?, ?, ?)",
            [(step, each.input, each.file, each.content) for each in rows],
        )

    def _rows(self, step: int) -> tuple[StoredRows, ...]:
        found = self._database.execute(
            "SELECT input, file, content FROM rows WHERE step = ? ORDER BY number", (step,)
        )
        return tuple(StoredRows(*row) for row in found)
