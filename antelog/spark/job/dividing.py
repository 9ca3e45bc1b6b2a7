"""Divides facts among buckets by the program's key: equal values, as 1 and 1.0, have one in every process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
import pyarrow as pa
import pyarrow.types as is_a
from numpy.typing import NDArray

from antelog.arrow.kinds import Kind
from antelog.engine.columns.tables import Column, Mask
from antelog.engine.values.encoding import OTHERS, UNBOUND
from antelog.engine.values.values import Values

_Hashes = NDArray[np.uint64]

_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_OTHER = np.uint64(0xBF58476D1CE4E5B9)


def parts_of(array: pa.Array | pa.ChunkedArray, count: int) -> Column:
    """The part of each value, a number below `count`."""
    if count == 1:
        return np.zeros(len(array), np.int64)
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    values, encoded = Values(), array if is_a.is_dictionary(array.type) else array.dictionary_encode()
    distinct = _of_cells(values.encode(encoded.dictionary), values)
    indices = encoded.indices
    there = indices.is_valid().to_numpy(zero_copy_only=False)
    hashes = np.zeros(len(array), np.uint64)
    hashes[there] = distinct[indices.drop_null().to_numpy()]
    return _parts(hashes, count)


def bucket_mask(numbers: Sequence[int], number: int) -> Callable[[Column, Values], Mask] | None:
    """Masks the cells of a bucket; None if it is the only one. The first has unbound cells and all others."""
    count = len(numbers)
    if count == 1:
        return None
    part = numbers.index(number)

    def in_bucket(cells: Column, values: Values) -> Mask:
        hashes = _of_cells(cells, values)
        hashes[(cells == UNBOUND) | (cells == OTHERS)] = 0
        found: Mask = _parts(hashes, count) == part
        return found

    return in_bucket


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


@lru_cache
def numbers_of_buckets(count: int) -> tuple[int, ...]:
    """Numbers for buckets, of which Spark puts one into each of `count` partitions, by their murmur3."""
    found: dict[int, int] = {}
    number = 0
    while len(found) < count:
        found.setdefault(_murmur3(number) % count, number)
        number += 1
    return tuple(found[partition] for partition in range(count))


def _murmur3(number: int) -> int:
    """Spark's hash of a 32-bit number: murmur3 with the seed 42."""
    mask = 0xFFFFFFFF

    def rotated(x: int, by: int) -> int:
        return ((x << by) | (x >> (32 - by))) & mask

    hashed = rotated(number * 0xCC9E2D51 & mask, 15) * 0x1B873593 & mask
    hashed = (rotated(42 ^ hashed, 13) * 5 + 0xE6546B64 & mask) ^ 4
    hashed = (hashed ^ (hashed >> 16)) * 0x85EBCA6B & mask
    hashed = (hashed ^ (hashed >> 13)) * 0xC2B2AE35 & mask
    hashed ^= hashed >> 16
    return hashed - (1 << 32) if hashed >= 1 << 31 else hashed
