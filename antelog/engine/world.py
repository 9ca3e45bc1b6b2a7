"""Everything the truth of a literal rests on, at one step of the engine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from antelog.compile.plan import Atom, Input, Relation
from antelog.engine.foresight import Foresight
from antelog.engine.history import History
from antelog.engine.layout import Layout
from antelog.engine.match import Background
from antelog.engine.schema import AnswerTypes
from antelog.engine.settled import Settled
from antelog.engine.tables import Column
from antelog.engine.values import Values


@dataclass(frozen=True)
class World:
    """The prepared plan, the facts that still matter, and what has been settled for good.

    Time begins at `begin`. A step finishes the ticks after `before`, up to `now`. `types` are those
    of the columns in which answers are told. Answers of a relation about ticks before its `since`
    have been given up, for want of room (see `reach`). `memo` is what the step has found out so far
    and may need again. What was settled is remembered `lag` ticks later (see `remembering`).
    """

    relations: Mapping[str, Relation]
    layouts: Mapping[str, tuple[Layout, ...]]
    background: Mapping[str, tuple[Background, ...]]
    inputs: Mapping[str, Input]
    cycles: Mapping[str, frozenset[str]]
    foresight: Foresight
    values: Values
    history: History
    settled: Mapping[str, Settled]
    types: AnswerTypes
    since: Mapping[str, int]
    lag: int
    begin: int
    before: int
    now: int
    memo: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)

    def background_of(self, layout: Layout) -> Background:
        """What static facts say of a pattern."""
        known = self.memo.setdefault("background", {})
        if not known:
            for name, own in self.layouts.items():
                known.update(zip(own, self.background[name], strict=True))
        found: Background = known[layout]
        return found

    @property
    def starting(self) -> bool:
        """Whether there is nothing before this step."""
        return self.before < self.begin


def fact_ticks(atom: Atom, layout: Layout, ticks: Column | None) -> Column | None:
    """The ticks at which the facts of a literal stand, for answers about these ticks."""
    time, answer = atom.time, layout.pattern.time
    if time.variable is None:
        return np.array([time.offset])
    if ticks is None or time.variable != answer.variable:
        return None
    return ticks + (time.offset - answer.offset)
