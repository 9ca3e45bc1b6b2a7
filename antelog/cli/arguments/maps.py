"""`--map COLUMN=NAME`: what files, topics and tables call a column; one option for all commands.

    --map device=sensor_id                      of every input and static predicate that has this column
    --map Temp.device=sensor_id                 of one
    --map temp=decoded.payload.temperature      a field within fields, of JSON and Parquet

In come the pairs of the command line, out go they as a mapping, compared with the program.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import click

from antelog.cli.arguments.reading import Read, equation
from antelog.compile.nodes.plan import Plan
from antelog.language.checks.suggestions import did_you_mean

F = TypeVar("F", bound=Callable[..., Any])

_EXAMPLE = "device=sensor_id, or Temp.device=sensor_id"


def map_option(more: str = "") -> Callable[[F], F]:
    """The option of a command; `more` says what else it can do there."""
    said = (
        "What a file or another source calls a column, of any input or (P.COLUMN=NAME) of one. "
        "`a.b.c` names a field within fields."
    )
    return click.option(
        "--map", "maps", type=Read("COLUMN=NAME", equation(_EXAMPLE)), metavar="COLUMN=NAME", multiple=True,
        help=f"{said} {more}".rstrip(),
    )  # fmt: skip


@dataclass(frozen=True)
class Misfit:
    """An option that names what the program does not have: of which predicate, and what to write."""

    predicate: str
    message: str
    hint: str


def misfits(plan: Plan, maps: Iterable[str], arrival: str) -> Iterator[Misfit]:
    """The maps, by their left sides, that do not fit a program; `arrival` is the column of arrivals."""
    columns = {each.name: (*each.columns, arrival) for each in plan.inputs}
    columns |= {each.name: each.columns for each in plan.statics}
    for key in maps:
        predicate, dot, column = key.rpartition(".")
        if dot and predicate not in columns:
            hint = did_you_mean(predicate, columns) or f"Known are: {', '.join(columns)}."
            yield Misfit(predicate, f"the program has no input {predicate}", hint)
            continue
        known = (
            columns[predicate] if dot else tuple(dict.fromkeys(c for each in columns.values() for c in each))
        )
        if column not in known:
            hint = did_you_mean(column, known) or f"There are {', '.join(known)}."
            message = f"{predicate or 'no input of the program'} has {'no' if dot else 'a'} column {column}"
            yield Misfit(predicate, message, hint)


def maps_of(plan: Plan, given: Mapping[str, Any]) -> dict[str, str]:
    """The maps of a command that reads in this process. Raises BadParameter if one is of no use."""
    maps = dict(given["maps"])
    for each in misfits(plan, maps, given["arrival"]):
        raise click.BadParameter(f"{each.message}. {each.hint}", param_hint="--map")
    for column, name in maps.items():
        if name.startswith("@"):
            raise click.BadParameter(
                f"{column}={name}: the key and the like of messages can be had on Spark: `antelog run`",
                param_hint="--map",
            )
    return maps
