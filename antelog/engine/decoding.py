"""Values on their way out: as Arrow arrays, and as texts in the language's own syntax."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from antelog.engine.kinds import Kind, Plain, from_raw, written
from antelog.engine.tables import Column, Mask
from antelog.language.printer import KEYWORDS, value_text

_BEYOND = 2.0**63
"""The first whole number too large for an int64."""

# A text like this surely needs no quotes, unless it is a keyword. Of the others `value_text` decides.
_PLAIN = "^[a-z][a-zA-Z0-9_]*$"
_KEYWORDS = pa.array(sorted(KEYWORDS), pa.string())


def doubles(numbers: NDArray[np.float64], nothing: Mask) -> pa.Array:
    """Numbers as int64 if all of them are whole and fit, else as double; nulls if there are none."""
    there = numbers[~nothing]
    if len(there) == 0:
        return pa.nulls(len(numbers))
    if np.all((there >= -_BEYOND) & (there < _BEYOND) & (np.floor(there) == there)):
        return pa.array(np.where(nothing, 0.0, numbers).astype(np.int64), mask=nothing)
    return pa.array(numbers, mask=nothing)


def of_kind(kind: Kind, values: Sequence[Plain | None]) -> pa.Array:
    """Values of one kind, and nulls."""
    match kind:
        case Kind.TEXT:
            return pa.array(values, pa.string())
        case Kind.NUMBER:
            return _numbers([v for v in values if not isinstance(v, str | tuple)])
        case _:
            return from_raw([v[1] if isinstance(v, tuple) else None for v in values], kind)


def _numbers(values: Sequence[float | Decimal | None]) -> pa.Array:
    """Numbers of which some are no doubles."""
    if all(v is None or (-_BEYOND <= v < _BEYOND and v == int(v)) for v in values):
        return pa.array([None if v is None else int(v) for v in values], pa.int64())
    return pa.array([None if v is None else float(v) for v in values], pa.float64())


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
            return _quoted(pa.array(values, pa.string()))
        case Kind.NUMBER:
            return pa.array([_exact(v) for v in values if isinstance(v, int | Decimal)], pa.string())
        case _:
            return _quoted(pa.array(plain_texts(kind, values), pa.string()))


def plain_texts(kind: Kind, values: Sequence[Plain | None]) -> list[str]:
    """What stands for values the language has no syntax for."""
    return [written(value[1], kind) for value in values if isinstance(value, tuple)]


def _exact(number: int | Decimal) -> str:
    return value_text(number) if isinstance(number, int) else f"{number:f}".rstrip("0")


def _quoted(texts: pa.Array) -> pa.Array:
    plain = pc.and_not(pc.match_substring_regex(texts, _PLAIN), pc.is_in(texts, value_set=_KEYWORDS))
    odd = ~plain.to_numpy(zero_copy_only=False)
    return _with(texts, odd, [value_text(text) for text in texts.filter(pa.array(odd)).to_pylist()])


def _with(texts: pa.Array, where: Mask, others: list[str]) -> pa.Array:
    """Texts, with others in some places."""
    if not others:
        return texts
    return pc.replace_with_mask(texts, pa.array(where), pa.array(others, pa.string()))


def side_by_side(parts: Sequence[tuple[Column, pa.Array]]) -> pa.Array:
    """One array of several: for each, the rows it is for."""
    rows = np.concatenate([rows for rows, _ in parts])
    order = np.empty(len(rows), np.int64)
    order[rows] = np.arange(len(rows))
    return pa.concat_arrays([part for _, part in parts]).take(pa.array(order))
