"""The chance of an answer if a literal that it waits for comes true, and if not.

    Malf(wt2, 7) has 64 %. With Temp(wt2, high, 8), which comes with 80 %, it has 80 %; without, 0 %

Both follow from the chances of three formulas: the answer's, the literal's, and both together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from antelog.forecast.inference.chances import chance_of, worked_out
from antelog.forecast.inference.forms import QueryForm, forms
from antelog.forecast.inference.nodes import Every, Never, Node, Some, UnknownChanceError
from antelog.forecast.inference.table import AnswersAtTicks, Known, table_of
from antelog.language.printer import value_text
from antelog.language.syntax import Value
from antelog.lines import literal_of

_NONE = 1e-12  # smaller chances count as none


@dataclass(frozen=True)
class WhatIf:
    """The chance of a literal, and those of the answer if it comes true and if not (None: unknown)."""

    literal: float
    comes: float | None
    fails: float | None


def what_if(
    known: Known, query: str, answer: Mapping[str, Value | None], now: int, literals: Sequence[str]
) -> tuple[float | None, list[WhatIf | None]]:
    """The chance of an answer by the model of facts, and under each literal; None where it is not known."""
    nothing: list[WhatIf | None] = [None] * len(literals)
    form = forms(known.plan)[query]
    if not isinstance(form, QueryForm) or None in answer.values():
        return None, nothing
    time = known.plan.relation(query).answer.time
    tick = answer.get(time, 0) if time else 0
    assert isinstance(tick, int)
    cells = {
        name: np.array([known.sightings.values.cell(value)], np.int64)
        for name, value in answer.items()
        if name != time and value is not None
    }
    table = table_of(known, form, AnswersAtTicks(cells, np.array([tick]), np.array([now])))
    chance = float(worked_out(form, table).chance[0])
    if np.isnan(chance):
        return None, nothing
    found: list[WhatIf | None] = []
    for text in literals:
        node = _node(form, answer, tick, text)
        try:
            if node is None:
                found.append(None)
                continue
            own = chance_of(form, table, node)
            both = chance_of(form, table, Every((form.formula.whole, node)))
            comes = None if own < _NONE else min(1.0, both / own)
            fails = None if 1 - own < _NONE else min(1.0, max(0.0, (chance - both) / (1 - own)))
            found.append(WhatIf(own, comes, fails))
        except UnknownChanceError:
            found.append(None)
    return chance, found


def _node(form: QueryForm, answer: Mapping[str, Value | None], tick: int, text: str) -> Node | None:
    """The formula of a literal as lines write it; None if it is not about facts of an input."""
    literal = literal_of(text)
    if not text.removeprefix("not ").startswith(f"{literal.predicate}("):
        return None  # a `last` or an aggregate
    ticks = [each.tick for each in literal.ticks]
    if not ticks:
        return None
    first = min(ticks) - tick
    last = first if ticks == [literal.tick] else max(ticks) - tick if len(ticks) > 1 else form.last
    facts, written = [], dict(enumerate(literal.arguments))
    for each in form.formula.literals:
        if first <= each.at <= last and each.series.predicate == literal.predicate:
            own = {place: value_text(value) for place, value in each.series.constants}
            pairs = zip(each.series.key, each.key, strict=True)
            own |= {place: value_text(answer[name] or "") for place, name in pairs}
            if own.items() <= written.items():
                facts.append(each)
    if not facts or len({each.series for each in facts}) > 1:
        return None  # which of several kinds of facts is meant is not known
    return Never(Some(tuple(facts))) if literal.negated else Some(tuple(facts))
