"""The program of a feed: what the page has to know of its queries, and the groups and texts of their answers.

Malf(wt2, 7), OK(wt2, 9)     group wt2, if X is the program's key, or the first variable of each
Halted(7)                    group Halted, which has no variable but the time
Malf(X, 7)                   group ?, for X is open
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from antelog.compile.nodes.plan import Plan, Relation
from antelog.compile.plan.partition import group_variables
from antelog.diagnostics import Source
from antelog.errors import AntelogError
from antelog.language import read
from antelog.language.durations import ticks_in_words
from antelog.language.graph import graph_of
from antelog.language.moments import Timescale
from antelog.language.templates import UNKNOWN
from antelog.program import Program, compiled
from antelog.watch.board.tracked_answer import TrackedAnswer


@dataclass(frozen=True)
class FeedProgram:
    """The program of a feed, and where it was read from."""

    source: Source = field(default_factory=lambda: Source("", ""))

    @cached_property
    def program(self) -> Program | None:
        """The parsed program; None if there is no text or it has errors."""
        try:
            return compiled(read(self.source)) if self.source.text else None
        except AntelogError:
            return None

    @property
    def path(self) -> str:
        """The name of its file."""
        return self.source.name

    @property
    def length(self) -> int | None:
        """How long a tick is, in microseconds."""
        return self.program.plan.tick if self.program else None

    @property
    def timescale(self) -> Timescale | None:
        """The times of ticks."""
        return self.program.plan.timescale if self.program else None

    @cached_property
    def _queries(self) -> Sequence[Relation]:
        return [*self.program.plan.queries] if self.program else []

    @cached_property
    def ticks(self) -> Mapping[str, Mapping[str, str]]:
        """The variables of each query that have ticks, with their types."""
        return {query.name: query.answer.ticks for query in self._queries}

    @cached_property
    def alerts(self) -> Mapping[str, float | None]:
        """The threshold of alerts of each query."""
        return {query.name: query.alert for query in self._queries}

    @cached_property
    def _severities(self) -> Mapping[str, str]:
        return {query.name: query.severity for query in self._queries}

    @cached_property
    def rests_on(self) -> Mapping[str, frozenset[str]]:
        """The inputs that each query depends on."""
        if self.program is None:
            return {}
        below: dict[str, set[str]] = {}
        for edge in graph_of(self.program.document).edges:
            below.setdefault(edge.target, set()).add(edge.source)
        names = {each.name for each in self.program.plan.inputs}
        return {query.name: frozenset(names & _reachable(below, query.predicate)) for query in self._queries}

    @cached_property
    def keys(self) -> Mapping[str, str]:
        """The variable of each query by which its answers are grouped."""
        return {} if self.program is None else group_variables(self.program.plan)

    def severity(self, query: str) -> str:
        """How bad a confirmed answer of a query is: critical, warning, info or good."""
        return self._severities.get(query, "info")

    def key_of(self, answer: TrackedAnswer) -> str:
        """The group of an answer."""
        values, ticks = answer.values, self.ticks.get(answer.query, {})
        name = self.keys.get(answer.query) or next((each for each in values if each not in ticks), None)
        return group_name(answer.query, values, name)

    def label(self, answer: TrackedAnswer) -> str:
        """The text of an answer, its times as times."""
        return label(answer.query, answer.values, self.ticks.get(answer.query, {}), self.timescale)


def key_column(plan: Plan) -> str | None:
    """The name of the key: that of the column of the first input that has it."""
    inputs = {each.name: each for each in plan.inputs}
    found = (inputs[each.name].columns[each.position] for each in plan.key.positions if each.name in inputs)
    return next(found, None)


def group_name(query: str, values: Mapping[str, object], variable: str | None) -> str:
    """The group of an answer: its value of the variable; the query if it has none."""
    if variable is None or variable not in values:
        return query
    value = values[variable]
    if value is None:
        return UNKNOWN
    return str(value).lower() if isinstance(value, bool) else str(value)


def label(
    query: str,
    values: Mapping[str, Any],
    ticks: Mapping[str, str] | None = None,
    timescale: Timescale | None = None,
) -> str:
    """`Malf(wt2, 7)`; `ticks` has the types of variables written as times or durations."""
    return f"{query}({', '.join(value_text(values, name, ticks or {}, timescale) for name in values)})"


def value_text(
    values: Mapping[str, Any], name: str, ticks: Mapping[str, str], timescale: Timescale | None
) -> str:
    value = values[name]
    if name in ticks and isinstance(value, int):
        return ticks_in_words(value, ticks[name], timescale)
    return "…" if value is None else str(value)


def _reachable(edges: Mapping[str, Iterable[str]], start: str) -> set[str]:
    """The nodes that edges lead to from one, and that one."""
    found, waiting = {start}, [start]
    while waiting:
        new = set(edges.get(waiting.pop(), ())) - found
        found |= new
        waiting += new
    return found
