"""The rows of a query's patterns: those that facts make, at the ticks of the clock, for the values seen.

Calm(X, T) :- not Alarm(X, T).     a row for each value seen and for all others, at each tick
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from antelog.compile.prepared.pattern import Prepared
from antelog.engine.columns.joins import TooLargeError, make_room, spread
from antelog.engine.columns.spans import EVERYWHERE, Spans, spans_of, union
from antelog.engine.columns.tables import Column, Mask, distinct, marked
from antelog.engine.facts.history import FROM_THE_START, SeenValues
from antelog.engine.step.background import Background
from antelog.engine.step.derivations import Knowledge
from antelog.engine.step.matching import Partial, fitting, partials, wholes
from antelog.engine.step.query import StepQuery
from antelog.engine.step.rows import ONE, LiteralFacts, Rows, first_tick, latest_tick, time_column
from antelog.engine.values.encoding import OTHERS
from antelog.engine.values.values import Values


def rows_of_query(known: Knowledge, query: StepQuery, number: int, later: Column) -> Iterator[Partial]:
    """The rows of one pattern of a query, and those about some later ticks if it goes by the clock."""
    prepared, background = known.rules.patterns[query.name][number], background_of(known, query, number)
    about = None if query.about is EVERYWHERE else query.about
    clock = union((query.about.between(query.step.begin, query.step.now), spans_of(later)))
    seed = _seed(prepared, clock)
    found = known.found(prepared, about)
    whole = query.confirmed_only and prepared.seen is None and not prepared.clocked
    for part in _matched(prepared, seed, found, background, known.values, whole=whole):
        if prepared.facts:
            part = part.with_facts()  # noqa: PLW2901 - the same with less
        if prepared.facts and prepared.clocked:
            part = _with_ticks(known, prepared, background, part, clock)  # noqa: PLW2901 - with more
        part = _in_query(prepared, part, query)  # noqa: PLW2901 - with less
        if part.rows.count and prepared.seen is not None:
            part = with_seen(prepared, part, known.seen[prepared.seen])  # noqa: PLW2901 - with more
            part = part.take(fitting(prepared, part.rows, background, known.values))  # noqa: PLW2901 - with less
        if part.rows.count:
            yield part


def background_of(known: Knowledge, query: StepQuery, number: int) -> Background:
    """The background of one pattern of a query; of twins it has one."""
    twins = known.twins(query)
    return (known.static.of_patterns[query.name] if twins is None else twins.background)[number]


def _matched(
    prepared: Prepared,
    seed: Rows,
    found: tuple[LiteralFacts, ...],
    background: Background,
    values: Values,
    *,
    whole: bool,
) -> list[Partial]:
    """The rows of a pattern; where they are too many at once, value by value of what all literals share."""
    try:
        if whole:
            return [wholes(prepared, seed, found, background, values)]
        return partials(prepared, seed, found, background, values)
    except TooLargeError as error:
        halves = _halves(prepared, found)
        if halves is None:
            where = f"{prepared.pattern.text}{_whose(prepared, found, values)}"
            raise TooLargeError(error.rows, error.where or where) from None
    return [
        part for half in halves for part in _matched(prepared, seed, half, background, values, whole=whole)
    ]


def _halves(prepared: Prepared, found: tuple[LiteralFacts, ...]) -> Iterator[tuple[LiteralFacts, ...]] | None:
    """The facts cut into two parts that never join; None if they have only one value in common."""
    for name in prepared.shared:
        cells = [each.rows.bound[name] for each in found]
        different = distinct(np.concatenate(cells))
        if len(different) > 1:
            middle = different[len(different) // 2]
            lower = tuple(each.take(marked(c < middle)) for each, c in zip(found, cells, strict=True))
            upper = tuple(each.take(marked(c >= middle)) for each, c in zip(found, cells, strict=True))
            return iter((lower, upper))
    return None


def _whose(prepared: Prepared, found: tuple[LiteralFacts, ...], values: Values) -> str:
    """The values that the facts have in common, and the number of facts, for messages."""
    known = [
        f"{name} = {values.texts(each.rows.bound[name][:1])[0].as_py()}"
        for name in prepared.shared
        for each in found[:1]
        if each.rows.count
    ]
    counts = " and ".join(f"{each.rows.count:,}" for each in found)
    return f", with {counts} facts" + (f" of {', '.join(known)}" if known else "")


def _seed(prepared: Prepared, clock: Spans) -> Rows:
    """A clock-driven pattern is looked at tick by tick."""
    time = prepared.pattern.time
    if prepared.facts or time.variable is None:
        return ONE
    ticks = clock.ticks() - time.offset
    return Rows({time.variable: ticks}, len(ticks))


def _with_ticks(
    known: Knowledge, prepared: Prepared, background: Background, part: Partial, clock: Spans
) -> Partial:
    """Rows once for every tick of the clock that an unguarded time may be, within its comparisons."""
    time, rows = prepared.pattern.time, part.rows
    if time.variable is None or clock.empty:
        return part.take(np.zeros(0, np.int64))
    first, last = first_tick(prepared, time, rows), latest_tick(prepared, time, rows)
    first = np.maximum(first, int(clock.first[0]))
    counts = np.maximum(np.minimum(last, int(clock.last[-1])) - first + 1, 0)
    make_room(counts)
    which, ticks = spread(first, counts)
    inside = marked(clock.within(ticks))
    which, ticks = which.take(inside), ticks.take(inside)
    whole = part.take(which)
    whole = Partial(Rows({**whole.rows.bound, time.variable: ticks - time.offset}, len(ticks)), whole.arrived)
    return whole.take(fitting(prepared, whole.rows, background, known.values))


def _in_query(prepared: Prepared, part: Partial, query: StepQuery) -> Partial:
    """The rows whose answers are about the ticks of a query, or about a tick that is still open."""
    time = prepared.pattern.time
    if part.rows.count == 0 or (time.variable is not None and time.variable not in part.rows.bound):
        return part
    ticks = time_column(time, part.rows)
    inside: Mask = np.ones(len(ticks), np.bool_)
    if query.about is not EVERYWHERE:
        inside = query.about.within(ticks)
    if query.hidden.since is not None:
        inside &= ticks >= query.hidden.since
    return part if inside.all() else part.take(inside)


def with_seen(prepared: Prepared, part: Partial, seen: SeenValues) -> Partial:
    """Each row once for every value its unguarded variable may be: those that have been seen, and all others.

    Calm(X, T) :- not Alarm(X, T).     a has been seen since 1
    T = 0: X = a, from 1 on; and X = all others
    """
    cells, since = np.append(seen.cells, OTHERS), np.append(seen.since, FROM_THE_START)
    counts = np.full(part.rows.count, len(cells))
    make_room(counts)
    row, which = spread(np.zeros(part.rows.count, np.int64), counts)
    whole = part.take(row)
    (variable,) = prepared.pattern.unguarded
    bound = {**whole.rows.bound, variable: cells.take(which)}
    return replace(whole, rows=replace(whole.rows, bound=bound, seen=since.take(which)))
