"""The program of a feed: its queries, the groups and texts of their answers, and the rules behind these."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from antelog.compile.nodes.plan import Plan, Relation
from antelog.compile.plan.partition import group_variables
from antelog.diagnostics import Source
from antelog.engine.step.wording import value_in_words
from antelog.errors import AntelogError
from antelog.language import read
from antelog.language.durations import ticks_in_words
from antelog.language.graph import graph_of, reachable
from antelog.language.moments import Timescale
from antelog.language.syntax import atoms_of
from antelog.language.templates import UNKNOWN, TemplateError, template_of
from antelog.lines import LogLine
from antelog.program import Program, compiled
from antelog.watch.board.scoring import USUAL
from antelog.watch.board.tracked_answer import TrackedAnswer, marks

POSSIBLE = "possible: "
_HEDGED = re.compile(
    r"\b(about to|going to|may|might|could|would|should|will|soon|likely|possibl\w*|probabl\w*|risk\w*"
    r"|threat\w*|expect\w*)\b",
    re.IGNORECASE,
)  # words that do not read as fact


@dataclass(frozen=True)
class FeedProgram:
    """The program of a feed, by its source."""

    source: Source = field(default_factory=lambda: Source("", ""))

    @cached_property
    def program(self) -> Program | None:
        """The parsed program; None if there is no text or it has errors."""
        try:
            return compiled(read(self.source)) if self.source.text else None
        except AntelogError:
            return None

    @cached_property
    def timescale(self) -> Timescale | None:
        return self.program.plan.timescale if self.program else None

    @cached_property
    def _queries(self) -> Mapping[str, Relation]:
        return {query.name: query for query in self.program.plan.queries} if self.program else {}

    @cached_property
    def ticks(self) -> Mapping[str, Mapping[str, str]]:
        """The variables of each query that have ticks, with their types."""
        return {name: query.answer.ticks for name, query in self._queries.items()}

    @cached_property
    def alerts(self) -> Mapping[str, float | None]:
        return {name: query.alert for name, query in self._queries.items()}

    def threshold(self, query: str) -> float:
        return self.alerts.get(query) or USUAL

    @cached_property
    def rests_on(self) -> Mapping[str, frozenset[str]]:
        if self.program is None:
            return {}
        below: dict[str, set[str]] = {}
        for edge in graph_of(self.program.document).edges:
            below.setdefault(edge.target, set()).add(edge.source)
        names = {each.name for each in self.program.plan.inputs}
        return {name: frozenset(reachable(below, q.predicate) & names) for name, q in self._queries.items()}

    @cached_property
    def keys(self) -> Mapping[str, str]:
        """The variable of each query by which its answers are grouped."""
        return {} if self.program is None else group_variables(self.program.plan)

    @cached_property
    def key_name(self) -> str:
        """The column of the key; `value` if there is none."""
        return ((key_column(self.program.plan) if self.program else None) or "value").casefold()

    def severity(self, query: str) -> str:
        return self._queries[query].severity if query in self._queries else "info"

    def many(self, query: str) -> str | None:
        """The words for several open answers of a query, which do not read as fact."""
        found = self._queries[query].notice.many if query in self._queries else None
        return found and (found if _HEDGED.search(found) else f"{POSSIBLE.capitalize()}{found}")

    def key_of(self, answer: TrackedAnswer) -> str:
        values, ticks = answer.values, self.ticks.get(answer.query, {})
        name = self.keys.get(answer.query) or next((each for each in values if each not in ticks), None)
        return group_name(answer.query, values, name)

    def runbook(self, answer: TrackedAnswer) -> str:
        query = self._queries.get(answer.query)
        text = query and query.notice.runbook
        return filled_runbook(text, answer.values, self.ticks[answer.query], self.timescale) if text else ""

    def possible(self, answer: TrackedAnswer) -> str:
        """The words of an open answer, which do not read as fact."""
        text = self.words(answer)
        return f"{POSSIBLE}{text}" if answer.line.get("text") and not _HEDGED.search(text) else text

    def words(self, answer: TrackedAnswer) -> str:
        """The words of an answer; its label if it has none."""
        return str(answer.line.get("text") or self.label(answer))

    def label(self, answer: TrackedAnswer) -> str:
        """Writes `Malf(wt2, 7)`, with times and durations in place of ticks."""
        values, ticks = answer.values, self.ticks.get(answer.query, {})
        texts = (value_text(values, name, ticks, self.timescale) for name in values)
        return f"{answer.query}({', '.join(texts)})"


def filled_runbook(
    text: str, values: Mapping[str, object], ticks: Mapping[str, str], timescale: Timescale | None
) -> str:
    """Writes the address of what to do about an answer; open values are left out."""
    names = (name for name, value in values.items() if value is not None)
    try:
        known = {name: value_text(values, name, ticks, timescale) for name in names}
        return template_of(text, [*values]).address(known)
    except TemplateError:
        return ""  # the rules have changed since, and the answer has other variables


def key_column(plan: Plan) -> str | None:
    """Names the key by the column of the first input that has it."""
    inputs = {each.name: each for each in plan.inputs}
    found = (inputs[each.name].columns[each.position] for each in plan.key.positions if each.name in inputs)
    return next(found, None)


def group_name(query: str, values: Mapping[str, object], variable: str | None) -> str:
    """Names the group of an answer: its value of the variable; the query if it has none."""
    if variable is None or variable not in values:
        return query
    value = values[variable]
    if value is None:
        return UNKNOWN
    return str(value).lower() if isinstance(value, bool) else str(value)


def value_text(
    values: Mapping[str, Any], name: str, ticks: Mapping[str, str], timescale: Timescale | None
) -> str:
    value = values[name]
    if name in ticks and isinstance(value, int):
        return ticks_in_words(value, ticks[name], timescale)
    return "…" if value is None else value_in_words(value)


# ---- the rules behind an answer ----


def rules_behind(program: Program, query: str, line: LogLine) -> list[dict[str, object]]:
    """Lists the rules that lead from the literals of a line to the query, in the program's order."""
    found = range(len(line.get("explanations") or ()))
    return rules_from(program, query, {mark.predicate for at in found for mark in marks(line, None, at)})


def rules_from(program: Program, query: str, predicates: Collection[str]) -> list[dict[str, object]]:
    """Lists the rules that lead from predicates to the query, in the order of the program."""
    rules = [rule for rule in program.document.rules if rule.body]
    plan = next((each for each in program.plan.queries if each.name == query), None)
    above, below = defaultdict[str, set[str]](set), defaultdict[str, set[str]](set)
    for rule in rules:
        for atom, negated in atoms_of(rule):
            above[atom.predicate].add(rule.head.predicate)
            # Literals of the explanation itself are not followed further.
            if not negated and atom.predicate not in predicates:
                below[rule.head.predicate].add(atom.predicate)
    leading = {name for each in predicates for name in reachable(above, each)}
    heads = reachable(below, plan.predicate if plan else query)
    found = (rule for rule in rules if rule.head.predicate in heads)
    spans = [each.span for each in found if any(atom.predicate in leading for atom, _ in atoms_of(each))]
    files = ((span, *program.source.located(span)) for span in sorted(spans, key=lambda span: span.start))
    return [
        {"file": file.name, "line": file.position(there.start)[0], "text": program.source.excerpt(span)}
        for span, file, there in files
    ]
