"""A query in a step: whose answers are looked at, about which ticks, and which lines are wanted.

Malf about ticks 5 to 7, in the step that finishes ticks 8 and 9; kinds confirmed and rejected
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from antelog.engine.carried import SettledAnswers
from antelog.engine.columns.spans import Spans
from antelog.engine.columns.tables import Column, Mask
from antelog.engine.step.schema import NO_COLUMNS, AnswerColumns
from antelog.engine.values.values import Values

KINDS = ("possible", "revised", "confirmed", "rejected", "closed")
POSSIBLE, REVISED, CONFIRM, REJECT, CLOSE = range(5)  # the first two leave an answer open
DECIDED = frozenset(KINDS[CONFIRM:])
"""The kinds of changes after which an answer is not open."""

Kinds: TypeAlias = NDArray[np.integer[Any]]
"""For each line, or each moment, the kind of change as its place in KINDS."""

STILL_OPEN = "open"
"""The kind of lines about answers as they are, whether or not something changed."""

Share: TypeAlias = Callable[[str, Sequence[Column], Values], Mask]
"""Which answers of a query are wanted, given the cells of their variables, if not all are."""


@dataclass(frozen=True)
class Step:
    """The ticks a step finishes: those after `before`, up to `now`. Time begins at `begin`."""

    begin: int
    before: int
    now: int


@dataclass(frozen=True)
class LineSelection:
    """The lines that are wanted: kinds of changes, of a share of answers.

    If `staged`, with their stages; unless `explained`, without explanations and `because`. Their literals are
    texts, or `structs`.
    """

    only: Sequence[str] = KINDS
    share: Share | None = None
    staged: bool = False
    explained: bool = True
    structs: bool = False


ALL_LINES = LineSelection()


@dataclass(frozen=True, eq=False)
class HiddenAnswers:
    """The answers about which nothing is reported: those about ticks before `since`, and `settled` ones."""

    since: int | None = None
    settled: SettledAnswers | None = None


NOTHING_HIDDEN = HiddenAnswers()


@dataclass(frozen=True)
class StepQuery:
    """A query in a step: its answers about some ticks, but for those that are `hidden`.

    With `confirmed_only` derivations are looked for that are complete by the end of the step, with `past`
    also those that are over. `columns` are those of the answers.
    """

    name: str
    about: Spans
    step: Step
    wanted: LineSelection = ALL_LINES
    hidden: HiddenAnswers = NOTHING_HIDDEN
    confirmed_only: bool = False
    past: bool = False
    columns: AnswerColumns = NO_COLUMNS
