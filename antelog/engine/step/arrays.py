"""Explanations as nested Arrow arrays; literals are numbers that sort as their texts: by time, then text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, TypeAlias, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.types as is_a
from numpy.typing import NDArray

from antelog.engine.columns.joins import spread
from antelog.engine.columns.tables import NEVER, Column, Mask, changed, in_order, marked, numbered, places
from antelog.engine.step.derivations import AmountLine, Knowledge
from antelog.engine.step.explanations import Explanations
from antelog.engine.step.literal_texts import Writer, as_structs, numbered_texts
from antelog.engine.step.lives import Lives, views_of
from antelog.engine.step.query import StepQuery
from antelog.engine.step.schema import SO_FAR
from antelog.engine.values.numbers import Numbers
from antelog.lines import LITERAL

_NONE = -1

_Offsets: TypeAlias = NDArray[np.int32]
_Number = TypeVar("_Number", bound=np.integer[Any])


def nested(
    knowledge: Knowledge, query: StepQuery, reported: Explanations, moment: Column, rejected: Mask
) -> tuple[pa.Array, pa.Array]:
    """The evidence and hypotheses of views at some moments, and the hypotheses that rejections are due to."""
    found, at = reported.found, reported.at
    # Rejected answers have the explanations of the moment before. What is reported of twins is the same.
    once, position = (moment - rejected, None) if found.twins is None else numbered(moment - rejected)
    line, view = views_of(at, reported.kept, once)
    row, then = at.view_of.take(view), at.then.take(view)
    sheet = _sheet(knowledge, found, row, structs=query.wanted.structs)
    text, evidence = sheet.texts_at(row, then)
    if np.any(line[1:] == line[:-1]):
        before, after = _canonical(line, text, evidence)
        for table in (view, text, evidence):
            table[after] = table.take(before, axis=0)
        # Views that read like the one before: two patterns may have the same texts for some values.
        again = marked(line[1:] == line[:-1]) + 1
        for column in (*text.T, *evidence.T):
            again = again[column.take(again) == column.take(again - 1)]
        if len(again):
            line, view = np.delete(line, again), np.delete(view, again)
            text, evidence = np.delete(text, again, axis=0), np.delete(evidence, again, axis=0)
    if position is not None:
        counts = np.bincount(line, minlength=len(once))
        line, sought = spread((np.cumsum(counts) - counts).take(position), counts.take(position))
        view, text, evidence = view.take(sought), text.take(sought, axis=0), evidence.take(sought, axis=0)
    there = None if sheet.full else text != _NONE
    hypotheses = ~evidence if there is None else ~evidence & there
    known = offsets_of(_counted(evidence))
    both = offsets_of(np.full(len(text), text.shape[1]) if there is None else _counted(there))
    last = marked(rejected.take(line))
    failed = sheet.failed(at.view_of.take(view.take(last)), at.tick.take(moment.take(line.take(last))))
    # The texts that failed in each rejected line, each once, and their number.
    at_fault, size, of_line = marked(failed.ravel()), len(sheet.literals), line.take(last)
    owner = of_line.take(at_fault // max(text.shape[1], 1))
    failing = text.take(last, axis=0).ravel().take(at_fault)
    if np.any(of_line[1:] == of_line[:-1]):
        owner, failing = np.divmod(np.unique(owner * size + failing), max(size, 1))
    because = np.bincount(owner, minlength=len(moment))
    *pairs, reasons = _nested(
        sheet.literals,
        [_chosen(text, evidence), _chosen(text, hypotheses), failing.astype(text.dtype)],
        [known, both - known, offsets_of(because)],
        ~rejected,
    )
    fields = ["evidence", "hypotheses"]
    if knowledge.rules.relations[query.name].has_amounts:
        fields.append("so_far")
        when = at.tick.take(moment).take(line)
        pairs.append(sheet.so_far(at.view_of.take(view), when))
    struct = pa.StructArray.from_arrays(pairs, fields)
    offsets = pa.array(offsets_of(np.bincount(line, minlength=len(moment))))
    return pa.ListArray.from_arrays(offsets, struct), reasons


@dataclass(frozen=True, eq=False)
class _Amounts:
    """The values of an aggregate in the derivations from `start` of the sheet on, and the text of each."""

    start: int
    text: NDArray[np.int32]
    progress: AmountLine


@dataclass(frozen=True, eq=False)
class _Sheet:
    """The literals of derivations by time, then text: which text each is, when it is true, when false."""

    literals: pa.Array
    position: Column  # the place of each derivation
    text: NDArray[np.int32]  # a row for each; repeated and missing literals are _NONE, at the end
    holds: Column
    fails: Column
    full: bool  # no literal is repeated or missing
    amounts: Sequence[_Amounts] = ()

    def texts_at(self, row: Column, then: Column) -> tuple[NDArray[np.int32], Mask]:
        """The texts of derivations, and which of them are evidence at some ticks."""
        position = self.position.take(row)
        text = self.text.take(position, axis=0)
        true = np.empty(text.shape, np.bool_)
        for i, line in enumerate(self.holds):
            np.less_equal(line.take(position), then, out=true[:, i])
        return text, true if self.full else true & (text != _NONE)

    def failed(self, row: Column, tick: Column) -> Mask:
        """A mask of the literals of derivations that become false at some ticks."""
        position = self.position.take(row)
        false = np.empty((len(row), len(self.fails)), np.bool_)
        for i, line in enumerate(self.fails):
            np.equal(line.take(position), tick, out=false[:, i])
        return false if self.full else false & (self.text.take(position, axis=0) != _NONE)

    def so_far(self, row: Column, tick: Column) -> pa.Array:
        """The values of aggregates in derivations at some ticks, by their texts."""
        position = self.position.take(row)
        views, texts, values = [row[:0]], [row[:0]], [Numbers.of_ticks(row[:0])]
        for each in self.amounts:
            mine = marked((position >= each.start) & (position < each.start + len(each.text)))
            own = position.take(mine) - each.start
            views.append(mine)
            texts.append(each.text.take(own).astype(np.int64))
            values.append(each.progress.values(own, tick.take(mine)))
        view, text = np.concatenate(views), np.concatenate(texts)
        order = in_order([view, text])
        view, text = view.take(order), text.take(order)
        once = marked(changed(view) | changed(text))
        counts = np.bincount(view.take(once), minlength=len(row))
        names = self.literals.field("text") if is_a.is_struct(self.literals.type) else self.literals
        named = names.take(pa.array(text.take(once)))
        value = Numbers.and_then(*values).take(order.take(once))
        columns = [named, pa.array(value.real, from_pandas=True), pa.array(value.whole, mask=~value.rounded)]
        each = pa.StructArray.from_arrays(columns, fields=list(SO_FAR.value_type))
        return pa.ListArray.from_arrays(pa.array(offsets_of(counts)), each)


def _sheet(knowledge: Knowledge, found: Lives, row: Column, *, structs: bool) -> _Sheet:
    wanted = np.zeros(len(found.number), np.bool_)
    wanted[row] = True
    here = marked(wanted)
    position = places(here, len(wanted))
    chosen = [marked(wanted[found.rows(b)]) for b in range(len(found.blocks))]
    width = max((len(b.holds) for b, rows in zip(found.blocks, chosen, strict=True) if len(rows)), default=0)
    size = (width, len(here))
    text, holds, fails = np.empty(size, np.int32), np.empty(size, np.int64), np.empty(size, np.int64)
    writers = [
        Writer(block, block.rows.take(rows), knowledge.values)
        for block, rows in zip(found.blocks, chosen, strict=True)
    ]
    texts = [writer.texts() for writer in writers]
    counts = [len(rows) for rows, literals in zip(chosen, texts, strict=True) for _ in literals]
    if not any(counts):
        return _Sheet(
            pa.array([], LITERAL if structs else pa.string()), position, text.T, holds, fails, False
        )
    numbers, names = numbered_texts([literal for literals in texts for literal in literals], counts)
    shown = as_structs(writers, numbers, names) if structs else names
    start, full, amounts = 0, True, list[_Amounts]()
    for block, rows in zip(found.blocks, chosen, strict=True):
        lines, end = len(block.holds), start + len(rows)
        for each in block.progress if len(rows) else ():
            amounts.append(_Amounts(start, numbers[each.literal].astype(np.int32), each.take(rows)))
        for i in range(lines if len(rows) else 0):
            text[i, start:end] = numbers[i]
            holds[i, start:end], fails[i, start:end] = block.holds[i].take(rows), block.fails[i].take(rows)
        own, numbers = text[:lines, start:end], numbers[lines:]
        _sort(own, holds[:lines, start:end], fails[:lines, start:end])
        twice = own[1:] == own[:-1]
        if twice.any():
            for i in reversed(range(lines - 1)):  # what reads the same is false with the first of them
                least = np.minimum(fails[i, start:end], fails[i + 1, start:end])
                np.copyto(fails[i, start:end], least, where=twice[i])
            own[1:][twice] = len(names)
            _sort(own, holds[:lines, start:end], fails[:lines, start:end])
            own[own == len(names)] = _NONE
            full = False
        if lines < width and len(rows):
            text[lines:, start:end], holds[lines:, start:end], fails[lines:, start:end] = _NONE, NEVER, NEVER
            full = False
        start = end
    return _Sheet(shown, position, np.ascontiguousarray(text.T), holds, fails, full, amounts)


def _sort(key: NDArray[np.integer[Any]], *others: Column) -> None:
    """Sorts each column of a few lines in place, and others with it; where lines are few, this is fast."""
    for end in range(len(key) - 1, 0, -1):
        done = True
        for i in range(end):
            wrong = key[i] > key[i + 1]
            if wrong.any():
                done = False
                _exchange(key[i], key[i + 1], wrong)
                for table in others:
                    _exchange(table[i], table[i + 1], wrong)
        if done:
            return


def _exchange(line: NDArray[_Number], other: NDArray[_Number], where: Mask) -> None:
    at = marked(where)
    if len(at) < len(where) // 8:
        line[at], other[at] = other[at], line[at]
    else:  # the bits that differ, without looking at where that is
        differing = (line ^ other) & -where.astype(line.dtype)
        line ^= differing
        other ^= differing


def _canonical(line: Column, text: NDArray[np.int32], evidence: Mask) -> tuple[Column, Column]:
    """Crowded views in canonical order (fewer hypotheses first, then by literals), and in the present one."""
    again = changed(line)
    np.logical_not(again, out=again)
    again[:-1] |= again[1:]
    crowded = marked(again)
    texts, true = text.take(crowded, axis=0).astype(np.int64), evidence.take(crowded, axis=0)
    there = texts != _NONE
    beyond = int(texts.max(initial=0)) + 1
    # Hypotheses first, then evidence, then what there is not.
    sequence = np.ascontiguousarray(np.where(there, texts + beyond * true, 2 * beyond).T)
    _sort(sequence)
    sizes = [_counted(part).astype(np.int64) for part in (there & ~true, there & true)]
    return crowded.take(in_order([line[crowded], *sizes, *sequence])), crowded


def _counted(part: Mask) -> NDArray[np.integer[Any]]:
    counts: NDArray[np.integer[Any]] = np.zeros(len(part), np.int8 if part.shape[1] < 128 else np.int64)
    for column in part.view(np.int8).T:
        np.add(counts, column, out=counts)
    return counts


def _chosen(table: NDArray[Any], part: Mask) -> NDArray[Any]:
    """The elements of a table that a mask selects, row by row."""
    return table.ravel().take(marked(part.ravel()))


def _nested(
    names: pa.Array, items: Sequence[NDArray[Any]], offsets: Sequence[_Offsets], nothing: Mask
) -> list[pa.ListArray]:
    """Lists of some of the names; the last array is null where a mask says so."""
    # Taken all at once, and each array has its share.
    taken = names.take(pa.array(np.concatenate(items)))
    ends = [*accumulate(map(len, items))]
    shares = [taken.slice(end - len(part), len(part)) for end, part in zip(ends, items, strict=True)]
    masks = [*(None for _ in items[1:]), pa.array(nothing)]
    return [
        pa.ListArray.from_arrays(pa.array(each), share, mask=mask)
        for each, share, mask in zip(offsets, shares, masks, strict=True)
    ]


def offsets_of(counts: NDArray[np.integer[Any]]) -> _Offsets:
    offsets = np.zeros(len(counts) + 1, np.int32)
    offsets[1:] = counts
    return offsets.cumsum(dtype=np.int32, out=offsets)
