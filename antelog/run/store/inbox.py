"""Requests of the page's process to the run, in a store: posted facts, answers looked at, acts of people.

An acknowledgement ends with the last of its answers. Times are seconds since 1970.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Literal

from msgspec import Struct

from antelog.errors import StateError
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
        wanted = "SELECT last, facts FROM posted WHERE input = ? AND last > ? ORDER BY number"
        with closing(self._database.execute(wanted, (name, after))) as rows:
            for last, content in rows:
                facts = content.split(b"\n")
                first = last - len(facts) + 1
                found += [(line, fact) for line, fact in enumerate(facts, start=first) if line > after]
                if len(found) >= limit:
                    break
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


def ask(database: sqlite3.Connection, lines: Mapping[str, bytes], now: float) -> dict[str, bytes]:
    """The details of answers, given the last line of each, that the run has added; asks for them if it can.

    While another process writes, it is asked next time. Raises StateError.
    """
    marks = ", ".join("?" * len(lines))
    rows = database.execute(
        f"SELECT answer, found, line, at FROM details WHERE answer IN ({marks})", (*lines,)
    )
    known = {name: more for name, *more in rows.fetchall()}
    asked = [
        (name, text, now, None)
        for name, text in ((name, line.decode()) for name, line in lines.items())
        if name not in known or known[name][1] != text or abs(now - known[name][2]) > _AGAIN
    ]
    if asked:
        with suppress(StateError), transaction(database):
            database.execute("DELETE FROM details WHERE at < ? OR at > ?", (now - WHILE, now + WHILE))
            database.executemany(
                "INSERT INTO details VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET line = excluded.line, "
                "at = excluded.at",
                asked,
            )
    return {name: found for name, (found, *_) in known.items() if found is not None}


# ---- acknowledgements, snoozes and notes about groups of answers ----

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
        kept = f"SELECT number FROM acts WHERE {where} ORDER BY number DESC LIMIT -1 OFFSET {most}"
        self._remove(f"number IN ({kept})", values)

    def _remove(self, where: str, values: Sequence[object]) -> None:
        self._database.execute(
            f"DELETE FROM act_answers WHERE act IN (SELECT number FROM acts WHERE {where})", values
        )
        self._database.execute(f"DELETE FROM acts WHERE {where}", values)


def add_act(path: Path, act: Act) -> None:
    """Adds an act to a store; it is on the disk when this returns. Raises StateError."""
    with closing(opened(path)) as database, transaction(database):
        Acts(database).add(act)


def withdraw_act(path: Path, group: str, kind: ActKind) -> None:
    """Removes the acts of a kind about a group from a store. Raises StateError."""
    with closing(opened(path)) as database, transaction(database):
        Acts(database).withdraw(group, kind)


def current_acts(path: Path, now: float) -> list[Act]:
    """The acts of a store that have not ended. Raises StateError."""
    with closing(opened(path)) as database:
        return Acts(database).current(now)
