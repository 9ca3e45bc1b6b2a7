"""Feeds for tests: lines as a program writes them, of turbines that may become hot."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from antelog.run.store.store import Store
from antelog.watch.web.address import PageAddress
from antelog.watch.web.serving import Page
from tests.lines import lines_of, open_lines

PROGRAM = """\
input Temp(device, level, time) delay 2 (70%, 20%, 10%), one per device.
chance Temp(_, high, _) = 5%, again 80%.
Hot(X, T) :- Temp(X, high, T).
Malf(X, T) :- Hot(X, T), Hot(X, T+1).
query Malf(X, T) alert 75%.
"""
Record = Any
_LEFT = (1.0, 0.3, 0.1)  # the share of readings that are still on their way, so many ticks after their own
_BASE = 500_000_000  # the tick that programs run about here, far from all other numbers


def possible(
    device: str, about: int, at: int | None = None, chance: float | None = 0.5, **words: str
) -> Record:
    """The line of an answer of which the first of two readings came; `words`: `query`, `text`, `change`."""
    at = about if at is None else at
    program = _program(chance, at - about, words.pop("query", "Malf"), words.pop("text", ""))
    return _moved(
        _text(program, _name(device), (at - about, 0), words.get("change", "possible")), device, about
    )


def confirmed(device: str, about: int, at: int) -> Record:
    return decided("confirmed", device, about, at)


def rejected(device: str, about: int, at: int) -> Record:
    """The line of an answer whose second reading, which is low, came at a tick, or not in time."""
    return decided("rejected", device, about, at)


def decided(change: str, device: str, about: int, at: int, query: str = "Malf", text: str = "") -> Record:
    """The line of an answer that a second reading decides."""
    then = at - about if change == "confirmed" else about - at
    return _moved(_text(_program(0.8, 0, query, text), _name(device), (0, then), change), device, about)


def _program(chance: float | None, waited: int, query: str, text: str) -> str:
    """The program in which an answer has this chance, so many ticks after its first reading."""
    words = f' "{text}"' if text else ""
    program = (
        PROGRAM.replace("Hot", "High").replace("Malf", query).replace(" alert 75%", f" alert 75%{words}")
    )
    if chance is None:
        return re.sub(r"(?m)^chance .*\n| alert 75%", "", program)
    left = _LEFT[waited]
    return program.replace("80%", f"{100 * chance / (left + chance * (1 - left)):.12g}%")


@cache
def _text(program: str, device: str, came: tuple[int, int], change: str) -> str:
    """The line about `_BASE`, and the ticks after which both readings came: 0 for none, below 0 a low one."""
    first, then = came
    facts = [("Temp", (device, "high", _BASE), _BASE + first)]
    if then not in (0, -3):  # which is too late
        facts.append(("Temp", (device, "high" if then > 0 else "low", _BASE + 1), _BASE + abs(then)))
    at = _BASE + (abs(then) or first)
    if change == "unlikely":
        facts = [("Temp", (device, "high", _BASE), _BASE)]
    for line in open_lines(program, facts, at) if change == "open" else lines_of(program, facts, at):
        if (line["answer"]["T"], line["change"], line["tick"]) == (_BASE, change, at):
            return json.dumps(line)
    raise LookupError(f"no answer is {change} so late: {came}")


def _name(device: str) -> str:
    """A name that stands for this one, if it has no odd signs: a program says the same of each."""
    plain = re.fullmatch(r"[a-z]\w*", device)
    return "wt2" if plain else "wt2/x" if re.fullmatch(r"[a-z][\w/-]*", device) else device


def _moved(text: str, device: str, about: int) -> Record:
    """A line about `_BASE` as one about a tick, and of a device."""
    moved = re.sub(r"(?<![\d.])50000\d{4}\b", lambda tick: str(int(tick[0]) - _BASE + about), text)
    found: Record = json.loads(moved.replace(_name(device), device))
    return found


def status(tick: int, facts: int = 100, at: str = "2026-11-25T09:00:00.000Z", **more: Any) -> Record:
    late = {"0": facts - facts // 10, "1": facts // 10}
    given = {"facts": facts, "newest": tick, "delay": 2, "late": late, "rejects": {"late": 3}}
    return {
        "status": {"tick": tick, "at": at, "open": {}, "inputs": {"Temp": given}, "holding": "Temp"} | more
    }


def ago(seconds: float) -> str:
    return (datetime.now(UTC) - timedelta(seconds=seconds)).isoformat(timespec="milliseconds")


def head(open_lines: Sequence[Record] = (), tick: int = 0, program: str = PROGRAM) -> Record:
    return {"head": {"program": program, "path": "plant/hot.alog", "tick": tick, "open": list(open_lines)}}


def written(path: Path, records: Iterable[Record], program: str = PROGRAM) -> Store:
    store = Store(path, temporary=True)
    store.feed.begin({"program": program, "path": "plant/hot.alog", "tick": 0, "time": None})
    add(store, *records)
    return store


@contextmanager
def served(
    folder: Path, records: Iterable[Record], program: str = PROGRAM, address: PageAddress | None = None
) -> Iterator[tuple[Page, Store]]:
    """The page of a feed with these records, in a process of its own, and the feed's store."""
    store = written(folder / "feed", records, program)
    page = Page(folder / "feed", address or PageAddress())
    try:
        yield page, store
    finally:
        page.stop()


def add(store: Store, *records: Record) -> None:
    store.feed.append([json.dumps(record) for record in records])


def some(count: int) -> list[Record]:
    """So many open answers, about as many devices, and a few that are decided."""
    found = [possible(f"wt{number}", number % 2 + 6, 7, (number % 19 + 1) / 20) for number in range(count)]
    ends = [possible(f"old{n}", n, n) for n in range(6)]
    ends += [confirmed(f"old{n}", n, n + 1) if n % 2 else rejected(f"old{n}", n, n + 3) for n in range(6)]
    return [*ends, *found, status(9, at=ago(0))]
