"""A program and some facts, opened up: what each stage is given, and its rows in plain values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import antelog
from antelog.compile.nodes.plan import Plan
from antelog.compile.prepared.pattern import Prepared
from antelog.engine import kernel
from antelog.engine.columns.spans import EVERYWHERE
from antelog.engine.columns.tables import NEVER, Column
from antelog.engine.state import State, begun, knowledge_of, start, with_facts
from antelog.engine.step.derivations import Knowledge
from antelog.engine.step.explanations import Explanations
from antelog.engine.step.lines import Lines, changes
from antelog.engine.step.matching import Background, Partial, partials
from antelog.engine.step.query import Step, StepQuery
from antelog.engine.step.rows import ONE, Rows

Fact = tuple[Any, ...]


@dataclass(frozen=True)
class Stage:
    """A plan, and the state when some facts have come: what stages look at."""

    plan: Plan
    state: State
    now: int

    @property
    def known(self) -> Knowledge:
        """The knowledge of a step, with nothing found out yet."""
        return knowledge_of(self.plan, self.state)

    def query(self) -> StepQuery:
        """The program's query in a step from the first tick on."""
        (query,) = self.plan.queries
        return kernel.query_of(
            self.plan, self.state, StepQuery(query.name, EVERYWHERE, Step(0, -1, self.now))
        )

    def reported(self) -> Explanations:
        """The explanations of the query's answers."""
        return kernel.explained(self.known, self.query())

    def changes(self) -> Lines:
        return changes(self.known, self.query(), self.reported())

    def pattern(self, relation: str, number: int = 0) -> tuple[Prepared, Background]:
        """A pattern as the engine looks at it, and its background."""
        return self.known.rules.patterns[relation][number], self.known.static.of_patterns[relation][number]

    def partials(self, relation: str, number: int = 0) -> list[Partial]:
        """All rows of a pattern."""
        prepared, background = self.pattern(relation, number)
        return partials(prepared, ONE, self.known.found(prepared, None), background, self.state.values)

    def cells(self, *values: Any) -> Column:
        """The cells of some values."""
        return np.array([self.state.values.cell(value) for value in values], np.int64)

    def read(self, prepared: Prepared, rows: Rows) -> list[dict[str, Any]]:
        """Rows in plain values, in the order of their texts."""
        times, texts = prepared.time_variables, self.state.values.texts
        columns = {
            name: ticks(column) if name in times else texts(column).to_pylist()
            for name, column in sorted(rows.bound.items())
        }
        found = [{name: column[i] for name, column in columns.items()} for i in range(rows.count)]
        return sorted(found, key=str)


def stage(text: str, facts: Iterable[Fact] = (), now: int = 9) -> Stage:
    """A program when facts (input, values…, time, arrival) have come, and nothing was reported yet."""
    plan = antelog.parse(text).plan
    given: dict[str, list[Fact]] = {}
    for name, *values in facts:
        given.setdefault(name, []).append(tuple(values))
    state, batch = kernel.admitted(plan, start(plan), given, now)
    assert batch.rejects.num_rows == 0, batch.rejects.to_pylist()
    state = begun(plan, state, batch.facts)
    return Stage(plan, with_facts(state, batch.facts), now)


def ticks(column: Sequence[int] | Column) -> list[int | None]:
    """Ticks, and None for never."""
    return [None if tick >= NEVER else int(tick) for tick in column]
