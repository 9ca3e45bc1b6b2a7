"""Values on their way out: as Arrow arrays, and as texts in the language's own syntax.

the cells of 91.0 and wt2: `91` and `wt2`; of the text "1": `"1"`
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from functools import cache
from string import ascii_letters, ascii_lowercase, digits
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as is_a
from numpy.typing import NDArray

from antelog.arrow.kinds import Kind, kind_of
from antelog.engine.columns.tables import Column, Mask
from antelog.engine.values.texts import begins_and_bytes
from antelog.engine.values.types import Plain, from_raw, shortest, written
from antelog.language.printer import KEYWORDS, value_text

# A text like this surely needs no quotes, unless it is a keyword. Of the others `value_text` decides.
_PLAIN = "^[a-z][a-zA-Z0-9_]*$"
_FIRST_OF_NAMES = np.isin(np.arange(256), list(ascii_lowercase.encode()))
_IN_NAMES = np.isin(np.arange(256), list(f"{ascii_letters}{digits}_".encode()))


def numbers(values: NDArray[np.float64], nothing: Mask, type_: pa.DataType) -> pa.Array:
    """Numbers that all are doubles, and nulls, as an array of this type."""
    if not is_a.is_floating(type_):
        values = np.where(nothing, 0.0, values).astype(type_.to_pandas_dtype())
    return pa.array(values, type_, mask=nothing)


def of_type(type_: pa.DataType, values: Sequence[Plain | None]) -> pa.Array:
    """Values, and nulls, as an array of this type."""
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
    """The decimal a number was: of a double it is what the double is written as."""
    return shortest(number) if isinstance(number, float) else Decimal(number)


def number_texts(numbers: NDArray[np.float64]) -> pa.Array:
    """Numbers as short as they can be, as `value_text` writes them."""
    size = np.abs(numbers)
    # In this range Arrow writes what Python does; beyond it Arrow prefers exponents.
    alike = (size == 0) | ((size >= 1e-3) & (size < 1e9))
    texts = pc.cast(pa.array(numbers), pa.string())
    return _with(texts, ~alike, [value_text(number) for number in numbers[~alike].tolist()])


def item_texts(kind: Kind, values: Sequence[Plain | None]) -> pa.Array:
    """Values of a kind, as `value_text` writes them; what the language has no syntax for, as texts."""
    match kind:
        case Kind.TEXT:
            return quoted(pa.array(values, pa.string()))
        case Kind.NUMBER:
            return pa.array([_exact(v) for v in values if isinstance(v, int | Decimal)], pa.string())
        case _:
            return quoted(pa.array(plain_texts(kind, values), pa.string()))


def plain_texts(kind: Kind, values: Sequence[Plain | None]) -> list[str]:
    """Texts for values the language has no syntax for."""
    return [written(value[1], kind) for value in values if isinstance(value, tuple)]


def _exact(number: int | Decimal) -> str:
    return value_text(number) if isinstance(number, int) else f"{number:f}".rstrip("0")


def quoted(texts: pa.StringArray) -> pa.StringArray:
    """Texts as the language writes them: in quotes, if they do not look like names."""
    if _are_names(texts) and not pc.any(pc.is_in(texts, value_set=_keywords())).as_py():
        return texts
    plain = pc.and_not(pc.match_substring_regex(texts, _PLAIN), pc.is_in(texts, value_set=_keywords()))
    odd = ~plain.to_numpy(zero_copy_only=False)
    return _with(texts, odd, [value_text(text) for text in texts.filter(pa.array(odd)).to_pylist()])


def _are_names(texts: pa.StringArray) -> bool:
    """Whether all texts match `_PLAIN`, by their bytes, which is several times faster."""
    begins, content = begins_and_bytes(texts)
    if np.any(begins[1:] == begins[:-1]):
        return False
    first = _FIRST_OF_NAMES.take(content.take(begins[:-1]))
    return bool(first.all() and _IN_NAMES.take(content[begins[0] : begins[-1]]).all())


def _with(texts: pa.Array, where: Mask, others: list[str]) -> pa.Array:
    """Texts, with others in some places."""
    if not others:
        return texts
    return pc.replace_with_mask(texts, pa.array(where), pa.array(others, pa.string()))


def repeated(texts: tuple[str, ...], which: NDArray[np.integer[Any]]) -> pa.Array:
    """Some of a few texts."""
    first = int(which[0])
    if np.all(which == first):
        return pa.repeat(texts[first], len(which))
    return _array_of(texts).take(pa.array(which))


@cache
def _array_of(texts: tuple[str, ...]) -> pa.Array:
    return pa.array(texts, pa.string())


_FEW = 16
"""Where each text stands in this many rows, joining the texts is cheaper than joining row by row."""


def in_pieces(parts: Sequence[tuple[pa.Array, Column | None]], count: int) -> pa.Array:
    """`count` texts joined from pieces: for each piece its different texts, and which of them each row has.

    The latter is None if there is just one text. All pieces are taken at once, and put together
    by forgetting where they begin, which is several times faster than to join them.
    """
    parts = _fewer(parts, count)
    width, names, start = len(parts), [], 0
    index = np.empty((count, width), np.int32)
    for i, (texts, which) in enumerate(parts):
        if which is not None and len(texts) > count:
            texts, which = texts.take(pa.array(which)), np.arange(count)  # noqa: PLW2901 - the same, fewer
        index[:, i] = start if which is None else which + start
        names.append(texts)
        start += len(texts)
    taken = pa.concat_arrays(names).take(pa.array(index.ravel()))
    _, offsets, data = taken.buffers()
    begins = np.frombuffer(offsets, np.int32, count * width + 1)[::width].copy()
    return pa.StringArray.from_buffers(count, pa.py_buffer(begins), data)


def _fewer(
    parts: Sequence[tuple[pa.Array, Column | None]], count: int
) -> list[tuple[pa.Array, Column | None]]:
    """Fewer pieces: one that is the same everywhere is joined to a neighbour that has few texts."""
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
    """One array of several: for each, the rows it is for."""
    rows = np.concatenate([rows for rows, _ in parts])
    order = np.empty(len(rows), np.int64)
    order[rows] = np.arange(len(rows))
    return pa.concat_arrays([part for _, part in parts]).take(pa.array(order))


@cache
def _keywords() -> pa.Array:
    """Arrow loads pandas for its first array, so none is made before it is needed."""
    return pa.array(sorted(KEYWORDS), pa.string())
