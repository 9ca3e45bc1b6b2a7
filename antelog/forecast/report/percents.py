"""Shares as percentages: `72 %`, `68 to 77 %`."""

from __future__ import annotations

NONE = "\N{EN DASH}"
"""What stands for a number that there is not."""


def percent(share: float | None) -> str:
    """`72 %`; with a digit more where it would read as nothing or all, and is not."""
    if share is None:
        return NONE
    return f"{_percents(share)} %"


def percents(low: float, high: float) -> str:
    """`68 to 77 %`."""
    return f"{_percents(low)} to {_percents(high)} %"


def _percents(share: float) -> str:
    hundred = 100 * share
    if round(hundred) in (0, 100) and abs(hundred - round(hundred)) >= 0.05:
        return f"{hundred:.1f}"
    return f"{hundred:.0f}"
