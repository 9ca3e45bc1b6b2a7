"""Numbers and verdicts as the page of the comparison writes them.

CPU seconds of 2, 3 and 9 go in, `3.0 (2.0-9.0)` comes out; of verdicts the worst is written, as `10 lost`.
It is here once, for all tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from benchmarks.compare.results import Run

BUSY = 0.3
"""So many cores busy with something else, in the median, and a measurement is called disturbed."""


def busy(runs: Sequence[Run]) -> str:
    """A mark where other processes had so much of the machine that the figures suffer."""
    return " †" if median(run.took.others for run in runs) > BUSY else ""


def number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"


def spread(values: Sequence[float]) -> str:
    """The median, with the lowest and the highest."""
    if len(values) == 1:
        return number(values[0])
    return f"{number(median(values))} ({number(min(values))}-{number(max(values))})"


def verdict(runs: Sequence[Run]) -> str:
    """The worst of them."""
    verdicts = [run.verdict for run in runs if run.verdict]
    worst = max(verdicts, key=lambda each: each.missing + each.untrue + each.repeated)
    said = [
        f"{count:,} {what}"
        for count, what in (
            (worst.missing, "lost"),
            (worst.untrue, "untrue"),
            (worst.repeated, "reported twice"),
        )
        if count
    ]
    return ", ".join(said) or "all"
