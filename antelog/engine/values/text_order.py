"""The texts of all values in order, and the place each value has there.

Looking a place up is much faster than sorting the texts of a few rows, once all are sorted. That
has to be done again whenever there is a new value.

    ids 0: wt4, 1: wt2     in order: wt2, wt4     places: 1, 0
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.lib.stride_tricks import sliding_window_view

from antelog.engine.columns.tables import Column, Mask, changed, inverse, marked, ordinals
from antelog.engine.values.growing import begins_and_bytes

_WORTH_SORTING = 4
"""All texts are sorted once this many times as many were asked for since the last new value."""


@dataclass(frozen=True)
class TextOrder:
    """The texts of the first `known` values in order, each once, and the place of each value.

    Before there are any, `asked` counts for how many values they were wanted.
    """

    known: int
    asked: int
    texts: pa.Array | None
    place: Column = field(default_factory=lambda: np.zeros(0, np.int64))


NO_ORDER = TextOrder(0, 0, None)


def in_use(order: TextOrder, size: int, count: int, texts: Callable[[], pa.Array]) -> TextOrder:
    """The order of so many values' texts, asked for `count` of them; none of them until sorting pays."""
    if order.known != size:
        order = TextOrder(size, 0, None)
    if order.texts is not None:
        return order
    order = replace(order, asked=order.asked + count)
    if order.asked < _WORTH_SORTING * size:
        return order
    ordered, place = sorted_once(texts())
    return replace(order, texts=ordered, place=place)


def sorted_once(texts: pa.StringArray) -> tuple[pa.Array, Column]:
    """The different texts in order, and for each text which of these it is."""
    apart = _by_first_bytes(texts)
    if apart is not None:
        sequence, fresh = apart
        place = np.empty(len(texts), np.int64)
        place[sequence] = ordinals(fresh)
        return texts.take(pa.array(sequence.take(marked(fresh)))), place
    return sorted_by_arrow(texts)


def sorted_by_arrow(texts: pa.StringArray) -> tuple[pa.Array, Column]:
    """The same, where many texts begin alike."""
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
    moved = order.place + np.searchsorted(cuts, order.place, "right")
    added = np.array(at, np.int64) + np.searchsorted(new, np.arange(len(others)))
    return replace(order, texts=pa.concat_arrays(parts), place=np.concatenate([moved, added]))
