"""What was measured, and how it is kept."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from benchmarks.compare.checking import Verdict
from benchmarks.compare.launching import Took
from benchmarks.report import Setting

START = "start"

BASE = "antelog"
"""The engine that all others are compared with, at their scale."""

USUAL = 1.0
"""The scale engines are compared at, if they were measured at it."""


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
        verdict = "" if self.verdict is None else f"{self.verdict}"
        return (
            f"{self.system:22} {self.workload:6} {self.took.cpu:7.1f} s CPU {self.took.wall:7.1f} s "
            f"{self.took.peak / 1e6:7.0f} MB, others {self.took.others:.2f} {verdict} {self.failed}".rstrip()
        )


@dataclass(frozen=True)
class Measurement:
    """Runs at one scale, one after the other."""

    where: Setting
    runs: Sequence[Run]

    def of(self, system: str, workload: str) -> list[Run]:
        return [run for run in self.runs if (run.system, run.workload) == (system, workload)]

    def alike(self, later: Measurement) -> bool:
        """Whether it was measured on the same day, of the same code, at the same scale."""
        return replace(self.where, runs=later.where.runs) == later.where

    def without(self, later: Measurement) -> Measurement:
        """What was not measured again, at the same scale or at the usual one in place of a smaller.

        What a start costs stays with those it is for. So does antelog at a smaller scale, see `compared`.
        """
        again = {(run.system, run.workload) for run in later.runs if run.workload != START}
        same, smaller = self.where.scale == later.where.scale, self.where.scale < later.where.scale == USUAL
        return self._with(
            lambda run: (
                (run.system, run.workload) not in again or not (same or (smaller and run.system != BASE))
            )
        )

    def compared(self, asked: Collection[tuple[float, str]]) -> Measurement:
        """Without antelog at a smaller scale where nobody else is left to be compared with it there.

        `asked` are the scales and workloads that others have.
        """
        scale = self.where.scale
        return self._with(lambda run: run.system != BASE or scale >= USUAL or (scale, run.workload) in asked)

    def _with(self, wanted: Callable[[Run], bool]) -> Measurement:
        left = [run for run in self.runs if run.workload == START or wanted(run)]
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
        """Those at the usual scale, or else at the largest there is."""
        for scale in self.preferred:
            for each in self.at(scale):
                if runs := each.of(system, workload):
                    return runs
        return []

    @property
    def preferred(self) -> list[float]:
        """The scales, in the order in which engines are compared at them."""
        return sorted(self.scales, key=lambda scale: (scale != USUAL, -scale))

    def begun(self, where: Setting) -> Measurement | None:
        """The newest of the same code on the same machine, at the same scale, on whichever day."""
        found = [
            each
            for each in self.measurements
            if replace(each.where, runs=where.runs, date=where.date) == where
        ]
        return found[-1] if found else None

    def added(self, later: Measurement) -> Results:
        """With what is new in place of what is old; pieces of one day and commit become one measurement."""
        kept = [each.without(later) for each in self.measurements]
        pieces = [run for each in kept if each.alike(later) for run in each.runs]
        found = [
            *(each for each in kept if not each.alike(later)),
            Measurement(later.where, [*pieces, *later.runs]),
        ]
        asked = {
            (each.where.scale, run.workload) for each in found for run in each.runs if run.system != BASE
        }
        left = [*(each.compared(asked) for each in found[:-1]), found[-1]]
        return Results([each for each in left if each.runs])


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
