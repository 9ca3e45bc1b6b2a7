"""Settings of rules and sources, apart from those that need the engine: `antelog check` starts without it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from antelog.given import NUMBER
from antelog.language.epochs import UNITS
from antelog.run import values
from antelog.run.address import Address
from antelog.run.options import FILE, SOURCE, Arity, named_file, option, plain, text

REPLAYS = ("try", "learn", "score", "draw", "diff")
FOLLOWING = ("watch", "run")
ALL = (*REPLAYS, "why", *FOLLOWING)  # the commands that read facts through a program, to its end or for ever
RUNNING = (*ALL, "play")  # also those that run it over facts in any other way

_UNIT = plain("[P=]UNIT", values.of_times("unit"), words=UNITS)
_ZONE = plain("[P=]ZONE", values.of_times("zone"))
_FORMAT = plain("[P=]FORMAT", values.of_times("form"))


@dataclass(frozen=True, kw_only=True)
class ValueSettings:
    """Values that the rules leave open."""

    limits: Mapping[str, int | float] = option(
        {}, plain("LIMIT=NUMBER", values.number, kind=NUMBER, toml=(int, float)),
        "The value of a limit of the program, in place of its own.",
        name="set", on=(*RUNNING, "check", "test"), complete="limits", example="hot=85",
    )  # fmt: skip
    functions: Path | None = option(
        None, named_file("FILE.py"),
        "A Python file with the functions that the program declares. Its code runs as this user.",
        on=(*RUNNING, "test"),
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class SourceSettings(ValueSettings):
    """The rules, and where facts come from."""

    program: Path | None = option(None, FILE, "The file with the rules.", on=RUNNING, arity=Arity.ARGUMENT)
    inputs: Mapping[str, Address] = option(
        {}, SOURCE, "Where the facts of an input come from: {sources}.",
        name="input", on=RUNNING, predicates=True, entry="source", complete="inputs",
        example="Temp=readings.csv",
    )  # fmt: skip
    statics: Mapping[str, Address] = option(
        {}, SOURCE, "Where facts of a static predicate come from, in addition to those of the program.",
        name="static", on=RUNNING, predicates=True, entry="source", complete="statics",
        example="Site=sites.csv",
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class ColumnSettings:
    """The names of columns in sources, and how their times are read."""

    map: Mapping[str, str] = option(
        {}, text("COLUMN=NAME"),
        "The name of a column in a file or another source, of any input or (P.COLUMN=NAME) of one. `a.b.c` "
        "names a field within fields. @row is where a row was read, as in `readings.csv:17`: it tells equal "
        "ones apart. @number is its number, in the order read. With `antelog run`, @key is the key of a "
        "message, @timestamp its time.",
        name="map", on=ALL, dotted=True, within=("input", "static"),
        example="device=sensor_id, or Temp.device=sensor_id",
    )  # fmt: skip
    time_units: Mapping[str, str] = option(
        {}, _UNIT,
        "What numbers in columns of times count since 1970, in all inputs or in one: s, ms, us or ns; or "
        "that they are ticks. If not given, it is recognised where numbers are too large for ticks.",
        name="time_unit", on=ALL, nameless=True, within=("input",), complete="inputs", example="Temp=ms",
    )  # fmt: skip
    time_zones: Mapping[str, str] = option(
        {}, _ZONE,
        "The zone of times without an offset, in all inputs or in one. If not given, it is the program's "
        "`zone`, else UTC.", name="time_zone", on=ALL, nameless=True, within=("input",), complete="inputs",
        example="Temp=Europe/Berlin",
    )  # fmt: skip
    time_formats: Mapping[str, str] = option(
        {}, _FORMAT,
        "The format of times in texts, in all inputs or in one, as `strptime` has it: %m/%d/%Y %H:%M. Other "
        "texts are read as ever.",
        name="time_format", on=ALL, nameless=True, within=("input",), complete="inputs",
        example="Temp=%d/%m/%Y",
    )  # fmt: skip
