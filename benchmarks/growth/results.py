"""What was measured, as a file that grows: measuring one curve anew leaves the others as they were."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.growth.measuring import Run
from benchmarks.report import Setting, setting

Found = dict[str, Any]
"""Under `curves` and `latency` by name what was measured, each with its setting."""


@dataclass(frozen=True)
class Point:
    """What was measured of one size, once or several times."""

    size: int
    runs: tuple[Run, ...]

    def middle(self, of: Callable[[Run], float]) -> float:
        return median(of(run) for run in self.runs)

    @property
    def memory(self) -> int:
        return self.runs[0].memory


def where(scale: float, runs: int, versions: dict[str, str] | None = None) -> dict[str, Any]:
    """Where was measured, and how many processes wanted to run a minute before."""
    now: Setting = setting(scale, runs, versions)
    return {**asdict(now), "cores": os.cpu_count(), "load": round(os.getloadavg()[0], 1)}


def read(folder: Path) -> Found:
    file = folder / "growth.json"
    if not file.exists():
        return {"curves": {}, "latency": {}}
    found: Found = json.loads(file.read_text())
    return found


def write(folder: Path, found: Found) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "growth.json").write_text(json.dumps(found, indent=1) + "\n")


def as_found(points: Sequence[Point], at: Mapping[str, Any]) -> dict[str, Any]:
    measured = [{"size": p.size, "runs": [asdict(run) for run in p.runs]} for p in points]
    return {"setting": dict(at), "points": measured}


def points_of(curve: Mapping[str, Any]) -> list[Point]:
    return [Point(p["size"], tuple(Run(**run) for run in p["runs"])) for p in curve["points"]]


def wrong(measured: Mapping[str, Any]) -> bool:
    """Whether anything is not as it was counted."""
    runs = [run for point in measured.get("points", ()) for run in point["runs"]]
    return any(each["wrong"] for each in (*runs, *measured.get("rates", ())))
