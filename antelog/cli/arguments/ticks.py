"""Ticks on the command line: as numbers or, in a program that says how long a tick is, as timestamps."""

from __future__ import annotations

import click
import pyarrow as pa

from antelog.compile.nodes.plan import Plan
from antelog.engine.facts.ticks import no_tick
from antelog.errors import DataError
from antelog.files.times import ticks
from antelog.language.epochs import TICKS, Counting


def tick_of(text: str | None, plan: Plan | None, option: str) -> int | None:
    """The tick a text stands for, without a plan only a number. Raises BadParameter if it stands for none."""
    if text is None:
        return None
    try:
        found = ticks(pa.array([text]), "tick", Counting(plan.tick if plan else None, TICKS), option)
    except DataError:
        reason = no_tick(f"`{text}` is a timestamp")
        raise click.BadParameter(reason, param_hint=f"'{option}'") from None
    for fault in found.faults:
        if fault.applies[0]:
            raise click.BadParameter(fault.detail(0), param_hint=f"'{option}'")
    return int(found.numbers[0])
