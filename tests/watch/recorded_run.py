"""A state that `antelog watch` has written, with some thousand lines in its feed: what pages are made of."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.cli.trying import antelog

TICK = timedelta(seconds=10)
PROGRAM = """\
tick 10 seconds.
input Temp(device, level, time) delay 20 seconds, one per device, every 10 s.
Malf(X, T) :- Temp(X, high, T), Temp(X, high, T+1), not Temp(X, low, T+2).
static Place(device, hall). Place(wt0, north).
query Malf(X, T) critical "{X} is about to shut down" alert 50%.
"""


def recorded(folder: Path, ticks: int = 200) -> Path:
    """The state of a run over readings of ten devices, at each of some ticks."""
    start = datetime(2026, 3, 30, tzinfo=UTC)
    rows = [
        f"wt{device},{'high' if tick % (device + 3) else 'low'},{(start + tick * TICK).isoformat()}"
        for tick in range(ticks)
        for device in range(10)
    ]
    (folder / "p.alog").write_text(PROGRAM)
    (folder / "temp.csv").write_text("\n".join(["device,level,time", *rows, ""]))
    state = folder / "s"
    facts = ("--input", f"Temp={folder / 'temp.csv'}")
    done = antelog(
        "watch",
        folder / "p.alog",
        *facts,
        "--once",
        "--state",
        state,
        "--model",
        "learn",
        "--group-by",
        "Place",
    )
    assert (done.exit_code, "W102" in done.stderr) == (0, False), done.stderr  # the map needs Place
    return state
