"""The search for the derivations of an atom: by each rule, the best rows, and since when it is true or false.

Malf(wt4, 0): by its rule one row, in which Temp(wt4, high, 1) fails; false since tick 3
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from antelog.compile.literals import Atom
from antelog.compile.literals.terms import Const
from antelog.compile.patterns.ways import Ways
from antelog.compile.prepared.pattern import Prepared
from antelog.compile.rules.clauses import LoweredRule
from antelog.engine.columns.joins import TooLargeError
from antelog.engine.columns.tables import NEVER, Mask
from antelog.why.grounds import Grounds
from antelog.why.rows import RankedRow, WayRows, fits, prepared_way, rows_nearby, rows_of_way

_MOST_TAKING = 100
"""The rows of which it is looked up whether the values that they take are the latest."""

_NEAR = 4
"""The rows of a way that are looked at where conditions keep them away."""


@dataclass
class RuleRows:
    """The rows of a rule for an atom: the best of them, and how many are complete, or may become so."""

    rule: LoweredRule
    best: list[RankedRow] = field(default_factory=list)
    complete: int = 0
    alive: int = 0

    def is_about(self, goal: Atom) -> bool:
        """Whether its head has no other values than the atom."""
        pairs = zip(self.rule.head.arguments, goal.arguments, strict=True)
        return all(
            one == other for one, other in pairs if isinstance(one, Const) and isinstance(other, Const)
        )

    def add(self, rows: list[RankedRow], most: int) -> None:
        self.best = sorted([*self.best, *rows], key=_rank)[:most]


@dataclass
class Derivable:
    """An atom that rules may derive: since when it is true and false, and the rows of each rule.

    confirmed_at  since when an answer is confirmed: one that the clock drives is told at its tick
    supported     whether an answer would be told of it
    told          the tick from which it was, if it was for some time
    lost          the first facts that would be needed and are not kept any more
    cut           whether there are more ways to it than were looked at
    before_zero   whether a rule does not apply, as it would need a tick before tick 0
    """

    rules: list[RuleRows] = field(default_factory=list)
    true_at: int = int(NEVER)
    false_at: int = -1
    confirmed_at: int = int(NEVER)
    supported: bool = False
    told: int = int(NEVER)
    lost: Needed | None = None
    cut: bool = field(default=False, init=False)
    before_zero: bool = field(default=False, init=False)
    _nearby: bool = field(default=False, init=False)

    @property
    def has_rows(self) -> bool:
        return any(each.best for each in self.rules)

    def chosen(self, wanted: Callable[[RankedRow], bool], most: int) -> list[RankedRow]:
        """The best rows of all rules that are wanted."""
        rows = [row for each in self.rules for row in each.best if wanted(row)]
        return sorted(rows, key=_rank)[:most]

    def nearest(self) -> list[RankedRow]:
        """The best row of each rule."""
        return sorted((each.best[0] for each in self.rules if each.best), key=_rank)

    def add(self, of_rule: RuleRows, rows: WayRows, most: int) -> None:
        """Adds the rows of a way by a rule."""
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
    """The sort key of rows: few failed literals first, then those that a fact speaks for."""
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
    """The derivations of an atom; of each rule the best rows are kept."""
    found = Derivable()
    for rule in grounds.program.rules[goal.predicate]:
        ways, of_rule = _ways(grounds, goal), RuleRows(rule)
        for way in ways.of(rule, goal):
            if way.is_possible:
                found.lost = found.lost or forgotten(grounds, prepared_way(grounds, way))
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


@dataclass(frozen=True)
class Needed:
    """The facts of an input from a tick on."""

    input: str
    first: int


def forgotten(grounds: Grounds, prepared: Prepared) -> Needed | None:
    """The first facts that a pattern needs and that are not kept any more; None if all are there."""
    if not any(grounds.kept.values()):
        return None
    tick = prepared.pattern.time.offset
    lost = (each for each in _needed(grounds, prepared, tick, set()) if each.first < grounds.kept[each.input])
    return min(lost, key=lambda each: each.first, default=None)


def _needed(grounds: Grounds, prepared: Prepared, tick: int, seen: set[tuple[str, int]]) -> Iterator[Needed]:
    """The facts that a pattern for an atom about a tick looks at, and its asked literals."""
    rules = grounds.rules
    for fact in prepared.facts:
        yield Needed(fact.node.predicate, 0 if fact.behind is None else max(0, tick - fact.behind))
    for reach in (reach for literal in prepared.asked for reach in literal.reaches):
        first, name = 0 if reach.kept is None else max(0, tick - reach.kept), reach.reference.name
        # What rests on its own past is remembered, and so is the latest fact of a slot.
        if name not in rules.relations or name in rules.cycles or (name, first) in seen:
            continue
        seen.add((name, first))
        for each in rules.patterns[name]:
            yield from _needed(grounds, each, first, seen)
