"""The rows of patterns, for the answers of a query and for given atoms.

Calm(X, T) :- not Alarm(X, T).     for a query a row for each value seen and for all others, at each tick
Shdn(X, T+1) :- Cool(X, T), Flag(X, T+1).     for Shdn(wt2, 2) the rows with X = wt2, T = 1
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from antelog.compile.literals.conditions import Comparison
from antelog.compile.literals.literal import AskedLiteral, Reference
from antelog.compile.literals.terms import Const, Time, Var
from antelog.compile.prepared.pattern import Prepared
from antelog.engine.columns.joins import TickRange, TooLargeError, make_room, spread
from antelog.engine.columns.spans import EVERYWHERE, Spans, covering, spans_of, union
from antelog.engine.columns.tables import Column, ColumnSet, Mask, distinct, marked
from antelog.engine.facts.history import FROM_THE_START, SeenValues
from antelog.engine.step.denied import AtomTicks, Denied, ends_given
from antelog.engine.step.derivations import Atoms, Knowledge
from antelog.engine.step.matching import Background, Partial, fitting, partials, wholes
from antelog.engine.step.query import StepQuery
from antelog.engine.step.rows import (
    ONE,
    LiteralFacts,
    Rows,
    first_tick,
    latest_tick,
    passing,
    term_column,
    time_column,
)
from antelog.engine.values.encoding import OTHERS
from antelog.engine.values.values import Values

Facts: TypeAlias = tuple[LiteralFacts, ...]  # of each literal of a pattern


def rows_for(known: Knowledge, name: str, number: int, seed: Rows, *, bare: bool = False) -> list[Partial]:
    """The rows of a pattern for some atoms (`bare`: without facts); too many are found in halves."""
    if seed.count == 0:
        return []
    prepared = known.rules.patterns[name][number]
    time = prepared.pattern.time
    if seed.time is None:
        about = spans_of(distinct(time_column(time, seed)))
    else:
        about = covering(seed.time.first + time.offset, seed.time.last + time.offset)
    found, denied = known.found(prepared, about), denied_in(known, prepared, about)
    if bare:
        found = tuple(each.take(np.zeros(0, np.int64)) for each in found)
    try:
        parts = partials(
            prepared, seed, found, known.static.of_patterns[name][number], known.values, denied=denied
        )
        return [_inside(prepared, part) for part in parts]
    except TooLargeError as error:
        if seed.count < 2:
            raise TooLargeError(error.rows, f"{name}: {prepared.pattern.text}") from None
    half = np.arange(seed.count) < seed.count // 2
    return [
        part for some in (half, ~half) for part in rows_for(known, name, number, seed.take(some), bare=bare)
    ]


def _inside(prepared: Prepared, part: Partial) -> Partial:
    """The rows whose times lie in the ranges that are asked for."""
    time, range_ = prepared.pattern.time.variable, part.rows.time
    if range_ is None or time is None or time not in part.rows.bound:
        return part
    ticks = part.rows.bound[time]
    return part.take(marked((range_.first <= ticks) & (ticks <= range_.last)))


def seed_of(prepared: Prepared, atoms: Atoms, values: Values) -> Rows:
    """The atoms that the answer of a pattern fits, as values of its variables."""
    pattern, bound, fits = prepared.pattern, dict[str, Column](), np.ones(atoms.count, np.bool_)
    for term, column in zip(pattern.answer, atoms.arguments, strict=True):
        if isinstance(term, Var) and column is not None:
            fits &= bound.setdefault(term.name, column) == column
        elif isinstance(term, Const) and column is not None:
            fits &= column == values.cell(term.value)
    first, time = atoms.time - pattern.time.offset, None
    last = first if atoms.last is None else atoms.last - pattern.time.offset
    if pattern.time.variable is None:
        fits &= (first <= 0) & (last >= 0)
    elif atoms.last is None:
        bound[pattern.time.variable] = first
    else:
        time = TickRange(first, last)
    return Rows(bound, atoms.count, np.arange(atoms.count), atoms.as_of, time).take(fits)


@dataclass(frozen=True, eq=False)
class OpenAtoms(ColumnSet):
    """Atoms that a literal with open variables may ask for, and the conditions on these variables."""

    reference: Reference
    atoms: Atoms
    conditions: Sequence[Comparison]
    given: Mapping[str, Column]  # for each atom the values that the conditions compare them with

    @property
    def columns(self) -> list[Column]:
        return [*self.atoms.columns, *self.given.values()]

    def kind(self, depth: int) -> Hashable:
        """The kind of atoms whose columns can be compared, looked at in this depth."""
        open_ = tuple(column is None for column in self.atoms.arguments)
        return self.reference, tuple(self.conditions), *self.given, open_, self.atoms.last is None, depth

    def meeting(self, values: Values, prepared: Prepared, rows: Rows) -> Column:
        """The rows that meet the conditions of the literal's own variables, as far as they have values."""
        reference, owner = self.reference, rows.owner
        assert owner is not None
        bound = {name: column.take(owner) for name, column in self.given.items()} | {
            term.name: term_column(answer, rows, values)
            for term, answer in zip(reference.given, prepared.pattern.answer, strict=True)
            if isinstance(term, Var) and (not isinstance(answer, Var) or answer.name in rows.bound)
        }
        own, atoms = prepared.pattern.time, self.atoms
        if own.variable is None or own.variable in rows.bound:
            ticks = time_column(own, rows)
            first = atoms.time.take(owner)
            fits = (first <= ticks) & (ticks <= (first if atoms.last is None else atoms.last.take(owner)))
            time = reference.first
            if time == reference.last and time.variable is not None:
                bound[time.variable] = ticks - time.offset
        else:
            fits = first_tick(prepared, own, rows) <= latest_tick(prepared, own, rows)
        return marked(fits & passing(self.conditions, bound, rows.count, values))


def known_tick(time: Time, rows: Rows) -> Column | None:
    """The tick of a time in each row; None if it is open."""
    return time_column(time, rows) if time.variable is None or time.variable in rows.bound else None


def open_atoms(prepared: Prepared, reference: Reference, rows: Rows, values: Values) -> Atoms:
    """The atoms of a reference with open variables, in the range of ticks that these leave them."""
    first, last = known_tick(reference.first, rows), known_tick(reference.last, rows)
    return Atoms(
        reference.name,
        tuple(
            None
            if term is None or (isinstance(term, Var) and term.name not in rows.bound)
            else term_column(term, rows, values)
            for term in reference.given
        ),
        first_tick(prepared, reference.first, rows) if first is None else first,
        latest_tick(prepared, reference.last, rows) if last is None else last,
        rows.as_of,
    )


def conditions_on_open(prepared: Prepared, literal: AskedLiteral, rows: Rows) -> list[Comparison]:
    """The comparisons that the open variables of the literal have to meet, about no other open ones."""
    open_, own = literal.variables - rows.bound.keys(), literal.variables | rows.bound.keys()
    return [c for c in prepared.pattern.comparisons if c.variables & open_ and c.variables <= own]


def rows_of_query(known: Knowledge, query: StepQuery, number: int, later: Column) -> Iterator[Partial]:
    """The rows of one pattern of a query, and those about some later ticks if it is clock-driven."""
    prepared, background = known.rules.patterns[query.name][number], background_of_query(known, query, number)
    about = None if query.about is EVERYWHERE else query.about
    clock = union((query.about.between(query.step.begin, query.step.now), spans_of(later)))
    time, seed = prepared.pattern.time, ONE
    if not prepared.facts and time.variable is not None:
        ticks = clock.ticks() - time.offset
        seed = Rows({time.variable: ticks}, len(ticks))
    found, denied = known.found(prepared, about), denied_in(known, prepared, about)
    whole = query.confirmed_only and prepared.seen is None and not prepared.clocked

    def match(facts: Facts) -> list[Partial]:
        if whole:
            return [wholes(prepared, seed, facts, background, known.values, denied=denied)]
        return partials(prepared, seed, facts, background, known.values, denied=denied)

    for matched in _matched(prepared, found, known.values, match):
        part = matched.with_facts() if prepared.facts else matched
        if prepared.facts and prepared.clocked:
            part = _with_ticks(known, prepared, background, part, clock)
        part = _in_query(prepared, part, query)
        if part.rows.count and prepared.seen is not None:
            part = with_seen(prepared, part, known.seen[prepared.seen])
            part = part.take(fitting(prepared, part.rows, background, known.values))
        if part.rows.count:
            yield part


def denied_in(known: Knowledge, prepared: Prepared, about: Spans | None) -> list[Denied]:
    """The atoms that are true in ranges under `not` whose ends facts give, for answers about some ticks."""
    found = list[Denied]()
    for end in ends_given(prepared):
        literal = prepared.literals[end.number]
        assert isinstance(literal, AskedLiteral)
        ((reach,), (reference,)) = literal.reaches, literal.references
        if reference.name not in known.rules.cycles:
            around = None if about is None else about.shifted(reach.behind, reach.ahead)
            found += [Denied(end, each) for each in _true(known, reference.name, around)]
    return found


def _true(known: Knowledge, relation: str, about: Spans | None) -> Iterator[AtomTicks]:
    """The atoms of a relation that facts and the background alone make true; none if they are too many."""
    parts = list[AtomTicks]()
    patterns = zip(known.rules.patterns[relation], known.static.of_patterns[relation], strict=True)
    for prepared, background in patterns:
        if prepared.asked or prepared.clocked or prepared.pattern.unguarded:
            continue
        try:
            part = wholes(prepared, ONE, known.found(prepared, about), background, known.values)
        except TooLargeError:
            continue
        answer = prepared.pattern.answer
        arguments = tuple(term_column(each, part.rows, known.values) for each in answer)
        since = part.arrived.max(axis=0)
        parts.append(AtomTicks(arguments, time_column(prepared.pattern.time, part.rows), since))
    if parts:
        yield parts[0].and_then(*parts[1:])


def background_of_query(known: Knowledge, query: StepQuery, number: int) -> Background:
    """The background of one pattern of a query, with one value of each group of twins."""
    twins = known.twins(query)
    return (known.static.of_patterns[query.name] if twins is None else twins.background)[number]


def _matched(
    prepared: Prepared, found: Facts, values: Values, match: Callable[[Facts], list[Partial]]
) -> list[Partial]:
    """The rows of a pattern; where they are too many at once, value by value of what all literals share."""
    try:
        return match(found)
    except TooLargeError as error:
        halves = _halves(prepared, found)
        if halves is None:
            where = f"{prepared.pattern.text}{_whose(prepared, found, values)}"
            raise TooLargeError(error.rows, error.where or where) from None
    return [part for half in halves for part in _matched(prepared, half, values, match)]


def _halves(prepared: Prepared, found: Facts) -> list[Facts] | None:
    """The facts cut into two parts that never join; None if they have only one value in common."""
    for name in prepared.shared:
        cells = [each.rows.bound[name] for each in found]
        different = distinct(np.concatenate(cells))
        if len(different) > 1:
            below = [column < different[len(different) // 2] for column in cells]
            lower = tuple(each.take(low) for each, low in zip(found, below, strict=True))
            return [lower, tuple(each.take(~low) for each, low in zip(found, below, strict=True))]
    return None


def _whose(prepared: Prepared, found: Facts, values: Values) -> str:
    """The values that the facts have in common, and the number of facts, for messages."""
    known = [
        f"{name} = {values.texts(each.rows.bound[name][:1])[0].as_py()}"
        for name in prepared.shared
        for each in found[:1]
        if each.rows.count
    ]
    counts = " and ".join(f"{each.rows.count:,}" for each in found)
    return f", with {counts} facts" + (f" of {', '.join(known)}" if known else "")


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
    if query.since is not None:
        inside &= ticks >= query.since
    return part if inside.all() else part.take(inside)


def with_seen(prepared: Prepared, part: Partial, seen: SeenValues) -> Partial:
    """Rows once for every value that an unguarded variable may be: each that was seen, and all others."""
    cells, since = np.append(seen.cells, OTHERS), np.append(seen.since, FROM_THE_START)
    counts = np.full(part.rows.count, len(cells))
    make_room(counts)
    row, which = spread(np.zeros(part.rows.count, np.int64), counts)
    whole = part.take(row)
    (variable,) = prepared.pattern.unguarded
    bound = {**whole.rows.bound, variable: cells.take(which)}
    return replace(whole, rows=replace(whole.rows, bound=bound, seen=since.take(which)))
