"""The learned rates of a model in words: how often facts come, how late, and which keys differ most."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from textwrap import wrap

import numpy as np
import pyarrow as pa

from antelog.compile.literals.terms import Var, call_text
from antelog.compile.nodes.patterns import called
from antelog.engine.columns.tables import Column, Numbers
from antelog.engine.values.values import Values
from antelog.escaping import shown
from antelog.forecast.inference.chances import notes
from antelog.forecast.inference.forms import QueryForm, forms, layout
from antelog.forecast.inference.known import Learning, OddsOf
from antelog.forecast.model_file import Model
from antelog.forecast.rates.odds import IMPOSSIBLE, Chain, Keys, Odds, Series
from antelog.forecast.rates.sightings import family_of
from antelog.forecast.reports import words
from antelog.forecast.reports.words import percent
from antelog.language.printer import value_text

DIFFERENT = 3  # the number of keys that are named, those for which most differs


@dataclass(frozen=True)
class Rates:
    """The rates of facts after a tick without and after one with, and the shares by delay."""

    once: float
    again: float
    shares: tuple[float, ...]

    @property
    def often(self) -> float:
        """The share of all ticks that have one, in the long run."""
        return self.once / max(1 - self.again + self.once, 1e-12)


@dataclass(frozen=True)
class Learned:
    """The learned rates of a series."""

    facts: str
    count: int  # of facts
    keys: tuple[str, ...]  # names of the columns that tell one key from another
    known: int  # the number of keys
    rates: Rates
    different: tuple[tuple[str, Rates], ...]  # the keys for which most differs, each with its rates


def learned(model: Model) -> Iterator[Learned]:
    """The learned rates of each series."""
    chains = (
        chain for form in forms(model.plan).values() if isinstance(form, QueryForm) for chain in form.chains
    )
    done: set[tuple[object, ...]] = set()
    for chain in chains:
        family = family_of(chain)
        for number, state in enumerate(chain.states[: chain.formula_states]):
            if family.more or (family, state.series) in done:
                continue
            done.add((family, state.series))
            found = _learned(model, chain, number)
            if found is not None:
                yield found


def _learned(model: Model, chain: Chain, number: int) -> Learned | None:
    family = family_of(chain)
    counts = model.series[family.name]
    series = family.series.index(chain.states[number].series)
    width = counts.tally.sums.shape[1] // len(family.series)
    ones = counts.tally.sums[:, series * width]
    there = np.flatnonzero(ones > 0)
    values = Values.from_saved(model.values.saved())
    columns = tuple(column.take(there) for column in counts.tally.keys)
    nobody = values.cell("\0")
    pairs = zip(chain.terms, columns, strict=True)
    cells = {term.name: np.append(nobody, column) for term, column in pairs if isinstance(term, Var)}
    # The first key is one that nobody has seen.
    keys = Keys(cells, 1 + len(there), values)
    learning = Learning(False, model.half_life, model.epoch)
    odds_of = OddsOf(layout(model.plan), model.series, learning)
    odds = odds_of(chain, keys, np.zeros(keys.count, np.int64))
    if not odds.known[0]:
        return None
    source = next(each for each in model.plan.inputs if each.name == chain.predicate)
    rates = [_rates(odds, row, number) for row in range(len(there) + 1)]
    shares, facts = rates[0].shares, ones.take(there)
    if facts.sum():  # a key that nobody has seen may have a shorter delay than some
        each = np.array([one.shares for one in rates[1:]])
        shares = tuple((facts @ each / facts.sum()).tolist())
    free = [place for place, term in zip(chain.places, chain.terms, strict=True) if isinstance(term, Var)]
    return Learned(
        _facts(chain.states[number].series, source.columns),
        round(float(ones.sum())),
        tuple(source.columns[place] for place in free),
        len(there),
        replace(rates[0], shares=shares),
        tuple(_different(rates, columns, values)) if free else (),
    )


def _rates(odds: Odds, row: int, number: int) -> Rates:
    """The rates of one state; after a tick without, its slot may have had another fact, or none."""
    shares: Numbers = odds.shares[row, number]
    moves, state = odds.transitions[row], number + 1
    # The share of ticks that the chain is in each state in the long run.
    equations = np.concatenate([moves.T - np.eye(len(moves)), np.ones((1, len(moves)))])
    found = np.linalg.lstsq(equations, np.append(np.zeros(len(moves)), 1.0))[0]
    often = np.delete(np.maximum(found, IMPOSSIBLE), state)
    often /= max(float(often.sum()), IMPOSSIBLE)
    once = float(often @ np.delete(moves[:, state], state))
    return Rates(once, float(moves[state, state]), tuple(shares.tolist()))


def _different(rates: Sequence[Rates], keys: Sequence[Column], values: Values) -> Iterator[tuple[str, Rates]]:
    """The keys whose rates are furthest from those of all; of equal ones by their names."""
    each = zip(*(pa.array(values.texts(column)).to_pylist() for column in keys), strict=True)
    names = [*map(", ".join, each)]
    often = np.array([one.often for one in rates])
    apart = np.abs(often[1:] - often[0])
    for row in np.lexsort([np.array(names), -apart])[:DIFFERENT].tolist():
        if apart[row] > 0:
            yield names[row], rates[row + 1]


def _facts(series: Series, columns: Sequence[str]) -> str:
    """The facts of a series: `Temp(_, high, _)`, `Reading(value, _) where value > 100`."""
    parts = ["_"] * len(columns)
    for place, value in series.constants:
        parts[place] = value_text(value)
    for one, other in series.repeats:
        parts[one] = parts[other] = columns[one]
    for place in {int(name) for test in series.tests for name in test.variables}:
        parts[place] = columns[place]
    named = called({str(place): column for place, column in enumerate(columns)})
    tests = ", ".join(test.replaced(named).text for test in series.tests)
    return call_text(series.predicate, parts) + (f" where {tests}" if tests else "")


_WIDTH = 78
_LABEL = 12


def learned_text(model: Model) -> str:
    """Describes each series: the rates and delays of its facts, and the keys that differ most."""
    parts = [[*_series(each)] for each in learned(model)] or [wrap(_NOTHING, _WIDTH)]
    parts += [wrap(f"{text}.", _WIDTH) for text in notes(model.plan, learned=True)]
    return "\n\n".join(map("\n".join, parts)) + "\n"


_NOTHING = (
    "Of single facts nothing is known yet: they are counted by 20 ticks, when all of these have come. "
    "Chances rest on the outcomes of earlier answers alone."
)


def _series(found: Learned) -> Iterator[str]:
    keys = ", ".join(map(shown, found.keys))
    of = f" with {words.count(found.known, 'value')} of {keys}" if keys else ""
    yield f"{shown(found.facts)}: {words.count(found.count, 'fact')}{of}"
    once, again, often = (percent(e) for e in (found.rates.once, found.rates.again, found.rates.often))
    yield from _labelled(
        "how often",
        f"{once} of the ticks after one without have one, {again} of those after one with; {often} of all in "
        "the long run",
    )
    late = [
        f"{percent(share)} {'in time' if late == 0 else words.count(late, 'tick') + ' late'}"
        for late, share in enumerate(found.rates.shares)
        if percent(share) != "0 %"
    ]
    yield from _labelled("how late", ", ".join(late))
    width = max((len(shown(name)) for name, _ in found.different), default=0)
    label = "differs most"
    for name, rates in found.different:
        often = f"{percent(rates.once)} after one without, {percent(rates.again)} after one with"
        yield from _labelled(label, f"{shown(name):<{width}}  {often}")
        label = ""


def _labelled(label: str, text: str) -> list[str]:
    return words.wrapped(text, _WIDTH, f"  {label:<{_LABEL}}  ", " " * (_LABEL + 4))
