"""Values on their way out: as Arrow arrays, as texts in the language's own syntax, and in order."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cache
from string import ascii_letters, ascii_lowercase, digits
from typing import Any, TypeAlias, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as is_a
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from antelog.arrow.arrays import mask_of
from antelog.arrow.kinds import Kind, Raw, from_raw, kind_of, type_of_kind, written
from antelog.engine.columns.tables import Column, Mask, changed, inverse, marked, ordinals
from antelog.engine.values.types import Plain, shortest
from antelog.language.printer import KEYWORDS, value_text

# A text like this surely needs no quotes, unless it is a keyword. Of the others `value_text` decides.
_PLAIN = "^[a-z][a-zA-Z0-9_]*$"
_FIRST_OF_NAMES = np.isin(np.arange(256), list(ascii_lowercase.encode()))
_IN_NAMES = np.isin(np.arange(256), list(f"{ascii_letters}{digits}_".encode()))


def numbers(values: NDArray[np.float64], nothing: Mask, type_: pa.DataType) -> pa.Array:
    if not is_a.is_floating(type_):
        values = np.where(nothing, 0.0, values).astype(type_.to_pandas_dtype())
    return pa.array(values, type_, mask=nothing)


def of_type(type_: pa.DataType, values: Sequence[Plain | None]) -> pa.Array:
    match kind_of(type_):
        case Kind.TEXT | Kind.NOTHING:
            return pa.array(values, type_)
        case Kind.NUMBER:
            to = float if is_a.is_floating(type_) else _decimal if is_a.is_decimal(type_) else int
            return pa.array(
                [None if v is None or isinstance(v, str | tuple) else to(v) for v in values], type_
            )
        case _:
            return from_raw([v[1] if isinstance(v, tuple) else None for v in values], type_)


def _decimal(number: int | float | Decimal) -> Decimal:
    """The exact decimal of a number; of a double it is what the double is written as."""
    return shortest(number) if isinstance(number, float) else Decimal(number)


def number_texts(numbers: NDArray[np.float64]) -> pa.Array:
    """Writes numbers as short as possible, as `value_text` does."""
    size = np.abs(numbers)
    # In this range Arrow writes what Python does; beyond it Arrow prefers exponents.
    alike = (size == 0) | ((size >= 1e-3) & (size < 1e9))
    texts = pc.cast(pa.array(numbers), pa.string())
    return _with(texts, ~alike, [value_text(number) for number in numbers[~alike].tolist()])


def item_texts(kind: Kind, values: Sequence[Plain | None]) -> pa.Array:
    """Writes values of a kind as `value_text` does; values without a syntax become texts."""
    match kind:
        case Kind.TEXT:
            return quoted(pa.array(values, pa.string()))
        case Kind.NUMBER:
            return pa.array([_exact(v) for v in values if isinstance(v, int | Decimal)], pa.string())
        case _:
            return quoted(pa.array(plain_texts(kind, values), pa.string()))


def mixed_texts(texts: pa.Array, kinds: NDArray[np.int8], values: Sequence[Plain | None]) -> pa.Array:
    """Quotes texts that look like truth values, and writes times as columns of times have them."""
    words = (kinds == Kind.TEXT) & mask_of(pc.is_in(texts, pa.array(["true", "false"])))
    texts = _with(texts, words, [f'"{word}"' for word in texts.filter(pa.array(words)).to_pylist()])
    for kind in _OF_TIME & {Kind(kind) for kind in np.unique(kinds).tolist()}:
        those = kinds == kind
        times = [value for place, value in zip(those, values, strict=True) if place]
        iso = [_in_iso(kind, value[1]) for value in times if isinstance(value, tuple)]
        texts = _with(texts, those, iso)
    return texts


_OF_TIME = {Kind.TIME, Kind.MOMENT, Kind.INSTANT}


def _in_iso(kind: Kind, raw: Raw) -> str:
    type_ = type_of_kind(kind, nanoseconds=isinstance(raw, int) and raw % 1_000 != 0)
    return value_text(from_raw([raw], type_)[0].as_py().isoformat())


def plain_texts(kind: Kind, values: Sequence[Plain | None]) -> list[str]:
    """Texts for values that the language has no syntax for."""
    return [written(value[1], kind) for value in values if isinstance(value, tuple)]


def _exact(number: int | Decimal) -> str:
    return value_text(number) if isinstance(number, int) else f"{number:f}".rstrip("0")


def quoted(texts: pa.StringArray) -> pa.StringArray:
    """Writes texts as the language does: in quotes, unless they look like names."""
    if _are_names(texts) and not pc.any(pc.is_in(texts, value_set=_keywords())).as_py():
        return texts
    plain = pc.and_not(pc.match_substring_regex(texts, _PLAIN), pc.is_in(texts, value_set=_keywords()))
    odd = ~plain.to_numpy(zero_copy_only=False)
    return _with(texts, odd, [value_text(text) for text in texts.filter(pa.array(odd)).to_pylist()])


def _are_names(texts: pa.StringArray) -> bool:
    """Whether all texts match `_PLAIN`, tested by their bytes, which is several times faster."""
    begins, content = begins_and_bytes(texts)
    if np.any(begins[1:] == begins[:-1]):
        return False
    first = _FIRST_OF_NAMES.take(content.take(begins[:-1]))
    return bool(first.all() and _IN_NAMES.take(content[begins[0] : begins[-1]]).all())


def _with(texts: pa.Array, where: Mask, others: list[str]) -> pa.Array:
    if not others:
        return texts
    return pc.replace_with_mask(texts, pa.array(where), pa.array(others, pa.string()))


def repeated(texts: tuple[str, ...], which: NDArray[np.integer[Any]]) -> pa.Array:
    first = int(which[0])
    if np.all(which == first):
        return pa.repeat(texts[first], len(which))
    return _array_of(texts).take(pa.array(which))


@cache
def _array_of(texts: tuple[str, ...]) -> pa.Array:
    return pa.array(texts, pa.string())


_FEW = 16  # with this many rows per text, joining the texts is cheaper than joining row by row


def in_pieces(parts: Sequence[tuple[pa.Array, Column | None]], count: int) -> pa.Array:
    """Joins `count` texts from pieces: distinct texts, and the one of each row (None: the only one)."""
    parts = _fewer(parts, count)
    width, names, start = len(parts), [], 0
    index = np.empty((count, width), np.int32)
    for i, (texts, which) in enumerate(parts):
        if which is not None and len(texts) > count:
            texts, which = texts.take(pa.array(which)), np.arange(count)  # noqa: PLW2901 - the same, fewer
        index[:, i] = start if which is None else which + start
        names.append(texts)
        start += len(texts)
    # To forget where the pieces begin is several times faster than to join them.
    taken = pa.concat_arrays(names).take(pa.array(index.ravel()))
    _, offsets, data = taken.buffers()
    begins = np.frombuffer(offsets, np.int32, count * width + 1)[::width].copy()
    return pa.StringArray.from_buffers(count, pa.py_buffer(begins), data)


def _fewer(
    parts: Sequence[tuple[pa.Array, Column | None]], count: int
) -> list[tuple[pa.Array, Column | None]]:
    """Joins pieces that are the same everywhere to neighbours that have few texts."""
    fewer = [parts[0]]
    for texts, which in parts[1:]:
        before, whose = fewer[-1]
        if (whose is None and _FEW * len(texts) <= count) or (which is None and _FEW * len(before) <= count):
            pair = (before, texts[0]) if which is None else (before[0], texts)
            fewer[-1] = (pc.binary_join_element_wise(*pair, ""), which if whose is None else whose)
        else:
            fewer.append((texts, which))
    return fewer


def side_by_side(parts: Sequence[tuple[Column, pa.Array]]) -> pa.Array:
    """Joins arrays, each with the rows it is for."""
    rows = np.concatenate([rows for rows, _ in parts])
    order = np.empty(len(rows), np.int64)
    order[rows] = np.arange(len(rows))
    return pa.concat_arrays([part for _, part in parts]).take(pa.array(order))


@cache
def _keywords() -> pa.Array:
    """Made when first needed, because Arrow loads pandas for its first array."""
    return pa.array(sorted(KEYWORDS), pa.string())


# ---- texts that grow, and their order ----


_Number = TypeVar("_Number", bound=np.number[Any])
_Offsets: TypeAlias = NDArray[np.int32]
_MOST = 2**31 - 1  # the most bytes of texts in an Arrow array


class GrowingTexts:
    """An array of texts that grows at its end by doubling its room; arrays taken from it stay as they are."""

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
        """Adds texts without nulls."""
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
    """Grows an array to at least this size by doubling; new elements are undefined."""
    return array if size <= len(array) else np.resize(array, 2 * size)


_WORTH_SORTING = 4  # all texts are sorted after this many lookups per text since the last new value


@dataclass(frozen=True)
class TextOrder:
    """The texts of the first `known` values in order, and their ranks; `wanted` counts lookups until then."""

    known: int
    wanted: int
    texts: pa.Array | None
    rank: Column = field(default_factory=lambda: np.zeros(0, np.int64))


NO_ORDER = TextOrder(0, 0, None)


def in_use(order: TextOrder, size: int, count: int, texts: Callable[[], pa.Array]) -> TextOrder:
    """The order of `size` values after `count` more are looked up; without texts until sorting them pays."""
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
    """The distinct texts in order, and the rank of each text among them."""
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
    """The order of texts by their first eight bytes, and where it changes, if these tell them apart."""
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
"""Masks that keep the first bytes of eight, by the length of a text."""


def with_others(order: TextOrder, texts: pa.Array, others: tuple[str, ...]) -> TextOrder:
    """Inserts other texts, which are sorted, into an order; their ranks come last."""
    at = [bisect_left(range(len(texts)), other, key=lambda i: texts[i].as_py()) for other in others]
    new = [i for i, text in enumerate(others) if at[i] == len(texts) or texts[at[i]].as_py() != text]
    cuts = [at[i] for i in new]
    parts = [texts[: cuts[0]]] if cuts else [texts]
    for i, start, end in zip(new, cuts, [*cuts, len(texts)][1:], strict=True):
        parts += [pa.array([others[i]], pa.string()), texts[start:end]]
    moved = order.rank + np.searchsorted(cuts, order.rank, "right")
    added = np.array(at, np.int64) + np.searchsorted(new, np.arange(len(others)))
    return replace(order, texts=pa.concat_arrays(parts), rank=np.concatenate([moved, added]))
