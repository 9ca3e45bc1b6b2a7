"""Groups of alerts: the first one is sent at once, and more of its group within a while are sent as one.

    0 s     Malf of wt2 is likely        sent
    9 s     OK of wt2 is likely          waits
    20 s    Malf of wt2 is rejected      waits
    300 s                                sent: 2 alerts of wt2: 1 likely, 1 rejected

A higher severity than was sent, and the first `confirmed`, never wait. Silent inputs are alerts, too.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import groupby
from typing import Any, NamedTuple

from antelog.answers import ENDS, name_in
from antelog.engine.step.wording import LOST, SEEN, meaning
from antelog.forecast.columns import UNLIKELY
from antelog.language.durations import duration_text
from antelog.language.syntax import SEVERITIES
from antelog.lines import LogLine, is_change
from antelog.run.store.database import transaction
from antelog.run.store.inbox import Acts
from antelog.run.values import SILENT
from antelog.watch.alerts import letters
from antelog.watch.alerts.alert import HEARD, SILENT_INPUT
from antelog.watch.alerts.letters import FIRING, RESOLVED, AlertGroup, AlertItem, Letter, Route
from antelog.watch.alerts.outbox import Outbox
from antelog.watch.alerts.receivers import ALERTMANAGER
from antelog.watch.board.input_status import Inputs, InputStatus, SlotStatus

# Changes that say what became of an answer that was open, or likely; unless it was lost from sight.
_ENDS = frozenset({*ENDS, UNLIKELY, HEARD, SEEN})

_NO_GROUP = "DELETE FROM alert_groups WHERE receiver = ? AND name = ?"

MOST_WAITING = 1_000  # alerts that wait in a group, at most; of more, the oldest are counted


class AlertGroups:
    """The groups of all receivers in an outbox; most of an acknowledged or snoozed one waits."""

    def __init__(
        self, outbox: Outbox, routes: Sequence[Route], wall: Callable[[], float] = time.time
    ) -> None:
        self._outbox, self._database, self._execute = outbox, outbox.database, outbox.database.execute
        self._routes = {each.receiver.name: each for each in routes}
        self._acts, self._wall = Acts(outbox.database), wall

    def take(self, position: int, records: Sequence[Mapping[str, Any]]) -> bool:
        """Stores the letters of some records, and the position behind them; False if nothing changed."""
        begin, now = self._outbox.begin or 0, self._wall()
        before = self._database.total_changes
        with transaction(self._database):
            changes = [*filter(is_change, records)]
            for past, some in groupby(changes, lambda line: bool(line["tick"] < begin)):
                if past:
                    self._add_past(list(some), now)
                else:
                    self._add(list(some), now)
            ended = (each for each in changes if each["change"] in ENDS or meaning(each) == LOST)
            self._acts.settle(name_in(each) for each in ended if _ends(each))
            if self._database.total_changes == before:
                return False
            self._outbox.read_to(position)
        return True

    def add(self, changes: Sequence[LogLine]) -> None:
        """Stores the letters of changes to silent inputs, which the feed does not have."""
        with transaction(self._database):
            self._add(changes, self._wall())
            for each in changes:
                if each["change"] == SILENT:
                    self._execute("INSERT OR IGNORE INTO silent VALUES (?, ?)", silent_part(each))
                else:
                    self._execute("DELETE FROM silent WHERE input = ? AND slot = ?", silent_part(each))

    def silent(self) -> list[SilentPart]:
        return [SilentPart(*each) for each in self._execute("SELECT input, slot FROM silent")]

    def _add(self, changes: Sequence[LogLine], now: float) -> None:
        gone = [(name_in(each),) for each in changes if _ends(each)]
        self._database.executemany("DELETE FROM past WHERE answer = ?", gone)
        routes = self._routes.values()
        self._outbox.add(
            [each for line in changes for route in routes for each in self._taken(route, line, now)]
        )

    def _add_past(self, changes: Sequence[LogLine], now: float) -> None:
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
        """Stores a letter for each group with wanted changes before alerts begin that are still open."""
        lines = [json.loads(each) for (each,) in self._execute("SELECT line FROM past")]
        if not lines:
            return
        now = self._wall()
        with transaction(self._database):
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
        """Stores the letters of groups that have waited long enough; at the end of a stream, of all."""
        now, found = self._wall(), []
        longest = max((route.every for route in self._routes.values()), default=0.0)
        due = "SELECT receiver, name FROM alert_groups WHERE until NOT BETWEEN ? AND ? OR ?"
        # Nothing waits longer than that, unless the clock was set back.
        every = self._execute(due, (now + 1e-6, now + longest, at_the_end)).fetchall()
        if not every:
            return
        with transaction(self._database):
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

    def _taken(
        self, route: Route, line: LogLine, now: float, *, past: bool = False
    ) -> list[tuple[str, Letter]]:
        item = self._item(route, line, now, past=past)
        if item is None:
            return []
        receiver, name = route.receiver.name, route.group_of(line)
        if self._waits(route, name, item):
            self._hold(receiver, name, item)
            return []
        waiting = self._waiting(receiver, name)
        return [self._sent(route, replace(waiting, items=(*waiting.items, item)), now)]

    def _item(self, route: Route, line: LogLine, now: float, *, past: bool = False) -> AlertItem | None:
        """Makes an alert of a line; None if the receiver gets none. A line of the `past` only resolves."""
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

    def _waits(self, route: Route, name: str, item: AlertItem) -> bool:
        window = self._execute(
            "SELECT until, severity, confirmed FROM alert_groups WHERE receiver = ? AND name = ?",
            (route.receiver.name, name),
        ).fetchone()
        until, severity_sent, confirmed_sent = window or (0.0, -1, -1)
        rank = _rank(route, item)
        confirmed = item.line["change"] == "confirmed" and rank > confirmed_sent
        if self._acts.hushed(name, item.at):
            higher = window is not None and rank > severity_sent
            return not (higher or confirmed or item.status == RESOLVED)
        if not item.at < until <= item.at + route.every:
            return False
        return not (confirmed or rank > severity_sent)

    # ---- the tables ----

    def _sent(self, route: Route, items: AlertGroup, now: float) -> tuple[str, Letter]:
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
        still = {query: letters.StillFiring(since, count) for query, since, count in firing}
        return at[0], letters.letter_of(route, items, still)

    def _hold(self, receiver: str, name: str, item: AlertItem) -> None:
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
        rows = self._execute(
            "SELECT item FROM held WHERE receiver = ? AND name = ? ORDER BY id", (receiver, name)
        ).fetchall()
        beyond = self._execute(
            "SELECT beyond FROM alert_groups WHERE receiver = ? AND name = ?", (receiver, name)
        ).fetchone()
        items = tuple(AlertItem(*json.loads(text)) for (text,) in rows)
        return AlertGroup(name, items, 0 if beyond is None else beyond[0])


def _ends(line: LogLine) -> bool:
    """Whether a change says that an answer is no longer open, or likely."""
    return line["change"] == SEEN or (line["change"] in _ENDS and meaning(line) != LOST)


def _rank(route: Route, item: AlertItem) -> int:
    return len(SEVERITIES) - SEVERITIES.index(route.severity_of(item.line))


# ---- inputs, and slots of inputs, that fall silent: the gap between facts is that of the feed's status ----

MOST_SLOTS = 20  # silent slots of an input that have alerts of their own, at most
MANY = "*"  # the slot in a change about more of them


class SilentPart(NamedTuple):
    """An input, or one of its slots; without a slot it is the whole input."""

    input: str
    slot: str = ""


class SilentInputs:
    """The silent inputs and slots: those `known` at the last stop, others once their gap has passed since."""

    def __init__(self, known: Iterable[SilentPart], began: float) -> None:
        self._silent, self._began = {*known}, began
        self._inputs = Inputs()

    def changes(
        self, records: Iterable[Mapping[str, Any]], now: float, *, more: bool = False
    ) -> Iterator[LogLine]:
        """Yields the changes at a moment, in seconds since 1970, after some records of the feed.

        Nothing while there are `more` records: a status long before the end of the feed says nothing of now.
        """
        for record in records:
            if "status" in record:
                self._inputs.take(record["status"])
        tick = self._inputs.status.get("tick")
        if tick is None or more:
            return
        for each in self._inputs.each():
            pulse = each.pulse
            quiet = pulse.quiet_for(now) is not None
            if quiet and (pulse.unread or now <= self._began + (pulse.gap or 0)):
                continue  # facts may have come, and not been read
            found: dict[str, str] = {}
            slots = self._inputs.slots(each.name)
            if quiet:
                found = {"": f"no fact of {each.name} since {_at(pulse.heard or 0)}; {_expected(each)}"}
            elif slots is not None:
                if not slots.sure:
                    continue
                found = _slot_texts(each, slots)
            yield from self._compared(each.name, tick, found)

    def _compared(self, name: str, tick: int, found: dict[str, str]) -> Iterator[LogLine]:
        """Yields the changes to what is silent now; nothing of slots while the input, or many, are."""
        for slot, text in found.items():
            if (part := SilentPart(name, slot)) not in self._silent:
                self._silent.add(part)
                yield _line(SILENT, tick, part, text)
        for part in sorted(self._silent):
            unknown = part.slot and ("" in found or MANY in found)
            if part.input == name and part.slot not in found and not unknown:
                self._silent.discard(part)
                yield _line(HEARD, tick, part, f"facts of {_named(*part)} come again")


def silent_part(line: LogLine) -> SilentPart:
    return SilentPart(str(line["answer"]["input"]), str(line["answer"].get("slot", "")))


def _slot_texts(status: InputStatus, slots: SlotStatus) -> dict[str, str]:
    """Writes a text for each silent slot of an input, or one for all if they are many."""
    if slots.silent > MOST_SLOTS:
        some = ", ".join([*slots.listed][:3])
        text = f"{slots.silent:,} of {slots.known:,} {slots.noun} of {status.name} are silent, such as {some}"
        return {MANY: f"{text}; {_expected(status)}"}
    return {
        slot: f"no fact of {_named(status.name, slot)} since {_at(heard)}; {_expected(status)}"
        for slot, heard in slots.listed.items()
    }


def _expected(status: InputStatus) -> str:
    return f"the next was expected within {duration_text(round(status.pulse.gap or 0) * 1_000_000)}"


def _named(name: str, slot: str) -> str:
    return name if not slot else f"most of {name}" if slot == MANY else f"{name} of {slot}"


def _at(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M:%S} UTC"


def _line(change: str, tick: int, part: SilentPart, text: str) -> LogLine:
    answer = {"input": part.input, **({"slot": part.slot} if part.slot else {})}
    return {"tick": tick, "change": change, "query": SILENT_INPUT, "answer": answer, "text": text}
