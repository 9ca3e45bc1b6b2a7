"""Keeps what this version of antelog writes: a store of `watch`, and what an engine saves and learns.

    python -m scripts.keep_states    writes tests/kept/VERSION.tar.xz, once, when VERSION is released

`tests/test_kept.py` goes on from each of them with every later version. What users have is not written
anew, so an archive that is there is left alone. Only before a release may it be removed, and made again.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any, TypeAlias

import antelog
from scripts.release import ROOT, version

KEPT = ROOT / "tests" / "kept"
RULES, STORE, STATE, SAVEPOINT, MODEL = (
    *("rules.alog", "watch.state", "engine.state", "savepoint", "learned.model"),
)
CUT, _TICKS = 24, 36  # the tick before which what is kept was written, and those that have facts
Line: TypeAlias = dict[str, Any]
_DEVICES = ("wt1", "wt2", "wt3")
_HEADERS = {
    name: f"device,{each},time,arrival"
    for name, each in (("Temp", "level"), ("Load", "power"), ("Oil", "bar"))
}
_RULES = """\
% What states hold: facts that wait, the latest of each device, sums, chances declared and learned.
tick 10 minutes.
input Temp(device: text, level: text, time) delay 2.
input Load(device: text, power: number, time) delay 1.
input Oil(device: text, bar: number, time) delay 1, one per device.
static Turbine(device).
Turbine(wt1).  Turbine(wt2).  Turbine(wt3).
chance Temp(_, high, _) = 40%, again 70%.

Flag(X, T)   :- Temp(X, high, T), Temp(X, high, T+1).
Malf(X, T)   :- Flag(X, T), Temp(X, high, T+2).
Silent(X, T) :- Turbine(X), not Temp(X, _, T).
Heavy(X, T)  :- Load(X, P, T), P > 5, sum(S : Load(X, S, T-2..T+1), S >= 0) > 24.
Thin(X, T)   :- Temp(X, high, T), last Oil(X, B, T), B < 3.

query Malf(X, T) critical "turbine {X} is about to shut down".
query Silent(X, T).
query Heavy(X, T).
query Thin(X, T).
"""


def _rows() -> dict[str, list[str]]:
    """Made-up rows of each input, with their arrivals, in the order in which they came."""
    drawn = random.Random(30)
    levels = dict.fromkeys(_DEVICES, "low")
    found: dict[str, list[tuple[int, str]]] = {"Temp": [], "Load": [], "Oil": []}
    for tick in range(_TICKS):
        for device in _DEVICES:
            if drawn.random() < 0.3:
                levels[device] = "high" if levels[device] == "low" else "low"
            late = drawn.choice((0, 0, 1, 2, 4))
            if drawn.random() < 0.9:
                found["Temp"].append((tick + late, f"{device},{levels[device]},{tick}"))
            found["Load"].append((tick, f"{device},{drawn.randrange(80) / 8},{tick}"))
            if drawn.random() < 0.5:
                found["Oil"].append((tick, f"{device},{drawn.randrange(1, 9)},{tick}"))
    return {name: [f"{row},{arrival}" for arrival, row in sorted(rows)] for name, rows in found.items()}


def rows_of(folder: Path) -> dict[str, list[str]]:
    """The lines of each input's file in a kept folder: a header, and rows by their arrivals."""
    return {path.stem: path.read_text("utf-8").splitlines() for path in sorted(folder.glob("*.csv"))}


def steps(engine: antelog.Engine, folder: Path, first: int, last: int | None = None) -> list[Line]:
    """The lines of an engine that is given the facts of some ticks, each when it arrived."""
    arrived: dict[int, dict[str, list[tuple[str | float, ...]]]] = {}
    for name, (_, *rows) in rows_of(folder).items():
        for device, value, time, arrival in (row.split(",") for row in rows):
            given = value if name == "Temp" else float(value)
            arrived.setdefault(int(arrival), {}).setdefault(name, []).append((device, given, int(time)))
    lines: list[Line] = []
    for tick in range(first, max(arrived) + 1 if last is None else last):
        for name, table in engine.advance(tick, arrived.get(tick, {})).items():
            lines += ({"query": name, **line} for line in table.to_pylist())
    return lines


def watched(folder: Path, state: str, output: str) -> None:
    """Has `antelog watch` read all of the facts in a folder, and keep a state, and lines in a file."""
    inputs = [f"--input={name}={name}.csv" for name in rows_of(folder)]
    options = ("--model=learn", f"--state={state}", f"--output={output}", "--once", "--no-page")
    command = [sys.executable, "-P", "-m", "antelog", "watch", RULES, *inputs, *options]
    subprocess.run(
        command, cwd=folder, check=True, capture_output=True, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )


def keep(folder: Path) -> None:
    """Writes the rules, their facts, and what is kept after two thirds of these, into a new folder."""
    folder.mkdir(parents=True)
    (folder / RULES).write_text(_RULES, "utf-8")
    for cut in (CUT, None):
        for name, rows in _rows().items():
            some = [row for row in rows if cut is None or int(row.rpartition(",")[2]) < cut]
            (folder / f"{name}.csv").write_text("\n".join([_HEADERS[name], *some, ""]), "utf-8")
        if cut is not None:
            watched(folder, STORE, "watched.jsonl")
    engine = antelog.Engine(antelog.load(folder / RULES), model="learn")
    steps(engine, folder, 0, CUT)
    engine.save(folder / STATE)
    engine.export(folder / SAVEPOINT)
    engine.model.save(folder / MODEL)


def main() -> int:
    archive = KEPT / f"{version()}.tar.xz"
    if archive.exists():
        print(f"{archive.name} is there: what users have is not written anew", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as place, tarfile.open(archive, "x:xz") as kept:
        folder = Path(place, version())
        keep(folder)
        kept.add(folder, version())
    print(f"{archive}: {archive.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
