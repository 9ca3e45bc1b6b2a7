"""What each stage of a forecast leaves, for the lines of one step: the tables of docs/internals.md.

python -m tests.docs.forecast_stages     prints them, to be put into the page
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pyarrow as pa

import antelog
from antelog.compile.nodes.plan import Plan
from antelog.engine.columns.tables import Column, Numbers
from antelog.engine.facts.history import gather
from antelog.engine.kernel import admitted
from antelog.engine.state import start
from antelog.forecast.inference.chances import Chances, chances
from antelog.forecast.inference.diagrams import FALSE, TRUE, Question, diagram_of
from antelog.forecast.inference.forms import QueryForm, forms, layout
from antelog.forecast.inference.learning import Learning, OddsOf
from antelog.forecast.inference.table import AnswersAtTicks, Known
from antelog.forecast.rates.odds import Keys, Odds
from antelog.forecast.rates.sightings import Sightings, Sought, nothing_seen, outcomes, seen
from tests.docs.stages import table

PROGRAM = """
input  Temp(device, level, time) delay 2 (60%, 30%, 10%).
chance Temp(_, high, _) = 5%, again 80%.
Malf(X, T) :- Temp(X, high, T), Temp(X, high, T+1).
query Malf(X, T).
"""
READING = ("wt2", "high", 7)
NOW = 7
QUERY = "Malf"
SERIES = "`Temp(X, high, ·)`"


def forecast_stages() -> Iterator[tuple[str, str]]:
    """The name of each stage, and the table it leaves."""
    plan = antelog.parse(PROGRAM).plan
    form = forms(plan)[QUERY]
    assert isinstance(form, QueryForm)
    leaves = [form.leaves[literal] for literal in form.formula.literals]
    yield ("formula", table({"series": [SERIES] * len(leaves), "at": [_tick(each.at) for each in leaves]}))
    yield "diagram", _diagram(form)

    sightings = _sightings(plan)
    yield "sightings", _seen(form, sightings)
    log = antelog.Engine(antelog.parse(PROGRAM)).advance(NOW, {"Temp": [READING]})[QUERY]
    asked = AnswersAtTicks({"X": _cells(sightings, log)}, log["T"].to_numpy(), log["tick"].to_numpy())
    rows = {name: log[name].to_pylist() for name in ("X", "T")}
    yield "asked", table({**rows, "asked at": asked.as_of, "age": asked.age})
    yield "shown", _shown(form, sightings, asked, rows)

    odds_of = OddsOf(layout(plan), {}, Learning(False))
    (chain,) = form.chains
    keys = Keys(asked.cells, asked.count, sightings.values)
    yield "odds", _odds(odds_of(chain, keys, odds_of.epochs(chain, asked.as_of)), rows["X"])
    found = chances(Known(plan, {}, sightings, 0, odds_of), QUERY, asked)
    yield "chances", table({**rows, "chance": _rounded(found.column()), "forecast": _forecasts(found, asked)})
    yield (
        "lines",
        table(
            {
                **{name: log[name].to_pylist() for name in ("tick", "change", "X", "T")},
                "chance": _rounded(log["chance"].to_pylist()),
                "chance_from": log["chance_from"].to_pylist(),
            }
        ),
    )


def _sightings(plan: Plan) -> Sightings:
    """What the forecast has seen once the reading is there."""
    state, batch = admitted(plan, start(plan), {"Temp": [READING]}, NOW)
    families = layout(plan).families
    return seen(nothing_seen(families), families, batch.facts, state.values)


def _cells(sightings: Sightings, log: pa.Table) -> Column:
    return np.array([sightings.values.cell(value) for value in log["X"].to_pylist()], np.int64)


def _tick(offset: int) -> str:
    return f"T{offset:+d}" if offset else "T"


def _diagram(form: QueryForm) -> str:
    """What is left after each tick, if nothing came that ever will, and if a fact did."""
    always = (True,) * len(form.formula.conditions)  # all times are from the first tick on
    found = diagram_of(Question(form.formula.whole, always, form.leaves, [2], {*form.leaves.values()}))
    words = {FALSE: "false", TRUE: "true"}
    rows = [
        [_tick(layer.at), node, *(words.get(each, each) for each in left)]
        for layer in found.layers
        for node, left in enumerate(layer.then.tolist())
        if node not in (FALSE, TRUE)
    ]
    names = ("at", "node", "nothing came", "a fact came")
    return table({name: [row[i] for row in rows] for i, name in enumerate(names)})


def _seen(form: QueryForm, sightings: Sightings) -> str:
    (family,) = form.families
    facts = gather(sightings.history, family.name, None)
    keys = sightings.values.decode(facts.columns[0], pa.string()).to_pylist()
    series = [SERIES] * facts.count
    return table({"series": series, "X": keys, "tick": facts.time, "arrived": facts.arrival})


def _shown(
    form: QueryForm, sightings: Sightings, asked: AnswersAtTicks, rows: Mapping[str, Sequence[object]]
) -> str:
    """What the chain of each answer has shown at each tick, as of the tick at which its chance is asked."""
    (family,) = form.families
    columns: dict[str, Sequence[object] | Column] = dict(rows)
    ticks = np.arange(form.first - 1, form.last + 1)
    sought = Sought([asked.cells["X"]], [{}], [0], [None], asked.tick, asked.as_of)
    shown = outcomes(sightings, family, sought, ticks)
    for tick, came in zip(ticks.tolist(), shown.T, strict=True):
        columns[f"at {_tick(tick)}"] = ["a fact" if each else "nothing" for each in came]
    return table(columns)


def _odds(odds: Odds, keys: Sequence[object]) -> str:
    shares = [", ".join(f"{share:g}" for share in each) for each in odds.shares[:, 0]]
    return table(
        {"X": keys, "once": odds.once[:, 0].tolist(), "again": odds.again[:, 0].tolist(), "shares": shares}
    )


def _forecasts(found: Chances, asked: AnswersAtTicks) -> list[str]:
    """For each answer the ticks at which its chance grows, and to what."""
    grown = found.growth
    return [
        ", ".join(
            f"{tick + at}: {chance:.4f}"
            for of, at, chance in zip(grown.of, grown.at, grown.chance, strict=True)
            if of == which
        )
        for which, tick in zip(found.which, asked.tick, strict=True)
    ]


def _rounded(found: Sequence[float] | Numbers) -> list[str]:
    return [f"{chance:.4f}" for chance in found]


if __name__ == "__main__":
    for stage, text in forecast_stages():
        sys.stdout.write(f"{stage}\n\n{text}\n\n")
