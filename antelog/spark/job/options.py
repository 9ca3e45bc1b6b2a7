"""The keyword arguments of the functions on Spark: settings of all runners, and two of their own.

    @takes(ChangeOptions)
    def changes(program, inputs, options: ChangeOptions): ...

    changes(program, inputs, buckets=4, lag=3)

`antelog.spark` explains them; types and defaults are those of `antelog.run.settings`.
"""

from __future__ import annotations

from dataclasses import dataclass

from antelog.given import TEXT
from antelog.run.options import in_python, option
from antelog.run.settings import (
    ChanceSettings,
    ClockSettings,
    KindSettings,
    LimitSettings,
    SparkSettings,
    StaticFrames,
    StreamSettings,
)


@dataclass(frozen=True, kw_only=True)
class OneQuery:
    """The query whose answers are wanted; None: all queries."""

    query: str | None = option(None, in_python(TEXT), "The query whose answers are wanted.")


@dataclass(frozen=True, kw_only=True)
class LearnOptions(SparkSettings, StaticFrames):
    """The options of `learn`."""


@dataclass(frozen=True, kw_only=True)
class ScoreOptions(SparkSettings, ChanceSettings, StaticFrames):
    """The options of `scores`."""


@dataclass(frozen=True, kw_only=True)
class AnswerOptions(SparkSettings, LimitSettings, StaticFrames, OneQuery):
    """The options of `answers`."""


@dataclass(frozen=True, kw_only=True)
class RejectOptions(StreamSettings, StaticFrames):
    """The options of `rejects`."""


@dataclass(frozen=True, kw_only=True)
class OutputOptions(StreamSettings, LimitSettings, KindSettings, StaticFrames):
    """The options of `outputs`: all options of a run."""


@dataclass(frozen=True, kw_only=True)
class ChangeOptions(OutputOptions, OneQuery):
    """The options of `changes`."""


@dataclass(frozen=True, kw_only=True)
class FunctionOptions(ClockSettings, LimitSettings, KindSettings, StaticFrames):
    """The options of `register`."""
