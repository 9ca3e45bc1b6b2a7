"""What was measured, and how it is kept."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.compare.checking import Verdict
from benchmarks.compare.launching import Took
from benchmarks.report import Setting

START = "start"


@dataclass(frozen=True)
class Run:
    """One run of an engine on a workload, or on an empty stream: then the workload is START."""

    system: str
    workload: str
    events: int
    took: Took
    verdict: Verdict | None

    @property
    def failed(self) -> str:
        return self.took.failed

    def __str__(self) -> str:
        told = "" if self.verdict is None else f"{self.verdict}"
        return (
            f"{self.system:22} {self.workload:6} {self.took.cpu:7.1f} s CPU {self.took.wall:7.1f} s "
            f"{self.took.peak / 1e6:7.0f} MB, others {self.took.others:.2f} {told} {self.failed}".rstrip()
        )


@dataclass(frozen=True)
class Measurement:
    """Runs at one scale, one after the other."""

    where: Setting
    runs: Sequence[Run]

    def of(self, system: str, workload: str) -> list[Run]:
        return [run for run in self.runs if (run.system, run.workload) == (system, workload)]

    def without(self, later: Measurement) -> Measurement:
        """What was not measured again at the same scale. What a start costs stays with those it is for."""
        again = {(run.system, run.workload) for run in later.runs if run.workload != START}
        same = self.where.scale == later.where.scale
        left = [run for run in self.runs if not (same and (run.system, run.workload) in again)]
        needed = {run.system for run in left if run.workload != START}
        return Measurement(self.where, [run for run in left if run.system in needed])


@dataclass(frozen=True)
class Results:
    """Measurements of other days or scales, the earliest first."""

    measurements: Sequence[Measurement]

    @property
    def runs(self) -> list[Run]:
        return [run for each in self.measurements for run in each.runs]

    @property
    def scales(self) -> list[float]:
        """The largest first."""
        return sorted({each.where.scale for each in self.measurements}, reverse=True)

    def at(self, scale: float) -> list[Measurement]:
        return [each for each in self.measurements if each.where.scale == scale]

    def of(self, system: str, workload: str) -> list[Run]:
        """Those at the largest scale there is."""
        for scale in self.scales:
            for each in self.at(scale):
                if runs := each.of(system, workload):
                    return runs
        return []

    def added(self, later: Measurement) -> Results:
        kept = [each.without(later) for each in self.measurements]
        return Results([*(each for each in kept if each.runs), later])


def save(results: Results, file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    found = [
        {**asdict(each.where), "results": [asdict(run) for run in each.runs]} for each in results.measurements
    ]
    file.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def load(file: Path) -> Results:
    found = json.loads(file.read_text(encoding="utf-8"))
    return Results([_measurement(each.pop("results"), each) for each in found])


def _measurement(results: list[dict[str, Any]], where: dict[str, Any]) -> Measurement:
    runs = [
        Run(
            each["system"],
            each["workload"],
            each["events"],
            Took(**each["took"]),
            Verdict(**each["verdict"]) if each["verdict"] else None,
        )
        for each in results
    ]
    return Measurement(Setting(**where), runs)
