"""Texts that are timestamps, as in ISO 8601 and in a few other forms, in columns of texts.

2024-02-29   29.02.2024 13:45   2024-02-29T13:45:10.5Z    read by whoever takes a time
2024-02-30                                                looks like one, and is none
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from antelog.arrow.arrays import mask_of
from antelog.arrow.grammar import DATE, ISO, STAMP, TO_ISO, ZONED, Rewrites


def looks_like_stamp(texts: pa.Array) -> NDArray[np.bool_]:
    """Masks the texts that are written like timestamps."""
    return mask_of(pc.fill_null(pc.match_substring_regex(texts, STAMP), False))


def rewritten(texts: pa.Array, rewrites: Rewrites) -> pa.Array:
    """Applies rewrites to texts, one after the other."""
    for pattern, replacement in rewrites:
        texts = pc.replace_substring_regex(texts, pattern, replacement)
    return texts


def stamps_of(texts: pa.Array) -> Iterator[tuple[NDArray[np.int64], pa.Array]]:
    """Reads texts that look like timestamps: those with a zone, those without, and dates.

    Yields their rows and values, null for dates that do not exist, such as 30 February.
    """
    texts = pc.utf8_trim_whitespace(texts)
    if not pc.all(pc.match_substring_regex(texts, ISO)).as_py():
        texts = rewritten(texts, TO_ISO)
    # What lies below a microsecond decides nothing: a tick is at least as long.
    texts = pc.replace_substring_regex(texts, r"[.,]([0-9]{1,6})[0-9]*", r".\1")
    zoned, dates = (mask_of(pc.match_substring_regex(texts, each)) for each in (ZONED, DATE))
    for here, type_ in (
        (zoned, pa.timestamp("us", "UTC")),
        (~zoned & ~dates, pa.timestamp("us")),
        (dates, pa.date32()),
    ):
        if here.any():
            yield np.flatnonzero(here), _cast(texts.filter(pa.array(here)), type_)


def _cast(texts: pa.Array, type_: pa.DataType) -> pa.Array:
    try:
        return texts.cast(type_)
    except pa.ArrowInvalid:
        if len(texts) == 1:
            return pa.nulls(1, type_)
        return pa.concat_arrays([_cast(texts.slice(i, 1), type_) for i in range(len(texts))])
