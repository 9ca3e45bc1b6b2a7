"""Three examples confirm what a few lines of plain Python find in the facts that come in time."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.cli.trying import antelog
from tests.docs.pages import ROOT

EXAMPLES = ROOT / "examples"
MINUTE = timedelta(minutes=1)
END = datetime.max.replace(tzinfo=UTC)

Row = dict[str, str]
Answer = tuple[object, ...]


def _confirmed(example: str, *arguments: str) -> set[Answer]:
    done = antelog("try", f"{example}.alog", *arguments, "--only", "confirmed")
    assert done.exit_code == 0, done.stderr
    found = [json.loads(line) for line in done.stdout.splitlines()]
    named = [(each["query"], {**each["answer"], "T": _time(each["times"]["T"])}) for each in found]
    return {(query, *answer.values()) for query, answer in named}


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def _in_time(path: Path, delays: dict[str, int], column: str) -> Iterator[tuple[Row, datetime]]:
    """The rows of a file that come within the minutes that their value in a column has, else those of ``."""
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            time = _time(row["time"])
            if _time(row["arrival"]) - time <= delays.get(row[column], delays[""]) * MINUTE:
                yield row, time


def _payments() -> set[Answer]:
    rows = list(_in_time(Path("payments.csv"), {"": 2, "ferry": 40}, "place"))
    found: set[Answer] = set()
    for row, time in rows:
        card = row["card"]
        before = [(each, time - at) for each, at in rows if each["card"] == card and at <= time]
        hour = [each for each, ago in before if ago <= 60 * MINUTE]
        if sum(ago <= 10 * MINUTE for _, ago in before) > 3:
            found.add(("Velocity", card, time))
        if sum(float(each["amount"]) for each in hour) > 1000:
            found.add(("Spends", card, time))
        if len({each["place"] for each in hour}) >= 3:
            found.add(("Travels", card, time))
    return found


def test_payments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(EXAMPLES / "payments")
    found = _confirmed("payments", "--input", "Pay=payments.csv")
    assert found == _payments()
    assert {query for query, *_ in found} == {"Velocity", "Spends", "Travels"}


def _heartbeats(path: Path, until: datetime) -> set[Answer]:
    heard: dict[str, set[datetime]] = {}
    for row, time in _in_time(path, {"": 2}, "device"):
        heard.setdefault(row["device"], set()).add(time)
    found: set[Answer] = set()
    for device, times in heard.items():
        ordered = sorted(times)
        for time, following in zip(ordered, [*ordered[1:], END], strict=True):
            if following - time > 5 * MINUTE and time + 7 * MINUTE <= until:
                found.add(("Silent", device, time))
            if following - time > 5 * MINUTE and following <= until - 2 * MINUTE:
                found.add(("Back", device, following))
    return found


def test_heartbeats(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Of two thousand devices, as the example's script makes them up."""
    many = tmp_path / "many.csv"
    monkeypatch.chdir(EXAMPLES / "heartbeats")
    monkeypatch.setattr(sys, "argv", ["heartbeats.py", "2000", str(many)])
    exec(compile(Path("heartbeats.py").read_text("utf-8"), "heartbeats.py", "exec"), {"__name__": "__main__"})
    until = datetime(2024, 3, 4, 8, 29, tzinfo=UTC)
    found = _confirmed("heartbeats", "--input", f"Heard={many}", "--until", f"{until:%Y-%m-%d %H:%M}")
    assert found == _heartbeats(many, until)
    assert len(found) > 30


def _latest(path: Path, truck: str, until: datetime) -> Row:
    rows = [(at, row) for row, at in _in_time(path, {"": 15}, "truck") if row["truck"] == truck]
    return max(((at, row) for at, row in rows if at <= until), key=lambda each: each[0], default=(until, {}))[
        1
    ]


def _warm() -> set[Answer]:
    found: set[Answer] = set()
    for row, time in _in_time(Path("places.csv"), {"": 15}, "truck"):
        cooling, load = (_latest(Path(name), row["truck"], time) for name in ("cooling.csv", "loads.csv"))
        if cooling.get("state") == "off" and load.get("goods", "none") != "none":
            found.add(("Warm", row["truck"], load["goods"], time))
    return found


def test_fleet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(EXAMPLES / "fleet")
    inputs = {"Place": "places.csv", "Cooling": "cooling.csv", "Load": "loads.csv"}
    arguments = [word for name, path in inputs.items() for word in ("--input", f"{name}={path}")]
    found = _confirmed("fleet", "--functions", "places.py", *arguments)
    assert {each for each in found if each[0] == "Warm"} == _warm()
    assert {query for query, *_ in found} == {"Warm", "Astray", "Jump", "Home"}
