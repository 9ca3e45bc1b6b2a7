"""Texts that are timestamps, as in ISO 8601, in columns of texts.

2024-02-29   2024-02-29 13:45   2024-02-29T13:45:10.5Z    read by whoever takes a time
2024-02-30                                                looks like one, and is none
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from antelog.arrow.arrays import mask_of
from antelog.arrow.grammar import STAMP, ZONED


def looks_like_stamp(texts: pa.Array) -> NDArray[np.bool_]:
    """A mask of the texts that are written as timestamps are."""
    return mask_of(pc.fill_null(pc.match_substring_regex(texts, STAMP), False))


def stamps_of(texts: pa.Array) -> pa.Array:
    """The timestamps, in UTC, of texts that look like some; null for those that are none, as 30 February."""
    texts = pc.utf8_trim_whitespace(texts)
    # What lies below a microsecond decides nothing: a tick is at least as long.
    texts = pc.replace_substring_regex(texts, r"[.,]([0-9]{1,6})[0-9]*", r".\1")
    zoned = mask_of(pc.match_substring_regex(texts, ZONED))
    found, there = np.zeros(len(texts), np.int64), np.zeros(len(texts), np.bool_)
    for rows, type_ in ((~zoned, pa.timestamp("us")), (zoned, pa.timestamp("us", "UTC"))):
        if rows.any():
            counts = _cast(texts.filter(pa.array(rows)), type_).cast(pa.int64())
            found[rows], there[rows] = counts.fill_null(0).to_numpy(), mask_of(counts.is_valid())
    return pa.array(found, pa.timestamp("us", "UTC"), mask=~there)


def _cast(texts: pa.Array, type_: pa.DataType) -> pa.Array:
    try:
        return texts.cast(type_)
    except pa.ArrowInvalid:
        return pa.concat_arrays([_cast_one(texts.slice(i, 1), type_) for i in range(len(texts))])


def _cast_one(text: pa.Array, type_: pa.DataType) -> pa.Array:
    try:
        return text.cast(type_)
    except pa.ArrowInvalid:
        return pa.nulls(1, type_)
