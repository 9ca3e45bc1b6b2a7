"""The lessons of a model in words: how many answers are confirmed, when, and on what that hangs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from textwrap import wrap

import numpy as np
import pyarrow as pa

from antelog.engine.columns.tables import Numbers, marked
from antelog.escaping import shown
from antelog.forecast.columns import LINEAR, OUTCOMES
from antelog.forecast.inference.chances import notes
from antelog.forecast.inference.forms import key_of
from antelog.forecast.judges.lags import PATTERN
from antelog.forecast.judges.linear import LinearJudge
from antelog.forecast.judges.looks import features_of
from antelog.forecast.judges.outcomes import AT_FIRST, OutcomeStatistics
from antelog.forecast.model_file import Model
from antelog.forecast.rates.tally import summed
from antelog.forecast.reports import words
from antelog.forecast.reports.words import percent

DIFFERENT = 3  # the number of keys that are named, those for which most differs
_TOPICS = 3  # the number of subjects that are named, those that the linear judge heeds most
_OF_JUDGES = "what other judges say"


@dataclass(frozen=True)
class Learned:
    """The lessons of one query."""

    query: str
    count: int  # of answers, each in all the states that it was in
    rate: float | None  # the share of the confirmed
    keys: tuple[str, ...]  # the variables that tell one key from another
    known: int  # the number of keys
    different: tuple[tuple[str, float], ...]  # the keys for which the rate differs most
    ticks: tuple[int, int, int] | None  # until an answer is confirmed: the quartiles
    topics: tuple[str, ...]  # what the linear judge heeds most


def learned(model: Model) -> Iterator[Learned]:
    for query in model.plan.queries:
        judges = model.judges[query.name]
        outcomes, linear = judges[OUTCOMES], judges[LINEAR]
        assert isinstance(outcomes, OutcomeStatistics)
        assert isinstance(linear, LinearJudge)
        level, _ = outcomes.of_all.tally.keys
        answers, confirmed = outcomes.of_all.tally.sums[level == 0, -2:].sum(axis=0).tolist()
        rate = confirmed / answers if answers else None
        names, rates = _by_key(model, outcomes, rate or 0)
        apart = np.abs(rates - (rate or 0))
        order = [*np.lexsort([np.array(names), -apart])[:DIFFERENT].tolist()] if len(names) > 1 else []
        yield Learned(
            query.name,
            round(answers),
            rate,
            tuple(query.answer.variables[place] for place in key_of(model.plan, query)),
            len(names),
            tuple((names[row], float(rates[row])) for row in order),
            _quartiles(outcomes),
            tuple(_topics(model, query.name, linear)),
        )


def _by_key(model: Model, outcomes: OutcomeStatistics, rate: float) -> tuple[list[str], Numbers]:
    """The names of keys, and the rate of each, drawn towards that of all."""
    _, *key = outcomes.by_key.tally.keys
    if not key:
        return [], np.zeros(0)
    columns, sums = summed(key, outcomes.by_key.tally.sums[:, -2:])
    names = zip(*(pa.array(model.values.texts(column)).to_pylist() for column in columns), strict=True)
    return [*map(", ".join, names)], (sums[:, 1] + AT_FIRST * rate) / (sums[:, 0] + AT_FIRST)


def _quartiles(outcomes: OutcomeStatistics) -> tuple[int, int, int] | None:
    """The ticks until the first quarter, half and three quarters of the confirmed were confirmed."""
    level, _, lag = outcomes.lags.tally.keys
    at = marked(level == PATTERN)
    order = at.take(np.argsort(lag.take(at), kind="stable"))
    if not len(order):
        return None
    sums = np.cumsum(outcomes.lags.tally.sums[order, 0])
    first, half, third = lag.take(order.take(np.searchsorted(sums, sums[-1] * np.arange(1, 4) / 4))).tolist()
    return first, half, third


def _topics(model: Model, query: str, judge: LinearJudge) -> Iterator[str]:
    """The subjects that the linear judge heeds most, by the weights of all features about them."""
    if judge.fits:
        fit = judge.fits[-1]
        named = features_of(model.plan, query).topics
        found: dict[str, float] = {}
        for topic, weight in zip(
            (*named, *[_OF_JUDGES] * (len(fit.mean) - len(named))), fit.weights.tolist(), strict=False
        ):
            found[topic] = found.get(topic, 0) + weight**2
        yield from sorted(found, key=lambda topic: -found[topic])[:_TOPICS]


_WIDTH = 78
_LABEL = 12


def learned_text(model: Model) -> str:
    """Describes for each query how many answers are confirmed, and when, and what that hangs on."""
    parts = [[*_query(each, model.plan.tick)] for each in learned(model)]
    parts += [wrap(f"{text}.", _WIDTH) for text in notes(model.plan, learned=True)]
    return "\n\n".join(map("\n".join, parts)) + "\n"


def _query(found: Learned, tick: int | None) -> Iterator[str]:
    if found.rate is None:
        yield f"{shown(found.query)}: no answer was decided"
        return
    keys = ", ".join(map(shown, found.keys))
    of = f", {words.count(found.known, 'value')} of {keys}" if keys else ""
    yield f"{shown(found.query)}: answers in {words.count(found.count, 'state')}{of}"
    rows = [("confirmed", f"{percent(found.rate)} of them")]
    width = max((len(shown(name)) for name, _ in found.different), default=0)
    labels = chain(["differs most"], [""] * DIFFERENT)
    rows += [
        (label, f"{shown(name):<{width}}  {percent(rate)}")
        for label, (name, rate) in zip(labels, found.different, strict=False)
    ]
    if found.ticks is not None:
        rows.append(("after", words.leads(*found.ticks, tick)))
    if found.topics:
        rows.append(("hangs on", ", ".join(found.topics)))
    for label, text in rows:
        yield from words.wrapped(text, _WIDTH, f"  {label:<{_LABEL}}  ", " " * (_LABEL + 4))
