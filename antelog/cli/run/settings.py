"""What `antelog run` is asked to do, whether on the command line or in a file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

from antelog import secrets
from antelog.cli.run.setting_error import SettingError
from antelog.cli.run.variables import filled
from antelog.engine.log.changes import KINDS
from antelog.language.checks.suggestions import did_you_mean
from antelog.language.durations import microseconds
from antelog.language.syntax import Bound
from antelog.spark.endpoints.endpoints import Sink, Source
from antelog.spark.settings import CLOCKS

ONCE, AVAILABLE_NOW = "once", "available-now"
_SHORTEST = Fraction(1_000)  # a millisecond


@dataclass(frozen=True)
class Settings:
    """Everything a pipeline has. `maps` is from `P.column`, or `column` of any input, to a source's name."""

    program: Path | None = None
    inputs: Mapping[str, Source] = field(default_factory=dict)
    statics: Mapping[str, Source] = field(default_factory=dict)
    maps: Mapping[str, str] = field(default_factory=dict)
    outputs: tuple[Sink, ...] = ()
    rejects: Sink | None = None
    only: tuple[str, ...] = KINDS
    stream: bool = False
    checkpoint: str | None = None
    trigger: str | None = None
    clock: str | None = None
    arrival: str | None = None
    chunk: int | None = None
    buckets: int | None = None
    lag: int | None = None
    idle: str | None = None
    until: int | None = None
    master: str | None = None
    conf: Mapping[str, str] = field(default_factory=dict)


def kinds(text: str) -> tuple[str, ...]:
    """Kinds of changes, with commas between them."""
    found = tuple(kind.strip() for kind in text.split(","))
    for kind in found:
        if kind not in KINDS:
            hint = did_you_mean(kind, KINDS) or f"The kinds are {', '.join(KINDS)}."
            raise SettingError(f"there is no change of the kind `{kind}`", hint)
    return found


def setting(name: str, text: str) -> tuple[str, str]:
    """A setting of Spark's, with the values of variables filled in."""
    value = filled(text)
    secrets.remember(name, value)
    return name, value


def clock(text: str) -> str:
    if text not in CLOCKS:
        hint = did_you_mean(text, CLOCKS) or f"The clocks are {', '.join(CLOCKS)}."
        raise SettingError(f"there is no clock `{text}`", hint)
    return text


def trigger(text: str) -> str:
    """`once`, `available-now`, or a duration in the words Spark takes."""
    if text in (ONCE, AVAILABLE_NOW):
        return text
    near = did_you_mean(text, (ONCE, AVAILABLE_NOW))
    return _duration(text, near or f"Write a duration, like 10s or 5 minutes, or {ONCE}, or {AVAILABLE_NOW}.")


def duration(text: str) -> str:
    """A duration in the words Spark takes."""
    return _duration(text, "Write one like 30s or 5 minutes.")


def _duration(text: str, hint: str) -> str:
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-z]+)\s*", text)
    length = microseconds(Bound(float(match[1]), match[2])) if match else None
    if length is None:
        raise SettingError(f"`{text}` is no duration", hint)
    if length < _SHORTEST:
        raise SettingError(f"`{text}` is shorter than a millisecond", hint)
    return f"{round(length / 1_000)} milliseconds"


def at_least(least: int, number: int) -> int:
    if number < least:
        raise SettingError(f"{number} is too little", f"{least} is the least.")
    return number


def master(text: str) -> str:
    if text.startswith("sc://"):
        raise SettingError(
            f"`{text}` is a Spark Connect server, and the outputs of `antelog run` need the driver itself",
            "Give a cluster's master (spark://…, yarn, k8s://…) or local[*], or use antelog.spark.changes "
            "in a Connect session of your own.",
        )
    return text
