"""Forecasts of buckets made those of all keys, and divided again; what all keys share is in each of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby

import numpy as np

from antelog.compile.nodes.plan import Plan
from antelog.engine.columns.joins import find
from antelog.engine.columns.tables import Column
from antelog.engine.dividing import InPart
from antelog.engine.facts.history import added, gather
from antelog.engine.values.values import Values
from antelog.forecast.forecasting import Forecasting
from antelog.forecast.inference.forms import layout
from antelog.forecast.judges.judged import NOTHING_UNSCORED, Judged
from antelog.forecast.judges.looks import QueryFeatures
from antelog.forecast.model_file import rewritten
from antelog.forecast.rates.counts import Counted, SeriesCounts
from antelog.forecast.rates.sightings import Sightings, nothing_seen
from antelog.forecast.rates.tally import Tally
from antelog.forecast.scores.scores import Scores

# ---- made one ----


def merged(plan: Plan, parts: Sequence[Forecasting]) -> Forecasting:
    """The forecasts of parts with different keys together, as they are after the same tick."""
    values = Values()
    each = [rewritten(part, partial(values.recoded, of=part.sightings.values)) for part in parts]
    one, families = each[0], layout(plan).families
    facts = {
        family.name: gather(each[0].sightings.history, family.name, None).and_then(
            *(gather(other.sightings.history, family.name, None) for other in each[1:])
        )
        for family in families
    }
    found: Forecasting = replace(
        one,
        sightings=Sightings(added(nothing_seen(families).history, facts), values),
        series={name: _counts([own.series[name] for own in each]) for name in one.series},
        queries={name: _judged([own.queries[name] for own in each]) for name in one.queries},
        features={name: _features([own.features[name] for own in each]) for name in one.features},
    )
    return found


def _counts(parts: Sequence[SeriesCounts]) -> SeriesCounts:
    later = sorted((own for each in parts for own in each.later), key=lambda own: own.epoch)
    return replace(
        parts[0],
        tally=Tally.and_then(*(each.tally for each in parts)) if parts[0].tally.keys else parts[0].tally,
        later=tuple(_joint([*own]) for _, own in groupby(later, lambda own: own.epoch)),
    )


def _joint(parts: Sequence[Counted]) -> Counted:
    keys = zip(*(each.keys for each in parts), strict=True)
    numbers = np.concatenate([each.numbers for each in parts])
    return Counted(parts[0].epoch, tuple(map(np.concatenate, keys)), numbers)


def _judged(parts: Sequence[Judged]) -> Judged:
    """The judged answers of all parts, whose numbers are made different."""
    one, ends = parts[0], np.cumsum([0, *(each.followed.next for each in parts)]).tolist()
    apart = [_renumbered(each, by) for each, by in zip(parts, ends, strict=False)]
    followed = [each.followed for each in apart]
    first, *others = apart
    judges = {
        name: judge.merged([each.judges[name] for each in others]).renewed(judge)
        for name, judge in first.judges.items()
    }
    return replace(
        first,
        followed=replace(
            followed[0],
            last=followed[0].last.and_then(*(each.last for each in followed[1:])),
            number=np.concatenate([each.number for each in followed]),
            state_of=np.concatenate([each.state_of for each in followed]),
            states=np.concatenate([each.states for each in followed]),
            next=ends[-1],
        ),
        judges=judges if others else one.judges,
        reported=first.reported.and_then(*(each.reported for each in others)),
        unscored=first.unscored.and_then(*(each.unscored for each in others)),
        scores=sum((each.scores for each in others), first.scores),
        likely=np.concatenate([each.likely for each in apart]),
        alerts=first.alerts.and_then(*(each.alerts for each in others)),
    )


def _renumbered(judged: Judged, by: int) -> Judged:
    followed = judged.followed
    return replace(
        judged,
        followed=replace(followed, number=followed.number + by, state_of=followed.state_of + by),
        reported=replace(judged.reported, number=judged.reported.number + by),
        unscored=replace(judged.unscored, answer=judged.unscored.answer + by),
        likely=judged.likely + by,
        alerts=replace(judged.alerts, number=judged.alerts.number + by),
    )


def _features(parts: Sequence[QueryFeatures]) -> QueryFeatures:
    latest = zip(*(each.latest for each in parts), strict=True)
    return replace(parts[0], latest=tuple(first.and_then(*others) for first, *others in latest))


# ---- divided ----


def part_of(plan: Plan, current: Forecasting, in_part: InPart | None, *, first: bool) -> Forecasting:
    """The forecasts of some values of the key (None: all); the `first` part has the scores so far."""
    if in_part is None:
        return current
    values, key, families = current.sightings.values, plan.key, layout(plan).families

    def rows(cells: Column) -> Column:
        return np.flatnonzero(in_part(cells, values))

    facts, series = {}, {}
    for family in families:
        place = family.places.index(key[family.predicate])
        own = gather(current.sightings.history, family.name, None)
        facts[family.name] = own.take(rows(own.columns[place]))
        counts = current.series[family.name]
        later = ((each, rows(each.keys[place])) for each in counts.later)
        series[family.name] = replace(
            counts,
            tally=counts.tally.take(rows(counts.tally.keys[place])),
            later=tuple(
                Counted(
                    each.epoch, tuple(cells.take(at) for cells in each.keys), each.numbers.take(at, axis=0)
                )
                for each, at in later
            ),
        )
    features = {}
    for name, known in current.features.items():
        own_key = [[answer for _, answer in look.key].index(key[name]) for look in known.looks]
        latest = zip(known.latest, own_key, strict=True)
        features[name] = replace(known, latest=tuple(own.take(rows(own.key[at])) for own, at in latest))
    queries = {}
    for name, judged in current.queries.items():
        followed = judged.followed
        mine = rows(followed.last.answer[key[name]])
        number = followed.number.take(mine)
        states = np.flatnonzero(find(followed.state_of, number) >= 0)
        queries[name] = replace(
            judged,
            followed=replace(
                followed,
                last=followed.last.take(mine),
                number=number,
                state_of=followed.state_of.take(states),
                states=followed.states.take(states),
            ),
            judges={
                each: judge.part(lambda cells: in_part(cells, values))
                for each, judge in judged.judges.items()
            },
            reported=judged.reported.take(find(judged.reported.number, number) >= 0),
            unscored=judged.unscored if first else NOTHING_UNSCORED,
            scores=judged.scores if first else Scores(),
            likely=judged.likely[find(judged.likely, number) >= 0],
            alerts=judged.alerts.take(find(judged.alerts.number, number) >= 0),
        )
    sightings = Sightings(added(nothing_seen(families).history, facts), values)
    return replace(current, sightings=sightings, series=series, queries=queries, features=features)
