"""Feeds for tests: lines as a follower writes them, of turbines that may become hot."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from antelog.run.store import Store

PROGRAM = """\
input Temp(device, level, time) delay 2 (70%, 20%, 10%).
chance Temp(_, high, _) = 5%, again 80%.
Hot(X, T) :- Temp(X, high, T).
Malf(X, T) :- Hot(X, T), Hot(X, T+1).
query Malf(X, T) alert 75%.
"""
Record = dict[str, Any]


def possible(
    device: str, about: int, at: int | None = None, chance: float | None = 0.5, **more: Any
) -> Record:
    """A line of an answer of which the first of two readings is there."""
    found = {
        "tick": about if at is None else at,
        "change": "possible",
        "query": "Malf",
        "answer": {"X": device, "T": about},
        "explanations": [
            {
                "evidence": [f"Temp({device}, high, {about})"],
                "hypotheses": [f"Temp({device}, high, {about + 1})"],
            }
        ],
        "if_silent": {"change": "rejected", "tick": about + 3},
        "decided_by": about + 3,
        "chance": chance,
        "forecast": None if chance is None else [[about + 1, chance / 2], [about + 3, chance]],
        "chance_from": "model",
    }
    return found | more


def confirmed(device: str, about: int, at: int) -> Record:
    both = [f"Temp({device}, high, {about})", f"Temp({device}, high, {about + 1})"]
    explanation = {"evidence": both, "hypotheses": []}
    return {
        "tick": at, "change": "confirmed", "query": "Malf", "answer": {"X": device, "T": about},
        "explanations": [explanation],
    }  # fmt: skip


def rejected(device: str, about: int, at: int) -> Record:
    return {
        "tick": at, "change": "rejected", "query": "Malf", "answer": {"X": device, "T": about},
        "explanations": [], "because": [f"Temp({device}, high, {about + 1})"],
    }  # fmt: skip


def status(tick: int, facts: int = 100, at: str = "2026-11-25T09:00:00.000Z", **more: Any) -> Record:
    late = {"0": facts - facts // 10, "1": facts // 10}
    given = {"facts": facts, "newest": tick, "delay": 2, "late": late, "rejects": {"late": 3}}
    return {
        "status": {"tick": tick, "at": at, "open": {}, "inputs": {"Temp": given}, "holding": "Temp"} | more
    }


def ago(seconds: float) -> str:
    """The moment some seconds before now, as statuses have it."""
    return (datetime.now(UTC) - timedelta(seconds=seconds)).isoformat(timespec="milliseconds")


def head(open_lines: Sequence[Record] = (), tick: int = 0, program: str = PROGRAM) -> Record:
    return {
        "head": {
            "program": program,
            "path": "plant/hot.alog",
            "tick": tick,
            "open": list(open_lines),
        }
    }


def written(path: Path, records: Iterable[Record], program: str = PROGRAM) -> Store:
    """A store whose feed has these records."""
    store = Store.open(path, temporary=True)
    store.feed.begin({"program": program, "path": "plant/hot.alog", "tick": 0, "time": None})
    add(store, *records)
    return store


def add(store: Store, *records: Record) -> None:
    """More records in a feed."""
    store.feed.append([json.dumps(record) for record in records])


def some(count: int) -> list[Record]:
    """So many open answers, about as many devices, and a few that are decided."""
    found = [possible(f"wt{number}", number % 7, 7, (number % 100) / 100) for number in range(count)]
    ends = [possible(f"old{n}", n, n) for n in range(6)]
    ends += [confirmed(f"old{n}", n, n + 1) if n % 2 else rejected(f"old{n}", n, n + 3) for n in range(6)]
    return [*ends, *found, status(9, at=ago(0))]
