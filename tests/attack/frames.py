"""Odd frames: what libraries call a table, with columns of every type there is, in every place."""

from __future__ import annotations

import datetime as dt
import itertools
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import Any
from uuid import UUID

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

import antelog
from tests.attack.findings import Attempt

PROGRAM = """
input Temp(device, level, time) delay 2.
Malf(X, L, T) :- Temp(X, L, T), Temp(X, L, T+1).
query Malf(X, L, T).
"""
TYPED = """
tick 10 seconds.
input Temp(device: text, level: number, time) delay 20 seconds.
Malf(X, T) :- Temp(X, L, T), Temp(X, M, T+1), L < M.
query Malf(X, T).
"""
_ZONE = dt.timezone(dt.timedelta(hours=14))
_FAR_TIMES = dt.datetime.min, dt.datetime.max  # noqa: DTZ901 - they are to have no zone
_YEAR_1 = pa.array([-62_135_596_800] * 3, pa.int64())

Table = Callable[[], Any]


class _Own(pa.ExtensionType):  # type: ignore[misc]  # PyArrow has no types
    """A type of somebody's own, which PyArrow does not know."""

    def __init__(self) -> None:
        super().__init__(pa.int64(), "tests.own")

    def __arrow_ext_serialize__(self) -> bytes:
        return b""

    @classmethod
    def __arrow_ext_deserialize__(cls, _storage: pa.DataType, _serialized: bytes) -> _Own:
        return cls()


def columns() -> dict[str, pa.Array]:
    """Columns of three values, of every type that PyArrow has and some values far out."""
    whole, texts = pa.array([1, 2, 3]), pa.array(["1", "2", "x"])
    kinds: dict[str, pa.Array] = {
        "null": pa.nulls(3),
        "bool": pa.array([True, False, None]),
        **{str(t): whole.cast(t) for t in (pa.int8(), pa.uint8(), pa.int16(), pa.uint32(), pa.int64())},
        "uint64 far": pa.array([2**64 - 1, 0, 1], pa.uint64()),
        "int64 far": pa.array([-(2**63), 2**63 - 1, 0]),
        "halffloat": pa.array([np.float16(1), np.float16(2), np.float16("nan")]),
        "float": pa.array([1.0, float("inf"), float("nan")], pa.float32()),
        "double": pa.array([1.0, -float("inf"), 1e308]),
        "decimal32": pa.array([Decimal("1.5"), Decimal(2), None], pa.decimal32(5, 1)),
        "decimal64": pa.array([Decimal("1.5"), Decimal(2), None], pa.decimal64(15, 1)),
        "decimal128": pa.array([Decimal("1.5"), Decimal(2), None], pa.decimal128(38, 2)),
        "decimal256": pa.array([Decimal("9" * 76), Decimal(2), None], pa.decimal256(76, 0)),
        "decimal negative scale": pa.array([Decimal("1e5"), None, Decimal("2e5")], pa.decimal128(5, -3)),
        "string": texts,
        "large_string": texts.cast(pa.large_string()),
        "string_view": texts.cast(pa.string_view()),
        "bad string": _bad_utf8(pa.string(), np.int32),
        "bad large_string": _bad_utf8(pa.large_string(), np.int64),
        "binary": pa.array([b"1", b"\xff", None]),
        "large_binary": pa.array([b"1", b"\xff", None], pa.large_binary()),
        "binary_view": pa.array([b"1", b"\xff", None], pa.binary_view()),
        "fixed_size_binary": pa.array([b"1", b"\xff", None], pa.binary(1)),
        "date32": pa.array([0, -719_162, 2**31 - 1], pa.int32()).cast(pa.date32()),
        "date64": pa.array([0, 2**62, -(2**62)], pa.int64()).cast(pa.date64()),
        "time32[s]": pa.array([1, 2, 86_399], pa.int32()).cast(pa.time32("s")),
        "time32[ms]": pa.array([1, 2, 3], pa.int32()).cast(pa.time32("ms")),
        "time64[us]": pa.array([1, 2, 3]).cast(pa.time64("us")),
        "time64 far": pa.array([-1, 2**62, 3]).cast(pa.time64("ns")),
        "timestamp[s]": whole.cast(pa.timestamp("s")),
        "timestamp[ns]": whole.cast(pa.timestamp("ns", "Europe/Berlin")),
        "timestamp[s] year 1": _YEAR_1.cast(pa.timestamp("s")),
        "timestamp[s] far": pa.array([2**63 - 1, -(2**63), 0]).cast(pa.timestamp("s")),
        "timestamp[us] far": pa.array([2**63 - 1, -(2**63), 0]).cast(pa.timestamp("us", "UTC")),
        "timestamp of no zone": whole.cast(pa.timestamp("us", "Mars/Olympus")),
        "duration[ns]": whole.cast(pa.duration("ns")),
        "duration[s] far": pa.array([2**63 - 1, -(2**63), 0]).cast(pa.duration("s")),
        "interval": pa.array([(1, 2, 3), None, (0, 0, 1)], pa.month_day_nano_interval()),
        "list": pa.array([[1], [], None]),
        "large_list": pa.array([[1], [], None], pa.large_list(pa.int64())),
        "list_view": pa.array([[1], [], None], pa.list_view(pa.int64())),
        "fixed_size_list": pa.array([[1], [2], None], pa.list_(pa.int64(), 1)),
        "struct": pa.array([{"a": 1}, {"a": None}, None]),
        "map": pa.array([[("a", 1)], [], None], pa.map_(pa.string(), pa.int64())),
        "dictionary": texts.dictionary_encode(),
        "dictionary of numbers": whole.dictionary_encode(),
        "dictionary of times": whole.cast(pa.timestamp("s")).dictionary_encode(),
        "dictionary of lists": pa.DictionaryArray.from_arrays(pa.array([0, 0, None]), pa.array([[1]])),
        "dictionary with null": pa.DictionaryArray.from_arrays(pa.array([0, 1, None]), pa.array(["a", None])),
        "dictionary of views": pa.DictionaryArray.from_arrays(
            pa.array([0, 1, 0]), pa.array(["1", "x"], pa.string_view())
        ),
        "run_end_encoded": pa.RunEndEncodedArray.from_arrays([1, 3], ["1", "x"]),
        "run_end_encoded numbers": pa.RunEndEncodedArray.from_arrays([1, 3], [1, 2]),
        "dense union": pa.UnionArray.from_dense(
            pa.array([0, 1, 0], pa.int8()), pa.array([0, 0, 1], pa.int32()), [whole, texts]
        ),
        "sparse union": pa.UnionArray.from_sparse(pa.array([0, 1, 0], pa.int8()), [whole, texts]),
        "union of lists": pa.UnionArray.from_sparse(
            pa.array([0, 1, 0], pa.int8()), [whole, pa.array([[1], [], None])]
        ),
        "extension": pa.ExtensionArray.from_storage(_Own(), whole),
        "uuid": pa.array([UUID(int=1).bytes] * 3, pa.uuid()),
        "json": pa.array(["1", "{}", None], pa.json_()),
        "bool8": pa.array([1, 0, None], pa.int8()).cast(pa.bool8()),
    }
    return kinds


def _bad_utf8(type_: pa.DataType, offset: Any) -> pa.Array:
    """Texts that are none, as a reader that trusts its file hands them over."""
    offsets = pa.py_buffer(np.array([0, 2, 3, 4], offset).tobytes())
    return pa.Array.from_buffers(type_, 3, [None, offsets, pa.py_buffer(b"\xff\xfea\xe9")])


def values() -> dict[str, list[Any]]:
    """Columns of three values as Python has them."""
    return {
        "huge": [10**76, -(10**76), 10**400],
        "digits": [Decimal("1." + "1" * 80), Decimal("1e-400"), Decimal("1e400")],
        "not numbers": [Decimal("nan"), Decimal("inf"), Decimal("sNaN")],
        "fractions": [Fraction(1, 3), Fraction(2), Fraction(0)],
        "complex": [1j, 2.0, 3],
        "surrogates": ["\ud800", "a\udfffb", "ok"],
        "nul": ["\0", "", " "],
        "lists": [[1], [2, 3], []],
        "dicts": [{"a": 1}, {}, {"b": 2}],
        "sets": [{1}, {2}, set()],
        "objects": [object(), object(), object()],
        "classes": [int, str, None],
        "bytes": [b"\xff", bytearray(b"a"), memoryview(b"b")],
        "NumPy": [np.int64(1), np.float32(2.5), np.str_("x")],
        "NumPy times": [np.datetime64("2024-01-01"), np.datetime64("NaT"), np.timedelta64(1, "s")],
        "pandas": [pd.Timestamp("2024-01-01"), pd.NaT, pd.NA],
        "pandas periods": [pd.Period("2024-01"), pd.Interval(0, 1), pd.Timedelta(1)],
        "times": [*_FAR_TIMES, dt.datetime(2024, 1, 1, tzinfo=_ZONE)],
        "zones": [dt.datetime.min.replace(tzinfo=_ZONE), dt.datetime.max.replace(tzinfo=dt.UTC), None],
        "hours": [dt.time(1), dt.time(2, tzinfo=dt.UTC), dt.time.max],
        "spans": [dt.timedelta.max, dt.timedelta.min, dt.timedelta(0)],
        "uuids": [UUID(int=1), UUID(int=2), None],
        "mixed": [1, "1", True],
        "more mixed": [1.5, dt.date(2024, 1, 1), b"x"],
        "Arrow": [pa.scalar(1), pa.scalar("x"), pa.scalar(None)],
        "none": [None, None, None],
    }


def tables() -> dict[str, Table]:
    """Frames of libraries and of Python, whole."""
    good = {"device": ["a", "b", "a"], "level": [1, 2, 3], "time": [0, 1, 2]}
    frame = pd.DataFrame(good)
    rows = [("a", 1, 0), ("b", 2, 1)]
    return {
        "pandas": lambda: frame,
        "pandas nullable": frame.convert_dtypes,
        "pandas pyarrow": lambda: frame.convert_dtypes(dtype_backend="pyarrow"),
        "pandas categories": lambda: frame.astype("category"),
        "pandas object": lambda: frame.astype(object),
        "pandas mixed object": lambda: frame.assign(level=[1, "x", None]),
        "pandas lists": lambda: frame.assign(level=[[1], (2,), None]),
        "pandas mixed lists": lambda: frame.assign(level=[[1], "x", 2]),
        "pandas times": lambda: frame.assign(time=pd.date_range("2024", periods=3)),
        "pandas zones": lambda: frame.assign(time=pd.date_range("2024", periods=3, tz="Asia/Tokyo")),
        "pandas index": lambda: frame.set_index("device"),
        "pandas MultiIndex": lambda: frame.set_index(["device", "level"]),
        "pandas MultiIndex of columns": lambda: pd.concat({"x": frame}, axis=1),
        "pandas doubled": lambda: pd.concat([frame, frame], axis=1),
        "pandas numbers for names": lambda: frame.set_axis([0, 1, 2], axis=1),
        "pandas mixed names": lambda: frame.set_axis([0, None, "time"], axis=1),
        "pandas sparse": lambda: frame.astype({"level": pd.SparseDtype("int64")}),
        "pandas periods": lambda: frame.assign(time=pd.period_range("2024", periods=3, freq="D")),
        "pandas intervals": lambda: frame.assign(level=pd.interval_range(0, 3)),
        "pandas complex": lambda: frame.assign(level=[1j, 2j, 3j]),
        "pandas no rows": lambda: frame.iloc[:0],
        "pandas no columns": lambda: frame[[]],
        "pandas empty": pd.DataFrame,
        "pandas Series": lambda: frame["device"],
        "pandas Index": lambda: frame.index,
        "pandas groups": lambda: frame.groupby("device"),
        "polars": lambda: pl.DataFrame(good),
        "polars lazy": lambda: pl.DataFrame(good).lazy(),
        "polars Series": lambda: pl.Series("device", ["a"]),
        "polars struct": lambda: pl.DataFrame(good).to_struct("x"),
        "polars categories": lambda: pl.DataFrame(good).with_columns(pl.col("device").cast(pl.Categorical)),
        "polars enum": lambda: pl.DataFrame(good).with_columns(pl.col("device").cast(pl.Enum(["a", "b"]))),
        "polars int128": lambda: pl.DataFrame(good).with_columns(pl.col("level").cast(pl.Int128)),
        "polars object": lambda: pl.DataFrame(good).with_columns(level=pl.Series([object()] * 3)),
        "polars empty": pl.DataFrame,
        "arrow batch": lambda: pa.RecordBatch.from_pydict(good),
        "arrow reader": lambda: pa.table(good).to_reader(),
        "arrow array": lambda: pa.array([1, 2]),
        "arrow struct array": lambda: pa.table(good).to_struct_array(),
        "arrow chunks": lambda: pa.concat_tables([pa.table(good), pa.table(good)]),
        "arrow no chunks": pa.table(good).schema.empty_table,
        "arrow empty": lambda: pa.table({}),
        "arrow schema": lambda: pa.schema([("a", pa.int64())]),
        "arrow doubled": lambda: pa.table([pa.array([1])] * 3, ["time", "time", "time"]),
        "arrow nameless": lambda: pa.table([pa.array([1])] * 3, ["", "", ""]),
        "arrow sliced": lambda: pa.table(good).slice(1, 1),
        "rows": lambda: rows,
        "lists": lambda: [list(row) for row in rows],
        "odd lengths": lambda: [*rows, ("c",)],
        "too long": lambda: [("a", 1, 0, 0, 5)],
        "no values": lambda: [(), ()],
        "one value": lambda: [("a",)],
        "no rows": list,
        "dicts": lambda: [{"device": "a", "level": 1, "time": 0}],
        "dicts and rows": lambda: [rows[0], {"device": "a", "level": 1, "time": 0}],
        "other dicts": lambda: [{"device": "a"}, {"level": 1}, {"time": 0}],
        "empty dicts": lambda: [{}, {}],
        "odd names": lambda: [{1: "a", None: 1, ("x",): 0}],
        "generator": lambda: (row for row in rows),
        "broken generator": _broken,
        "endless": itertools.count,
        "iterator": lambda: iter(rows),
        "map of columns": lambda: good,
        "set of rows": lambda: {*rows},
        "zip": lambda: zip(["a"], [1], [0], strict=True),
        "strings": lambda: ["abc", "def"],
        "text": lambda: "a,1,0",
        "bytes": lambda: b"a,1,0",
        "None": lambda: None,
        "number": lambda: 7,
        "nan": lambda: float("nan"),
        "object": object,
        "class": lambda: pd.DataFrame,
        "function": lambda: print,
        "range": lambda: range(3),
        "numpy": lambda: np.array([[1, 2, 0], [3, 4, 1]]),
        "numpy 1d": lambda: np.arange(3),
        "numpy 0d": lambda: np.array(7),
        "numpy 3d": lambda: np.zeros((2, 3, 2)),
        "numpy objects": lambda: np.array(rows, object),
        "numpy structured": lambda: np.array(rows, [("device", "U1"), ("level", "i8"), ("time", "i8")]),
        "numpy records": lambda: np.rec.array(rows, [("device", "U1"), ("level", "i8"), ("time", "i8")]),
        "strange stream": _Strange,
    }


class _Strange:
    """Says that it is a table, and is none."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        raise RuntimeError(f"no table for {requested_schema}")


def _broken() -> Iterator[tuple[str, int, int]]:
    yield "a", 1, 0
    raise OSError("the file is gone")


def frames() -> dict[str, Table]:
    """Each odd frame by a name: whole ones, and plain ones with one odd column."""
    plain = {"device": pa.array(["a", "b", "a"]), "level": pa.array([1, 2, 3]), "time": pa.array([0, 1, 2])}
    found = tables()
    for (name, column), place in itertools.product(columns().items(), (*plain, "arrival")):
        table = pa.table({**plain, place: column})
        found[f"{place} of {name}"] = partial(_same, table)
        found[f"{place} of {name} in parts"] = partial(_same, pa.concat_tables([table] * 2))
    for (name, column), place in itertools.product(values().items(), range(4)):
        rows = [["a", 1, 0, 0], ["b", 2, 1, 1], ["a", 3, 2, 2]]
        for row, value in zip(rows, column, strict=True):
            row[place] = value
        found[f"value {place} of {name}"] = partial(_same, list(map(tuple, rows)))
    return found


def _same(table: Any) -> Any:
    return table


def attempts(count: int, _seed: int) -> Iterator[Attempt]:
    """Each odd frame, given to engines of programs with and without types and ticks, as facts of an input."""
    cases = itertools.product(frames().items(), (PROGRAM, TYPED))
    for (name, make), program in itertools.islice(cases, count):
        kind = "typed" if program is TYPED else "untyped"
        yield Attempt(f"{name}, {kind}", partial(advanced, program, make))


def advanced(program: str, make: Table) -> antelog.Engine:
    """An engine that was given an odd frame, and was asked for all it has to say."""
    engine = antelog.Engine(antelog.parse(program))
    changes = engine.advance(5, {"Temp": make()})
    for table in (*changes.values(), engine.rejects, engine.answers("Malf")):
        table.validate(full=True)
        table.to_pylist()
    antelog.Engine.restore(engine.to_bytes()).advance(6)
    engine.advance(9)
    return engine
