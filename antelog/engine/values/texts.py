"""Texts of values: arrays that grow at their end, and all texts in order.

    [a, b] and then c: one array of three texts, of which a and b were not copied
    ids 0: wt4, 1: wt2     in order: wt2, wt4     places: 1, 0

To look up the place of a text is much faster than to sort the texts of a few rows, once all are sorted. That
has to be done again whenever there is a new value.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from antelog.engine.columns.tables import Column, Mask, changed, inverse, marked, ordinals

_Number = TypeVar("_Number", bound=np.number[Any])
_Offsets: TypeAlias = NDArray[np.int32]
_MOST = 2**31 - 1
"""The most bytes the texts of an Arrow array can have."""


class GrowingTexts:
    """An array of texts that grows at its end; what was taken from it stays as it is.

    There is room for more behind the texts, and each time it is used up, for twice as many.
    """

    def __init__(self) -> None:
        self._count = 0
        self._offsets: _Offsets = np.zeros(64, np.int32)
        self._bytes: NDArray[np.uint8] = np.zeros(1024, np.uint8)
        self._array: pa.StringArray | None = None

    def __len__(self) -> int:
        return self._count

    @property
    def array(self) -> pa.StringArray:
        if self._array is None:
            ends = self._offsets[: self._count + 1]
            text = self._bytes[: ends[-1]]
            self._array = pa.StringArray.from_buffers(self._count, pa.py_buffer(ends), pa.py_buffer(text))
        return self._array

    def extend(self, texts: pa.StringArray) -> None:
        """Adds texts, none of them null."""
        offsets, data = begins_and_bytes(texts)
        count, end = self._count + len(texts), int(self._offsets[self._count])
        size = end + int(offsets[-1] - offsets[0])
        if size > _MOST:
            raise OverflowError(f"{size:,} bytes of texts, more than the {_MOST:,} that fit into one column")
        self._offsets = with_room(self._offsets, count + 1)
        self._bytes = with_room(self._bytes, size)
        self._offsets[self._count + 1 : count + 1] = offsets[1:] + (end - offsets[0])
        self._bytes[end:size] = data[offsets[0] : offsets[-1]]
        self._count, self._array = count, None


def begins_and_bytes(texts: pa.StringArray) -> tuple[_Offsets, NDArray[np.uint8]]:
    """The offsets of texts in their bytes, with the end of the last one; and the bytes."""
    if len(texts) == 0:
        return np.zeros(1, np.int32), np.zeros(0, np.uint8)
    _, offsets, data = texts.buffers()
    begins = np.frombuffer(offsets, np.int32)[texts.offset : texts.offset + len(texts) + 1]
    return begins, np.frombuffer(data or b"", np.uint8)


def with_room(array: NDArray[_Number], size: int) -> NDArray[_Number]:
    """An array with room for so many, and for as many more if it had none; what is behind says nothing."""
    return array if size <= len(array) else np.resize(array, 2 * size)


_WORTH_SORTING = 4
"""All texts are sorted once this many times as many were asked for since the last new value."""


@dataclass(frozen=True)
class TextOrder:
    """The texts of the first `known` values in order, each once, and the place of each value.

    Before there are any, `asked` counts for how many values they were wanted.
    """

    known: int
    wanted: int
    texts: pa.Array | None
    rank: Column = field(default_factory=lambda: np.zeros(0, np.int64))


NO_ORDER = TextOrder(0, 0, None)


def in_use(order: TextOrder, size: int, count: int, texts: Callable[[], pa.Array]) -> TextOrder:
    """The order of so many values' texts, asked for `count` of them; none of them until sorting pays."""
    if order.known != size:
        order = TextOrder(size, 0, None)
    if order.texts is not None:
        return order
    order = replace(order, wanted=order.wanted + count)
    if order.wanted < _WORTH_SORTING * size:
        return order
    ordered, rank = sorted_once(texts())
    return replace(order, texts=ordered, rank=rank)


def sorted_once(texts: pa.StringArray) -> tuple[pa.Array, Column]:
    """The different texts in order, and for each text which of these it is."""
    apart = _by_first_bytes(texts)
    if apart is not None:
        sequence, fresh = apart
        rank = np.empty(len(texts), np.int64)
        rank[sequence] = ordinals(fresh)
        return texts.take(pa.array(sequence.take(marked(fresh)))), rank
    return sorted_by_arrow(texts)


def sorted_by_arrow(texts: pa.StringArray) -> tuple[pa.Array, Column]:
    """As `sorted_once`, for texts many of which begin alike."""
    encoded = texts.dictionary_encode()
    sorted_ = pc.array_sort_indices(encoded.dictionary)
    return encoded.dictionary.take(sorted_), inverse(sorted_.to_numpy()).take(encoded.indices.to_numpy())


def _by_first_bytes(texts: pa.StringArray) -> tuple[Column, Mask] | None:
    """The order of texts, and where in it there is another, if their first eight bytes tell them apart.

    Numbers are sorted five times as fast as texts.
    """
    if len(texts) == 0:
        return None
    begin, data = begins_and_bytes(texts)
    size = np.minimum(np.diff(begin), 9)
    padded = np.zeros(int(begin[-1]) + 8, np.uint8)
    padded[:-8] = data[: begin[-1]]
    first = sliding_window_view(padded, 8)[begin[:-1]].view(">u8").ravel() & _FIRST_BYTES.take(size)
    sequence = np.argsort(first)
    ordered, sizes = first.take(sequence), size.take(sequence)
    fresh = changed(ordered)
    same = marked(~fresh)
    if (sizes[same] != sizes[same - 1]).any() or (sizes[same] > 8).any():
        return None
    return sequence, fresh


_FIRST_BYTES = np.array([2**64 - 2 ** (64 - 8 * min(size, 8)) for size in range(10)], np.uint64)
"""What leaves as many bytes of eight as a text has."""


def with_others(order: TextOrder, texts: pa.Array, others: tuple[str, ...]) -> TextOrder:
    """The order of some texts with others among them, which are in order too; their places come last."""
    at = [bisect_left(range(len(texts)), other, key=lambda i: texts[i].as_py()) for other in others]
    new = [i for i, text in enumerate(others) if at[i] == len(texts) or texts[at[i]].as_py() != text]
    cuts = [at[i] for i in new]
    parts = [texts[: cuts[0]]] if cuts else [texts]
    for i, start, end in zip(new, cuts, [*cuts, len(texts)][1:], strict=True):
        parts += [pa.array([others[i]], pa.string()), texts[start:end]]
    moved = order.rank + np.searchsorted(cuts, order.rank, "right")
    added = np.array(at, np.int64) + np.searchsorted(new, np.arange(len(others)))
    return replace(order, texts=pa.concat_arrays(parts), rank=np.concatenate([moved, added]))
