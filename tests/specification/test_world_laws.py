"""Laws of chances, on random programs and streams: what they have to do with each other over time."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import prod

import pytest
from hypothesis import event, given, note, settings

from tests.odds import Asked, forecasts
from tests.specification import Stream
from tests.specification.chains import Model
from tests.specification.helpers import stream_of
from tests.specification.program import prepare
from tests.specification.resting import UndeterminedError, facts_below
from tests.specification.stream import Arrival
from tests.specification.worlds import MOST_WORLDS, TooManyWorldsError, Worlds


@given(forecasts())
def test_a_forecast_grows_up_to_the_chance(asked: Asked) -> None:
    note(str(asked))
    worlds = asked.worlds()
    for query, answer in asked.answers:
        try:
            found = worlds.chance_of(query, answer)
        except TooManyWorldsError:
            event("too many worlds")
            continue
        event("no chance" if found is None else "certain" if found.chance in (0, 1) else "uncertain")
        if found is not None and found.forecast:
            ticks, chances = zip(*found.forecast, strict=True)
            assert asked.now < ticks[0]
            assert sorted(set(chances)) == list(chances)
            assert chances[-1] == found.chance <= 1


@settings(max_examples=max(1, settings().max_examples // 4))  # each adds up many worlds
@given(forecasts())
def test_no_news_is_expected_to_change_a_chance(asked: Asked) -> None:
    """The mean chance one tick later, over all that may arrive by then, is the chance of now."""
    note(str(asked))
    arrived = tuple(each for each in stream_of(asked.case.facts).arrivals if each.tick <= asked.now)
    checked = asked.case.checked
    program = prepare(checked, Stream(arrived), asked.now)
    (query,) = program.queries
    for _, answer in asked.answers[:3]:
        if not all(value is not None for _, value in answer):
            continue
        try:
            found = Worlds(checked, Stream(arrived), asked.now).chance_of(query.name, answer)
        except TooManyWorldsError:
            continue
        if found is None:
            continue
        upto = frozenset(range(asked.now + 2))
        try:
            chains = Model(checked.vocabulary).chains(facts_below(program, query, answer), program.arrivals)
            outcomes = [replace(c, ticks=c.ticks | upto).outcomes(0, asked.now) for c in chains]
        except UndeterminedError:  # of a fact that no longer matters to the chance
            continue
        if prod(map(len, outcomes)) > MOST_WORLDS // 16:
            event("too many worlds")
            continue
        news: dict[frozenset[Arrival], Fraction] = {}
        for chosen in product(*(each.items() for each in outcomes)):
            coming = frozenset(
                Arrival(each.fact, each.arrival)
                for outcome, _ in chosen
                for each in outcome
                if each.arrival == asked.now + 1
            )
            weight = prod((weight for _, weight in chosen), start=Fraction(1))
            news[coming] = news.get(coming, Fraction(0)) + weight
        mean, holds = 0.0, 0.0
        for coming, weight in news.items():
            later = Worlds(checked, Stream((*arrived, *coming)), asked.now + 1)
            then = later.chance_of(query.name, answer)
            assert then is not None
            mean += float(weight / sum(news.values())) * then.chance
            holds += float(weight / sum(news.values())) * then.holds
        event("several news" if len(news) > 1 else "no news")
        assert [mean, holds] == pytest.approx([found.chance, found.holds])
