"""Records of a feed: changes that any pipeline wrote, and the lines of programs, statuses and rejects.

{"change": "possible", "answer": "{\\"X\\": \\"wt2\\"}", …}    a row of Spark's
{"change": "possible", "answer": {"X": "wt2"}, …}          a record of a feed
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, TypeAlias

import msgspec
from msgspec import Struct

from antelog.diagnostics import Source
from antelog.engine.step.wording import LABEL
from antelog.language.line_literals import amounts_so_far
from antelog.language.moments import TIME, timed

Record: TypeAlias = dict[str, Any]


def about(program: Source, length: int | None) -> dict[str, object]:
    """The fields of a head about a program: its text and file, and the length of a tick, in microseconds.

    Also the files that it includes, and the values given to its limits, where there are some.
    """
    time = {"origin": "1970-01-01T00:00:00Z", "length_seconds": (length or 0) / 1_000_000}
    included = [{"path": each.name, "program": each.text} for each in program.included]
    more = {"included": included, "limits": dict(program.values)}
    known = {"program": program.text, "path": program.name, **{name: v for name, v in more.items() if v}}
    return {**known, "time": None if length is None else time}


def source_of(head: Mapping[str, Any]) -> Source:
    """The source of the program that a head is about; its text is empty where nothing is known of it."""
    included = tuple(Source(each["program"], each["path"]) for each in head.get("included", ()))
    return Source(head.get("program", ""), head.get("path", ""), included, head.get("limits", {}))


def status_line(status: Mapping[str, Any]) -> str:
    """The line of a status, dated now."""
    return msgspec.json.encode({"status": {"at": wall_time(time.time_ns() // 1000), **status}}).decode()


def wall_time(microseconds: int) -> str:
    """A time of the wall clock, in microseconds since 1970, as text."""
    at = datetime.fromtimestamp(microseconds / 1_000_000, UTC)
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def reject_line(reject: Mapping[str, Any]) -> str:
    """The line of a row that was set aside: its `input`, the `reason`, the `row`, and more in words."""
    return msgspec.json.encode({"reject": reject}).decode()


def record_of(line: bytes) -> Record | None:
    """The record of a line of JSON; None if it is none."""
    try:
        found = msgspec.json.decode(line, type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    return found if {"head", "status", "reject"} & found.keys() else change_of(found)


def change_of(row: Record) -> Record | None:
    """A change as lines have it, or None: Spark writes answers as JSON, and forecasts as structs.

    It has a column for the time of an answer, and times may be values.
    """
    if not {"tick", "change", "query", "answer"} <= row.keys():
        return None
    try:
        row = _as_lines_have_it(row)
    except (msgspec.DecodeError, AttributeError, LookupError, TypeError, ValueError):
        return None
    return row if is_record(row) else None


def _as_lines_have_it(row: Record) -> Record:
    answer = row["answer"]
    if isinstance(answer, str):
        row = _of_spark(row, msgspec.json.decode(answer, type=dict[str, Any]))
    forecast = row.get("forecast")
    if forecast and isinstance(forecast[0], dict):
        row = {**row, "forecast": [[each["tick"], each["chance"]] for each in forecast]}
    if row.get("explanations"):
        row = {**row, "explanations": [*map(_explanation, row["explanations"])]}
    return row


def _explanation(found: Record) -> Record:
    """An explanation with what aggregates come to so far by literal, where it has some, as lines have it."""
    kept = {name: value for name, value in found.items() if name != "so_far"}
    values = amounts_so_far(found)
    return {**kept, "so_far": values} if values else kept


def _of_spark(row: Record, answer: Record) -> Record:
    """A row of Spark's with its answer, and with its times where lines have them."""
    row = {**row, "answer": answer}
    row = {name: value for name, value in row.items() if name not in LABEL or value is not None}
    times = {name: _iso(row.pop(timed(name))) for name in answer if timed(name) in row}
    if times and row.get(TIME) is not None:  # without a `tick` no tick has a time
        row["times"] = {name: time for name, time in times.items() if time is not None}
    silent = _iso(row.pop(timed("if_silent"), None))
    if row.get("if_silent") and silent is not None:
        row["if_silent"] = {**row["if_silent"], TIME: silent}
    return row | {name: _iso(row[name]) for name in (TIME, timed("decided_by")) if name in row}


def _iso(value: object) -> object:
    return value.isoformat() if isinstance(value, datetime) else value


# ---- what records are ----

_Tick = Annotated[int, msgspec.Meta(ge=-(2**62), le=2**62)]
_Texts = list[str]


class _Explanation(Struct):
    evidence: _Texts = []
    hypotheses: _Texts = []
    so_far: dict[str, Any] | None = None


class _Silent(Struct):
    change: str
    tick: _Tick


class _Answer(Struct, kw_only=True):
    """The answer of a line, and what became of it when."""

    tick: _Tick
    change: str = ""
    query: str
    answer: dict[str, Any]
    others: _Texts | str | None = None


class _Outlook(Struct):
    """The rest that others read of a line; it may have more."""

    explanations: list[_Explanation] | None = None
    if_silent: _Silent | None = None
    decided_by: _Tick | None = None
    chance: float | None = None
    forecast: list[tuple[_Tick, float]] | None = None
    because: _Texts | None = None
    lost: _Texts | None = None
    text: str | None = None


class _Slots(Struct):
    of: str
    known: int
    silent: int
    listed: dict[str, str] = {}


class _Pulse(Struct):
    heard: str | None = None
    gap: float | None = None
    unread: int = 0
    unit: str = ""
    behind: float = 0.0
    slots: _Slots | None = None


class _Counts(Struct):
    facts: int = 0
    newest: _Tick | None = None
    delay: int = 0
    late: dict[int, int] = {}
    rejects: dict[str, int] = {}


class _Pulses(Struct):
    inputs: dict[str, _Pulse] = {}


class _Status(Struct):
    tick: _Tick | None = None
    at: str | None = None
    inputs: dict[str, _Counts] = {}
    holding: str | None = None
    notes: _Texts = []


class _Head(Struct):
    open: list[dict[str, Any]]
    tick: _Tick | None = None
    program: str = ""
    path: str = ""


_LINE = (_Answer, _Outlook)
_KINDS: Mapping[str, tuple[Any, ...]] = {
    "change": _LINE, "status": (_Status, _Pulses), "reject": (dict[str, Any],), "head": (_Head,),
}  # fmt: skip


def is_record(found: Mapping[str, Any]) -> bool:
    """Whether a record has what others read of it, in the right types; of a kind not known here, nothing."""
    kind = next((each for each in _KINDS if each in found), None)
    return kind is None or _fits(found if kind == "change" else found[kind], *_KINDS[kind])


def is_line(found: Mapping[str, Any]) -> bool:
    """Whether this is a line of an answer, of a change or without one."""
    return _fits(found, *_LINE)


def _fits(found: object, *kinds: Any) -> bool:
    try:
        for kind in kinds:
            msgspec.convert(found, kind, str_keys=True)
    except msgspec.ValidationError:
        return False
    return True
