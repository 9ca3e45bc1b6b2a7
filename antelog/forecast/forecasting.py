"""The state of all forecasts: a step adds chances to the lines of the engine, and learns from outcomes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from weakref import WeakKeyDictionary

import msgspec
import numpy as np
import pyarrow as pa

from antelog.compile.nodes.plan import Plan
from antelog.engine.columns.tables import Column
from antelog.engine.facts.history import added, gather
from antelog.engine.kernel import FinishedStep, open_answers
from antelog.engine.saving import FORECAST
from antelog.engine.state import State
from antelog.engine.step.lines import Lines
from antelog.engine.step.lost import UnseenSources
from antelog.engine.step.query import LineSelection
from antelog.engine.values.values import SavedValues, Values
from antelog.errors import StateError
from antelog.forecast.inference.forms import key_of, layout
from antelog.forecast.inference.known import Known, Tables
from antelog.forecast.judges import judged as judging
from antelog.forecast.judges.judged import JUDGES, Judged, Judges
from antelog.forecast.judges.looks import QueryFeatures, features_of
from antelog.forecast.lines import LeftOut, Limits, QueryForecast
from antelog.forecast.model_file import Model, packed, recoded, rewritten, unpacked
from antelog.forecast.rates import slots, tally
from antelog.forecast.rates.learning import Learning
from antelog.forecast.rates.sightings import Sightings, forgotten, nothing_seen, seen
from antelog.forecast.rates.tally import Ledger
from antelog.forecast.scores.scores import Scores


@dataclass(frozen=True)
class Forecasting:
    """The state of all forecasts, kept next to the state of the engine."""

    sightings: Sightings
    slots: Mapping[str, Ledger]  # how often they have facts, by family
    queries: Mapping[str, Judged]
    features: Mapping[str, QueryFeatures]
    learning: Learning


def start(plan: Plan, learning: Learning, model: Model | None = None, judges: Judges = JUDGES) -> Forecasting:
    """Makes the state before the first step: empty, or that of a model."""
    families = layout(plan).families
    sightings = nothing_seen(families)
    # The hours that a model has learned are those of its own zone.
    clocks = plan if model is None else model.plan
    features = {query.name: features_of(clocks, query.name) for query in plan.queries}
    queries = {}
    for query in plan.queries:
        width, keys = len(query.answer.variables) + 1, len(key_of(plan, query))
        queries[query.name] = judging.nothing_judged(
            width, keys, learning.half_life, features[query.name], judges
        )
    if model is not None:
        queries = {
            name: replace(each, judges=model.judges[name], weights=model.weights[name])
            for name, each in queries.items()
        }
        sightings = replace(sightings, values=Values.from_saved(model.values.saved()))
    counts = {family.name: slots.nothing_counted(family) for family in families if family.slotted}
    return only(Forecasting(sightings, counts, queries, features, learning), learning.judges)


def only(current: Forecasting, judges: Collection[str] | None) -> Forecasting:
    """Gives a say to these judges alone (None: to all)."""
    if judges is None:
        return current
    return replace(current, queries={name: each.only(judges) for name, each in current.queries.items()})


def advanced(
    plan: Plan, before: Forecasting, step: FinishedStep, limits: Limits
) -> tuple[Forecasting, dict[str, pa.Table], dict[str, LeftOut]]:
    """Returns the forecasts after a step, its lines with chances, and those left out for their limits."""
    own, state, values = layout(plan), step.after, step.before.values
    sightings = seen(before.sightings, own.families, step.facts, values)
    count = partial(
        slots.counted,
        sightings=sightings,
        ticks=range(step.before.now, state.now),
        slowest=own.slowest,
        half_life=before.learning.half_life,
    )
    slotted = (family for family in own.families if family.slotted)
    counts = {family.name: count(before.slots[family.name], family) for family in slotted}
    current = replace(before, sightings=sightings, slots=counts)
    known = known_of(plan, current, state)
    queries, features = dict(current.queries), dict(current.features)
    log, left_out = {}, {}
    unseen = None
    if plan.has_sight:
        unseen = UnseenSources(plan, values, step.before.history, step.facts, state.begin or 0)
    open_before = step.open_before or partial(
        open_answers, plan, step.before, wanted=LineSelection(staged=True)
    )
    for name, each in step.changes.items():
        earlier = partial(open_before, name)
        features[name] = features[name].with_facts(step.facts, sightings.values, values)
        relation = plan.relation(name)
        query = QueryForecast(known, relation, features[name], limits, each, values, unseen)
        queries[name], log[name], left_out[name] = query.step(queries[name], state.now, earlier)
        features[name] = features[name].after(state.now)
    counts = {name: tally.closed(each, state.now // slots.STRETCH) for name, each in counts.items()}
    seen_still = forgotten(sightings, state.now - own.reach)
    return Forecasting(seen_still, counts, queries, features, before.learning), log, left_out


def known_of(plan: Plan, current: Forecasting, state: State) -> Known:
    """Collects what the chances of a step are computed from."""
    tables = tables_of(state, current.sightings.values)
    return Known(plan, tables, current.sightings, state.begin or 0, current.slots, current.learning)


def with_chances(
    plan: Plan, current: Forecasting, state: State, found: Mapping[str, Lines], limits: Limits
) -> dict[str, pa.Table]:
    """Adds chances as of the last tick to the open answers of queries."""
    known, log = known_of(plan, current, state), {}
    for name, lines in found.items():
        features = current.features[name]
        query = QueryForecast(known, plan.relation(name), features, limits, lines, state.values)
        log[name] = query.open(current.queries[name])
    return log


def model_of(plan: Plan, current: Forecasting, now: int) -> Model:
    """Returns a model of all that was learned."""
    learning = current.learning
    judges = {
        name: {judge: of.at_tick(now) if learning.on else of for judge, of in each.judges.items()}
        for name, each in current.queries.items()
    }
    weights = {name: each.weights for name, each in current.queries.items()}
    values = Values.from_saved(current.sightings.values.saved())
    return Model(plan, values, judges, weights, learning.half_life)


def scores_of(current: Forecasting) -> dict[str, Scores]:
    return {name: judging.all_scored(each) for name, each in current.queries.items()}


# To write thousands of facts anew takes longer than all else a small step does.
_WRITTEN: WeakKeyDictionary[Values, dict[str, tuple[object, Sequence[Column]]]] = WeakKeyDictionary()


def tables_of(state: State, values: Values) -> Tables:
    """Rewrites the background into the cells of these values."""
    written = _WRITTEN.setdefault(values, {})
    for name, rows in state.static.tables.items():
        if name not in written or written[name][0] is not rows:
            columns = (np.array(column, np.int64) for column in zip(*rows, strict=True))
            written[name] = rows, tuple(values.recoded(column, state.values) for column in columns)
    return {name: written[name][1] for name in state.static.tables}


def with_model(current: Forecasting, model: Model, learning: Learning) -> Forecasting:
    """Replaces the learned state by a model; while learning goes on, only what all keys share."""
    model = recoded(model, current.sightings.values)
    judges = model.judges
    if learning.on:
        judges = {
            name: {judge: of.renewed(judges[name][judge]) for judge, of in each.judges.items()}
            for name, each in current.queries.items()
        }
    queries = {
        name: replace(each, judges=judges[name], weights=model.weights[name])
        for name, each in current.queries.items()
    }
    return replace(current, queries=queries, learning=learning)


def without_model(plan: Plan, current: Forecasting) -> Forecasting:
    """Drops the parts that come from a model and are not learned; `with_model` puts them back."""
    nothing = start(plan, current.learning)
    queries = {
        name: replace(each, judges=nothing.queries[name].judges, weights=nothing.queries[name].weights)
        for name, each in current.queries.items()
    }
    return replace(current, queries=queries)


def lighter(current: Forecasting) -> Forecasting:
    """Drops values that no cell refers to, once there are many."""
    values = current.sightings.values
    if not values.grown:
        return current
    # The rewritten background must stay valid, too.
    used = [column for _, columns in _WRITTEN.get(values, {}).values() for column in columns]

    def noted(column: Column) -> Column:
        used.append(column)
        return column

    rewritten(current, noted)
    kept, cells = values.retain(*used)
    found: Forecasting = rewritten(current, cells)
    return replace(found, sightings=replace(found.sightings, values=kept))


# ---- saved states ----

#     forecast/values.json    the values of the cells
#     forecast/known.json     what was seen, learned and followed, and how it is learned
#     forecast/known.arrow    the columns of that


def members(current: Forecasting) -> dict[str, bytes]:
    """Saves the forecasts as members of a saved state."""
    seen, own = current.sightings, {**vars(current)}
    own["sightings"] = {name: gather(seen.history, name, None) for name in seen.history}
    structure, columns = packed(own)
    values = msgspec.json.encode(seen.values.saved())
    found = {"values.json": values, "known.json": structure, "known.arrow": columns}
    return {FORECAST + name: content for name, content in found.items()}


def resumed(plan: Plan, members: Mapping[str, bytes]) -> Forecasting:
    """Reads what `members` saved. Raises StateError if another version has written it."""
    there = {name.removeprefix(FORECAST): content for name, content in members.items()}
    values = Values.from_saved(msgspec.json.decode(there["values.json"], type=SavedValues))
    try:
        known = unpacked(there["known.json"], there["known.arrow"])
        history = added(nothing_seen(layout(plan).families).history, known["sightings"])
        return Forecasting(**{**known, "sightings": Sightings(history, values)})
    except (KeyError, TypeError):
        raise StateError("the state has chances of another version of antelog: replay the facts") from None
