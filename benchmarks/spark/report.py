"""Results as a page to read, and as JSON."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from statistics import median

from antelog.spark import BUCKETS
from benchmarks.report import Setting, versions_of
from benchmarks.spark.measuring import EMPTY, Run
from benchmarks.spark.queries import IDLING, QUERIES
from benchmarks.spark.readings import BATCHES, DEVICES

LIBRARIES = ("pyspark", "pyarrow", "pandas", "numpy")

Found = Mapping[str, Sequence[Run]]
"""The runs of each name."""


def versions(java: str) -> dict[str, str]:
    return {"Python": platform.python_version(), "Java": java, **versions_of(LIBRARIES)}


def as_json(where: Setting, facts: int, found: Found) -> str:
    runs = {name: [asdict(run) for run in each] for name, each in found.items()}
    return json.dumps({**asdict(where), "facts": facts, "runs": runs}, indent=2) + "\n"


def as_markdown(where: Setting, facts: int, found: Found) -> str:
    numbers = ", ".join(f"{name} {number}" for name, number in where.versions.items())
    lines = [
        "# How fast pipelines are on Spark",
        "",
        f"Commit {where.commit}, {where.date}, on {where.cpu}, {os.cpu_count()} cores; {numbers}.",
        f"{facts:,} readings of {round(DEVICES * where.scale):,} devices in {BATCHES} Parquet files,",
        f"Parquet out, {BUCKETS} buckets. Seconds are CPU seconds of all processes, JVM and Python, in a JVM",
        f"that has run the same before. The median of {where.runs} runs in turns, with the lowest and",
        "the highest.",
        "What every run wrote was compared with a count made without the engine.",
    ]
    lines += _whole(facts, {name: runs for name, runs in found.items() if name in QUERIES})
    lines += _idle({name: runs for name, runs in found.items() if name in IDLING})
    wrong = [
        f"- **{run.name} is wrong**: {run.wrong}" for runs in found.values() for run in runs if run.wrong
    ]
    return "\n".join([*lines, *(["", *wrong] if wrong else [])]) + "\n"


def _whole(facts: int, found: Found) -> list[str]:
    if not found:
        return []
    plain = found.get("plain")
    lines = [
        "",
        "| query | seconds | facts a second | target | times the first |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for name, runs in found.items():
        query, seconds = QUERIES[name], [run.seconds for run in runs]
        ratios = (
            [run.seconds / other.seconds for run, other in zip(runs, plain, strict=True)] if plain else []
        )
        target = f"{query.target:,}" if query.target else ""
        rate = facts / median(seconds)
        lines.append(
            f"| {query.what} (`{name}`) | {_spread(seconds)} | {rate:,.0f} | {target} | {_spread(ratios)} |"
        )
    return [*lines, *_chances(found)]


def _chances(found: Found) -> list[str]:
    """What chances cost: runs with them against the runs without in the same turns."""
    pairs = zip(found.get("batch-chances", ()), found.get("batch-all", ()), strict=False)
    ratios = [own.seconds / other.seconds for own, other in pairs]
    if not ratios:
        return []
    said = "With declared chances, all changes of a batch take so many times the CPU that they take without"
    return ["", f"{said}: {_spread(ratios)}. At most 2 is the goal."]


def _idle(found: Found) -> list[str]:
    if not found:
        return []
    lines = [
        "",
        f"What a micro-batch without rows costs, of {EMPTY} in a row. There is a state; nothing is written.",
        "",
        "| query | CPU milliseconds |",
        "| --- | ---: |",
    ]
    for name, runs in found.items():
        lines.append(f"| {IDLING[name].what} (`{name}`) | {_spread([1000 * run.seconds for run in runs])} |")
    return lines


def _spread(numbers: Sequence[float]) -> str:
    if not numbers:
        return ""
    digits = 0 if median(numbers) >= 50 else 2
    middle, low, high = (f"{number:.{digits}f}" for number in (median(numbers), min(numbers), max(numbers)))
    return f"{middle} ({low}-{high})"
