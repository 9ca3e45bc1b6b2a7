"""Results as JSON, and as a table to read."""

from __future__ import annotations

import json
import platform
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from benchmarks.measuring import Measured
from benchmarks.workloads import WORKLOADS

ROOT = Path(__file__).parent.parent
WRITTEN = (":!benchmarks/results", ":!docs/performance*.md", ":!docs/forecast-results.md", ":!docs/images")
LIBRARIES = ("numpy", "pyarrow", "polars")


@dataclass(frozen=True)
class Setting:
    """Where and on what was measured."""

    date: str
    commit: str
    cpu: str
    versions: dict[str, str]
    scale: float
    runs: int


def setting(scale: float, runs: int, versions: dict[str, str] | None = None) -> Setting:
    """Where this is; the versions of the engine's libraries, unless others are given."""
    versions = versions or {"Python": platform.python_version(), **versions_of(LIBRARIES)}
    return Setting(datetime.now(UTC).date().isoformat(), _commit(), _cpu(), versions, scale, runs)


def versions_of(libraries: Iterable[str]) -> dict[str, str]:
    return {name: version(name) for name in libraries}


def _commit() -> str:
    """The last commit of more than results and their pages; with a plus if more than these has changed."""
    try:
        commit = _git("log", "-1", "--first-parent", "--format=%h", "--", ".", *WRITTEN)
        changed = _git("status", "--porcelain", "--", ".", *WRITTEN)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return commit + ("+" if changed else "")


def _git(*arguments: str) -> str:
    command = ["git", "-C", str(ROOT), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def _cpu() -> str:
    known = Path("/proc/cpuinfo")
    if known.exists():
        for line in known.read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def middle(runs: Sequence[Measured]) -> Measured:
    """The run that took the median time."""
    return sorted(runs, key=lambda run: run.seconds)[(len(runs) - 1) // 2]


def as_json(where: Setting, results: Sequence[Sequence[Measured]]) -> str:
    found = [{"runs": [asdict(run) for run in runs], "target": _target(runs[0].name)} for runs in results]
    return json.dumps({**asdict(where), "workloads": found}, indent=2) + "\n"


def as_markdown(where: Setting, results: Sequence[Sequence[Measured]]) -> str:
    """Two tables: how fast, and whether cost and memory grow."""
    chosen = [middle(runs) for runs in results]
    versions = ", ".join(f"{name} {number}" for name, number in where.versions.items())
    lines = [
        "# How fast the kernel is",
        "",
        f"Commit {where.commit}, {where.date}, on {where.cpu}; {versions}. Scale {where.scale:g}, the median",
        f"of {where.runs} runs, and the slowest and the fastest of them. Seconds are CPU seconds of the",
        "process, from the facts as Arrow columns to the changes as Arrow columns. The limit is what Polars",
        "takes to group the same rows. The changes of every run were compared with a count made without the",
        "engine.",
        "",
        "| workload | facts | changes | seconds | facts a second | from … to | target | limit | by limit |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
        *map(_speed, results),
    ]
    compared = [run for run in chosen if run.late is not None]
    if compared:
        lines += [
            "",
            "| workload | late batches, times early ones | at most | facts kept, early and late | bytes |",
            "| --- | ---: | ---: | ---: | ---: |",
            *(_growth(run) for run in compared),
        ]
    wrong = [f"- **{run.name} is wrong**: {run.wrong}" for runs in results for run in runs if run.wrong]
    return "\n".join([*lines, *(["", *wrong] if wrong else [])]) + "\n"


def _speed(runs: Sequence[Measured]) -> str:
    run, rates = middle(runs), [each.rate for each in runs]
    target = WORKLOADS[run.name].target
    return (
        f"| {WORKLOADS[run.name].what} (`{run.name}`) | {run.facts:,} | {run.changes:,} | {run.seconds:.2f} "
        f"| {run.rate:,.0f} | {min(rates):,.0f} … {max(rates):,.0f} | {f'{target:,}' if target else ''} "
        f"| {run.limit:.2f} | {run.to_limit:.1f} |"
    )


def _growth(run: Measured) -> str:
    (early_rows, early_bytes), (late_rows, late_bytes) = run.state
    return (
        f"| `{run.name}` | {run.late:.2f} | {_target(run.name):g} | {early_rows:,} → {late_rows:,} "
        f"| {early_bytes:,} → {late_bytes:,} |"
    )


def _target(name: str) -> float:
    workload = WORKLOADS[name]
    return workload.target or (workload.compare.target if workload.compare else 0)
