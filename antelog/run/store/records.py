"""Records of a feed: lines that any pipeline wrote, and those of programs, statuses and rejects."""

from __future__ import annotations

import time
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, TypeAlias, TypedDict, cast

import msgspec
from msgspec import Struct

from antelog.diagnostics import Source
from antelog.lines import Tick, fits, is_line, line_of

Record: TypeAlias = dict[str, Any]


def about(program: Source, length: int | None) -> dict[str, object]:
    """The fields of a head about a program; `length` is that of a tick in microseconds."""
    time = {"origin": "1970-01-01T00:00:00Z", "length_seconds": (length or 0) / 1_000_000}
    included = [{"path": each.name, "program": each.text} for each in program.included]
    more = {"included": included, "limits": dict(program.values)}
    known = {"program": program.text, "path": program.name, **{name: v for name, v in more.items() if v}}
    return {**known, "time": None if length is None else time}


def source_of(head: Mapping[str, Any]) -> Source:
    """The source of the program in a head; its text is empty if unknown."""
    included = tuple(Source(each["program"], each["path"]) for each in head.get("included", ()))
    return Source(head.get("program", ""), head.get("path", ""), included, head.get("limits", {}))


def status_line(status: Mapping[str, Any]) -> str:
    """The line of a status, dated now."""
    return msgspec.json.encode({"status": {"at": wall_time(time.time_ns() // 1000), **status}}).decode()


def wall_time(microseconds: int) -> str:
    """Microseconds since 1970 as text."""
    at = datetime.fromtimestamp(microseconds / 1_000_000, UTC)
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def reject_line(reject: Mapping[str, Any]) -> str:
    """The line of a row that was set aside: `input`, `reason`, `row`, and details."""
    return msgspec.json.encode({"reject": reject}).decode()


def record_of(line: bytes) -> Record | None:
    """The record of a line of JSON; None if it is not one."""
    try:
        found = msgspec.json.decode(line, type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    return found if {"head", "status", "reject"} & found.keys() else cast(Record | None, line_of(found))


class _Slots(Struct):
    of: str
    known: int
    silent: int
    listed: dict[str, str] = {}


class _InputStatus(TypedDict, total=False):
    facts: int
    newest: Tick | None
    delay: int
    late: dict[int, int]
    rejects: dict[str, int]
    heard: str | None
    gap: float | None
    unread: int
    unit: str
    behind: float
    slots: _Slots | None


class _Status(Struct):
    tick: Tick | None = None
    at: str | None = None
    inputs: dict[str, _InputStatus] = {}
    holding: str | None = None
    notes: list[str] = []


class _Head(Struct):
    open: list[dict[str, Any]]
    tick: Tick | None = None
    program: str = ""
    path: str = ""


_KINDS: Mapping[str, Any] = {"status": _Status, "reject": dict[str, Any], "head": _Head}


def is_record(found: Mapping[str, Any]) -> bool:
    """Whether the fields that readers use have the right types; True for unknown kinds."""
    if "change" in found:
        return is_line(found)
    kind = next((each for each in _KINDS if each in found), None)
    return kind is None or fits(found[kind], _KINDS[kind])
