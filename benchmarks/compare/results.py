"""What was measured, and how it is kept."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.compare.checking import Verdict
from benchmarks.compare.launching import Took
from benchmarks.report import Setting


@dataclass(frozen=True)
class Run:
    """One run of an engine on a workload, or on an empty stream: then the workload is `start`."""

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
class Results:
    where: Setting
    runs: Sequence[Run]

    def of(self, system: str, workload: str) -> list[Run]:
        return [run for run in self.runs if (run.system, run.workload) == (system, workload)]


def save(results: Results, file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    found = {**asdict(results.where), "results": [asdict(run) for run in results.runs]}
    file.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def load(file: Path) -> Results:
    found = json.loads(file.read_text(encoding="utf-8"))
    runs = [
        Run(
            each["system"],
            each["workload"],
            each["events"],
            Took(**each["took"]),
            Verdict(**each["verdict"]) if each["verdict"] else None,
        )
        for each in found.pop("results")
    ]
    return Results(Setting(**found), runs)
