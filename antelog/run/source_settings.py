"""Settings of rules and sources, apart from those that need the engine: `antelog check` starts without it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from antelog.given import NUMBER
from antelog.language.epochs import UNITS
from antelog.run import values
from antelog.run.address import Address
from antelog.run.options import FILE, SOURCE, STATIC, Arity, named_file, option, plain, text

REPLAYS = ("try", "learn", "score", "draw", "diff")
FOLLOWING = ("watch", "run")
ALL = (*REPLAYS, "why", *FOLLOWING)  # the commands that read facts through a program, to its end or for ever

_UNIT = plain("[P=]UNIT", values.of_times("unit"), words=UNITS)
_ZONE = plain("[P=]ZONE", values.of_times("zone"))
_FORMAT = plain("[P=]FORMAT", values.of_times("form"))


@dataclass(frozen=True, kw_only=True)
class ValueSettings:
    """Values that the rules leave open."""

    limits: Mapping[str, int | float] = option(
        {}, plain("LIMIT=NUMBER", values.number, kind=NUMBER, toml=(int, float))
    )
    functions: Path | None = option(None, named_file("FILE.py"))


@dataclass(frozen=True, kw_only=True)
class SourceSettings(ValueSettings):
    """The rules, and where facts come from."""

    program: Path | None = option(None, FILE, arity=Arity.ARGUMENT)
    inputs: Mapping[str, Address] = option({}, SOURCE)
    statics: Mapping[str, Address] = option({}, STATIC)


@dataclass(frozen=True, kw_only=True)
class ColumnSettings:
    """The names of columns in sources, and how their times are read."""

    map: Mapping[str, str] = option({}, text("COLUMN=NAME"))
    time_units: Mapping[str, str] = option({}, _UNIT)
    time_zones: Mapping[str, str] = option({}, _ZONE)
    time_formats: Mapping[str, str] = option({}, _FORMAT)
