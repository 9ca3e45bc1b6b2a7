"""Keys as numbers: those of incidents, answers and facts are compared as texts, and have a number each."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antelog.engine.columns.tables import Column


def texts(column: pa.Array | pa.ChunkedArray, missing: str | None = None) -> pa.Array:
    """The values of a column as texts, with another text where a value is missing."""
    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    try:
        found = pc.cast(array, pa.string())
    except pa.ArrowException:
        found = pa.array([None if each is None else str(each) for each in array.to_pylist()], pa.string())
    return found if missing is None else pc.fill_null(found, missing)


def numbers_of(column: pa.Array, known: dict[str, int]) -> Column:
    """The number of each text; `known` gets the ones that are new."""
    coded = pc.dictionary_encode(column)
    numbers = [known.setdefault(each, len(known)) for each in coded.dictionary.to_pylist()]
    found: Column = np.array(numbers, np.int64)[coded.indices.to_numpy()]
    return found
