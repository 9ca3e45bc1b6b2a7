"""Divides facts and states by the program's key, among workers or buckets: 1 and 1.0 are equal everywhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.types as is_a
from msgspec import structs
from numpy.typing import NDArray

from antelog.accounts import Counts
from antelog.arrow.kinds import Kind
from antelog.compile.nodes.plan import Plan
from antelog.engine.columns.tables import Column, Mask, groups
from antelog.engine.facts.history import FROM_THE_START
from antelog.engine.saving import SavedEngine, StateParts, assembled, columns_of, head_of, limits_of, names_of
from antelog.engine.sealed import AGAIN
from antelog.engine.state import State, pruned, seeing, start
from antelog.engine.step.query import Share
from antelog.engine.values.encoding import OTHERS, UNBOUND
from antelog.engine.values.values import Values
from antelog.errors import StateError
from antelog.functions import UserFunction

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


InPart = Callable[[Column, Values], Mask]


def mask_of(part: int, count: int) -> InPart | None:
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


# ---- states: their members, as they are saved, divided and put together ----


def divided(saved: SavedEngine, count: int, functions: Mapping[str, UserFunction]) -> Iterator[SavedEngine]:
    """The parts of a state, each with some values of the key, without forecasts; the first has the counts."""
    head, state = head_of(saved), pruned(saved.plan, saved.state)
    for part in range(count):
        columns = _columns(saved.plan, state, mask_of(part, count))
        parts = StateParts(head, limits_of(state), state.observed.types, state.values, columns, {})
        yield assembled(saved.plan, parts, functions)
        head = structs.replace(head, counts={})


def merged(
    parts: Mapping[int, SavedEngine], count: int, functions: Mapping[str, UserFunction]
) -> SavedEngine:
    """The state of parts together, without their forecasts. Raises StateError if their times differ."""
    first, heads = next(iter(parts.values())), [head_of(each) for each in parts.values()]
    if len({each.now for each in heads}) > 1:
        raise StateError(f"the parts of the state have finished different ticks. {AGAIN}")
    plan, types = first.plan, first.state
    values = start(plan, first.given, functions=functions).values
    found: dict[str, list[list[Column]]] = {}
    for part, each in parts.items():
        types = seeing(plan, types, each.state.observed.types)
        # What rests on no fact is in several parts.
        for member, own in _columns(plan, each.state, mask_of(part, count)).items():
            width = len(names_of(plan, member)[0])
            cells = [values.recoded(column, each.state.values) for column in own[:width]]
            found.setdefault(member, []).append([*cells, *own[width:]])
    columns = {name: [*map(np.concatenate, zip(*own, strict=True))] for name, own in found.items()}
    for member, own in columns.items():
        if member.startswith("seen/"):
            same = groups(own[0])
            columns[member] = [own[0].take(same.first), same.least(own[1])]
    head = structs.replace(
        heads[0],
        begin=min((each.begin for each in heads if each.begin is not None), default=None),
        until={name: max(each.until[name] for each in heads) for name in heads[0].until},
        counts={
            each.name: sum((own.counts.get(each.name, Counts()) for own in heads), Counts())
            for each in plan.inputs
        },
    )
    limits = limits_of(first.state)
    return assembled(plan, StateParts(head, limits, types.observed.types, values, columns, {}), functions)


def _columns(plan: Plan, state: State, in_part: InPart | None) -> dict[str, list[Column]]:
    """The columns of a state by member, as far as they belong to a part."""
    columns = columns_of(plan, state)
    if in_part is None:
        return columns
    for member, own in columns.items():
        place = _key_of(plan, member)
        rows = in_part(own[place] if place is not None else np.full(len(own[-1]), UNBOUND), state.values)
        if member.startswith("seen/"):
            rows |= own[-1] == FROM_THE_START
        columns[member] = [column[rows] for column in own]
    return columns


def _key_of(plan: Plan, member: str) -> int | None:
    """The column of a member by which it is divided; None if all of it belongs to the first part."""
    kind, number = member.split("/")
    if kind == "seen":
        return 0
    if kind in ("decided", "settled"):
        return plan.key[plan.relations[int(number)].name]
    source = plan.inputs[int(number)]
    name = key_columns(plan)[source.name]
    return None if name is None else source.columns.index(name)
