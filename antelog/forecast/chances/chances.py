"""Chances of answers: each that differs in what matters is worked out once.

    Malf(wt2, 0) and Malf(wt7, 20), both 1 tick old, both hot at their first two ticks: one chance

In come answers, what has been seen and the odds, out go for each answer its chance and its forecast.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from antelog.engine.columns.tables import groups, keys_of
from antelog.forecast.chances.answers import Asked
from antelog.forecast.chances.forms import Form, forms
from antelog.forecast.chances.shapes import NO_GROWTH, Chances, worked_out
from antelog.forecast.chances.table import Known, table_of


def chances(known: Known, query: str, asked: Asked) -> Chances:
    """The chances of a query's answers."""
    form = forms(known.plan)[query]
    nothing = Chances(np.zeros(0), NO_GROWTH, np.zeros(0), np.full(asked.count, -1))
    if not isinstance(form, Form) or asked.count == 0:
        return nothing
    at = np.flatnonzero(asked.whole)
    if len(at) == 0:
        return nothing
    table = table_of(known, form, asked.take(at))
    (key,) = keys_of([table.columns])
    same = groups(key)
    found = worked_out(form, table.take(same.first))
    which = np.full(asked.count, -1)
    which[at] = np.where(np.isnan(found.chance), -1, np.arange(same.count)).take(same.numbers)
    return replace(found, which=which)
