"""`P=SOURCE` on the command line, and how time goes on: read and compared with the program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click

from antelog.cli.arguments.pairs import Pair, files_of_inputs
from antelog.cli.arguments.reading import sides
from antelog.compile.nodes.plan import Plan
from antelog.errors import UnsupportedError
from antelog.run.address import Posted, Standard
from antelog.run.clock import Timing
from antelog.run.sources.opening import FOLLOWED, Followed
from antelog.run.values import SettingError


def pair(text: str) -> Pair[Followed]:
    """`P=SOURCE`. Raises SettingError."""
    predicate, source = sides(text)
    if not source or not predicate.isidentifier():
        raise SettingError(f"`{text}` is not of the form P=SOURCE", "Write it like Temp=readings.csv.")
    return Pair(predicate, FOLLOWED.read(source))


def sources_of(plan: Plan, pairs: Sequence[Pair[Followed]]) -> dict[str, Followed]:
    """The source of each input that has one. Raises BadParameter for what the program has no use for."""
    found = files_of_inputs(plan, pairs)
    if not found:
        name = plan.inputs[0].name if plan.inputs else "P"
        raise click.UsageError(f"there is nothing to follow; give --input {name}=SOURCE")
    if sum(isinstance(place, Standard) for place in found.values()) > 1:
        raise click.UsageError("standard input can be the source of one input only")
    return found


def timing_of(plan: Plan, given: Mapping[str, Any]) -> Timing:
    """What moves time on. Raises UsageError if the program's ticks have no length, and would need one."""
    try:
        return Timing(given["clock"], given["lag"], given["idle"], plan.tick)
    except UnsupportedError as error:
        raise click.UsageError(str(error)) from None


def posted(places: Mapping[str, Followed]) -> bool:
    """Whether facts of some input come by HTTP."""
    return any(isinstance(place, Posted) for place in places.values())
