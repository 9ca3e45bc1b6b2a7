"""Groups of alerts: the first one goes at once, and more of its group within a while go as one.

    0 s     Malf of wt2 is likely        sent
    9 s     OK of wt2 is likely          waits
    20 s    Malf of wt2 is rejected      waits
    300 s                                sent: 2 alerts of wt2: 1 likely, 1 rejected

A group is a value of the program's key, such as a device. A higher severity than was
sent, and the first `confirmed`, never wait. An answer that was sent while it was open *fires*, until a change
says what became of it, which *resolves* it.

What is over before alerts begin is not sent. What was likely before, and is still open once all of the past
is read, is: a group as one.

All of it is in the store, by the wall clock: what waits, waits as long after a restart.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from antelog.answers import ENDS, name_in
from antelog.engine.step.wording import LOST, SEEN, meaning
from antelog.forecast.columns import UNLIKELY
from antelog.language.syntax import SEVERITIES
from antelog.lines import is_change
from antelog.run.store.acts import Acts
from antelog.run.values import SILENT
from antelog.watch.alerts.alert import HEARD, Line
from antelog.watch.alerts.letters import (
    FIRING,
    RESOLVED,
    AlertGroup,
    AlertItem,
    Letter,
    StillFiring,
    letter_of,
)
from antelog.watch.alerts.outbox import Outbox
from antelog.watch.alerts.receivers import ALERTMANAGER
from antelog.watch.alerts.setup import Route
from antelog.watch.alerts.silence import SilentPart, silent_part

_ENDS = frozenset({*ENDS, UNLIKELY, HEARD, SEEN})
"""Changes that say what became of an answer that was open, or likely; unless it was lost from sight."""

_FALLS_SILENT = "INSERT OR IGNORE INTO silent VALUES (?, ?)"
_NO_GROUP = "DELETE FROM alert_groups WHERE receiver = ? AND name = ?"
_IS_HEARD = "DELETE FROM silent WHERE input = ? AND slot = ?"

MOST_WAITING = 1_000
"""Alerts that wait in a group, at most; of more, the oldest are counted."""


@dataclass(frozen=True)
class GroupWindow:
    """The time until which more of a group wait; the highest severity of what was sent, and was confirmed."""

    until: float = 0.0
    severity: int = -1
    confirmed: int = -1


class AlertGroups:
    """The groups of all receivers in an outbox.

    A group that somebody acknowledged, or snoozed for now, sends what never waits, and what became of its
    answers; all else waits until that ends.
    """

    def __init__(
        self, outbox: Outbox, routes: Sequence[Route], wall: Callable[[], float] = time.time
    ) -> None:
        self._outbox, self._database, self._execute = outbox, outbox.database, outbox.database.execute
        self._routes = {each.receiver.name: each for each in routes}
        self._acts, self._wall = Acts(outbox.database), wall

    def take(self, position: int, records: Sequence[Mapping[str, Any]]) -> bool:
        """Stores the letters of changes in a feed, and the position behind them, if there is anything."""
        begin, now = self._outbox.begin or 0, self._wall()
        before = self._database.total_changes
        with self._outbox.transaction():
            changes = [*filter(is_change, records)]
            for past, some in groupby(changes, lambda line: bool(line["tick"] < begin)):
                if past:
                    self._add_past(list(some), now)
                else:
                    self._add(list(some), now)
            told = [*filter(_ends, changes)]
            ended = [each for each in told if each["change"] in ENDS or meaning(each) == LOST]
            self._acts.settle(map(name_in, ended))
            if self._database.total_changes == before:
                return False
            self._outbox.read_to(position)
        return True

    def add(self, changes: Sequence[Line]) -> None:
        """Stores the letters of changes that the feed does not have."""
        with self._outbox.transaction():
            self._add(changes, self._wall())
            for each in changes:
                statement = _FALLS_SILENT if each["change"] == SILENT else _IS_HEARD
                self._execute(statement, silent_part(each))

    def silent(self) -> list[SilentPart]:
        """The inputs and slots that were silent by the changes so far."""
        return [SilentPart(*each) for each in self._execute("SELECT input, slot FROM silent")]

    def _add(self, changes: Sequence[Line], now: float) -> None:
        gone = [(name_in(each),) for each in changes if _ends(each)]
        self._database.executemany("DELETE FROM past WHERE answer = ?", gone)
        routes = self._routes.values()
        self._outbox.add(
            [each for line in changes for route in routes for each in self._taken(route, line, now)]
        )

    def _add_past(self, changes: Sequence[Line], now: float) -> None:
        """Remembers changes before alerts begin that receivers want, of answers that may still be open."""
        for line in changes:
            answer = name_in(line)
            if line["change"] in _ENDS:
                if _ends(line):
                    self._execute("DELETE FROM past WHERE answer = ?", (answer,))
                else:
                    mark = "UPDATE past SET line = json_set(line, '$.lost', json(?)) WHERE answer = ?"
                    self._execute(mark, (json.dumps(line[LOST]), answer))
                for route in self._routes.values():
                    self._outbox.add(self._taken(route, line, now, past=True))
            elif any(route.choice.fits(line) for route in self._routes.values()):
                row = answer, json.dumps(line)
                self._execute("INSERT OR REPLACE INTO past VALUES (?, ?)", row)

    def send_past(self) -> None:
        """Stores the letters about what was wanted before alerts begin and is still open, a group as one."""
        lines = [json.loads(each) for (each,) in self._execute("SELECT line FROM past")]
        if not lines:
            return
        now = self._wall()
        with self._outbox.transaction():
            self._execute("DELETE FROM past")
            for route in self._routes.values():
                names: dict[str, None] = {}
                for line in lines:
                    item = self._item(route, line, now) if route.choice.fits(line) else None
                    if item is not None:
                        self._hold(route.receiver.name, name := route.group_of(line), item)
                        names[name] = None
                found = [
                    self._sent(route, self._waiting(route.receiver.name, name), now)
                    for name in names
                    if not self._acts.hushed(name, now)
                ]
                self._outbox.add(found)

    def send_due(self, *, at_the_end: bool = False) -> None:
        """Stores the letters of groups whose while is over; at the end of a stream those of all groups."""
        now, found = self._wall(), []
        longest = max((route.every for route in self._routes.values()), default=0.0)
        due = "SELECT receiver, name FROM alert_groups WHERE until NOT BETWEEN ? AND ? OR ?"
        # Nothing waits longer than that, unless the clock was set back.
        every = self._execute(due, (now + 1e-6, now + longest, at_the_end)).fetchall()
        if not every:
            return
        with self._outbox.transaction():
            for receiver, name in every:
                route = self._routes.get(receiver)
                if route is None or self._acts.hushed(name, now):
                    continue
                items = self._waiting(receiver, name)
                if items.items:
                    found.append(self._sent(route, items, now))
                elif not at_the_end:
                    self._execute(_NO_GROUP, (receiver, name))
            self._outbox.add(found)

    # ---- a line for a receiver ----

    def _taken(self, route: Route, line: Line, now: float, *, past: bool = False) -> list[tuple[str, Letter]]:
        item = self._item(route, line, now, past=past)
        if item is None:
            return []
        receiver, name = route.receiver.name, route.group_of(line)
        row = self._execute(
            "SELECT until, severity, confirmed FROM alert_groups WHERE receiver = ? AND name = ?",
            (receiver, name),
        ).fetchone()
        window = None if row is None else GroupWindow(*row)
        if self._waits(route, name, item, window):
            self._hold(receiver, name, item)
            return []
        return [self._sent(route, self._waiting(receiver, name).with_more(item), now)]

    def _item(self, route: Route, line: Line, now: float, *, past: bool = False) -> AlertItem | None:
        """The line as an alert of a receiver; None if it is none. One of the `past` only resolves others."""
        receiver, answer, change = route.receiver.name, name_in(line), line["change"]
        wanted = route.choice.fits(line) and not past
        if not wanted and change not in _ENDS:
            return None
        row = self._execute(
            "SELECT since FROM firing WHERE receiver = ? AND answer = ?", (receiver, answer)
        ).fetchone()
        since, at = now if row is None else row[0], (receiver, answer)
        if change in _ENDS and not _ends(line):
            if row is not None and (wanted or change != UNLIKELY):
                wanted = self._execute("INSERT OR IGNORE INTO unseen VALUES (?, ?)", at).rowcount > 0
            return AlertItem(line, FIRING, since, now) if wanted else None
        unseen = self._execute("DELETE FROM unseen WHERE receiver = ? AND answer = ?", at).rowcount
        if change == SEEN and not unseen:
            return None
        if change in _ENDS and (wanted or change != UNLIKELY):
            self._execute("DELETE FROM firing WHERE receiver = ? AND answer = ?", (receiver, answer))
            if row is not None and not (wanted and change == "confirmed"):
                return AlertItem(line, RESOLVED, since, now)
        elif wanted:
            firing = receiver, answer, route.group_of(line), line["query"], since
            self._execute("INSERT OR IGNORE INTO firing VALUES (?, ?, ?, ?, ?)", firing)
            if line.get(LOST):  # of the past
                self._execute("INSERT INTO unseen VALUES (?, ?)", at)
        return AlertItem(line, FIRING, since, now) if wanted else None

    def _waits(self, route: Route, name: str, item: AlertItem, window: GroupWindow | None) -> bool:
        """Whether an alert waits for others of its group."""
        known, rank = window or GroupWindow(), _rank(route, item)
        confirmed = item.line["change"] == "confirmed" and rank > known.confirmed
        if self._acts.hushed(name, item.at):
            higher = window is not None and rank > window.severity
            return not (higher or confirmed or item.status == RESOLVED)
        if not item.at < known.until <= item.at + route.every:
            return False
        return not (confirmed or rank > known.severity)

    # ---- the tables ----

    def _sent(self, route: Route, items: AlertGroup, now: float) -> tuple[str, Letter]:
        """The letter of a group, of which more wait from now on."""
        at = route.receiver.name, items.name
        self._execute("DELETE FROM held WHERE receiver = ? AND name = ?", at)
        self._execute(_NO_GROUP, at)
        if route.every:
            ranks = [(_rank(route, each), each.line["change"]) for each in items.items]
            severity = max(rank for rank, _ in ranks)
            confirmed = max((rank for rank, change in ranks if change == "confirmed"), default=-1)
            group = *at, now + route.every, severity, confirmed
            self._execute("INSERT INTO alert_groups VALUES (?, ?, ?, ?, ?, 0)", group)
        everywhere = route.receiver.kind == ALERTMANAGER and route.setup.key is None  # no label has the group
        fires = "FROM firing WHERE receiver = ? AND (name = ? OR ?) GROUP BY query"
        firing = self._execute(f"SELECT query, min(since), count(*) {fires}", (*at, everywhere)).fetchall()
        still = {query: StillFiring(since, count) for query, since, count in firing}
        return at[0], letter_of(route, items, still)

    def _hold(self, receiver: str, name: str, item: AlertItem) -> None:
        """Keeps an alert that waits."""
        at, kept = (receiver, name), json.dumps([item.line, item.status, item.since, item.at])
        self._execute("INSERT OR IGNORE INTO alert_groups VALUES (?, ?, 0, -1, -1, 0)", at)
        self._execute("INSERT INTO held (receiver, name, item) VALUES (?, ?, ?)", (*at, kept))
        gone = self._execute(
            "DELETE FROM held WHERE receiver = ? AND name = ? AND id <= "
            "(SELECT id FROM held WHERE receiver = ? AND name = ? ORDER BY id DESC LIMIT 1 OFFSET ?)",
            (*at, *at, MOST_WAITING),
        ).rowcount
        self._execute(
            "UPDATE alert_groups SET beyond = beyond + ? WHERE receiver = ? AND name = ?", (gone, *at)
        )

    def _waiting(self, receiver: str, name: str) -> AlertGroup:
        """The alerts of a group that wait."""
        rows = self._execute(
            "SELECT item FROM held WHERE receiver = ? AND name = ? ORDER BY id", (receiver, name)
        ).fetchall()
        beyond = self._execute(
            "SELECT beyond FROM alert_groups WHERE receiver = ? AND name = ?", (receiver, name)
        ).fetchone()
        items = tuple(AlertItem(*json.loads(text)) for (text,) in rows)
        return AlertGroup(name, items, 0 if beyond is None else beyond[0])


def _ends(line: Line) -> bool:
    """Whether a change says that an answer is no longer open, or likely."""
    return line["change"] == SEEN or (line["change"] in _ENDS and meaning(line) != LOST)


def _rank(route: Route, item: AlertItem) -> int:
    """The severity as a number; the higher, the worse."""
    return len(SEVERITIES) - SEVERITIES.index(route.severity_of(item.line))
