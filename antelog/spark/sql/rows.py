"""Columns as rows for Spark, in which equal texts are one object, and so are equal lists of them.

    list(rows_of([batch]))      [("Hot", 3, ("Temp(wt2, high, 3)",)), …]

Spark's Java receives the rows that one call of a function returns as a whole. What is one object here is one
object there. A fact is evidence in many lines, so that saves most of their memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as is_a


def rows_of(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[object, ...]]:
    """The rows of batches; lists and structs are tuples."""
    known: dict[object, object] = {}
    for batch in batches:
        yield from zip(*(_cells(column, known) for column in batch.columns), strict=True)


def _cells(array: pa.Array, known: dict[object, object]) -> list[object]:
    if is_a.is_string(array.type):
        return _texts(array, known)
    if is_a.is_list(array.type):
        return _lists(array, known)
    if is_a.is_struct(array.type):
        rows = zip(*(_cells(field, known) for field in array.flatten()), strict=True)
        return [row if there else None for row, there in zip(rows, array.is_valid().to_pylist(), strict=True)]
    return list(array.to_pylist())


def _texts(array: pa.Array, known: dict[object, object]) -> list[object]:
    encoded = array.dictionary_encode()
    distinct = [known.setdefault(text, text) for text in encoded.dictionary.to_pylist()]
    return [None if code is None else distinct[code] for code in encoded.indices.to_pylist()]


def _lists(array: pa.Array, known: dict[object, object]) -> list[object]:
    items = iter(_cells(array.flatten(), known))
    lengths = pc.list_value_length(array).to_pylist()
    lists = [None if length is None else tuple(islice(items, length)) for length in lengths]
    return [known.setdefault(each, each) for each in lists] if _is_of_texts(array.type) else list(lists)


def _is_of_texts(type_: pa.DataType) -> bool:
    """Whether there are texts only, and no numbers, of which 1 and 1.0 are equal and not the same."""
    parts = [type_.field(at).type for at in range(type_.num_fields)]
    return all(map(_is_of_texts, parts)) if parts else is_a.is_string(type_)
