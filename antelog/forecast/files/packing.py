"""What was learned, as bytes and back: JSON that says what there is, and an Arrow file with the columns.

    Tally(keys, first, last, sums)    {"is": "Tally", "keys": [{"column": 0}], "first": {"column": 1}, …}

Frozen dataclasses of columns, numbers and one another become two pieces of bytes. There is no code in them:
only the classes listed here are built.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa

from antelog.engine.facts.facts import Facts
from antelog.forecast.judges.following import Followed, Lines
from antelog.forecast.judges.judging import Judged, Told
from antelog.forecast.judges.outcomes import Outcomes
from antelog.forecast.odds.series_counts import SeriesCounts
from antelog.forecast.odds.tally import Counted, Tally, Waiting
from antelog.forecast.scoring.settled import Settled

_CLASSES: Mapping[str, type[Any]] = {
    each.__name__: each
    for each in (
        *(Facts, Followed, Lines, Judged, Told, Settled, Outcomes),
        *(SeriesCounts, Counted, Tally, Waiting),
    )
}

_KINDS = {np.dtype(np.int64): pa.int64(), np.dtype(np.float64): pa.float64(), np.dtype(np.bool_): pa.bool_()}


def packed(thing: object) -> tuple[bytes, bytes]:
    """The JSON and the Arrow bytes of a thing."""
    columns: list[np.ndarray[Any, Any]] = []
    said = msgspec.json.encode(_said(thing, columns))
    schema = pa.schema([(str(i), _KINDS[column.dtype]) for i, column in enumerate(columns)])
    sink = pa.BufferOutputStream()
    # The columns have different lengths, so each is a list in one row.
    lists = [pa.ListArray.from_arrays([0, c.size], pa.array(c.ravel())) for c in columns]
    nested = pa.schema([(f.name, pa.list_(f.type)) for f in schema])
    with pa.ipc.new_file(sink, nested) as file:
        file.write_table(
            pa.Table.from_arrays(
                [each.cast(f.type) for each, f in zip(lists, nested, strict=True)], schema=nested
            )
        )
    return said, sink.getvalue().to_pybytes()


def _said(thing: object, columns: list[np.ndarray[Any, Any]]) -> object:
    match thing:
        case np.ndarray():
            columns.append(thing)
            return {"column": len(columns) - 1, "shape": list(thing.shape)}
        case dict():
            return {"map": [[key, _said(value, columns)] for key, value in thing.items()]}
        case tuple() | list():
            return [_said(each, columns) for each in thing]
        case None | bool() | int() | float() | str():
            return thing
        case _:
            own = {f.name: _said(getattr(thing, f.name), columns) for f in fields(thing)}  # type: ignore[arg-type]
            return {"is": type(thing).__name__, **own}


def unpacked(said: bytes, columns: bytes) -> Any:
    """The thing of two pieces of bytes that `packed` made."""
    table = pa.ipc.open_file(pa.BufferReader(columns)).read_all()
    arrays = [table.column(i).combine_chunks().flatten() for i in range(table.num_columns)]
    return _built(msgspec.json.decode(said), [np.array(a.to_numpy(zero_copy_only=False)) for a in arrays])


def _built(said: Any, columns: list[np.ndarray[Any, Any]]) -> Any:
    match said:
        case {"column": int(number), "shape": [*shape]}:
            return columns[number].reshape(shape)
        case {"map": [*items]}:
            return {key: _built(value, columns) for key, value in items}
        case {"is": str(name), **own}:
            parts = {str(key): _built(value, columns) for key, value in own.items()}
            return _CLASSES[name](**parts)
        case [*items]:
            return tuple(_built(each, columns) for each in items)
        case _:
            return said
