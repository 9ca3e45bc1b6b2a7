"""Forecasts for the steps of an engine, as the engine asks for them: see `antelog.process.Engine`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from os import PathLike

import numpy as np
import pyarrow as pa

from antelog.compile.nodes.plan import Plan
from antelog.engine.facts.history import added, gather
from antelog.engine.kernel import FinishedStep
from antelog.engine.state import State
from antelog.engine.step.lines import Lines, no_lines
from antelog.engine.step.query import POSSIBLE, REVISED
from antelog.engine.transition import Transition
from antelog.forecast import forecasting
from antelog.forecast.forecasting import Forecasting, known_of, lighter, start
from antelog.forecast.inference.chances import chance_of, worked_out
from antelog.forecast.inference.forms import QueryForm, forms, key_of, layout
from antelog.forecast.inference.known import AnswersAtTicks, AnswerTable, table_of
from antelog.forecast.inference.nodes import Every, Never, Node, Some, UnknownChanceError
from antelog.forecast.judges.judged import JUDGES, Judges
from antelog.forecast.judges.looks import looks_of
from antelog.forecast.lines import NO_LIMITS, LeftOut, Limits, QueryForecast
from antelog.forecast.model_file import Model
from antelog.forecast.rates.learning import Learning
from antelog.forecast.rates.sightings import Sightings, nothing_seen, seen
from antelog.forecast.scores.scores import Scores
from antelog.language.printer import value_text
from antelog.language.syntax import Value
from antelog.lines import literal_of


@dataclass(frozen=True)
class WhatIf:
    """The chance of a literal, and those of the answer if it comes true and if not (None: unknown)."""

    literal: float
    comes: float | None
    fails: float | None


@dataclass(frozen=True, eq=False)
class ModelForecaster:
    """The forecasts of a plan, the limits of its lines, and the lines left out by query."""

    plan: Plan
    known: Forecasting
    limits: Limits = NO_LIMITS
    left_out: Mapping[str, LeftOut] = field(default_factory=dict)

    @staticmethod
    def start(
        plan: Plan,
        model: Model | str | PathLike[str] | None,
        learning: Learning,
        limits: Limits = NO_LIMITS,
        judges: Judges = JUDGES,
    ) -> ModelForecaster:
        """Makes the forecaster of the first step. Raises StateError if the model is of another program."""
        given = None
        if model is not None:
            name = "the model" if isinstance(model, Model) else str(model)
            given = (model if isinstance(model, Model) else Model.load(model)).of(plan, name)
            if not learning.on:
                learning = replace(learning, half_life=given.half_life)
        return ModelForecaster(plan, forecasting.start(plan, learning, given, judges), limits)

    @staticmethod
    def restored(plan: Plan, members: Mapping[str, bytes], limits: Limits = NO_LIMITS) -> ModelForecaster:
        """Reads a forecaster from saved members. Raises StateError if they cannot be read."""
        return ModelForecaster(plan, forecasting.resumed(plan, members), limits)

    def advanced(self, step: FinishedStep) -> tuple[ModelForecaster, dict[str, pa.Table]]:
        after, log, found = forecasting.advanced(self.plan, self.known, step, self.limits)
        left_out = {name: self.left_out.get(name, LeftOut()) + more for name, more in found.items()}
        return replace(self, known=lighter(after), left_out=left_out), log

    def open_answers(self, query: str, lines: Lines, state: State) -> pa.Table:
        return forecasting.with_chances(self.plan, self.known, state, {query: lines}, self.limits)[query]

    def after_change(self, change: Transition) -> tuple[ModelForecaster, dict[str, pa.Table]]:
        """Returns the forecaster of changed rules, and the lines of the change with their chances."""
        known, log = with_lines(carried(self.known, change), change, self.limits)
        left_out = {query.name: self.left_out.get(query.name, LeftOut()) for query in change.plan.queries}
        return replace(self, plan=change.plan, known=known, left_out=left_out), log

    def begun_anew(self, change: Transition) -> tuple[str, ...]:
        """Names the queries of both plans that learn anew: their patterns are others, or in another order."""
        if not self.known.learning.on:
            return ()
        both = (each.name for each in change.queries if each.difference.old and each.difference.new)
        return tuple(name for name in both if not _goes_on(change, name))

    def what_if(
        self, state: State, query: str, answer: Mapping[str, Value | None], literals: Sequence[str]
    ) -> tuple[float | None, list[WhatIf | None]]:
        """Returns an answer's chance by facts, and with and without each literal (None: unknown)."""
        nothing: list[WhatIf | None] = [None] * len(literals)
        form, time = forms(self.plan)[query], self.plan.relation(query).answer.time
        if not isinstance(form, QueryForm) or None in answer.values():
            return None, nothing
        tick = answer.get(time, 0) if time else 0
        assert isinstance(tick, int)
        known = known_of(self.plan, self.known, state)
        cells = {
            name: np.array([known.sightings.values.cell(value)], np.int64)
            for name, value in answer.items()
            if name != time and value is not None
        }
        table = table_of(known, form, AnswersAtTicks(cells, np.array([tick]), np.array([state.now])))
        chance = float(worked_out(form, table).chance[0])
        if np.isnan(chance):
            return None, nothing
        nodes = [_node(form, answer, tick, text) for text in literals]
        return chance, [None if node is None else _what_if(form, table, node, chance) for node in nodes]

    def members(self) -> dict[str, bytes]:
        return forecasting.members(self.known)

    def model(self, now: int) -> Model:
        return forecasting.model_of(self.plan, self.known, now)

    def scores(self) -> dict[str, Scores]:
        return forecasting.scores_of(self.known)

    def decided(self) -> dict[str, int]:
        followed = {name: each.followed for name, each in self.known.queries.items()}
        return {name: each.next - each.last.count for name, each in followed.items()}

    def left_out_table(self) -> pa.Table:
        """Lists by query the lines that were left out, and the sum of their chances."""
        rows = (
            {"query": query.name, **vars(self.left_out.get(query.name, LeftOut()))}
            for query in self.plan.queries
        )
        schema = {"query": pa.string(), "lines": pa.int64(), "chances": pa.float64()}
        return pa.Table.from_pylist([*rows], pa.schema(schema))


# ---- the chance of an answer if a literal that it waits for comes true, and if not ----

#     Malf(wt2, 7) has 64 %. With Temp(wt2, high, 8), which comes with 80 %, it has 80 %; without, 0 %


_NONE = 1e-12  # smaller chances count as none


def _what_if(form: QueryForm, table: AnswerTable, node: Node, chance: float) -> WhatIf | None:
    """Follows from the chances of three formulas: the answer's, the literal's, and both together."""
    try:
        own = chance_of(form, table, node)
        both = chance_of(form, table, Every((form.formula.whole, node)))
    except UnknownChanceError:
        return None
    comes = None if own < _NONE else min(1.0, both / own)
    fails = None if 1 - own < _NONE else min(1.0, max(0.0, (chance - both) / (1 - own)))
    return WhatIf(own, comes, fails)


def _node(form: QueryForm, answer: Mapping[str, Value | None], tick: int, text: str) -> Node | None:
    """The formula of a literal as lines write it; None if it is not about facts of an input."""
    literal = literal_of(text)
    if not text.removeprefix("not ").startswith(f"{literal.predicate}("):
        return None  # a `last` or an aggregate
    ticks = [each.tick for each in literal.ticks]
    if not ticks:
        return None
    first = min(ticks) - tick
    last = first if ticks == [literal.tick] else max(ticks) - tick if len(ticks) > 1 else form.last
    facts, written = [], dict(enumerate(literal.arguments))
    for each in form.formula.literals:
        if first <= each.at <= last and each.series.predicate == literal.predicate:
            own = {place: value_text(value) for place, value in each.series.constants}
            pairs = zip(each.series.key, each.key, strict=True)
            own |= {place: value_text(answer[name] or "") for place, name in pairs}
            if own.items() <= written.items():
                facts.append(each)
    if not facts or len({each.series for each in facts}) > 1:
        return None  # which of several kinds of facts is meant is not known
    return Never(Some(tuple(facts))) if literal.negated else Some(tuple(facts))


# ---- forecasts carried over to changed rules ----

# What was learned about queries and facts that are the same stays; about others, learning begins anew.


def carried(before: Forecasting, change: Transition) -> Forecasting:
    """Carries forecasts over to other rules."""
    old, new, state = change.old, change.plan, change.state
    empty = start(new, before.learning)
    sightings = _sightings(before.sightings, change)
    same_lag = layout(old).slowest == layout(new).slowest
    slots = {
        name: before.slots[name] if same_lag and name in before.slots else counts
        for name, counts in empty.slots.items()
    }
    queries = {}
    for name, judged in empty.queries.items():
        if _goes_on(change, name):
            same = before.queries[name]
            scores = same.scores.with_threshold(new.relation(name).alert)  # else alerts are scored anew
            queries[name] = replace(same, scores=scores)
        else:
            followed = replace(judged.followed, now=change.tick - 1)
            queries[name] = replace(judged, followed=followed)
    features = {
        name: before.features[name]
        if _goes_on(change, name)
        else each.with_facts(
            {look.predicate: gather(state.history, look.predicate, None) for look in each.looks},
            sightings.values,
            state.values,
        )
        for name, each in empty.features.items()
    }
    return Forecasting(sightings, slots, queries, features, before.learning)


def with_lines(
    found: Forecasting, change: Transition, limits: Limits
) -> tuple[Forecasting, dict[str, pa.Table]]:
    """Adds chances to the lines of a change of rules."""
    new, state = change.plan, change.state
    known, log, judged = known_of(new, found, state), {}, dict(found.queries)
    for name, each in change.changes.items():
        lines = replace(each, kind=np.where(each.kind == REVISED, POSSIBLE, each.kind))
        relation, features = new.relation(name), found.features[name]
        forecast = QueryForecast(known, relation, features, limits, lines, state.values)
        earlier = partial(no_lines, lines.table.slice(0, 0), relation)
        judged[name], log[name], _ = forecast.step(judged[name], change.tick, earlier)
    return replace(found, queries=judged), log


def _goes_on(change: Transition, name: str) -> bool:
    if not any(each.name == name and each.continues for each in change.queries):
        return False
    before, after = change.old.relation(name), change.plan.relation(name)
    same_key = key_of(change.old, before) == key_of(change.plan, after)
    same_looks = looks_of(change.old, name) == looks_of(change.plan, name)
    return same_key and same_looks and before.patterns == after.patterns


def _sightings(before: Sightings, change: Transition) -> Sightings:
    """Keeps the facts of known families; those of new ones are taken from the engine's state."""
    families = layout(change.plan).families
    fresh = [family for family in families if family.name not in before.history]
    history = dict(nothing_seen(families).history)
    known = {name: gather(before.history, name, None) for name in history if name in before.history}
    whole = Sightings(added(history, known), before.values)
    state = change.state
    facts = {family.predicate: gather(state.history, family.predicate, None) for family in fresh}
    return seen(whole, fresh, facts, state.values)
