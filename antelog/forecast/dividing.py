"""Forecasts of buckets made those of all keys, and divided again; what all keys share is in each of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from antelog.compile.nodes.plan import Plan
from antelog.engine.columns.joins import find
from antelog.engine.columns.tables import Column, Mask
from antelog.engine.dividing import InPart
from antelog.engine.facts.history import added, gather, joint
from antelog.engine.values.values import Values
from antelog.forecast.forecasting import Forecasting
from antelog.forecast.inference.forms import layout
from antelog.forecast.judges.following import AnswerLines, TrackedAnswers
from antelog.forecast.judges.judged import NOTHING_UNSCORED, Judged, without
from antelog.forecast.judges.looks import LatestValues
from antelog.forecast.model_file import rewritten
from antelog.forecast.rates import tally
from antelog.forecast.rates.sightings import Sightings, nothing_seen
from antelog.forecast.rates.tally import Ledger
from antelog.forecast.scores.scores import Scores

# ---- made one ----


def merged(plan: Plan, parts: Sequence[Forecasting]) -> Forecasting:
    """The forecasts of parts with different keys together, as they are after the same tick."""
    values = Values()
    each = [rewritten(part, partial(values.recoded, of=part.sightings.values)) for part in parts]
    one, families = each[0], layout(plan).families
    facts = {
        name: joint([gather(own.sightings.history, name, None) for own in each], stream.width)
        for name, stream in one.sightings.history.items()
    }
    features = dict(one.features)
    for name, known in features.items():
        latest = zip(*(own.features[name].latest for own in each), strict=True)
        features[name] = replace(known, latest=tuple(LatestValues.and_then(*alike) for alike in latest))
    found: Forecasting = replace(
        one,
        sightings=Sightings(added(nothing_seen(families).history, facts), values),
        slots={name: _counts([own.slots[name] for own in each]) for name in one.slots},
        queries={name: _judged([own.queries[name] for own in each]) for name in one.queries},
        features=features,
    )
    return found


def _counts(parts: Sequence[Ledger]) -> Ledger:
    return tally.opened(tally.merged([each.tally for each in parts]))


def _judged(parts: Sequence[Judged]) -> Judged:
    """The judged answers of all parts, whose numbers are made different."""
    ends = np.cumsum([0, *(each.followed.next for each in parts)]).tolist()
    first, *others = (_renumbered(each, by) for each, by in zip(parts, ends, strict=False))
    if not others:
        return first
    followed, every = first.followed, (first, *others)
    number, state_of, states = (
        np.concatenate([getattr(each.followed, name) for each in every])
        for name in ("number", "state_of", "states")
    )
    last = AnswerLines.and_then(*(each.followed.last for each in every))
    return replace(
        first,
        followed=TrackedAnswers(last, number, state_of, states, ends[-1], followed.now),
        judges={
            name: judge.merged([each.judges[name] for each in others]).renewed(judge)
            for name, judge in first.judges.items()
        },
        reported=first.reported.and_then(*(each.reported for each in others)),
        unscored=first.unscored.and_then(*(each.unscored for each in others)),
        scores=sum((each.scores for each in others), first.scores),
        likely=np.concatenate([each.likely for each in every]),
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


# ---- divided ----


def part_of(plan: Plan, current: Forecasting, in_part: InPart | None, *, first: bool) -> Forecasting:
    """The forecasts of some values of the key (None: all); the `first` part has the scores so far."""
    if in_part is None:
        return current
    values, key, families = current.sightings.values, plan.key, layout(plan).families

    def mine(cells: Column) -> Mask:
        return in_part(cells, values)

    facts, features, queries, slots = {}, {}, {}, dict(current.slots)
    for family in families:
        own, place = (
            gather(current.sightings.history, family.name, None),
            family.places.index(key[family.predicate]),
        )
        facts[family.name] = own.take(mine(own.columns[place]))
        if family.name in slots:
            counts = slots[family.name].tally
            slots[family.name] = tally.opened(counts.take(mine(counts.keys[place])))
    for name, known in current.features.items():
        places = [[answer for _, answer in look.key].index(key[name]) for look in known.looks]
        latest = (own.take(mine(own.key[at])) for own, at in zip(known.latest, places, strict=True))
        features[name] = replace(known, latest=tuple(latest))
    for name, judged in current.queries.items():
        followed, kept = judged.followed, mine(judged.followed.last.answer[key[name]])
        states = find(followed.state_of, followed.number[kept]) >= 0
        queries[name] = replace(
            without(judged, followed.number[~kept]),
            followed=replace(
                followed,
                last=followed.last.take(kept),
                number=followed.number[kept],
                state_of=followed.state_of[states],
                states=followed.states[states],
            ),
            judges={each: judge.part(mine) for each, judge in judged.judges.items()},
            unscored=judged.unscored if first else NOTHING_UNSCORED,
            scores=judged.scores if first else Scores(),
        )
    sightings = Sightings(added(nothing_seen(families).history, facts), values)
    return replace(current, sightings=sightings, slots=slots, queries=queries, features=features)
