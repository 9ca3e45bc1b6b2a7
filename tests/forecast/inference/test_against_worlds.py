"""antelog/forecast/inference: the same as the worlds of the specification say.

On random programs with declared chances, losses and slots, at every tick, for every answer reported so far.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import event, given, note, reject, settings
from hypothesis import strategies as st

from antelog.compile.nodes.plan import Plan
from antelog.forecast.inference.forms import QueryForm, forms
from tests.engine.few import at_most_for
from tests.engine.replay import runnable
from tests.forecast.asking import by_model, engine_at
from tests.odds import Asked, asking_for_values, forecasts
from tests.specification.chains import Others
from tests.specification.worlds import TooManyWorldsError


@given(forecasts())
def test_chances_are_those_of_the_worlds(asked: Asked) -> None:
    _agrees_with_worlds(asked)


@given(forecasts(amounts=True))
def test_chances_of_counts_are_those_of_the_worlds(asked: Asked) -> None:
    _agrees_with_worlds(asked)


@given(asking_for_values() | asking_for_values(several=True))
def test_chances_of_values_are_those_of_the_worlds(asked: Asked) -> None:
    _agrees_with_worlds(asked)


@pytest.mark.long
@settings(max_examples=2_000)
@given(forecasts() | forecasts(amounts=True) | asking_for_values() | asking_for_values(several=True))
def test_chances_of_two_thousand_programs_are_those_of_the_worlds(asked: Asked) -> None:
    """Among them are `count(distinct …)`, `last`, and several facts at a tick."""
    _agrees_with_worlds(asked)


_PARTS = st.sampled_from([Fraction(1, 20), Fraction(1, 2), Fraction(9, 10), Fraction(99, 100)])


@given(forecasts(slots=True), st.builds(Others, _PARTS, _PARTS, _PARTS))
def test_chances_with_other_facts_of_a_slot_are_those_of_the_worlds(asked: Asked, others: Others) -> None:
    _agrees_with_worlds(asked, others)


def _agrees_with_worlds(asked: Asked, others: Others | None = None) -> None:
    note(f"{asked}\n{others}")
    compiled = runnable(asked.case.checked)
    if compiled is None or not any(source.odds.chances for source in compiled.plan.inputs):
        reject()
    engine = engine_at(asked.case, compiled.plan, asked.now)
    worlds = asked.worlds(others)
    for query, answer in asked.answers:
        if any(value is None for _, value in answer):
            continue
        try:
            wanted = worlds.chance_of(query, answer)
        except TooManyWorldsError:
            event("too many worlds")
            continue
        with at_most_for(asked):
            found = by_model(engine, query, [answer], others)
        which = int(found.which[0])
        note(f"{query} {answer}: {wanted} {which}")
        if which < 0:
            event("unknown")
            # Who abstains says so of the query; otherwise the specification has no chance either.
            form = forms(compiled.plan)[query]
            assert wanted is None or isinstance(form, str) or _looks_at_values(form)
            continue
        if wanted is None:
            event("against what is declared, or certain whatever comes")
            assert _may_be_contradicted(compiled.plan) or found.chance[which] in (0, 1)
            continue
        event("certain" if wanted.chance in (0, 1) else "uncertain")
        assert math.isclose(found.chance[which], wanted.chance, abs_tol=1e-9)
        if wanted.chance == 1 and not wanted.forecast:
            continue  # it is confirmed already, and no line asks for its forecast any more
        mine = found.growth.of == which
        tick = answer[-1][1]
        got = dict(
            zip((found.growth.at[mine] + tick).tolist(), found.growth.chance[mine].tolist(), strict=True)
        )
        specified = dict(wanted.forecast)
        for at in {*got, *specified}:
            both = (_by(got, at), _by(specified, at))
            assert math.isclose(*both, abs_tol=1e-9), (at, both)
        form = forms(compiled.plan)[query]
        assert isinstance(form, QueryForm)
        assert isinstance(tick, int)
        # Once it is decided nobody asks again whether it holds, though a later silence says something of it.
        if not np.isnan(found.holds[which]) and asked.now - tick <= form.last + form.slowest:
            assert math.isclose(found.holds[which], wanted.holds, abs_tol=1e-9)


def _looks_at_values(form: QueryForm) -> bool:
    """Whether its facts are told by their values: then it may abstain, as after another value."""
    return bool(form.valued) or any(literal.series.tests for literal in form.formula.literals)


def _may_be_contradicted(plan: Plan) -> bool:
    """Whether a fact may come of which it is declared that it never does: then the specification gives up."""
    own = [source.odds.shares for source in plan.inputs]
    refined = [each.shares for source in plan.inputs for each in source.refinements]
    return any(0 in (shares or ()) for shares in (*own, *refined))


def _by(forecast: dict[int, float], tick: int) -> float:
    return max((chance for at, chance in forecast.items() if at <= tick), default=0.0)
