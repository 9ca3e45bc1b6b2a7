"""What `antelog run` is asked to do, whether on the command line or in a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from antelog import secrets
from antelog.forecast.engine import LEARN
from antelog.forecast.kinds import KINDS
from antelog.language.checks.suggestions import did_you_mean
from antelog.run.values import SettingError, filled, length_of
from antelog.spark.endpoints.endpoints import Sink, Source
from antelog.spark.settings import CLOCKS

ONCE, AVAILABLE_NOW = "once", "available-now"
_SHORTEST = Fraction(1_000)  # a millisecond


@dataclass(frozen=True)
class Sources:
    """Where facts come from. `maps` is from `P.column`, or `column` of any input, to a source's name.

    `learn_from` has the history of inputs; of the only input under an empty name, if none was given.
    `time_units` says what the times of inputs count since 1970; those of all under an empty name.
    """

    inputs: Mapping[str, Source] = field(default_factory=dict)
    statics: Mapping[str, Source] = field(default_factory=dict)
    maps: Mapping[str, str] = field(default_factory=dict)
    learn_from: Mapping[str, Source] = field(default_factory=dict)
    time_units: Mapping[str, str] = field(default_factory=dict)

    def history(self, inputs: Sequence[str]) -> dict[str, Source]:
        """The history of a program's inputs, by their names."""
        return {name or inputs[0]: source for name, source in self.learn_from.items()}


@dataclass(frozen=True)
class Sinks:
    """Where changes go, those of which kinds, and where rows go that are set aside.

    And by which model it is said how likely open answers are: `learn`, or the path of one. Answers less
    likely than `min_chance` are dropped, and the least likely of more than `most` in a bucket.
    """

    outputs: tuple[Sink, ...] = ()
    rejects: Sink | None = None
    only: tuple[str, ...] = KINDS
    model: str | Path | None = None
    min_chance: float | None = None
    most: int | None = None

    @property
    def all(self) -> tuple[Sink, ...]:
        return self.outputs if self.rejects is None else (*self.outputs, self.rejects)


@dataclass(frozen=True)
class Flow:
    """Whether the sources are followed, and how."""

    stream: bool = False
    checkpoint: str | None = None
    trigger: str | None = None
    chunk: int | None = None


@dataclass(frozen=True)
class Timing:
    """What moves time on, and how far."""

    clock: str | None = None
    arrival: str | None = None
    lag: int | None = None
    idle: str | None = None
    until: int | None = None


@dataclass(frozen=True)
class Cluster:
    """On what Spark runs, and in how many parts."""

    buckets: int | None = None
    master: str | None = None
    conf: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Settings:
    """Everything a pipeline has. No two settings of its groups have the same name."""

    program: Path | None = None
    sources: Sources = Sources()
    sinks: Sinks = Sinks()
    flow: Flow = Flow()
    timing: Timing = Timing()
    cluster: Cluster = Cluster()

    @property
    def model(self) -> str | Path | None:
        """By which model it is said how likely open answers are: with a history, by what that teaches."""
        return LEARN if self.sources.learn_from else self.sinks.model

    def changed(self, values: Mapping[str, Any]) -> Settings:
        """The same with other values of some settings, by their names: `{"lag": 3, "stream": True}`."""
        program = values.get("program", self.program)
        groups = (self.sources, self.sinks, self.flow, self.timing, self.cluster)
        return Settings(program, *(_changed(group, values) for group in groups))


def _changed(group: Any, values: Mapping[str, Any]) -> Any:
    return replace(group, **{f.name: values[f.name] for f in fields(group) if f.name in values})


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
    length = length_of(text)
    if length is None:
        raise SettingError(f"`{text}` is not a duration", hint)
    if length < _SHORTEST:
        raise SettingError(f"`{text}` is shorter than a millisecond", hint)
    return f"{round(length / 1_000)} milliseconds"


def at_least(least: int, number: int) -> int:
    if number < least:
        raise SettingError(f"{number} is too little", f"{least} is the least.")
    return number


def chance(number: float) -> float:
    if not 0 <= number <= 1:
        raise SettingError(f"{number} is no chance", "Write one from 0 to 1, like 0.01.")
    return number


def master(text: str) -> str:
    if text.startswith("sc://"):
        raise SettingError(
            f"`{text}` is a Spark Connect server, and the outputs of `antelog run` need the driver itself",
            "Give a cluster's master (spark://…, yarn, k8s://…) or local[*], or use antelog.spark.changes "
            "in a Connect session of your own.",
        )
    return text
