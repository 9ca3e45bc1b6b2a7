"""When sources were seen: a source is unseen once nothing came for longer than expected."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from antelog.compile.nodes.plan import Input
from antelog.engine.columns.joins import KeyTicks, TickRange, last_before
from antelog.engine.columns.spans import span
from antelog.engine.columns.tables import Column, keys_of, marked
from antelog.engine.facts.history import Facts, History, gather
from antelog.engine.values.encoding import OTHERS


@dataclass(frozen=True, eq=False)
class AskedTicks(TickRange):
    """The ticks that rows ask about, each of which is open for `late` more."""

    late: Column

    @property
    def count(self) -> Column:
        count: Column = np.maximum(self.last - self.first + 1, 0)
        return count

    @property
    def deadline(self) -> Column:
        """The tick by which all facts have come; -1 for an empty range."""
        return np.where(self.count > 0, self.last + self.late, -1)


@dataclass(frozen=True, eq=False)
class Sight:
    """The kept facts, and the tick where time begins: before that nothing is expected."""

    history: History
    begin: int

    def unseen(self, source: Input, cells: Mapping[int, Column], asked: AskedTicks) -> Column:
        """The number of ticks at which each row's source, with these cells in its columns, is unseen."""
        found, named = np.zeros(len(asked.first), np.int64), [at for at in source.expected.of if at in cells]
        if not named or not len(found):
            return found
        # All others are not a source; the other columns still say which it is.
        general = np.stack([cells[at] == OTHERS for at in named])
        for number, at in enumerate(named):
            some = marked(general[number] & ~general[:number].any(axis=0))
            if len(some):
                rest = {place: column.take(some) for place, column in cells.items() if place != at}
                found[some] = self.unseen(source, rest, asked.take(some))
        for late in np.unique(asked.late).tolist():
            rows = marked((asked.late == late) & ~general.any(axis=0))
            if len(rows):
                own = [cells[at].take(rows) for at in named]
                found[rows] = self._unseen(source, named, own, asked.take(rows))
        return found

    def _unseen(self, source: Input, named: list[int], cells: list[Column], asked: AskedTicks) -> Column:
        """Counts unseen ticks where all facts may be equally late."""
        first = np.maximum(asked.first, self.begin + source.expected.sight - 1)
        last = np.maximum(asked.last, first - 1)
        about = span(int(first.min()) - source.expected.sight + 1, int(last.max()))
        facts = gather(self.history, source.name, about)
        keys, owners = keys_of([cells, [facts.columns[at] for at in named]])
        seen = _Seen.of(owners, facts, source.expected.sight, int(asked.late[0]))
        unseen: Column = last - first + 1 - (seen.up_to(keys, last) - seen.up_to(keys, first - 1))
        return unseen


@dataclass(frozen=True, eq=False)
class _Seen:
    """Stretches of ticks at which sources are seen; `before` counts the ticks of earlier stretches."""

    begin: KeyTicks
    end: Column
    before: Column

    @classmethod
    def of(cls, key: Column, facts: Facts, sight: int, late: int) -> _Seen:
        begin, end = np.maximum(facts.time, facts.arrival - late), facts.time + sight - 1
        order = np.lexsort([end, begin, key])
        key, begin, end = key.take(order), begin.take(order), end.take(order)
        # The latest end so far within each source: keys are further apart than any two ticks.
        apart = key * (int(end.max(initial=0)) + 2)
        reached = np.maximum.accumulate(end + apart) - apart
        again = key[1:] == key[:-1]
        begin[1:] = np.where(again, np.maximum(begin[1:], reached[:-1] + 1), begin[1:])
        some = marked(begin <= end)
        key, begin, end = key.take(some), begin.take(some), end.take(some)
        lengths = end - begin + 1
        return cls(KeyTicks(key, begin), end, np.cumsum(lengths) - lengths)

    def up_to(self, key: Column, tick: Column) -> Column:
        at = last_before(KeyTicks(key, tick + 1), self.begin)
        there, found = marked(at >= 0), np.zeros(len(key), np.int64)
        at, first = at.take(there), np.searchsorted(self.begin.key, key.take(there))
        inside = np.minimum(self.end.take(at), tick.take(there)) - self.begin.tick.take(at) + 1
        found[there] = self.before.take(at) - self.before.take(first) + inside
        return found
