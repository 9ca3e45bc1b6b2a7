"""Forecasts carried over to changed rules: what was learned about queries and facts that are the same stays.

Malf is the same: its outcomes and scores go on      Hot is changed: what is learned about it begins anew
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pyarrow as pa

from antelog.engine.facts.history import added, gather
from antelog.engine.step.lines import no_lines
from antelog.engine.step.query import POSSIBLE, REVISED
from antelog.engine.transition import Transition
from antelog.forecast.forecasting import Forecasting, known_of, start
from antelog.forecast.inference.forms import key_of, layout
from antelog.forecast.judges.judged import Judged
from antelog.forecast.limits import Limits
from antelog.forecast.query import QueryForecast
from antelog.forecast.rates.sightings import Sightings, nothing_seen, seen
from antelog.forecast.scores.scored_lines import ProgramAlerts
from antelog.forecast.values.looks import looks_of


def carried(before: Forecasting, change: Transition) -> Forecasting:
    """Carries forecasts over to other rules. Judges that had no say have none about new queries, either."""
    old, new, state = change.old, change.plan, change.state
    empty = start(new, before.learning)
    sightings = _sightings(before.sightings, change)
    same_lag = layout(old).slowest == layout(new).slowest
    series = {
        name: before.series[name] if same_lag and name in before.series else counts
        for name, counts in empty.series.items()
    }
    queries = {}
    for name, judged in empty.queries.items():
        if _goes_on(change, name):
            same, threshold = before.queries[name], new.relation(name).alert
            if same.scores.program.threshold != threshold:  # the alerts are scored anew
                same = replace(same, scores=replace(same.scores, program=ProgramAlerts(threshold)))
            queries[name] = same
        else:
            followed = replace(judged.followed, now=change.tick - 1)
            queries[name] = replace(judged.only(_heard(before, judged)), followed=followed)
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
    return Forecasting(sightings, series, queries, features, before.epoch, before.learning)


def with_lines(
    found: Forecasting, change: Transition, limits: Limits
) -> tuple[Forecasting, dict[str, pa.Table]]:
    """Carried forecasts after the lines of the change, and these lines with their chances."""
    new, state = change.plan, change.state
    known, log, judged = known_of(new, found, state), {}, dict(found.queries)
    for name, each in change.changes.items():
        lines = replace(each.lines, kind=np.where(each.lines.kind == REVISED, POSSIBLE, each.lines.kind))
        forecast = QueryForecast(known, new.relation(name), found.features[name], limits)
        earlier = partial(no_lines, lines.table.slice(0, 0), new.relation(name))
        step = forecast.step(judged[name], lines, change.tick, state.values, earlier)
        judged[name], log[name] = step.after, step.lines
    return replace(found, queries=judged), log


def begun_anew(change: Transition) -> tuple[str, ...]:
    """The queries of both plans about which is learned anew: with other patterns, or in another order."""
    both = (each.name for each in change.queries if each.difference.old and each.difference.new)
    return tuple(name for name in both if not _goes_on(change, name))


def _goes_on(change: Transition, name: str) -> bool:
    if not any(each.name == name and each.continues for each in change.queries):
        return False
    before, after = change.old.relation(name), change.plan.relation(name)
    same_key = key_of(change.old, before) == key_of(change.plan, after)
    same_looks = looks_of(change.old, name) == looks_of(change.plan, name)
    return same_key and same_looks and before.patterns == after.patterns


def _heard(before: Forecasting, judged: Judged) -> list[str]:
    """The judges of a new query that have a say: all but those that had none so far."""
    known = {name for each in before.queries.values() for name in each.sources}
    heard = {name for name in known if any(each.says(name) for each in before.queries.values())}
    return [name for name in judged.sources if name in heard or name not in known]


def _sightings(before: Sightings, change: Transition) -> Sightings:
    """The facts so far by family; those of a new family are the ones that the state keeps."""
    families = layout(change.plan).families
    fresh = [family for family in families if family.name not in before.history]
    history = dict(nothing_seen(families).history)
    known = {name: gather(before.history, name, None) for name in history if name in before.history}
    whole = Sightings(added(history, known), before.values)
    state = change.state
    facts = {family.predicate: gather(state.history, family.predicate, None) for family in fresh}
    return seen(whole, fresh, facts, state.values)
