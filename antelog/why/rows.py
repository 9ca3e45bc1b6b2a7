"""The derivations of an atom: the ways to it, their rows of values, and the truth of each literal in a row.

Where the engine finds no rows, it is asked again without conditions on values, for those that one kept away.

    Shdn(X, T+1) :- Cool(X, T), Flag(X, T+1).    Shdn(wt2, 2): one row, in which Temp(wt2, high, 2) is missing
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from antelog.compile.literals import Aggregation, AnyLiteral, Atom, Call, Comparison, Last, StaticAtom
from antelog.compile.literals.literal import AskedNode
from antelog.compile.literals.terms import Const, Replacement, Term, Time, Var
from antelog.compile.nodes.patterns import Pattern
from antelog.compile.nodes.plan import AnswerVariables, Bounds, Level, Relation
from antelog.compile.patterns.ways import Way, Ways
from antelog.compile.prepared.pattern import Prepared, pattern_of
from antelog.compile.rules.clauses import LoweredRule
from antelog.engine.columns.joins import TooLargeError
from antelog.engine.columns.spans import span
from antelog.engine.columns.tables import NEVER, Column, Mask
from antelog.engine.step.atoms import closing, slot_atoms, with_asked
from antelog.engine.step.derivations import Derivations
from antelog.engine.step.latest import SlotAtoms, SlotFacts, TakenValues, with_last
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
    grounds: Grounds
    way: Way
    found: Derivations

    @cached_property
    def conditions(self) -> Mapping[AnyLiteral, Mask]:
        """For each condition that all rows have the values for, where it holds."""
        known, rows, found = self.grounds.known, self.found.rows, dict[AnyLiteral, Mask]()
        for each in self.found.prepared.pattern.conditions:
            if isinstance(each, StaticAtom):
                names = {term.name for term in each.arguments if isinstance(term, Var)}
                table = rows_of(each, known.static.tables[each.predicate], known.values)
                if names <= rows.bound.keys():
                    found[each] = agrees(rows, table) ^ np.bool_(each.negated)
                elif not each.negated:
                    shared = {name: column for name, column in table.bound.items() if name in rows.bound}
                    found[each] = agrees(rows, Rows(shared, table.count))
            elif isinstance(each, Comparison | Call) and each.variables <= rows.bound.keys():
                found[each] = holds(each, rows.bound, rows.count, known.values)
        return found

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
        pattern = self.found.prepared.pattern
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
        """How many literals are neither true nor false in each row."""
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
        """The tick from which each row is reported: its first fact's, or its own if the clock drives it."""
        facts, tick = len(self.found.prepared.facts), np.int64(self.found.prepared.pattern.time.offset)
        if tick > self.grounds.end:
            tick = NEVER
        if not facts:
            return np.full(self.found.rows.count, tick)
        first: Column = self.found.holds[:facts].min(axis=0)
        return np.maximum(first, tick) if self.way.use.clocked else first

    @property
    def supported(self) -> Mask:
        """The rows that are reported at the tick, unless a literal fails."""
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
        keys = (-self.prefix, self.distance, self.waiting, self.failed)
        return [RankedRow(self, int(at)) for at in np.lexsort(keys)[:most]]


@dataclass(frozen=True, eq=False)
class RankedRow:
    rows: WayRows
    at: int

    @property
    def rank(self) -> tuple[float, ...]:
        """The sort key: few failed literals, few awaited, near, many true ones first, short."""
        rows = self.rows
        columns = (rows.failed, rows.waiting, rows.distance, -rows.prefix)
        return (*(column[self.at].item() for column in columns), len(rows.times))

    @property
    def is_complete(self) -> bool:
        return self.rank[:2] == (0, 0)

    @property
    def is_alive(self) -> bool:
        return self.rank[0] == 0

    @property
    def is_supported(self) -> bool:
        """Whether it is reported: after its first fact, while the values of `last` are the latest."""
        return bool(self.rows.supported[self.at]) and all(map(self._is_latest, self.rows.way.use.taking))

    def _is_latest(self, literal: Last) -> bool:
        """Returns whether the latest fact so far has the values of a `last` literal."""
        known, node = self.rows.grounds.known, literal.replaced(self.values)
        if not node.slot.promised or node.variables:
            return True
        found = SlotFacts.of(known, node, ONE)
        return bool(found.fits(found.before(found.end))[0])

    @cached_property
    def values(self) -> Replacement:
        return _Valued(self)

    def truth(self, literal: AnyLiteral) -> LiteralTruth:
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
    return pattern_of(way.pattern, _NO_RELATION, grounds.program.plan)


def rows_of_way(grounds: Grounds, way: Way) -> list[WayRows]:
    """Returns the rows of a way that its conditions let pass, whatever facts have come."""
    prepared = prepared_way(grounds, way)
    return [WayRows(grounds, way, each) for each in _found(grounds, prepared, prepared)]


def rows_nearby(grounds: Grounds, way: Way) -> list[WayRows]:
    """Returns the rows that some condition keeps away."""
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
    """Yields the pattern without conditions on values, then without those on the background, too."""
    times = {time.variable for time in pattern.times}
    needed = [each for each in pattern.comparisons if each.defines in pattern.worked_out]
    kept = [each for each in pattern.comparisons if each.variables and each.variables <= times]
    for more in ((*pattern.background, *kept), kept):
        literals = (*pattern.stated, *dict.fromkeys((*more, *needed)))
        if len(literals) < len(pattern.literals):
            yield replace(pattern, literals=literals)


def _found(grounds: Grounds, pattern: Prepared, exact: Prepared) -> list[Derivations]:
    """Returns the rows of a pattern, with the truth of literals in `exact`, which has more conditions."""
    known, tick = grounds.known, pattern.pattern.time.offset
    background = background_of(pattern, known.static.tables, known.values)
    seed = Rows({}, 1, np.zeros(1, np.int64))
    found = list[Derivations]()
    for part in partials(pattern, seed, known.found(pattern, span(tick, tick)), background, known.values):
        rows, at = with_worked_out(exact, part.rows, known.values)
        each = with_facts(known, exact, part if at is None else Partial(rows, part.arrived.take(at, axis=1)))
        parts = [each]
        if exact.pattern.takings:
            parts = with_last(known, each, Background(background.rows, ()), _taken_values(grounds))
        found += (with_asked(known, one) for one in parts if one.rows.count)
    return found


def _taken_values(grounds: Grounds) -> TakenValues:
    """Returns the values that are final by the tick, and those of the atoms that are the latest then."""

    def closed(literal: Aggregation, rows: Rows) -> tuple[Column, Column]:
        cells, since = closing(grounds.known, literal, rows)
        return np.where(grounds.is_so(since), cells, UNBOUND), since

    def latest(literal: Last, rows: Rows) -> SlotAtoms:
        found = slot_atoms(grounds.known, literal, rows)
        since, until = found.latest.since, found.latest.until
        until = np.where(grounds.is_so(since) & ~grounds.is_so(until), NEVER, since)
        return dataclasses.replace(found, latest=dataclasses.replace(found.latest, until=until))

    return TakenValues(closed, latest)


def fits(grounds: Grounds, row: RankedRow) -> bool:
    """Returns whether the conditions together leave the open variables of a row any value."""
    rows, known = row.single, grounds.known
    background = background_of(row.rows.found.prepared, known.static.tables, known.values)
    return bool(fitting(row.rows.found.prepared, rows, background, known.values)[0])


_MOST_TAKING = 100  # the most rows to check whether their values are the latest
_NEAR = 4  # the most rows of a way to look at where conditions keep them away


@dataclass
class RuleRows:
    """The best rows of a rule for an atom, and how many are complete, or may become so."""

    rule: LoweredRule
    best: list[RankedRow] = field(default_factory=list)
    complete: int = 0
    alive: int = 0

    def is_about(self, goal: Atom) -> bool:
        """Returns whether its head has no other values than the atom."""
        pairs = zip(self.rule.head.arguments, goal.arguments, strict=True)
        return all(
            one == other for one, other in pairs if isinstance(one, Const) and isinstance(other, Const)
        )

    def add(self, rows: list[RankedRow], most: int) -> None:
        self.best = sorted([*self.best, *rows], key=_rank)[:most]


@dataclass
class Derivable:
    """An atom that rules may derive: since when it is true and false, and the rows of each rule."""

    rules: list[RuleRows] = field(default_factory=list)
    true_at: int = int(NEVER)
    false_at: int = -1
    confirmed_at: int = int(NEVER)  # an answer that the clock drives is reported at its tick
    supported: bool = False  # an answer would be reported
    told: int = int(NEVER)  # the tick from which an answer was reported, if it was for some time
    lost: str | None = None  # the input of the first facts that would be needed and are not kept any more
    cut: bool = field(default=False, init=False)  # there are more ways to it than were looked at
    before_zero: bool = field(default=False, init=False)  # a rule would need a tick before tick 0
    _nearby: bool = field(default=False, init=False)

    @property
    def has_rows(self) -> bool:
        return any(each.best for each in self.rules)

    def chosen(self, wanted: Callable[[RankedRow], bool], most: int) -> list[RankedRow]:
        """Returns the best rows of all rules that are wanted."""
        rows = [row for each in self.rules for row in each.best if wanted(row)]
        return sorted(rows, key=_rank)[:most]

    def nearest(self) -> list[RankedRow]:
        return sorted((each.best[0] for each in self.rules if each.best), key=_rank)

    def add(self, of_rule: RuleRows, rows: WayRows, most: int) -> None:
        each = rows.found
        if not each.rows.count:
            return
        self.true_at = min(self.true_at, int(each.complete.min()))
        self.false_at = max(self.false_at, int(each.failed.max()))
        since = np.maximum(rows.since, 0)
        self.confirmed_at = min(self.confirmed_at, int(np.maximum(each.complete, since).min()))
        told = (since < each.failed) & (since <= rows.grounds.at)
        self.told = min(self.told, int(since[told].min(initial=NEVER)))
        alive = rows.failed == 0
        of_rule.alive += int(alive.sum())
        of_rule.complete += int((alive & (rows.waiting == 0)).sum())
        self.supported |= _is_told(rows, alive)
        of_rule.add(rows.ranked(most), most)

    def add_nearby(self, grounds: Grounds, goal: Atom) -> None:
        """Adds the rows that conditions keep away, where they are nearer than others."""
        if self._nearby:
            return
        self._nearby = True
        for of_rule in self.rules:
            for way in _ways(grounds, goal).of(of_rule.rule, goal):
                for rows in rows_nearby(grounds, way):
                    near = [row for row in rows.ranked(_NEAR) if not row.is_alive or not fits(grounds, row)]
                    of_rule.add(near, 2)


def _rank(row: RankedRow) -> tuple[float, ...]:
    """Returns the sort key of rows: few failed literals first, then those that a fact supports."""
    failed, waiting, *rest = row.rank
    return (failed, not row.is_supported, waiting, *rest)


def _is_told(rows: WayRows, alive: Mask) -> bool:
    told = np.flatnonzero(alive & rows.supported)
    if not any(rows.way.use.taking):
        return len(told) > 0
    return any(RankedRow(rows, int(at)).is_supported for at in told[:_MOST_TAKING])


def _ways(grounds: Grounds, goal: Atom) -> Ways:
    return Ways(grounds.program.rules, grounds.program.frame(goal.predicate))


def search(grounds: Grounds, goal: Atom, most: int) -> Derivable:
    """Finds the derivations of an atom, and keeps the best rows of each rule."""
    found = Derivable()
    for rule in grounds.program.rules[goal.predicate]:
        ways, of_rule = _ways(grounds, goal), RuleRows(rule)
        for way in ways.of(rule, goal):
            if way.is_possible:
                found.lost = found.lost or _forgotten(grounds, prepared_way(grounds, way))
                try:
                    parts = rows_of_way(grounds, way)
                except TooLargeError:
                    found.cut = True
                    continue
                for rows in parts:
                    found.add(of_rule, rows, most)
        found.rules.append(of_rule)
        found.cut |= ways.cut
        found.before_zero |= ways.before_zero
    return found


def _forgotten(grounds: Grounds, prepared: Prepared) -> str | None:
    """Returns the input of the first facts that are needed and not kept any more; None if all are there."""
    if not any(grounds.kept.values()):
        return None
    lost = dict[str, int]()
    for name, first in _needed(grounds, prepared, prepared.pattern.time.offset, set()):
        if first < grounds.kept[name]:
            lost[name] = min(first, lost.get(name, first))
    return min(lost, key=lost.__getitem__, default=None)


def _needed(
    grounds: Grounds, prepared: Prepared, tick: int, seen: set[tuple[str, int]]
) -> Iterator[tuple[str, int]]:
    """Yields inputs and first ticks that a pattern for a tick looks at, through asked literals, too."""
    rules = grounds.known.rules
    for fact in prepared.facts:
        yield fact.node.predicate, 0 if fact.behind is None else max(0, tick - fact.behind)
    for reach in (reach for literal in prepared.asked for reach in literal.reaches):
        first, name = 0 if reach.kept is None else max(0, tick - reach.kept), reach.reference.name
        # What rests on its own past is remembered, and so is the latest fact of a slot.
        if name not in rules.relations or name in rules.cycles or (name, first) in seen:
            continue
        seen.add((name, first))
        for each in rules.patterns[name]:
            yield from _needed(grounds, each, first, seen)
