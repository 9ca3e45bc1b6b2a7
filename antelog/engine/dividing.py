"""Divides facts and states by the program's key, among workers or buckets: 1 and 1.0 are equal everywhere."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.types as is_a
from numpy.typing import NDArray

from antelog.accounts import Counts
from antelog.arrow.kinds import Kind
from antelog.compile.nodes.plan import Plan
from antelog.engine.carried import SettledAnswers
from antelog.engine.columns.tables import Column, Mask
from antelog.engine.facts.history import FROM_THE_START, Facts, Seen, SeenValues, added, gather
from antelog.engine.saving import SavedEngine
from antelog.engine.state import Rows, State, seeing, with_cells
from antelog.engine.step.derivations import DecidedAtoms
from antelog.engine.step.query import Share
from antelog.engine.values.encoding import OTHERS, UNBOUND
from antelog.engine.values.values import Values

_Hashes = NDArray[np.uint64]

_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_OTHER = np.uint64(0xBF58476D1CE4E5B9)


def parts_of(array: pa.Array | pa.ChunkedArray, count: int, *, spelled: bool = False) -> Column:
    """The part of each value, a number below `count`; those to be `spelled` are what they are as texts."""
    if count == 1:
        return np.zeros(len(array), np.int64)
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    values = Values()

    def hashes_of(column: pa.Array) -> _Hashes:
        cells, _ = values.encode_usable(column)
        found = _of_cells(values.spelled(cells) if spelled else cells, values)
        found[cells == UNBOUND] = 0
        return found

    if is_a.is_union(array.type):  # of values of several types, which has no dictionary
        return _parts(hashes_of(array), count)
    encoded = array if is_a.is_dictionary(array.type) else array.dictionary_encode()
    indices = encoded.indices
    there = indices.is_valid().to_numpy(zero_copy_only=False)
    hashes = np.zeros(len(array), np.uint64)
    hashes[there] = hashes_of(encoded.dictionary)[indices.drop_null().to_numpy()]
    return _parts(hashes, count)


def mask_of(part: int, count: int) -> Callable[[Column, Values], Mask] | None:
    """Masks the cells of a part; None if it is the only one. The first has unbound cells and all others."""
    if count == 1:
        return None

    def in_part(cells: Column, values: Values) -> Mask:
        hashes = _of_cells(cells, values)
        hashes[(cells == UNBOUND) | (cells == OTHERS)] = 0
        found: Mask = _parts(hashes, count) == part
        return found

    return in_part


def share_of(plan: Plan, part: int, count: int) -> Share | None:
    """A mask of the answers that a part reports, which has all their facts; None if it reports all."""
    in_part = mask_of(part, count)
    if in_part is None or not talks_by_itself(plan):
        return None

    def share(name: str, answers: Sequence[Column], values: Values) -> Mask:
        return in_part(answers[plan.key[name]], values)

    return share


def talks_by_itself(plan: Plan) -> bool:
    """Whether some pattern is clock-driven: its answers rest on no fact, so several parts have them."""
    return any(pattern.clock_driven for query in plan.queries for pattern in query.patterns)


def key_columns(plan: Plan) -> Mapping[str, str | None]:
    """The column by which each input is divided; None if all its facts belong to the first part."""
    positions = {each.name: each.position for each in plan.key.positions}
    found: dict[str, str | None] = {}
    for source in plan.inputs:
        name = source.name
        if name not in positions and (source.slot == () or not source.types):
            found[name] = None
        else:  # if no pattern uses it, any column that keeps conflicting facts together
            found[name] = source.columns[positions.get(name, min(source.slot or (0,)))]
    return found


# ---- states ----


def part_of(saved: SavedEngine, part: int, count: int) -> SavedEngine:
    """The engine of a part, with its facts and what is remembered of them; the first has the counts."""
    mask = mask_of(part, count)
    if mask is None:
        return saved
    in_part: Callable[[Column, Values], Mask] = mask
    plan, state = saved.plan, saved.state
    positions = {each.name: plan.key[each.name] for each in plan.relations}
    columns = {each.name: each.columns for each in plan.inputs}
    positions |= {n: columns[n].index(key) for n, key in key_columns(plan).items() if key is not None}

    def mine(of: Mapping[str, Rows]) -> dict[str, Rows]:
        """The rows of this part; those of inputs that are not divided are of the first."""
        found = {}
        for name, rows in of.items():
            at = positions.get(name)
            key = rows.columns[at] if at is not None else np.full(getattr(rows, "count", 0), UNBOUND)
            found[name] = rows.take(in_part(key, state.values))
        return found

    seen = {
        each: known.take(in_part(known.cells, state.values) | (known.since == FROM_THE_START))
        for each, known in state.observed.seen.items()
    }
    own = _with(
        state,
        seen,
        mine(_kept(state)),
        mine(_latest(state)),
        decided=mine(state.decided),
        settled=mine(state.carried.settled),
    )
    return replace(saved, state=own, counts=saved.counts if part == 0 else {}, forecast={})


def joined(parts: Sequence[SavedEngine]) -> SavedEngine:
    """The engine of all parts, which have finished the same ticks."""
    own = [part_of(each, part, len(parts)) for part, each in enumerate(parts)]
    states = [each.state for each in own]
    first = states[0]
    for state in states[1:]:
        first = seeing(own[0].plan, first, state.observed.types)

    def every(of: Callable[[State], Mapping[str, Rows]]) -> dict[str, Rows]:
        found: dict[str, list[Rows]] = {}
        for state in states:
            for name, rows in of(state).items():
                recoded = partial(first.values.recoded, of=state.values)
                found.setdefault(name, []).append(with_cells(rows, recoded))
        return {name: one.and_then(*others) for name, (one, *others) in found.items()}  # type: ignore[arg-type]  # of one kind

    seen = {}
    for each in first.observed.seen:
        known = [(state.observed.seen[each], state.values) for state in states]
        cells = np.concatenate([first.values.recoded(some.cells, of) for some, of in known])
        since = np.concatenate([some.since for some, _ in known])
        seen[each] = SeenValues(cells[:0], since[:0]).and_more(cells, since)
    whole = _with(
        first,
        seen,
        every(_kept),
        every(_latest),
        decided=every(lambda state: state.decided),
        settled=every(lambda state: state.carried.settled),
    )
    counts = {
        name: sum((each.counts.get(name, Counts()) for each in parts), Counts()) for name in first.history
    }
    return replace(own[0], state=whole, counts=counts)


def _kept(state: State) -> dict[str, Facts]:
    return {name: gather(state.history, name, None) for name in state.history}


def _latest(state: State) -> dict[str, Facts]:
    return {name: each.latest for name, each in state.history.items() if each.latest is not None}


def _with(
    state: State,
    seen: Seen,
    facts: Mapping[str, Facts],
    latest: Mapping[str, Facts],
    *,
    decided: Mapping[str, DecidedAtoms],
    settled: Mapping[str, SettledAnswers],
) -> State:
    """The state with other facts, and other things remembered."""
    empty = {name: replace(each, slices={}) for name, each in state.history.items()}
    empty |= {name: empty[name].with_latest(each) for name, each in latest.items()}
    observed, carried = replace(state.observed, seen=seen), replace(state.carried, settled=settled)
    history = added(empty, facts)
    return replace(state, history=history, observed=observed, decided=decided, carried=carried)


def _parts(hashes: _Hashes, count: int) -> Column:
    return (hashes % np.uint64(count)).astype(np.int64)


def _of_cells(cells: Column, values: Values) -> _Hashes:
    """Hashes numbers by the bits of the nearest double, other values by their text."""
    hashes = _mixed(values.numbers(cells).view(np.uint64))
    named = (values.kinds(cells) != Kind.NUMBER) & (cells != UNBOUND) & (cells != OTHERS)
    if named.any():
        hashes[named] = _of_texts(values.decode(values.spelled(cells[named]), pa.string()))
    return hashes


def _of_texts(texts: pa.Array) -> _Hashes:
    """Hashes texts, of which there is at least one, by their bytes and where these are."""
    texts = texts.cast(pa.large_binary())
    if texts.null_count:
        texts = texts.fill_null(b"")
    _, offsets_of, content_of = texts.buffers()
    offsets = np.frombuffer(offsets_of, np.int64)[texts.offset : texts.offset + len(texts) + 1]
    content = np.frombuffer(content_of or b"", np.uint8)[offsets[0] : offsets[-1]]
    lengths = np.diff(offsets)
    places = np.arange(len(content)) - np.repeat(offsets[:-1] - offsets[0], lengths)
    weighted = _mixed(content.astype(np.uint64) + np.uint64(1) + (places.astype(np.uint64) << np.uint64(8)))
    # Sums up to each byte, and so of each text; all of it modulo 2^64.
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(weighted, dtype=np.uint64)])
    ends = offsets - offsets[0]
    return _mixed(sums[ends[1:]] - sums[ends[:-1]])


def _mixed(numbers: _Hashes) -> _Hashes:
    """Hashes of numbers, whose lowest bits depend on all bits of a number."""
    mixed = numbers * _FACTOR
    mixed ^= mixed >> np.uint64(32)
    mixed *= _OTHER
    return mixed ^ (mixed >> np.uint64(29))
