"""Facts as columns; those that still matter, by input and tick; the slots they hold, and the values seen."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, pairwise
from typing import TypeAlias

import numpy as np
import pyarrow as pa

from antelog.compile.nodes.plan import Input
from antelog.compile.plan.partition import SeenColumns
from antelog.compile.prepared.rules import Rules
from antelog.engine.columns import tables
from antelog.engine.columns.joins import among, find, find_rows
from antelog.engine.columns.spans import Spans, span, spans_of
from antelog.engine.columns.tables import Column, ColumnSet, Mask, columns
from antelog.engine.values.values import Values

Places: TypeAlias = tuple[tuple[int, int], ...]  # columns, each with its cell or its equal column


@dataclass(frozen=True, eq=False)
class Facts(ColumnSet):
    """Facts of one input: the cells of their objects, the ticks they are about and arrived at."""

    columns: tuple[Column, ...]
    time: Column
    arrival: Column

    @property
    def count(self) -> int:
        return len(self.time)

    @cached_property
    def digests(self) -> Column:
        """Hashes: equal for equal facts, and seldom for others."""
        return tables.digests([*self.columns, self.time])

    def having(self, constants: Places, repeats: Places) -> Facts:
        """The facts with these cells in columns, and equal cells in pairs; cached for the next steps."""
        if not constants and not repeats:
            return self
        if (constants, repeats) not in self._known:
            fits = self.fitting(constants, repeats)
            self._known[constants, repeats] = self if fits.all() else self.take(fits)
        return self._known[constants, repeats]

    def fitting(self, constants: Places, repeats: Places) -> Mask:
        fits = np.ones(self.count, np.bool_)
        for column, cell in constants:
            fits &= self.columns[column] == cell
        for column, other in repeats:
            fits &= self.columns[column] == self.columns[other]
        return fits

    @cached_property
    def _known(self) -> dict[tuple[Places, Places], Facts]:
        return {}

    @property
    def nbytes(self) -> int:
        """The bytes of the columns, and of everything cached for them."""
        columns = [*self.columns, self.time, self.arrival]
        if "digests" in vars(self):
            columns.append(self.digests)
        parts = (part for part in self._known.values() if part is not self)
        return sum(column.nbytes for column in columns) + sum(part.nbytes for part in parts)

    def cut(self, start: int, end: int) -> Facts:
        """A copy of a slice, so that what it was cut from can be forgotten."""
        columns = tuple([column[start:end].copy() for column in self.columns])
        return Facts(columns, self.time[start:end].copy(), self.arrival[start:end].copy())

    def between(self, start: int, end: int) -> Facts:
        """A slice of them, without a copy."""
        columns = tuple(column[start:end] for column in self.columns)
        return Facts(columns, self.time[start:end], self.arrival[start:end])


def no_facts(width: int) -> Facts:
    return Facts(tuple(columns(width)), *columns(2))


@dataclass(frozen=True)
class Stream:
    """The kept facts of one input with `width` columns; if rules ask for them, the latest of each slot."""

    width: int
    slices: Mapping[int, tuple[Facts, ...]]
    latest: Facts | None = None
    slots: int = 0

    @cached_property
    def ticks(self) -> Column:
        return np.sort(np.fromiter(self.slices, np.int64, len(self.slices)))

    def with_latest(self, facts: Facts) -> Stream:
        """The stream with older facts that are each the latest of its slot."""
        return replace(self, latest=facts, slots=facts.count)


History = Mapping[str, Stream]

_SMALL = 256  # copying up to this many facts costs no more than handling another part


def joint(parts: Iterable[Facts], width: int) -> Facts:
    parts = list(parts)
    return Facts.and_then(*parts) if parts else no_facts(width)


def gather_each(
    history: History, name: str, wanted: Sequence[Spans | None], constants: Places = (), repeats: Places = ()
) -> list[Facts]:
    """Gathers facts for several sets of ticks, which are often alike: each gets a stretch of all."""
    stream = history[name]
    if len(wanted) == 1:
        return [gather(history, name, wanted[0], constants, repeats)]
    ticks = [[*stream.slices] if about is None else _ticks_in(stream, about) for about in wanted]
    every = sorted({tick for own in ticks for tick in own})
    _look_through((part for tick in every for part in stream.slices.get(tick, ())), constants, repeats)
    parts = [[part.having(constants, repeats) for part in stream.slices.get(tick, ())] for tick in every]
    ends = [*accumulate((sum(part.count for part in each) for each in parts), initial=0)]
    whole = joint([part for each in parts for part in each], stream.width)
    firsts = [bisect_left(every, own[0]) if own else 0 for own in ticks]
    return [
        whole.between(ends[first], ends[first + len(own)])
        if every[first : first + len(own)] == own
        else gather(history, name, about, constants, repeats)
        for first, own, about in zip(firsts, ticks, wanted, strict=True)
    ]


_LARGE = 4096  # looking through a part of fewer facts costs hardly more than through none


def _look_through(parts: Iterable[Facts], constants: Places, repeats: Places) -> None:
    """Finds what small parts have together, so that many ticks cost little more than one."""
    wanted = constants, repeats
    new = [part for part in parts if part.count < _LARGE and wanted not in part._known] if any(wanted) else []
    if len(new) > 1:
        whole = Facts.and_then(*new)
        fits = whole.fitting(constants, repeats)
        found = whole.take(fits)
        ends = np.append(0, np.cumsum(fits))[[*accumulate((part.count for part in new), initial=0)]]
        for part, (start, end) in zip(new, pairwise(ends.tolist()), strict=True):
            part._known[wanted] = part if end - start == part.count else found.cut(start, end)


def gather(
    history: History, name: str, about: Spans | None, constants: Places = (), repeats: Places = ()
) -> Facts:
    """The facts of an input about some ticks (None: all) that fit (see `Facts.having`)."""
    stream = history[name]
    wanted: Iterable[int] = stream.slices if about is None else _ticks_in(stream, about)
    parts = (part for tick in wanted for part in stream.slices.get(tick, ()))
    return joint((part.having(constants, repeats) for part in parts), stream.width)


def _ticks_in(stream: Stream, about: Spans) -> list[int]:
    """The ticks in a set that there are facts about; single ticks are looked up."""
    sizes = about.last - about.first
    if len(sizes) and int(sizes.max()) == 0 and len(sizes) < len(stream.slices) // _MANY:
        return [tick for tick in about.first.tolist() if tick in stream.slices]
    ticks: list[int] = stream.ticks[about.within(stream.ticks)].tolist()
    return ticks


_MANY = 64  # looking up one tick costs as much as looking through this many


def added(history: History, new: Mapping[str, Facts]) -> History:
    whole = dict(history)
    for name, facts in new.items():
        if len(facts.time):
            stream = history[name]
            slices = dict(stream.slices)
            same = tables.groups(facts.time - facts.time.min())
            by_tick = facts.take(same.order)
            for start, end in pairwise([*same.starts.tolist(), facts.count]):
                part = by_tick.cut(start, end)
                tick = int(part.time[0])
                slices[tick] = _merged(slices.get(tick, ()), part, stream.width)
            whole[name] = replace(stream, slices=slices)
    return whole


def _merged(parts: tuple[Facts, ...], new: Facts, width: int) -> tuple[Facts, ...]:
    """Appends a part to a slice, joined with smaller parts before it, so that slices have few parts."""
    while parts and parts[-1].count <= max(new.count, _SMALL):
        parts, new = parts[:-1], joint((parts[-1], new), width)
    return (*parts, new)


def fresh(history: History, name: str, facts: Facts) -> Facts:
    """The facts of an input that are not in the history yet; only the ticks they are about are looked at."""
    slices = history[name].slices
    known = [part for tick in tables.distinct(facts.time).tolist() for part in slices.get(tick, ())]
    if not known:
        return facts
    suspects = among(facts.digests, np.concatenate([part.digests for part in known]))
    if len(suspects) == 0:
        return facts  # different digests, different facts
    old = joint(known, history[name].width)
    rows = [column.take(suspects) for column in (*facts.columns, facts.time)]
    again = find_rows(rows, [*old.columns, old.time]) >= 0
    kept = np.ones(facts.count, np.bool_)
    kept[suspects[again]] = False
    return facts if kept.all() else facts.take(kept)


def without(history: History, before: Mapping[str, int]) -> History:
    """Forgets the facts of each input about ticks before the given one."""
    kept = dict(history)
    for name, first in before.items():
        stream = history[name]
        if any(tick < first for tick in stream.slices):
            slices = {tick: parts for tick, parts in stream.slices.items() if tick >= first}
            kept[name] = replace(stream, slices=slices)
    return kept


def parts_of(history: History) -> Iterator[Facts]:
    return (part for stream in history.values() for parts in stream.slices.values() for part in parts)


def latest_of(history: History) -> Iterator[Facts]:
    """The older facts that are kept as the latest of their slots."""
    return (stream.latest for stream in history.values() if stream.latest is not None)


def rows_of(history: History) -> int:
    return sum(part.count for part in parts_of(history))


# ---- the latest facts of slots that are too old to be kept for anything else ----
#
#     last Mode(X, run, T)    Mode(a, run, 3) stays until Mode(a, stop, 9) is as old
#
# Facts that the history forgets come here. Replaced ones are dropped once there are as many of them as slots,
# so that adding some costs little, however many slots there are.

_FEW = 256


def stream_of(rules: Rules, name: str) -> Stream:
    width = len(rules.inputs[name].types)
    return Stream(width, {}, no_facts(width) if name in rules.remembered else None)


def with_latest_facts(history: History, name: str) -> Facts:
    """All facts of an input, with the older ones that are the latest of their slots."""
    known, facts = history[name].latest, gather(history, name, None)
    return facts if known is None else joint((known, facts), len(facts.columns))


def forgetting(rules: Rules, history: History, before: Mapping[str, int], now: int) -> History:
    """Forgets the facts of each input about ticks before the given one, except the latest of each slot."""
    moved = dict(history)
    for name in rules.remembered:
        old = gather(history, name, span(0, before[name] - 1)) if before[name] > 0 else no_facts(0)
        stream = history[name]
        if old.count and stream.latest is not None:
            more = joint((stream.latest, old), stream.width)
            moved[name] = replace(stream, latest=more)
            if more.count > 2 * stream.slots + _FEW:
                moved[name] = stream.with_latest(_only_latest(rules, name, more, now))
    return without(moved, before)


def only_latest(rules: Rules, history: History, now: int) -> History:
    """Keeps one fact of each slot among the older ones, as in a saved state."""
    found = dict(history)
    for name, stream in history.items():
        if stream.latest is not None:
            found[name] = stream.with_latest(_only_latest(rules, name, stream.latest, now))
    return found


def _only_latest(rules: Rules, name: str, facts: Facts, now: int) -> Facts:
    """Keeps the latest fact of each slot, unless it is too old to matter."""
    back, slot = rules.remembered[name], rules.inputs[name].slot or ()
    facts = facts.take(facts.time >= (0 if back is None else now + back))
    order = np.argsort(facts.time, kind="stable")
    key = np.zeros(facts.count, np.int64)
    if slot:
        (key,) = tables.keys_of([[facts.columns[i] for i in slot]])
    order = order.take(tables.sorting(key.take(order)))
    return facts.take(np.sort(order[tables.run_ends(key.take(order))]))


# ---- slots ----


def conflicting(source: Input, facts: Facts, kept: History, values: Values) -> Mask:
    """Masks the facts that claim a slot that another one holds, whether a kept one or one of these."""
    lost = np.zeros(facts.count, np.bool_)
    if source.slot is None or facts.count == 0:
        return lost
    held = gather(kept, source.name, spans_of(tables.distinct(facts.time)))
    slots = tables.keys_of([_slot(source, each) for each in (facts, held)])
    whole = tables.keys_of([[*each.columns, each.time] for each in (facts, held)])
    at = find(*slots)
    there = at >= 0
    lost[there] = find(*whole)[there] < 0
    (slot,) = tables.keys_of([_slot(source, facts)])
    same = tables.groups(slot)
    if same.count < facts.count:
        holder = _first(same.numbers, facts, values)
        (fact,) = tables.keys_of([[*facts.columns, facts.time]])
        lost |= ~there & (fact != fact.take(holder.take(same.numbers)))
    return lost


def _slot(source: Input, facts: Facts) -> list[Column]:
    return [*(facts.columns[i] for i in source.slot or ()), facts.time]


def _first(slot: Column, facts: Facts, values: Values) -> Column:
    """The fact that holds each slot: of the first to arrive, the least by kinds, numbers and other values."""
    keys = [
        key
        for column in reversed(facts.columns)
        for key in (values.ranks(column), np.nan_to_num(values.numbers(column)), values.kinds(column))
    ]
    order = np.lexsort([*keys, facts.arrival, slot])
    return order[tables.changed(slot[order])]


def sentence(source: Input, count: int) -> pa.Array:
    """The reason, `count` times, why facts that claim a slot of another one are set aside."""
    names = [source.columns[i] for i in source.slot or ()]
    what = " and ".join([*names, "tick"]) if len(names) < 2 else f"{', '.join(names)} and tick"
    return pa.array([f"another fact of this {what} came first"] * count, pa.string())


# ---- values seen ----


FROM_THE_START = -1


@dataclass(frozen=True, eq=False)
class SeenValues(ColumnSet):
    cells: Column
    since: Column

    def and_more(self, cells: Column, since: Column) -> SeenValues:
        """Adds values, each seen at its tick unless it was seen before."""
        same = tables.groups(cells)
        first = cells.take(same.first)
        new = tables.marked(find(first, self.cells) < 0)
        if len(new) == 0:
            return self
        return self.and_then(SeenValues(first.take(new), same.least(since).take(new)))


Seen: TypeAlias = Mapping[SeenColumns, SeenValues]  # the values seen of each unguarded variable


def seen_from_the_start(
    wanted: Iterable[SeenColumns], background: Mapping[str, Sequence[tuple[int, ...]]], values: Values
) -> Seen:
    """The constants and the background in some columns."""
    found = {}
    for each in wanted:
        cells = [values.cell(value) for value in each.constants]
        cells += [row[column.position] for column in each.statics for row in background[column.name]]
        different = np.array(sorted(set(cells)), np.int64)
        found[each] = SeenValues(different, np.full(len(different), FROM_THE_START))
    return found


def seen_with(seen: Seen, facts: Mapping[str, Facts]) -> Seen:
    """Adds the values of further facts."""
    found = dict(seen)
    for each, known in seen.items():
        there = [column for column in each.inputs if column.name in facts]
        new = [(facts[c.name].columns[c.position], facts[c.name].arrival) for c in there]
        if new:
            found[each] = known.and_more(*map(np.concatenate, zip(*new, strict=True)))
    return found
