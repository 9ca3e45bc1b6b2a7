"""The context of a view: the board, the parameters of the address, the times of ticks, labels of answers."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from urllib.parse import quote, urlencode
from zoneinfo import ZoneInfo

from antelog.arrow.ticks import tick_at
from antelog.forecast.reports.words import lead
from antelog.language.moments import TIME, Timescale, moment, tick_in_words
from antelog.language.printer import value_text as written_value
from antelog.pictures.naming import cut_apart, site_of
from antelog.run.answer_details import AnswerDetail
from antelog.run.store.inbox import Act
from antelog.watch.board.answer_table import SqlCondition
from antelog.watch.board.board import Board
from antelog.watch.board.brief import Brief
from antelog.watch.board.feed_program import POSSIBLE, value_text
from antelog.watch.board.judged_feed import JudgedFeed
from antelog.watch.board.selection import KINDS, SEVERITIES, STATES, Given
from antelog.watch.board.tracked_answer import TrackedAnswer

_MINUTE, _HOUR = 60, 3_600
_LONGEST = 200  # characters of a value in a list
_OFFSET = re.compile(r"[+-]\d\d:\d\d$")
_PRESENT = 60_000  # milliseconds, besides three ticks, by which a stream may lag behind the clock it follows


@dataclass(frozen=True)
class TickClock:
    """Writes ticks as times and durations; without a timescale as numbers: `tick 17`, `3 ticks`."""

    timescale: Timescale | None
    now: int
    then: float | None = None  # the time in seconds since 1970, if it is in the past

    @property
    def present(self) -> float:
        return self.then or time.time()

    @property
    def length(self) -> int | None:
        return None if self.timescale is None else self.timescale.length

    def at(self, tick: int) -> str:
        """Writes a tick as a time: `2024-04-21 20:30`, or `tick 17`."""
        return tick_in_words(tick, self.timescale)

    def short(self, tick: int) -> str:
        """Writes a tick as a time of day, with the date if it is not today's: `20:30`; or its number."""
        text = _OFFSET.sub("", moment(tick, self.timescale))
        day, space, hour = text.partition(" ")
        today = moment(self.now, self.timescale).partition(" ")[0]
        return text if not space else hour if day == today else f"{day[5:]} {hour}"

    def hour(self, seconds: float, form: str = "%H:%M") -> str:
        """Writes seconds since 1970 as a time of day: `10:30`, or `28 Nov 10:30` if not today."""
        zone = ZoneInfo(self.zone or "UTC")
        found, today = datetime.fromtimestamp(seconds, zone), datetime.fromtimestamp(time.time(), zone)
        day = "" if found.date() == today.date() else f"{found:%d %b} ".lstrip("0")
        return f"{day}{found:{form}}"

    def moment(self, seconds: float) -> str:
        """Writes seconds since 1970 with the zone: `10:30:05 UTC`."""
        return f"{self.hour(seconds, '%H:%M:%S')} {self.zone or 'UTC'}"

    @property
    def zone(self) -> str:
        return "" if self.timescale is None else self.timescale.zone

    @property
    def day(self) -> str:
        """The date of the current tick and the zone; empty if ticks have no times."""
        if self.timescale is None or self.now not in self.timescale.ticks:
            return ""
        return f"{self.timescale.time(self.now):%d %B %Y}, {self.timescale.zone}".removeprefix("0")

    def ahead(self, ticks: int) -> str:
        """Writes a number of ticks as a duration: `30 minutes`, or `3 ticks`."""
        return lead(ticks, self.length) if ticks else "no time"

    def brief(self, ticks: int) -> str:
        """Writes a number of ticks as a short duration: `20 s`, `1:40`, `20 min`, `3 hours`, or `3 ticks`."""
        seconds, rest = divmod(ticks * (self.length or 0), 1_000_000)
        if not seconds or rest or seconds >= _HOUR:
            return self.ahead(ticks)
        minutes, rest = divmod(seconds, _MINUTE)
        return f"{rest} s" if not minutes else f"{minutes}:{rest:02}" if rest else f"{minutes} min"

    def until(self, tick: int) -> str:
        """Writes how long it is to the end of a tick: `in 0:16`, `in 3 hours`, or `now`."""
        return f"in {self.countdown(tick)}" if self.is_ahead(tick) else "now"

    def left(self, tick: int) -> str:
        return self.ahead(tick - self.now) if tick > self.now else "this tick"

    def is_ahead(self, tick: int) -> bool:
        """Whether a tick has not ended, by the clock of the wall where ticks follow it."""
        return tick >= self.now if self.wall is None else tick + 1 > self.wall

    def countdown(self, tick: int) -> str:
        """Writes how long is left as the browser counts it: `0:16`; without a clock of the wall in words."""
        if self.wall is None or self.length is None:
            return self.left(tick)
        seconds = max(0, int((tick + 1 - self.wall) * self.length / 1_000_000))
        minutes, hours = seconds // _MINUTE, seconds // _HOUR
        return f"{hours}:{minutes % 60:02}:{seconds % 60:02}" if hours else f"{minutes}:{seconds % 60:02}"

    def milliseconds(self, tick: int | None) -> int | None:
        """Returns the end of a tick in milliseconds of the wall clock, for a countdown in the browser."""
        if tick is None or self.timescale is None or tick not in self.timescale.ticks:
            return None
        return self.timescale.begin(tick + 1) // 1_000

    def epoch(self, tick: int | None) -> int | None:
        """Returns when a tick begins, in milliseconds since 1970; ticks without times stay as they are."""
        if tick is None or self.timescale is None or tick not in self.timescale.ticks:
            return tick
        return self.timescale.begin(tick) // 1_000

    def tick_of(self, epoch: float) -> int:
        """The tick of a moment, in milliseconds since 1970, or in ticks where these have no times."""
        timed = self.timescale is not None and self.now in self.timescale.ticks
        return tick_at(int(epoch * 1_000), self.timescale) if self.timescale and timed else int(epoch)

    @cached_property
    def wall(self) -> float | None:
        """The wall clock in ticks, where these follow it, so the current one ends about now."""
        ends = self.milliseconds(self.now)
        if ends is None or self.length is None:
            return None
        behind = 1000 * self.present - ends
        if abs(behind) >= _PRESENT + 3 * self.length / 1000:
            return None
        return self.now + 1 + 1000 * behind / self.length


@dataclass(frozen=True, eq=False)
class ViewContext:
    board: Board
    root: str = ""  # the path at which the page is mounted
    given: Given = field(default_factory=dict)  # the parameters of the address
    live: bool = True  # the view is for the page, not for a file that is kept
    acts: Mapping[str, Sequence[Act]] = field(default_factory=dict)  # those of people, by group
    detail: AnswerDetail | None = None  # of the answer that is shown
    details: Callable[[Sequence[TrackedAnswer]], Mapping[str, AnswerDetail]] = (
        lambda _: {}
    )  # of a few answers
    stale: Callable[[str, str], bool] = lambda _query, _group: False  # whether a group rests on silent inputs
    then: float | None = None  # the time in seconds since 1970, if the board is in the past
    judged: JudgedFeed | None = None  # the answers, judged by a list of incidents

    @cached_property
    def clock(self) -> TickClock:
        return TickClock(self.board.head.timescale, self.board.tick or 0, self.then)

    @cached_property
    def due(self) -> Brief:
        silent = self.board.inputs.silent(self.clock.present)
        return self.board.tables.brief(self.clock.wall, silent, self.clock.until, self.clock.short)

    @cached_property
    def chances(self) -> bool:
        return self.board.tables.open.count(SqlCondition("chance IS NOT NULL")) > 0

    def address(self, answer: TrackedAnswer) -> str:
        then = "".join(f"?at={quote(each)}" for each in self.given.get("at", ())[:1])
        return f"{self.root}/answer/{quote(answer.id)}{then}"

    def link(self, **changed: str | int | Sequence[str] | None) -> str:
        """Returns the address of this view with some parameters changed; None removes one."""
        values = {name: list(each) for name, each in self.given.items() if name not in ("from", "count")}
        for name, value in changed.items():
            values[name] = [] if value is None else [str(value)] if isinstance(value, str | int) else [*value]
        return f"?{urlencode(values, doseq=True)}"

    def severity(self, query: str) -> str:
        return self.board.head.severity(query)

    def key(self, answer: TrackedAnswer) -> str:
        return self.board.head.key_of(answer)

    @property
    def key_name(self) -> str:
        """The name of the key, by a column of an input: `Device`."""
        return self.board.head.key_name.capitalize()

    def time_of(self, answer: TrackedAnswer) -> str:
        """The time that an answer is about, or if it is about none since when it is open."""
        ticks = self.board.head.ticks.get(answer.query, {})
        times = [value for name, value in answer.values.items() if ticks.get(name) == TIME]
        found = times[-1] if times and isinstance(times[-1], int) else answer.since
        return moment(found, self.board.head.timescale)

    def shown_acts(self, group: str) -> list[dict[str, str]]:
        return [_shown_act(each, self.clock) for each in self.acts.get(group, ())]

    def label(self, answer: TrackedAnswer, *, brief: bool = False) -> AnswerLabel:
        """Writes the label of an answer; a brief one is beside its key: without it, and with a short time."""
        head = self.board.head
        ticks, key = head.ticks.get(answer.query, {}), head.keys.get(answer.query)
        values = []
        for name, value in answer.values.items():
            timed = ticks.get(name) == TIME and (isinstance(value, int) or not brief)
            if brief and name == key and not timed:
                continue
            short = brief and timed
            text = (
                self.clock.short(value) if short else value_text(answer.values, name, ticks, head.timescale)
            )
            values.append((f"{text[:_LONGEST]}…" if brief and len(text) > _LONGEST else text, timed))
        return AnswerLabel(answer.query, values)

    def shorter(self, answer: TrackedAnswer, text: str) -> str:
        value = answer.values.get(self.board.head.keys.get(answer.query, ""))
        if value is None:
            return text
        key = written_value(value)
        if f"({key}, " in text:
            return text.replace(f"({key}, ", "(", 1)
        return text.replace(f", {key}, ", ", ", 1)

    def words(self, answer: TrackedAnswer) -> str:
        """Returns the words of an answer, empty without any; those of an open one do not read as fact."""
        text = str(answer.line.get("text") or "")
        return self.board.head.possible(answer) if text and answer.id in self.board.open else text

    def unheard(self, answer: TrackedAnswer) -> Iterator[str]:
        """Yields the inputs on which an answer rests, where its device is silent: `no Temp since 14:20`."""
        for name in self.board.head.rests_on.get(answer.query, ()):
            slots = self.board.inputs.slots(name)
            heard = slots.listed.get(self.key(answer)) if slots is not None else None
            if heard is not None:
                yield f"no {name} since {self.clock.hour(heard)}"

    def doing(self, answer: TrackedAnswer) -> str:
        """Writes an answer beside its name: what follows the name in its words, if hardly one is before."""
        words, key = self.words(answer), self.key(answer)
        possible = POSSIBLE if words.startswith(POSSIBLE) else ""
        before, _, after = words.removeprefix(possible).partition(key) if key else (words, "", "")
        if not words or not after.strip() or len(before.split()) > 1:
            return words or str(self.label(answer, brief=True))
        return possible + after.strip()


@dataclass(frozen=True)
class AnswerLabel:
    """The query and the values of an answer as they are shown, and whether each is a time."""

    query: str
    values: Sequence[tuple[str, bool]]

    def __str__(self) -> str:
        return f"{self.query}({', '.join(text for text, _ in self.values)})"


def _shown_act(act: Act, clock: TickClock) -> dict[str, str]:
    who, at, until = act.who, clock.hour(act.at), "" if act.until is None else clock.hour(act.until)
    texts = {
        "acknowledged": f"✓ {who}, until decided",
        "snoozed": f"Zz {who}, until {until}",
        "ended": f"∎ {who}",
        "noted": f"✎ {act.note}",
    }
    titles = {
        "acknowledged": f"{who} takes care of it, since {at}, until all of it is decided",
        "snoozed": f"{who} snoozed it at {at}, until {until}",
        "ended": f"{who} ends at {at} what is lost from sight",
        "noted": f"{who} at {at}: {act.note}",
    }
    return {"kind": act.kind, "text": texts[act.kind][:80], "title": titles[act.kind]}


def names_of(keys: Iterable[str], room: float, above: float) -> dict[str, tuple[str, str]]:
    """Names of devices as what is before the last slash, and the rest; no two that differ look the same.

    Each is cut to so many pixels, at 12 a letter: `above` for what is before, which is shown above the rest.
    """
    parts = {key: (site_of(key), key.rpartition("/")[2]) for key in keys}
    before = cut_apart({place for place, _ in parts.values()}, above)
    found: dict[str, tuple[str, str]] = {}
    for place in before:
        members = {key: rest or key for key, (each, rest) in parts.items() if each == place}
        short = cut_apart(members.values(), room)
        found |= {key: (before[place], short[rest]) for key, rest in members.items()}
    return found


# ---- filters with a list of values ----

_TITLES = {
    "care": "Taken care of",
    "kind": "Became",
    "severity": "Severity",
    "query": "Query",
    "prefix": "",
    "state": "Chance",
}
_ORDERS: Mapping[str, Sequence[str]] = {"kind": KINDS, "severity": SEVERITIES, "state": STATES}
_PREFIXES = 8


def facets(scene: ViewContext, counts: Mapping[str, Mapping[str, int]]) -> Iterator[dict[str, object]]:
    """Yields the filters that have something to choose, with the number of answers with each value."""
    for name, title in _TITLES.items():
        if (counted := counts.get(name)) is None:
            continue
        chosen = {*scene.given.get(name, ())} - {""}
        values: Sequence[str]
        if name in _ORDERS:
            values = [each for each in _ORDERS[name] if counted.get(each) or each in chosen]
        elif name in ("query", "care"):
            values = sorted({*counted, *chosen})
        else:
            most = [] if len(counted) > 4 * _PREFIXES else Counter(counted).most_common(_PREFIXES)
            values = sorted({*dict(most), *chosen})
        if len(values) > 1 or chosen:
            shown = {"name": name, "title": title or scene.key_name, "choices": values}
            yield {**shown, "counts": counted, "chosen": chosen}
