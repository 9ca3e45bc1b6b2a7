"""The values a negated literal has to be looked at for, where it leaves variables open.

`not Alarm(X, T)` may be certain for all X but those an alarm has named. So a derivation that
leaves X open stands for all values that nothing names; each named value has a row of its own.
Values are named by the facts about the ticks in question, by the rules, by the declared delays
and by the background.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from antelog.compile.plan import Const, Negated, Term, Time, Var
from antelog.engine.deadlines import latest_tick
from antelog.engine.lateness import tables_of
from antelog.engine.layout import Layout, compared, variables_of
from antelog.engine.match import ONE, Background, Found, Rows, distinct, facts_for
from antelog.engine.partial import partials
from antelog.engine.settled import Settled, is_open
from antelog.engine.tables import Column, Mask, groups
from antelog.engine.world import World, fact_ticks


@dataclass(frozen=True)
class Named:
    """Atoms of a relation that are named: a column for each of its variables (None: open), and the ticks."""

    answer: tuple[Column | None, ...]
    time: Column | None
    count: int


def names(
    world: World,
    layout: Layout,
    background: Background,
    bound: Iterable[str],
    ticks: Column | None,
    facts: Sequence[Found],
) -> tuple[Rows, ...]:
    """Bindings of the variables that negated literals leave open (ticks None: at any tick)."""
    open_ = layout.denied - set(bound)
    found: list[Rows] = []
    pattern = layout.pattern
    for negation in layout.negations:
        if variables_of(negation) & open_:
            tied = negation.time.variable == pattern.time.variable is not None
            about = (
                ticks + (negation.time.offset - pattern.time.offset) if tied and ticks is not None else None
            )
            for named in relation_names(world, negation.relation, about):
                found += _as_bindings(named, negation, world)
    found += [also for rows in found for also in _for_others(layout, rows)]
    found += [*_constants(world, layout, background, open_), *_compared(layout, open_, facts)]
    times = {n.time.variable for n in layout.negations} & open_
    for name in sorted(t for t in times if t is not None):
        own = ticks is not None and name == pattern.time.variable
        span = ticks - pattern.time.offset if own and ticks is not None else _span(world, layout, name)
        found.append(Rows({name: span}, len(span)))
    return tuple(each_once(found))


def _for_others(layout: Layout, rows: Rows) -> Iterator[Rows]:
    """What is named for one derivation, for others of the answer too: one of these may make it needless.

    They may have other times, or other values where facts give these.
    """
    facts = frozenset[str]().union(*(place.variables for place in layout.places))
    own = layout.denied - facts - layout.answered
    known = frozenset(rows.bound)
    timeless = known - (layout.time_variables - layout.answered)
    factless = known & (own | layout.answered) if known & own else frozenset[str]()
    for kept in sorted({timeless, factless}, key=sorted):
        if kept and kept != known:
            yield Rows({name: rows.bound[name] for name in rows.bound if name in kept}, rows.count)


def each_once(found: Iterable[Rows]) -> Iterator[Rows]:
    """Tables with the same variables as one, each row once."""
    tables: dict[frozenset[str], list[Rows]] = {}
    for rows in found:
        if rows.count:
            tables.setdefault(frozenset(rows.bound), []).append(rows)
    for same in tables.values():
        yield distinct(same)


def _span(world: World, layout: Layout, time: str) -> Column:
    """The ticks a time variable may stand for while facts are still awaited.

    And those it stood for `lag` ticks ago: answers that are open may rest on what was awaited then.
    """
    first = max((e.tick for e in layout.pattern.earliest if e.variable == time), default=0)
    for place in layout.places:
        if place.atom.time.variable == time:
            source = world.inputs[place.atom.predicate]
            slowest = max([source.delay, *(int(t.delays.max()) for t in tables_of(source, world.values))])
            first = max(first, max(world.begin, world.before - world.lag) - slowest - place.atom.time.offset)
    return np.arange(first, last_named(world, layout, time) + 1)


def last_named(world: World, layout: Layout, time: str) -> int:
    """The last tick that is looked at for a time variable of negated literals.

    If there may be something at later ticks, it is as at the `foresight.widest` ticks up to this.
    """
    known = world.foresight
    ahead = max(known.evidence_at(layout, time), 0) + known.compared + 2 * known.widest + 1
    return int(min(max(world.now + ahead, known.steady + known.widest), world.now + _FAR_ENOUGH))


_FAR_ENOUGH = 1_000


def few_ticks(world: World, layout: Layout, rows: Rows) -> Iterator[tuple[str, Mask]]:
    """The times of negated literals that rows leave open, and where each tick they can be is named."""
    times = {n.time.variable for n in layout.negations if n.time.variable not in rows.bound}
    for name in sorted(time for time in times if time is not None):
        yield name, latest_tick(layout, Time(name, 0), rows) <= last_named(world, layout, name)


def all_named(world: World, layout: Layout, rows: Rows) -> Mask:
    """The rows that stand for nothing that has no row of its own."""
    named = np.zeros(rows.count, np.bool_)
    for _, few in few_ticks(world, layout, rows):
        named |= few
    return named


def relation_names(world: World, name: str, ticks: Column | None) -> list[Named]:
    """The atoms of a relation about these ticks that are named."""
    key = (name, None if ticks is None else ticks.tobytes())
    if key not in world.memo:
        cycle = world.cycles.get(name)
        world.memo[key] = (
            _in_cycle(world, name, cycle) if cycle else direct_names(world, name, ticks, frozenset())
        )
    known: list[Named] = world.memo[key]
    return known


def direct_names(world: World, name: str, ticks: Column | None, without: frozenset[str]) -> list[Named]:
    """What the patterns of a relation name, but for the negations of some relations."""
    found = []
    for layout, background in zip(world.layouts[name], world.background[name], strict=True):
        pattern = layout.pattern
        time = pattern.time.variable
        seed = ONE
        if ticks is not None and time is not None:
            seed = Rows({time: ticks - pattern.time.offset}, len(ticks))
        facts = tuple(
            facts_for(p, world.history, fact_ticks(p.atom, layout, ticks), world.values)
            for p in layout.places
        )
        inner = [
            rows
            for negation in layout.negations
            if negation.relation not in without
            for named in relation_names(world, negation.relation, _about(negation, layout, ticks))
            for rows in _as_bindings(named, negation, world)
        ]
        parts = partials(layout, seed, facts, background, world.values, tuple(each_once(inner)))
        rows = [
            *(part.rows for part in parts),
            *_constants(world, layout, background, _answered(layout)),
            *_compared(layout, _answered(layout), facts),
            ONE,
            background.rows,
        ]
        found += [_named(world, layout, each) for each in rows]
    return [named for named in found if named.count and any(c is not None for c in named.answer)]


def _about(negation: Negated, layout: Layout, ticks: Column | None) -> Column | None:
    if ticks is None or negation.time.variable != layout.pattern.time.variable:
        return None
    return ticks + (negation.time.offset - layout.pattern.time.offset)


def _answered(layout: Layout) -> frozenset[str]:
    return frozenset(term.name for term in layout.pattern.answer if isinstance(term, Var))


def _named(world: World, layout: Layout, rows: Rows) -> Named:
    def column(term: Term) -> Column | None:
        if isinstance(term, Const):
            return np.full(rows.count, world.values.cell(term.value))
        return rows.bound.get(term.name)

    time = layout.pattern.time
    ticks = None if time.variable is None else rows.bound.get(time.variable)
    return Named(
        tuple(map(column, layout.pattern.answer)), None if ticks is None else ticks + time.offset, rows.count
    )


def _constants(world: World, layout: Layout, background: Background, wanted: Iterable[str]) -> Iterator[Rows]:
    """The values that rules, delays and background name for these variables."""
    wanted = set(wanted)
    for test in layout.limits:
        for one, other in ((test.left, test.right), (test.right, test.left)):
            if isinstance(one, Var) and isinstance(other, Const) and compared(test) <= wanted:
                yield Rows({one.name: np.array([world.values.cell(other.value)])}, 1)
    for place in layout.places:
        for table in tables_of(world.inputs[place.atom.predicate], world.values):
            terms = [place.atom.arguments[i] for i in table.positions]
            bound = {t.name: c for t, c in zip(terms, table.cells, strict=True) if isinstance(t, Var)}
            kept = {name: column for name, column in bound.items() if name in wanted}
            if kept:
                yield Rows(kept, len(table.delays))
    for forbidden in background.forbidden:
        kept = {name: column for name, column in forbidden.bound.items() if name in wanted}
        if kept:
            yield Rows(kept, forbidden.count)


def _compared(layout: Layout, wanted: Iterable[str], facts: Sequence[Found]) -> Iterator[Rows]:
    """The values of facts that these variables are compared with, for which what is said may not be so."""
    wanted, time = set(wanted), layout.pattern.time.variable
    for test in layout.limits:
        for one, other in ((test.left, test.right), (test.right, test.left)):
            if isinstance(one, Var) and isinstance(other, Var) and one.name in wanted:
                for bound, count in ((found.rows.bound, found.rows.count) for found in facts):
                    if other.name in bound:
                        tied = {time: bound[time]} if time is not None and time in bound else {}
                        yield distinct([Rows({one.name: bound[other.name], **tied}, count)])


def _as_bindings(named: Named, negation: Negated, world: World) -> Iterator[Rows]:
    """The named atoms that fit a negated literal, as bindings of its variables."""
    fits = np.ones(named.count, np.bool_)
    bound: dict[str, Column] = {}
    for term, column in zip(negation.asked, named.answer, strict=True):
        if column is None:
            continue
        if isinstance(term, Const):
            fits &= column == world.values.cell(term.value)
        else:
            fits &= bound.setdefault(term.name, column) == column
    time: Time = negation.time
    if named.time is not None:
        if time.variable is None:
            fits &= named.time == time.offset
        else:
            bound[time.variable] = named.time - time.offset
            fits &= bound[time.variable] >= 0
    if bound:
        yield Rows(bound, named.count).take(fits)


def _in_cycle(world: World, name: str, cycle: frozenset[str]) -> list[Named]:
    """What is named in a cycle of relations: a value once named stays so, at whatever tick."""
    known = {each: _without_time(direct_names(world, each, None, cycle)) for each in cycle}
    for each in cycle:
        known[each] = _merged([*known[each], *_remembered(world.settled[each])])
    while True:
        grown = False
        for each in cycle:
            for layout in world.layouts[each]:
                for negation in layout.negations:
                    if negation.relation in cycle:
                        more = [
                            _named(world, layout, rows)
                            for named in known[negation.relation]
                            for rows in _as_bindings(named, negation, world)
                        ]
                        merged = _merged([*known[each], *more])
                        grown = grown or _size(merged) > _size(known[each])
                        known[each] = merged
        if not grown:
            return known[name]


def _remembered(settled: Settled) -> Iterator[Named]:
    """The named among the atoms that are remembered."""
    if not settled.columns or len(settled.ticks) == 0:
        return
    open_ = [is_open(column) for column in settled.columns]
    shapes = groups(sum((mask.astype(np.int64) << i for i, mask in enumerate(open_)), np.zeros(1, np.int64)))
    for first, size in zip(shapes.starts.tolist(), shapes.sizes.tolist(), strict=True):
        at = shapes.order[first : first + size]
        answer = tuple(None if mask[at[0]] else c[at] for mask, c in zip(open_, settled.columns, strict=True))
        yield Named(answer, None, len(at))


def _size(tables: list[Named]) -> int:
    return sum(named.count for named in tables)


def _without_time(tables: list[Named]) -> list[Named]:
    return _merged([Named(named.answer, None, named.count) for named in tables])


def _merged(tables: list[Named]) -> list[Named]:
    """Tables without time, one for each set of open variables, each row once."""
    same: dict[tuple[bool, ...], list[Rows]] = {}
    for named in tables:
        bound = {str(i): column for i, column in enumerate(named.answer) if column is not None}
        if bound and named.count:
            same.setdefault(tuple(c is not None for c in named.answer), []).append(Rows(bound, named.count))
    found = []
    for shape, parts in same.items():
        rows = distinct(parts)
        found.append(
            Named(
                tuple(rows.bound[str(i)] if known else None for i, known in enumerate(shape)),
                None,
                rows.count,
            )
        )
    return found
