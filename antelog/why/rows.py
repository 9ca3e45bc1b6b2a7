"""The rows of a way: values for its variables, with the truth of each literal in them.

    Shdn(X, T+1) :- Cool(X, T), Flag(X, T+1).    Shdn(wt2, 2): one row, in which Temp(wt2, high, 2) is missing

The engine finds the rows, and says since when each literal is true or false. Where none is left, it is asked
again without the conditions on values: so the rows come out that a condition has kept away, and it can be
shown which one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from antelog.compile.literals import Aggregation, AnyLiteral, Comparison, Last, StaticAtom
from antelog.compile.literals.call import Call
from antelog.compile.literals.literal import AskedNode
from antelog.compile.literals.terms import Const, Replacement, Term, Time, Var
from antelog.compile.nodes.patterns import Pattern
from antelog.compile.nodes.plan import AnswerVariables, Bounds, Level, Relation
from antelog.compile.patterns.ways import Way
from antelog.compile.prepared.pattern import Prepared, pattern_of
from antelog.engine.columns.joins import TooLargeError
from antelog.engine.columns.spans import span
from antelog.engine.columns.tables import NEVER, Column, Mask
from antelog.engine.step.atoms import closing, with_asked
from antelog.engine.step.derivations import Derivations
from antelog.engine.step.latest import SlotFacts, with_last
from antelog.engine.step.literals import with_facts
from antelog.engine.step.matching import Background, Partial, background_of, fitting, partials, rows_of
from antelog.engine.step.rows import ONE, Rows, agrees, holds, numbers_of, with_worked_out
from antelog.engine.values.encoding import UNBOUND
from antelog.why.grounds import Grounds
from antelog.why.tree import FALSE, OPEN, TRUE

_NO_RELATION = Relation(
    "", "", False, AnswerVariables((), (), None), (), Bounds(None, None, None), Level(0, 0, 0)
)


@dataclass(frozen=True)
class LiteralTruth:
    """Whether a literal is true, awaited or failed, since when, and by when it is decided (None: unknown)."""

    status: str
    since: int | None = None
    until: int | None = None


@dataclass(frozen=True, eq=False)
class WayRows:
    """Rows of a way, and its literals in them."""

    grounds: Grounds
    way: Way
    found: Derivations

    @property
    def prepared(self) -> Prepared:
        return self.found.prepared

    @cached_property
    def conditions(self) -> Mapping[AnyLiteral, Mask]:
        """For each condition that all rows have the values for, where it holds."""
        return dict(_conditions(self.grounds, self.prepared, self.found.rows))

    @cached_property
    def lines(self) -> Mapping[AnyLiteral, tuple[Mask, Mask]]:
        """For each literal the rows in which it is true, and those in which it is false."""
        at, count = self.grounds, self.found.rows.count
        found: dict[AnyLiteral, tuple[Mask, Mask]] = {}
        for literal, true_at, false_at in zip(self.stated, self.found.holds, self.found.fails, strict=True):
            found[literal] = at.is_so(true_at), at.is_so(false_at)
        for literal, fits in self.conditions.items():
            found[literal] = fits, ~fits
        for literal, outcome in self.way.outcomes.items():
            found[literal] = np.full(count, outcome), np.full(count, not outcome)
        return found

    @cached_property
    def stated(self) -> tuple[AnyLiteral, ...]:
        """The literals that have lines in the derivations."""
        pattern = self.prepared.pattern
        return (*pattern.facts, *(each for each in pattern.literals if isinstance(each, AskedNode)))

    @cached_property
    def times(self) -> Mapping[AnyLiteral, int]:
        """All literals in the order of the rules, with how often each is there: every atom counts."""
        return Counter([*self.way.use.leaves, *self.way.frame])

    @cached_property
    def failed(self) -> Column:
        """How many literals fail in each row."""
        found: Column = np.zeros(self.found.rows.count, np.int64)
        for literal, (_, false) in self.lines.items():
            found = found + false * self.times[literal]
        return found

    @cached_property
    def waiting(self) -> Column:
        """How many are neither true nor false."""
        unknown = sum(times for literal, times in self.times.items() if literal not in self.lines)
        found: Column = np.full(self.found.rows.count, np.int64(unknown))
        for literal, (true, false) in self.lines.items():
            found = found + ~(true | false) * self.times[literal]
        return found

    @cached_property
    def prefix(self) -> Column:
        """How many literals are true before the first that is not."""
        nowhere: Mask = np.zeros(self.found.rows.count, np.bool_)
        count, going = np.zeros(self.found.rows.count, np.int64), ~nowhere
        for literal in self.times:
            going = going & self.lines.get(literal, (nowhere, nowhere))[0]
            count = count + going
        return count

    @cached_property
    def since(self) -> Column:
        """The tick from which each row is told: its first fact's or, where the clock drives it, its own."""
        facts, tick = len(self.prepared.facts), np.int64(self.prepared.pattern.time.offset)
        if tick > self.grounds.end:
            tick = NEVER
        if not facts:
            return np.full(self.found.rows.count, tick)
        first: Column = self.found.holds[:facts].min(axis=0)
        return np.maximum(first, tick) if self.way.use.clocked else first

    @property
    def supported(self) -> Mask:
        """The rows that are told at the tick, unless a literal fails."""
        return self.grounds.is_so(self.since)

    @cached_property
    def distance(self) -> NDArray[np.float64]:
        """How far the sides of failed comparisons are from each other."""
        rows, values = self.found.rows, self.grounds.known.values
        total = np.zeros(rows.count)
        for literal, fits in self.conditions.items():
            if isinstance(literal, Comparison) and not fits.all():
                sides = [numbers_of(side, rows.bound, values) for side in literal.operands]
                apart = np.broadcast_to(np.abs(sides[0].real - sides[1].real), rows.count)
                total = total + np.where(fits | np.isnan(apart), 0, apart)
        return total

    def ranked(self, most: int) -> list[RankedRow]:
        """The best rows, the best first."""
        keys = (-self.prefix, self.distance, self.waiting, self.failed)
        return [RankedRow(self, int(at)) for at in np.lexsort(keys)[:most]]


@dataclass(frozen=True, eq=False)
class RankedRow:
    """A row of a way."""

    rows: WayRows
    at: int

    @property
    def way(self) -> Way:
        return self.rows.way

    @property
    def rank(self) -> tuple[float, ...]:
        """The sort key of rows: few failed literals, few awaited, near, many true ones first, short."""
        rows, at = self.rows, self.at
        return (
            int(rows.failed[at]),
            int(rows.waiting[at]),
            float(rows.distance[at]),
            -int(rows.prefix[at]),
            len(rows.times),
        )

    @property
    def is_complete(self) -> bool:
        return self.rank[:2] == (0, 0)

    @property
    def is_alive(self) -> bool:
        return self.rank[0] == 0

    @property
    def is_supported(self) -> bool:
        """Whether it is told: from its first fact on, and while the values that it takes are the latest."""
        return bool(self.rows.supported[self.at]) and all(map(self._is_latest, self.way.use.taking))

    def _is_latest(self, literal: Last) -> bool:
        """Whether the latest fact so far has the values of a `last` literal."""
        known, node = self.rows.grounds.known, literal.replaced(self.values)
        if node.predicate not in known.rules.inputs or node.variables:
            return True
        found = SlotFacts.of(known, node, ONE)
        return bool(found.fits(found.before(found.end))[0])

    @cached_property
    def values(self) -> Replacement:
        """Its values, in place of variables."""
        return _Valued(self)

    def truth(self, literal: AnyLiteral) -> LiteralTruth:
        """The truth of one literal in this row."""
        rows, at, found = self.rows, self.at, self.rows.found
        true, false = (mask[at] for mask in rows.lines[literal]) if literal in rows.lines else (False, False)
        status = FALSE if false else TRUE if true else OPEN
        if literal not in rows.stated:
            return LiteralTruth(status)
        line = rows.stated.index(literal)
        until = int(found.decided[line, at])
        since = {FALSE: found.fails, TRUE: found.holds}.get(status)
        return LiteralTruth(
            status,
            None if since is None else int(since[line, at]),
            None if until in (-1, int(NEVER)) else until,
        )

    @property
    def single(self) -> Rows:
        """The row alone."""
        bound = self.rows.found.rows.bound
        return Rows({name: column[self.at : self.at + 1] for name, column in bound.items()}, 1)


class _Valued(Replacement):
    """Puts the values of a row in place of variables; those that are open stay."""

    def __init__(self, row: RankedRow) -> None:
        self._bound, self._at, self._grounds = row.rows.found.rows.bound, row.at, row.rows.grounds

    def term(self, term: Term) -> Term:
        if isinstance(term, Const) or term.name not in self._bound:
            return term
        return Const(self._grounds.value(int(self._bound[term.name][self._at])))

    def time(self, time: Time) -> Time:
        if time.variable is None or time.variable not in self._bound:
            return time
        return Time(None, int(self._bound[time.variable][self._at]) + time.offset)


# ---- the search ----


def prepared_way(grounds: Grounds, way: Way) -> Prepared:
    """The pattern of a way, prepared for the engine."""
    return pattern_of(way.pattern, _NO_RELATION, grounds.program.plan)


def rows_of_way(grounds: Grounds, way: Way) -> list[WayRows]:
    """The rows of a way that its conditions let pass, whatever has come of its facts."""
    prepared = prepared_way(grounds, way)
    return [WayRows(grounds, way, each) for each in _found(grounds, prepared, prepared)]


def rows_nearby(grounds: Grounds, way: Way) -> list[WayRows]:
    """The rows that some condition keeps away."""
    exact = prepared_way(grounds, way)
    for pattern in _relaxed(way.pattern):
        relaxed = pattern_of(pattern, _NO_RELATION, grounds.program.plan)
        try:
            found = _found(grounds, relaxed, exact)
        except TooLargeError:
            continue
        if found:
            return [WayRows(grounds, way, each) for each in found]
    return []


def _relaxed(pattern: Pattern) -> Iterator[Pattern]:
    """The pattern without some of its conditions: those on values, then those on the background, too."""
    times = {time.variable for time in pattern.times}
    needed = [each for each in pattern.comparisons if each.defines in pattern.worked_out]
    kept = [each for each in pattern.comparisons if each.variables and each.variables <= times]
    for more in ((*pattern.background, *kept), kept):
        literals = (*pattern.stated, *dict.fromkeys((*more, *needed)))
        if len(literals) < len(pattern.literals):
            yield replace(pattern, literals=literals)


def _found(grounds: Grounds, pattern: Prepared, exact: Prepared) -> list[Derivations]:
    """The rows of a pattern; the truth of literals in them is that in another with more conditions."""
    known, tick = grounds.known, pattern.pattern.time.offset
    background = background_of(pattern, known.static.tables, known.values)
    seed = Rows({}, 1, np.zeros(1, np.int64))
    found = list[Derivations]()
    for part in partials(pattern, seed, known.found(pattern, span(tick, tick)), background, known.values):
        rows, at = with_worked_out(exact, part.rows, known.values)
        each = with_facts(known, exact, part if at is None else Partial(rows, part.arrived.take(at, axis=1)))
        parts = [each]
        if exact.pattern.takings:
            parts = with_last(known, each, Background(background.rows, ()), partial(_closed, grounds))
        found += (with_asked(known, one) for one in parts if one.rows.count)
    return found


def _closed(grounds: Grounds, literal: Aggregation, rows: Rows) -> tuple[Column, Column]:
    """The values of aggregates that are closed by the tick."""
    cells, since = closing(grounds.known, literal, rows)
    return np.where(grounds.is_so(since), cells, UNBOUND), since


def _conditions(grounds: Grounds, prepared: Prepared, rows: Rows) -> Iterator[tuple[AnyLiteral, Mask]]:
    known = grounds.known
    for each in prepared.pattern.conditions:
        if isinstance(each, StaticAtom):
            names = {term.name for term in each.arguments if isinstance(term, Var)}
            table = rows_of(each, known.static.tables[each.predicate], known.values)
            if names <= rows.bound.keys():
                yield each, agrees(rows, table) ^ np.bool_(each.negated)
            elif not each.negated:
                shared = [name for name in table.bound if name in rows.bound]
                some = Rows({name: table.bound[name] for name in shared}, table.count)
                yield each, agrees(rows, some)
        elif isinstance(each, Comparison | Call) and each.variables <= rows.bound.keys():
            yield each, holds(each, rows.bound, rows.count, known.values)


def fits(grounds: Grounds, row: RankedRow) -> bool:
    """Whether the conditions together leave the open variables of a row any value."""
    rows, known = row.single, grounds.known
    background = background_of(row.rows.prepared, known.static.tables, known.values)
    return bool(fitting(row.rows.prepared, rows, background, known.values)[0])
