"""Stretches of time as ticks: `delay 2`, `window 20 minutes`."""

from __future__ import annotations

from antelog.diagnostics import Diagnostic
from antelog.language import syntax
from antelog.language.checks.suggestions import similar
from antelog.language.durations import UNITS, in_ticks, microseconds
from antelog.language.printer import to_text


def unknown_unit(bound: syntax.Bound) -> Diagnostic:
    unit = bound.unit or ""
    meant = similar(unit, UNITS)
    near = f"Did you mean {meant[0]}?" if meant else "Units are ms, seconds, minutes, hours, days and weeks."
    return Diagnostic("E103", f"`{unit}` is not a unit of time", bound.span, near)


def ticks_of(bound: syntax.Bound, tick: int | None, found: list[Diagnostic]) -> int:
    """A bound in ticks; what is wrong with it is added to `found`."""
    if bound.unit is None:
        if isinstance(bound.amount, int):
            return bound.amount
        hint = "Write a whole number of ticks, or a duration together with a `tick` declaration."
        found.append(Diagnostic("E103", f"{bound.amount} is not a whole number of ticks", bound.span, hint))
        return 0
    length = microseconds(bound)
    if length is None:
        found.append(unknown_unit(bound))
    elif tick is None:
        hint = "Say how long a tick is, such as `tick 10 minutes.`, or write the bound as a number of ticks."
        message = f"`{to_text(bound)}` means nothing without a `tick` declaration"
        found.append(Diagnostic("E103", message, bound.span, hint))
    else:
        return in_ticks(length, tick)
    return 0
