"""Acknowledgements, snoozes and notes of people about groups of answers, in a store.

An acknowledgement ends with the last of its answers; the run ends answers that were lost from sight.
Times are seconds since 1970.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Literal

from msgspec import Struct

from antelog.run.store.database import opened, transaction

ActKind = Literal["acknowledged", "snoozed", "noted", "ended"]

MOST_NOTES = 100  # the latest notes of a group that are kept
MOST_ACTS = 10_000  # the latest acts of all groups that are kept

_COLUMNS = "name, kind, who, at, until, note"


class Act(Struct, frozen=True):
    """An act about a group: a value of the program's key, or a query. `answers` are the acknowledged ones."""

    group: str
    kind: ActKind
    who: str
    at: float
    until: float | None = None
    note: str = ""
    answers: tuple[str, ...] = ()


class Acts:
    """The acts in a database; each method is part of its caller's transaction, or one of its own."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    def add(self, act: Act) -> None:
        """Adds an act; a new acknowledgement or snooze replaces the group's former one."""
        if act.kind != "noted":
            self.withdraw(act.group, act.kind)
        row = (act.group, act.kind, act.who, act.at, act.until, act.note)
        number = self._database.execute(f"INSERT INTO acts ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)", row)
        answers = [(number.lastrowid, answer) for answer in act.answers]
        self._database.executemany("INSERT OR IGNORE INTO act_answers VALUES (?, ?)", answers)
        self._drop_beyond("name = ? AND kind = 'noted'", (act.group,), MOST_NOTES)
        self._drop_beyond("1", (), MOST_ACTS)

    def withdraw(self, group: str, kind: ActKind) -> None:
        self._remove("name = ? AND kind = ?", (group, kind))

    def settle(self, answers: Iterable[str]) -> None:
        """Removes settled answers from acknowledgements, which end with their last one."""
        given = json.dumps(list(answers))
        gone = "SELECT value FROM json_each(?)"
        about = self._database.execute(f"SELECT act FROM act_answers WHERE answer IN ({gone})", (given,))
        acts = json.dumps([number for (number,) in about])
        if acts == "[]":
            return
        self._database.execute(f"DELETE FROM act_answers WHERE answer IN ({gone})", (given,))
        ended = "number IN (SELECT value FROM json_each(?)) AND number NOT IN (SELECT act FROM act_answers)"
        self._remove(ended, (acts,))

    def take_ended(self) -> dict[str, str]:
        """Removes the acts that end answers; returns these answers, each with who ended it."""
        ended = "SELECT answer, who FROM acts JOIN act_answers ON act = number WHERE kind = 'ended'"
        if found := dict(self._database.execute(ended).fetchall()):
            self._remove("kind = 'ended'", ())
        return found

    def current(self, now: float) -> list[Act]:
        """The acts that have not ended, the oldest first."""
        rows = self._database.execute(
            f"SELECT number, {_COLUMNS} FROM acts WHERE until IS NULL OR until > ? ORDER BY number", (now,)
        ).fetchall()
        answers: dict[int, list[str]] = {}
        for number, answer in self._database.execute("SELECT act, answer FROM act_answers ORDER BY answer"):
            answers.setdefault(number, []).append(answer)
        return [
            Act(name, kind, who, at, until, note, tuple(answers.get(number, ())))
            for number, name, kind, who, at, until, note in rows
        ]

    def hushed(self, group: str, now: float) -> bool:
        """Whether a group is acknowledged, or snoozed for now."""
        found = self._database.execute(
            "SELECT 1 FROM acts WHERE name = ? AND kind IN ('acknowledged', 'snoozed') "
            "AND (until IS NULL OR until > ?) LIMIT 1",
            (group, now),
        )
        return found.fetchone() is not None

    def _drop_beyond(self, where: str, values: Sequence[object], most: int) -> None:
        """Removes all but the latest acts of a selection."""
        kept = f"SELECT number FROM acts WHERE {where} ORDER BY number DESC LIMIT -1 OFFSET {most}"
        self._remove(f"number IN ({kept})", values)

    def _remove(self, where: str, values: Sequence[object]) -> None:
        self._database.execute(
            f"DELETE FROM act_answers WHERE act IN (SELECT number FROM acts WHERE {where})", values
        )
        self._database.execute(f"DELETE FROM acts WHERE {where}", values)


def add(path: Path, act: Act) -> None:
    """Adds an act to a store; it is on the disk when this returns. Raises StateError."""
    with closing(opened(path)) as database, transaction(database):
        Acts(database).add(act)


def withdraw(path: Path, group: str, kind: ActKind) -> None:
    """Removes the acts of a kind about a group from a store. Raises StateError."""
    with closing(opened(path)) as database, transaction(database):
        Acts(database).withdraw(group, kind)


def current(path: Path, now: float) -> list[Act]:
    """The acts of a store that have not ended. Raises StateError."""
    with closing(opened(path)) as database:
        return Acts(database).current(now)
