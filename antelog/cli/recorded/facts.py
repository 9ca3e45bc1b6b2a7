"""Recorded facts from files: those of inputs in the order of their arrival, those of static predicates.

Also the options that name these files, and how far they are replayed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

import click
import pyarrow as pa

from antelog.cli.arguments.completion import inputs_of, statics_of
from antelog.cli.arguments.maps import maps_of
from antelog.cli.arguments.pairs import files_of_inputs, files_of_statics, pair
from antelog.cli.arguments.ticks import tick_of
from antelog.cli.recorded.replay import Recorded
from antelog.cli.show.terminal import Report, say
from antelog.compile.nodes.plan import Plan
from antelog.engine.columns.tables import Column
from antelog.engine.facts.beyond import beyond
from antelog.files import ARRIVAL, End, Rejects, Wanted, batches, tables, wanted_of
from antelog.files.columns import mapped
from antelog.files.naming import size_of
from antelog.telling.set_aside import Places, from_engine
from antelog.telling.values import plain

Value = str | int | float
_NONE: Mapping[str, str] = MappingProxyType({})

input_option = click.option(
    "--input", "inputs", type=pair, metavar="P=FILE", multiple=True, shell_complete=inputs_of,
    help="The file with the facts of an input: CSV, JSON lines or Parquet, by its ending.",
)  # fmt: skip

static_option = click.option(
    "--static", "statics", type=pair, metavar="P=FILE", multiple=True, shell_complete=statics_of,
    help="The file with facts of a static predicate, in addition to those of the program.",
)  # fmt: skip

arrival_option = click.option(
    "--arrival", metavar="NAME", default="arrival", show_default=True,
    help="The column with the ticks or timestamps at which facts arrived. In a file without it, they "
    "arrive at their own time.",
)  # fmt: skip

until_option = click.option(
    "--until", metavar="TICK",
    help="The last tick, a number or a timestamp. If not given, it is the last fact's arrival, or the tick "
    "by which all that was open then is decided.",
)  # fmt: skip

rejects_option = click.option(
    "--rejects", type=click.Path(dir_okay=False, path_type=Path),
    help="Write every row that was set aside, with the reason, to this file (.csv or .jsonl).",
)  # fmt: skip


@dataclass(frozen=True)
class Facts:
    """What is replayed: from which files, up to which tick; None is as far as it goes.

    `arrival` is what files call the column of arrivals, and `maps` says what they call others.
    """

    inputs: Mapping[str, Path]
    statics: Mapping[str, Path]
    arrival: str
    until: int | None
    maps: Mapping[str, str] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """How many bytes the files of inputs have."""
        return sum(map(size_of, self.inputs.values()))


def facts_of(plan: Plan, given: Mapping[str, Any]) -> Facts:
    """What the options above name. Raises BadParameter for what does not fit the program."""
    return Facts(
        files_of_inputs(plan, given["inputs"]),
        files_of_statics(plan, given["statics"]),
        given["arrival"],
        tick_of(given["until"], plan, "--until"),
        maps_of(plan, given),
    )


def recorded(plan: Plan, facts: Facts, rejects: Rejects, report: Report = lambda _: None) -> Recorded:
    """The facts of the inputs, in the order in which they arrived."""
    wanted = {name: mapped(wanted_of(plan, name, facts.arrival), facts.maps) for name in facts.inputs}
    sources = {name: tables(path, wanted[name], rejects, report) for name, path in facts.inputs.items()}
    places = Places({name: str(path) for name, path in facts.inputs.items()}, plan.tick)

    def left_out(name: str, table: pa.Table, lines: Column) -> None:
        assert facts.until is not None
        found = beyond(plan, {name: table}, facts.until, arrival=ARRIVAL)
        rejects.tally.update(malformed=found.counts.malformed, after_until=found.counts.after_until)
        rows = found.rejects.append_column("row", pa.array(found.places))
        rejects.add(from_engine(rows, places, {name: lines}))

    return Recorded(batches(sources, End(facts.until, left_out)), places)


def static_facts(
    plan: Plan, statics: Mapping[str, Path], rejects: Rejects, maps: Mapping[str, str] = _NONE
) -> dict[str, list[tuple[Value, ...]]]:
    """The facts of static predicates; truth values, dates and the like are taken as texts.

    Raises DataError if a file has rows, and none of them can be used.
    """
    wanted = {name: mapped(wanted_of(plan, name), maps) for name in statics}
    found = {name: _rows(wanted[name], path, rejects) for name, path in statics.items()}
    rejects.require_use()
    return found


def say_what_is_missing(plan: Plan, inputs: Mapping[str, Path]) -> None:
    """A note on each input that has no file."""
    for source in plan.inputs:
        if source.name not in inputs:
            say(f"note: {source.name} has no facts; give them with --input {source.name}=FILE")


def _rows(wanted: Wanted, path: Path, rejects: Rejects) -> list[tuple[Value, ...]]:
    rows: list[tuple[Value, ...]] = []
    for table in tables(path, wanted, rejects):
        values = zip(*(column.to_pylist() for column in table.columns), strict=True)
        rows += [tuple(_value(value) for value in row) for row in values]
    return rows


def _value(value: object) -> Value:
    found = plain(value)
    return str(found).lower() if isinstance(found, bool) or found is None else found
