"""The lessons of a model in words: how many answers are confirmed, when, and on what that hangs."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap

import numpy as np
import pyarrow as pa

from antelog.compile.nodes.plan import Relation
from antelog.engine.columns.tables import marked
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
_WIDTH = 78
_LABEL = 12


def learned_text(model: Model) -> str:
    """Describes for each query how many answers are confirmed, and when, and on what that hangs."""
    parts = [[*_query(model, query)] for query in model.plan.queries]
    parts += [wrap(f"{text}.", _WIDTH) for text in notes(model.plan, learned=True)]
    return "\n\n".join(map("\n".join, parts)) + "\n"


def _query(model: Model, query: Relation) -> Iterator[str]:
    judges, name = model.judges[query.name], shown(query.name)
    outcomes, linear = judges[OUTCOMES], judges[LINEAR]
    assert isinstance(outcomes, OutcomeStatistics)
    assert isinstance(linear, LinearJudge)
    level, _ = outcomes.of_all.tally.keys
    answers, confirmed = outcomes.of_all.tally.sums[level == 0, -2:].sum(axis=0).tolist()
    if not answers:
        yield f"{name}: no answer was decided"
        return
    rate = confirmed / answers
    rates, of = _by_key(model, outcomes, rate), ""
    if rates:
        keys = ", ".join(shown(query.answer.variables[place]) for place in key_of(model.plan, query))
        of = f", {words.count(len(rates), 'value')} of {keys}"
    yield f"{name}: answers in {words.count(round(answers), 'state')}{of}"
    rows = [("confirmed", f"{percent(rate)} of them")]
    different = sorted(rates, key=lambda key: (-abs(rates[key] - rate), key))[:DIFFERENT]
    width = max((len(shown(key)) for key in different), default=0)
    for row, key in enumerate(different if len(rates) > 1 else ()):
        rows.append(("" if row else "differs most", f"{shown(key):<{width}}  {percent(rates[key])}"))
    if confirmed:
        rows.append(("after", words.leads(*_quartiles(outcomes), model.plan.tick)))
    if topics := _topics(model, query.name, linear):
        rows.append(("hangs on", ", ".join(topics)))
    for label, text in rows:
        yield from words.wrapped(text, _WIDTH, f"  {label:<{_LABEL}}  ", " " * (_LABEL + 4))


def _by_key(model: Model, outcomes: OutcomeStatistics, rate: float) -> dict[str, float]:
    """The rate of each key by its name, drawn towards that of all."""
    _, *key = outcomes.by_key.tally.keys
    if not key:
        return {}
    columns, sums = summed(key, outcomes.by_key.tally.sums[:, -2:])
    names = zip(*(pa.array(model.values.texts(column)).to_pylist() for column in columns), strict=True)
    rates = (sums[:, 1] + AT_FIRST * rate) / (sums[:, 0] + AT_FIRST)
    return dict(zip(map(", ".join, names), rates.tolist(), strict=True))


def _quartiles(outcomes: OutcomeStatistics) -> tuple[int, int, int]:
    """The ticks until the first quarter, half and three quarters of the confirmed were confirmed."""
    level, _, lag = outcomes.lags.tally.keys
    at = marked(level == PATTERN)
    order = at.take(np.argsort(lag.take(at), kind="stable"))
    sums = np.cumsum(outcomes.lags.tally.sums[order, 0])
    first, half, third = lag.take(order.take(np.searchsorted(sums, sums[-1] * np.arange(1, 4) / 4))).tolist()
    return first, half, third


def _topics(model: Model, query: str, judge: LinearJudge) -> list[str]:
    """The subjects that the linear judge heeds most, by the weights of all features about them."""
    if not judge.fits:
        return []
    fit, named = judge.fits[-1], features_of(model.plan, query).topics
    found: dict[str, float] = {}
    every = (*named, *[_OF_JUDGES] * (len(fit.mean) - len(named)))
    for topic, weight in zip(every, fit.weights.tolist(), strict=False):
        found[topic] = found.get(topic, 0) + weight**2
    return sorted(found, key=lambda topic: -found[topic])[:_TOPICS]
