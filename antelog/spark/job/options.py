"""The keyword arguments of the functions on Spark: settings of all runners, and two of their own.

    @takes(ChangeOptions)
    def changes(program, inputs, options: ChangeOptions): ...

    changes(program, inputs, buckets=4, lag=3)

`antelog.spark` explains them; types and defaults are those of `antelog.run.settings`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from antelog.given import NAMED, TEXT
from antelog.run.chance_settings import ChanceSettings, LimitSettings
from antelog.run.options import Syntax, option
from antelog.run.settings import ClockSettings, KindSettings, SparkSettings, StreamSettings

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_FRAMES = Syntax("", lambda text, _: text, NAMED)
_NAME = Syntax("NAME", lambda text, _: text, TEXT)


@dataclass(frozen=True, kw_only=True)
class StaticFrames:
    """Background facts in addition to those of the program."""

    static: Mapping[str, DataFrame] | None = option(None, _FRAMES, "Background facts, as batches.")


@dataclass(frozen=True, kw_only=True)
class OneQuery:
    """The query whose answers are wanted; None: all queries."""

    query: str | None = option(None, _NAME, "The query whose answers are wanted.")


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
