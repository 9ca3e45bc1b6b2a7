"""The backtest of the answers that a feed keeps, by a list of incidents to which people add.

It is brought up to date when somebody looks at it. Time is judged from the first line that is kept on, and
keys are those of answers and incidents: a feed has no facts.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from msgspec import Struct, structs

from antelog.compile.nodes.plan import TimeReading
from antelog.diagnostics import Source
from antelog.errors import AntelogError, DataError
from antelog.files import Rejects
from antelog.forecast.reports.words import count
from antelog.incidents.asked import question
from antelog.incidents.backtest import BacktestQuestion, BacktestResult, LineCollector, SeveralRuns, result_of
from antelog.incidents.incident_list import KeyColumn, add_row, read_incidents
from antelog.incidents.judging import ALL_KEYS
from antelog.incidents.report import to_dict, unalerted
from antelog.lines import is_change
from antelog.program import Program
from antelog.run.options import taken
from antelog.run.settings import BacktestOptions, JudgingOptions, with_flags
from antelog.run.store.feed import Feed, FeedReader, StoredFeedAt, is_record
from antelog.watch.board.past import reached

_AT_ONCE = 10_000  # records that are read at once
_PAUSE, _SHARE = 2.0, 20  # seconds until it is judged again, at least, and how many times what that takes


class IncidentFile(Struct, frozen=True):
    """A list of incidents that grows, how it is judged, and how its times are written, as those of inputs."""

    path: str
    options: JudgingOptions
    readings: tuple[TimeReading, ...] = ()


def asked_of(program: Program, file: IncidentFile) -> BacktestQuestion:
    """The question to what a feed keeps. Raises DataError if the options do not fit the program."""
    usual = "0..24" if program.plan.tick is None else "0..1d"
    return question(program, taken(BacktestOptions, file.options, lead=file.options.lead or usual), None)


@dataclass(eq=False)
class JudgedFeed:
    """The result, or what is `said` in its place; `version` grows when either is another one."""

    feed: Feed
    file: IncidentFile
    result: BacktestResult | None = None
    cleared: int = 0  # rows of the list that say that an alert was false
    said: str = ""
    wrong: str = ""  # what is wrong with some rows of the list
    version: int = 0
    _runs: SeveralRuns | None = None
    _asked: BacktestQuestion | None = None
    _position: int = 0
    _rules: Source | None = None
    _stamp: object = None
    _due: float = 0.0
    _lock: Lock = field(default_factory=Lock)

    def update(self, program: Program | None) -> None:
        """Reads what is new in the feed and in the list, and judges again; may be called in any thread."""
        with self._lock:
            began, stamp = time.monotonic(), (_changed(self.file.path), program and program.source)
            if stamp == self._stamp and began < self._due:
                return
            before, fresh = self._position, stamp != self._stamp
            try:
                self._read(program)
                if self._runs is not None and self._asked is not None and (fresh or self._position != before):
                    self._judge(self._runs, self._asked)
            except AntelogError as error:
                self.result, self.said = None, with_flags(str(error))
            self.version += fresh or self._position != before
            self._stamp, self._due = stamp, began + max(_PAUSE, _SHARE * (time.monotonic() - began))

    @property
    def collector(self) -> LineCollector | None:
        """The lines so far, with their keys; None as long as the rules are not known."""
        return None if self._runs is None else self._runs.collectors[0]

    def add(self, told: Mapping[str, str]) -> None:
        """Adds a row to the list. Raises DataError or OutputError."""
        if self.collector is None:
            raise DataError(self.said or "the rules are not known here, so nothing can be added yet")
        add_row(Path(self.file.path), self.collector.plan, self.file.options, told)

    def to_dict(self) -> dict[str, Any]:
        """The backtest as in the API, or why there is none."""
        known = {"file": self.file.path, "said": self.said, "marked_false": self.cleared}
        if self.result is None:
            return known
        return {**known, "added_without_alert": unalerted(self.result), **to_dict(self.result)}

    def _read(self, program: Program | None) -> None:
        """Reads the lines that are new; all of them again if the rules or the feed are other ones."""
        if program is None:
            raise DataError("the rules are not known here, so nothing can be judged")
        feed = StoredFeedAt(self.feed.path) if isinstance(self.feed, StoredFeedAt) else self.feed
        replaced = isinstance(feed, StoredFeedAt) and feed.extent()[1] < self._position
        runs = self._runs
        if runs is None or replaced or self._rules != program.source:
            plan = structs.replace(program.plan, readings=self.file.readings or program.plan.readings)
            self._asked, self._position = asked_of(program, self.file), 0
            key = KeyColumn.of(plan, self.file.options.key)
            runs = self._runs = SeveralRuns((), [LineCollector(plan, self._asked.queries, {}, key)])
            self._rules = program.source
        reader = FeedReader(feed, self._position)
        while records := reader.read(_AT_ONCE):
            for each in records:
                _take(runs, each)
        self._position = reader.position
        if isinstance(feed, StoredFeedAt):
            feed.close()

    def _judge(self, runs: SeveralRuns, asked: BacktestQuestion) -> None:
        collector, rejects = runs.collectors[0], Rejects()
        listed = read_incidents(self.file.path, collector.plan, self.file.options, rejects, grows=True)
        rows = sum(rejects.counts.values())
        self.wrong = f"{count(rows, 'row')} cannot be used: {rejects.first[0]}" if rows else ""
        self.cleared, self.result = listed.cleared, None
        keys = [collector.keys.setdefault(each, len(collector.keys)) for each in listed.keys]
        numbers = np.array([*keys, ALL_KEYS])[listed.incidents.key]
        listed = replace(listed, incidents=replace(listed.incidents, key=numbers))
        if not listed.incidents.count:
            raise DataError("no incident is in the list yet")
        if runs.first is None:
            raise DataError("nothing has been followed yet")
        runs.seen = {*collector.keys}
        self.said, self.result = "", result_of(runs, asked, listed)


def _take(runs: SeveralRuns, record: Mapping[str, Any]) -> None:
    """Takes the lines of a record, and for the first one those that were open before it."""
    if not is_record(record):
        return
    collector, tick = runs.collectors[0], reached(record)
    if is_change(record):
        collector.take_line(record)
    elif runs.first is None:
        for line in record.get("head", {}).get("open", ()):
            collector.take_line(line)
    if tick >= 0:
        runs.first = tick if runs.first is None else runs.first
        runs.last = max(runs.last, tick)


def _changed(path: str) -> tuple[int, int] | None:
    """The time and the size of a file, which tell that it has changed; None if there is none."""
    try:
        found = Path(path).stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size
