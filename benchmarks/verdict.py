"""What is to be said of a long run: what was seen each minute, and whether anything grew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from statistics import median
from textwrap import fill

from benchmarks.faulty import Made

ALLOWED = 1.10
"""So many times as much as in the second third of the run may there be in the last one."""

MEMORY = ("driver", "jvm", "workers")


@dataclass(frozen=True)
class Minute:
    """What was seen at a time: memory in megabytes, and the facts in the state.

    `predicted` is how many there are at most by the program's window, `waiting` the rows that were not
    read yet, `cores` the share of a core that was busy since the minute before.
    """

    seconds: float
    driver: float
    jvm: float
    workers: float
    kept: int
    predicted: int
    state_bytes: int
    batches: int
    given: int
    waiting: int
    cores: float


@dataclass(frozen=True)
class Run:
    """A whole run: what was made and what was counted of it, in the end without rows that are held."""

    setting: str
    minutes: tuple[Minute, ...]
    made: Made
    counted: dict[str, int]
    alerts: int
    confirmed: int


def complaints(run: Run) -> list[str]:
    """Whatever is not as it should be."""
    found = []
    for name in MEMORY:
        before, after = (median(getattr(m, name) for m in part) for part in thirds(run.minutes))
        if after > before * ALLOWED:
            found.append(f"{name} grows: {before:,.0f} in the second third, {after:,.0f} in the last")
    _, last = thirds(run.minutes)
    # What is in the store grows until it is written anew, so that the most of it counts.
    before, after = (max(m.state_bytes for m in part) for part in (run.minutes[: -len(last)], last))
    if after > before * ALLOWED:
        found.append(f"the state grows: {before:,} bytes at most before the last third, {after:,} in it")
    found += [
        f"after {m.seconds:.0f} s the state has {m.kept:,} facts, predicted were {m.predicted:,} at most"
        for m in run.minutes
        if m.kept > m.predicted
    ]
    for field in fields(Made):
        made = getattr(run.made, field.name)
        counted = run.counted[called(field.name)]
        if made != counted:
            found.append(f"{made:,} rows were made to be {field.name}, {counted:,} were counted")
    if run.counted["given"] != run.made.rows:
        found.append(f"{run.made.rows:,} rows were made, {run.counted['given']:,} were read")
    if run.alerts != run.confirmed:
        found.append(f"there are {run.alerts:,} alerts, {run.confirmed:,} were confirmed")
    return found


def called(kind: str) -> str:
    """What the pipeline calls a kind of rows."""
    return "admitted" if kind == "used" else kind


def thirds(minutes: Sequence[Minute]) -> tuple[Sequence[Minute], Sequence[Minute]]:
    """The second and the last third of the minutes."""
    if len(minutes) < 3:
        raise ValueError("the run is too short to be cut into thirds")
    third = len(minutes) // 3
    return minutes[-2 * third : -third], minutes[-third:]


def as_markdown(run: Run) -> str:
    found = complaints(run)
    verdict = "**Not flat:**" if found else "**Flat.** Nothing grew, and every row is accounted for."
    kinds = [
        (field.name, getattr(run.made, field.name), run.counted[called(field.name)]) for field in fields(Made)
    ]
    busy = median(minute.cores for minute in run.minutes)
    lines = [
        *("# A pipeline left alone", "", fill(run.setting, 110), "", verdict),
        *(f"- {each}" for each in found),
        "",
        "Memory is what the processes hold (RSS), in MB. The state has no more facts than those the rules",
        "ask for within the window that `antelog check` prints; so many are predicted at most.",
        "",
        "| minute | batches | rows | driver | JVM | workers | kept | predicted | kB | waiting | cores |",
        "| ---: " * 11 + "|",
        *map(row_of, run.minutes),
        *("", "| rows | made | counted |", "| --- | ---: | ---: |"),
        *(f"| {name} | {made:,} | {counted:,} |" for name, made, counted in kinds),
        f"| **all** | {run.made.rows:,} | {run.counted['given']:,} |",
        "",
        f"Alerts confirmed: {run.confirmed:,}; counted without antelog: {run.alerts:,}. In the median minute",
        f"{busy:.0%} of a core was busy.",
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def row_of(m: Minute) -> str:
    return (
        f"| {m.seconds / 60:.0f} | {m.batches:,} | {m.given:,} | {m.driver:,.0f} | {m.jvm:,.0f} "
        f"| {m.workers:,.0f} | {m.kept:,} | {m.predicted:,} | {m.state_bytes / 1000:,.0f} "
        f"| {m.waiting:,} | {m.cores:.2f} |"
    )
