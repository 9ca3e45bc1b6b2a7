"""How a program is to be run, as a user says it.

    changes(program, inputs, buckets=4, lag=3)  ->  Options(buckets=4, times=Times(lag=3))

`antelog.spark` has the meanings. What one has if it is not given is said here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, TypedDict

from antelog.forecast.columns import KINDS
from antelog.given import FLAG, MODEL, NUMBER, TEXT, TEXTS, WHOLE, check, optional
from antelog.language.checks.suggestions import did_you_mean

if TYPE_CHECKING:  # without chances nothing of the forecast is loaded
    from antelog.spark.job.forecasts import GivenModel


@dataclass(frozen=True)
class Times:
    """What moves time on, and from where to where."""

    clock: str | None = None
    lag: int = 1
    idle: str | None = None
    until: int | None = None
    begin: int | None = None


@dataclass(frozen=True)
class Chances:
    """How likely open answers are: from what, whether that goes on being learned, and which are dropped."""

    model: GivenModel = None
    learn: bool = False
    min_chance: float | None = None
    most: int | None = None


@dataclass(frozen=True)
class Options:
    """The options of a run, with what they are unless told otherwise."""

    arrival: str = "arrival"
    only: Sequence[str] = KINDS
    buckets: int | None = None
    times: Times = Times()
    chances: Chances = Chances()


class ForModels(TypedDict, total=False):
    """Options of what learns a model of a batch."""

    clock: str | None
    arrival: str
    buckets: int | None
    until: int | None
    begin: int | None


class ForScores(ForModels, total=False):
    """Options of what asks how good the chances of answers were."""

    model: GivenModel
    learn: bool


class ForAnswers(ForScores, total=False):
    """Options of what asks for the answers at the end of a batch."""

    min_chance: float | None
    most: int | None


class ForRejects(ForModels, total=False):
    """Options of what asks for facts that are set aside."""

    lag: int
    idle: str | None


class ForChanges(ForRejects, ForAnswers, total=False):
    """Options of what asks for changes: all there are."""

    only: Sequence[str]


_KINDS = {
    **dict.fromkeys(("clock", "idle"), optional(TEXT)),
    **dict.fromkeys(("buckets", "until", "begin", "most"), optional(WHOLE)),
    "arrival": TEXT,
    "lag": WHOLE,
    "model": optional(MODEL),
    "only": TEXTS,
    "learn": FLAG,
    "min_chance": optional(NUMBER),
}


def options_of(function: str, taken: type, given: Mapping[str, Any]) -> Options:
    """The options a function was given. Raises TypeError, as Python does, for one it does not have."""
    known = taken.__annotations__
    for name in given:
        if name not in known:
            hint = did_you_mean(name, known) or f"It has {', '.join(known)}."
            raise TypeError(f"{function}() has no option {name}. {hint}")
    check(function, given, _KINDS)
    return Options(
        **_of(Options, given), times=Times(**_of(Times, given)), chances=Chances(**_of(Chances, given))
    )


def _of(group: type[Options | Times | Chances], given: Mapping[str, Any]) -> dict[str, Any]:
    return {each.name: given[each.name] for each in fields(group) if each.name in given}
