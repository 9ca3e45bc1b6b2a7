"""What was learned, as bytes and back: JSON that says what there is, and an Arrow file with the columns.

    Tally(keys, first, last, sums)    {"is": "Tally", "keys": [{"column": 0}], "first": {"column": 1}, …}

In come frozen dataclasses of columns, numbers and one another, out go two pieces of bytes. There is no code
in them: only classes that are named here are built, and what is read is looked at before it is used.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa

from antelog.engine.facts.facts import Facts
from antelog.errors import StateError
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


class UnreadableError(StateError):
    """The bytes are none that `packed` has made."""


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
    """The thing of two pieces of bytes; raises UnreadableError if they are none."""
    try:
        table = pa.ipc.open_file(pa.BufferReader(columns)).read_all()
        arrays = [table.column(i).combine_chunks().flatten() for i in range(table.num_columns)]
        return _built(msgspec.json.decode(said), [_column(array) for array in arrays])
    except (
        ValueError,
        TypeError,
        LookupError,
        AttributeError,
        pa.ArrowException,
        msgspec.MsgspecError,
    ) as error:
        raise UnreadableError(f"what was learned cannot be read: {error}") from None


def _column(array: pa.Array) -> np.ndarray[Any, Any]:
    column = np.array(array.to_numpy(zero_copy_only=False))
    if array.null_count or column.dtype not in _KINDS:
        raise ValueError("it has a column of another kind than those it may have")
    return column


def _built(said: Any, columns: list[np.ndarray[Any, Any]]) -> Any:
    match said:
        case {"column": int(number), "shape": [*shape]}:
            return columns[number].reshape(shape)
        case {"map": [*items]}:
            return {key: _built(value, columns) for key, value in items}
        case {"is": str(name), **own}:
            parts = {str(key): _built(value, columns) for key, value in own.items()}
            return _checked(_CLASSES[name](**parts))
        case [*items]:
            return tuple(_built(each, columns) for each in items)
        case _:
            return said


def _checked(thing: Any) -> Any:
    """A thing, if its columns fit together and its numbers are such as can have been counted."""
    columns = [column for column in _columns(thing) if isinstance(column, np.ndarray)]
    match thing:
        case Tally() | Lines() | Told() | Facts() | Settled() if len({len(column) for column in columns}) > 1:
            raise ValueError(f"the columns of a {type(thing).__name__} have different lengths")
        case Tally(sums=sums) | Counted(numbers=sums) if not (np.isfinite(sums).all() and (sums >= 0).all()):
            raise ValueError("it has counts that cannot have been counted")
        case Told(chance=chance) if not ((chance >= 0) & (chance <= 1) | np.isnan(chance)).all():
            raise ValueError("it has chances that are none")
        case _:
            return thing


def _columns(thing: Any) -> list[Any]:
    found: list[Any] = []
    for field in fields(thing):
        value = getattr(thing, field.name)
        found += value if isinstance(value, tuple) else [value]
    return found
