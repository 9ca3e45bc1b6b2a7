"""Queries without chances by the model of facts, and why: said by `check`, `try`, `watch` and `learn`.

    query Rush(C, T).    none: it counts atoms of which there may be several at a tick

Decided from the rules and declarations alone.
"""

from __future__ import annotations

from collections.abc import Mapping

from antelog.compile.nodes.plan import Input, Plan
from antelog.escaping import shown
from antelog.forecast.inference.chances import whole_fits
from antelog.forecast.inference.forms import QueryForm, forms
from antelog.forecast.rates.odds import Series


def without_chances(plan: Plan, *, learned: bool) -> Mapping[str, str]:
    """The queries of which the model of facts has no chances, and why.

    If it is `learned` how often facts come, nothing need be declared.
    """
    found = {query: _reason(plan, form, learned) for query, form in forms(plan).items()}
    return {query: reason for query, reason in found.items() if reason}


def notes(plan: Plan, *, learned: bool) -> list[str]:
    """A sentence about each query without such chances."""
    return [
        f"{shown(query)}: its chances rest on the outcomes of earlier answers alone, not on how often facts "
        f"come, because {reason}"
        if learned
        else f"{shown(query)} has no chances, because {reason}"
        for query, reason in without_chances(plan, learned=learned).items()
    ]


def summary(plan: Plan) -> Mapping[str, str]:
    """The text that `check` prints for each query without chances."""
    declares = plan.declares_chances
    start = "none" if declares else "by the outcomes of earlier answers alone"
    return {
        query: f"{start}: {reason}" for query, reason in without_chances(plan, learned=not declares).items()
    }


def _reason(plan: Plan, form: QueryForm | str, learned: bool) -> str | None:
    if isinstance(form, str):
        return form
    if not whole_fits(form):
        return "its formula is too large to work out"
    inputs = {source.name: source for source in plan.inputs}
    reasons = [
        next(
            (
                why
                for each in chain.states[: chain.formula_states]
                if (why := _undeclared(each.series, inputs))
            ),
            None,
        )
        for chain in form.chains
    ]
    # Of facts that have come nothing need be declared: one declared chain may be all that is waited for.
    return reasons[0] if not learned and reasons and all(reasons) else None


def _undeclared(series: Series, inputs: Mapping[str, Input]) -> str | None:
    """Why no declaration says how often the facts of a series come; None if one may."""
    name, constants = shown(series.predicate), dict(series.constants)
    if series.tests:
        return f"a comparison chooses the facts of {name}, and a `chance` is about single values"
    patterns = [
        {place: value for place, value in enumerate(chance.pattern) if value is not None}
        for chance in inputs[series.predicate].odds.chances
    ]
    fitting = [each for each in patterns if all(constants.get(p, v) == v for p, v in each.items())]
    if not fitting:
        return f"no `chance` is declared for such facts of {name}"
    if any(each.keys() - constants.keys() - set(series.key) for each in fitting):
        return f"each `chance` is about some of the facts of {name} that it asks for, and not about others"
    return None
