"""Which column of a source is which column of the program: by what maps say, by name, or by position."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from antelog.compile.plan import Const, Plan
from antelog.errors import DataError
from antelog.files import Wanted, wanted_of
from antelog.files.columns import places
from antelog.files.csv_files import first_line
from antelog.language.checks.suggestions import did_you_mean
from antelog.spark.endpoints import Files, Kafka, Rate, Source

if TYPE_CHECKING:  # PySpark is imported when it is known that it will be needed
    from antelog.spark.session import Session
    from antelog.spark.sources import CsvLayout, Reading
    from antelog.spark.text_columns import Kind

_LINES = 1_000
"""So many lines of JSON are looked at for the names in them."""


@dataclass(frozen=True)
class _Found:
    """What a source has: the names of its columns (None: whatever is asked for), and how lines are cut."""

    names: list[str] | None
    layout: CsvLayout | None = None


def reading_of(
    spark: Session,
    plan: Plan,
    name: str,
    source: Source,
    maps: Mapping[str, str],
    arrival: str | None,
) -> Reading:
    """How to read the facts of an input or a static predicate from a source.

    `arrival` is the column of arrivals if one must be there; otherwise `arrival` is one if it is there.
    Raises DataError if the columns are not there.
    """
    from antelog.spark.sources import Reading  # noqa: PLC0415 - needs PySpark

    wanted = wanted_of(plan, name, arrival or "arrival")
    asked = [*wanted.columns, *([arrival] if wanted.timed and arrival else [])]
    mapped = {column: maps[key] for column in asked for key in (column, f"{name}.{column}") if key in maps}
    found = _look(spark, source, wanted, asked, mapped)
    if found.names is None:
        columns = {column: mapped.get(column, column) for column in asked}
    else:
        columns = _columns(wanted, found.names, mapped, str(source))
        if arrival and wanted.timed and arrival not in columns:
            hint = did_you_mean(arrival, found.names) or f"It has {', '.join(found.names)}."
            raise DataError(f"{source}: has no column {arrival} for the arrivals of {name}. {hint}")
    kinds: dict[str, Kind] = dict.fromkeys(columns, "time")
    for column, type_ in zip(wanted.columns, wanted.types, strict=False):
        # A column without a type is compared with nothing, and texts are what they are.
        kinds[column] = "number" if type_ == "number" else "text"
    return Reading(
        source,
        columns,
        kinds,
        plan.tick,
        found.layout,
        {column: _constants(plan, name, i) for i, column in enumerate(wanted.columns[: len(wanted.types)])},
    )


def _columns(wanted: Wanted, names: list[str], mapped: Mapping[str, str], source: str) -> dict[str, str]:
    """For each wanted column its name in the source."""
    shown = list(names)
    for column, name in mapped.items():
        if name.startswith("@"):
            shown.append(column)
            names = [*names, name]
            continue
        if name not in names:
            hint = did_you_mean(name, names) or f"It has {', '.join(names)}."
            raise DataError(f"{source}: has no column {name}, which {column} is mapped to. {hint}")
        # A column of the name that is mapped elsewhere is not the one that is wanted.
        shown = ["" if each == column else each for each in shown]
        shown[names.index(name)] = column
    at = places(wanted, shown, source)
    columns = {column: names[i] for column, i in zip(wanted.columns, at.columns, strict=True)}
    return columns if at.arrival is None else {**columns, wanted.arrival: names[at.arrival]}


def _look(
    spark: Session, source: Source, wanted: Wanted, asked: list[str], mapped: Mapping[str, str]
) -> _Found:
    from antelog.spark import sources  # noqa: PLC0415 - needs PySpark

    match source:
        case Rate():
            return _Found(None)
        case Kafka(values="json"):
            return _Found(None)
        case Kafka():
            return _Found(None, sources.CsvLayout(",", tuple(asked), None))
        case Files(form="json"):
            return _Found(_names(sources.head(spark, source, _LINES)))
        case Files(form="csv"):
            lines = sources.head(spark, source, 1)
            if not lines:
                raise DataError(
                    f"{source}: is empty, so that its columns are not known; write a header into it"
                )
            return _csv(lines[0], source, wanted, mapped)
        case _:
            return _Found(sources.names(spark, source))


def _names(lines: Iterable[str]) -> list[str] | None:
    """The names that occur in lines of JSON; None if there are no lines."""
    names: dict[str, None] = {}
    for line in lines:
        try:
            found = json.loads(line)
        except ValueError:
            continue
        if isinstance(found, dict):
            names |= dict.fromkeys(found)
    return list(names) or None


def _csv(first: str, source: Files, wanted: Wanted, mapped: Mapping[str, str]) -> _Found:
    from antelog.spark.sources import CsvLayout  # noqa: PLC0415 - needs PySpark

    line = first_line(first.encode(), Path(source.path), wanted)
    assert line is not None  # a line without anything in it was no first one
    if line.row is None or any(name in line.values for name in mapped.values()):
        return _Found(line.values, CsvLayout(line.separator, tuple(line.values), first))
    names = [""] * len(line.values)
    for column, i in zip((*wanted.columns, wanted.arrival), line.row.all, strict=False):
        names[i] = column
    return _Found(names, CsvLayout(line.separator, tuple(names), None))


def _constants(plan: Plan, name: str, position: int) -> tuple[str | int | float, ...]:
    """What the rules ask for at a place of an input, for facts that are made up."""
    atoms = (
        atom
        for relation in plan.relations
        for pattern in relation.patterns
        for atom in pattern.atoms
        if atom.predicate == name
    )
    arguments = (atom.arguments[position] for atom in atoms)
    return tuple(dict.fromkeys(each.value for each in arguments if isinstance(each, Const)))
