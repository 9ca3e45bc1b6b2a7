"""Values as whole numbers: the cells that all columns of the engine consist of, equal where the values are.

number          the bits of the double: 1 and 1.0 are the same number
anything else   an id, written as the bits of a negative quiet NaN; so are numbers that no double holds
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import count, filterfalse
from sys import getsizeof

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from antelog.arrow.arrays import Array, not_utf8, out_of_range, without
from antelog.arrow.kinds import Kind
from antelog.engine.columns.tables import Column, Mask, numbered
from antelog.engine.values import decoding, encoding, types
from antelog.engine.values.decoding import NO_ORDER, GrowingTexts, TextOrder, in_use, with_others, with_room
from antelog.engine.values.encoding import FIRST_ID, LAST_ID, OTHERS, UNBOUND, encode
from antelog.engine.values.functions import Functions
from antelog.engine.values.types import MIXED, Item, Plain
from antelog.language.printer import value_text
from antelog.language.syntax import Value
from antelog.language.terms import WHOLE, number

__all__ = ["UNBOUND", "SavedValues", "Values"]

_SOME = 4096  # fewer values than this are not worth forgetting
_PLAIN = {pa.int64(), pa.uint64(), pa.float64()}  # the types that NumPy has too
_ENTRY = 100  # the bytes of an entry in a dictionary and a list, about

MARKS = {UNBOUND: "nothing", OTHERS: "others"}  # cells that stand for no value, as `written_out` calls them

_WRITTEN = {Kind.NOTHING, Kind.NUMBER, Kind.TEXT}  # the language has a syntax for these, or needs none


@dataclass(frozen=True)
class SavedValues:
    """The values that have ids, in order: how many are constants, and the kind and a text of each."""

    constants: int
    kinds: list[int]
    texts: list[str]


class Values:
    """The values that have ids, `constants` first; it only grows, and `retain` makes a smaller one."""

    def __init__(self, constants: Iterable[Value] = (), functions: Functions | None = None) -> None:
        self.functions = functions or Functions()
        self.without: set[str] = set()  # sums that have been beyond all doubles, which have no value
        self._ids: dict[Item, int] = {}
        self._items: list[Item] = []
        # By id, with room to grow; the nearest doubles of numbers no double holds, NaN elsewhere.
        self._kinds = np.zeros(64, np.int8)
        self._nearest = np.full(64, np.nan)
        self._whole = np.zeros(64, np.int64)  # 0 for what is not a whole number within 64 bits
        self._spoken = GrowingTexts()  # what `decode` has made of texts so far
        self._written = GrowingTexts()  # what `texts` has made so far
        self._orders: dict[tuple[str, ...], TextOrder] = {}  # what `ranked` knows, by what is not a value
        self._spoken_order = NO_ORDER  # what `spoken` knows
        for value in constants:
            self.cell(value)
        self._fixed = self._start = len(self._items)

    def __len__(self) -> int:
        return len(self._items)

    @property
    def grown(self) -> bool:
        """Whether it has twice as many values as at its start, and some thousands more."""
        return len(self) > 2 * self._start + _SOME

    @property
    def nbytes(self) -> int:
        arrays = self._kinds.nbytes + self._nearest.nbytes
        return sum(map(getsizeof, self._items)) + len(self) * _ENTRY + arrays

    # ---- values to cells ----

    def encode(self, array: Array) -> Column:
        """The cells of a column; null and not-a-number become UNBOUND. Raises TypeError for other types."""
        return encode(array, self._intern)

    def encode_usable(self, column: Array) -> tuple[Column, Mask | None]:
        """The cells of a plain column; and, if values are of no use, a mask of these, which have no cell."""
        bad = out_of_range(column)
        try:
            return self.encode(column if bad is None else without(column, bad)), bad
        except UnicodeDecodeError:
            bad = not_utf8(column)
            return self.encode(without(column, bad)), bad

    def cell(self, value: Value) -> int:
        if isinstance(value, str):
            known = self._ids.get(value)
            return int(self._intern([value])[0]) if known is None else known + FIRST_ID
        return int(encoding.encode_numbers([value], self._intern)[0])

    def _intern(self, items: list[Item]) -> Column:
        try:
            ids = np.fromiter(map(self._ids.__getitem__, items), np.int64, len(items))
        except KeyError:
            self._add(list(dict.fromkeys(filterfalse(self._ids.__contains__, items))))
            ids = np.fromiter(map(self._ids.__getitem__, items), np.int64, len(items))
        return ids + FIRST_ID

    def _add(self, fresh: list[Item]) -> None:
        first, end = len(self._items), len(self._items) + len(fresh)
        self._kinds, self._nearest = with_room(self._kinds, end), with_room(self._nearest, end)
        self._whole = with_room(self._whole, end)
        if set(map(type, fresh)) <= {str}:
            self._kinds[first:end] = Kind.TEXT
            self._nearest[first:end] = np.nan
            self._whole[first:end] = 0
        else:
            self._kinds[first:end] = list(map(types.kind_of_item, fresh))
            self._nearest[first:end] = list(map(types.nearest_double, fresh))
            self._whole[first:end] = [v if isinstance(v, int) and v in WHOLE else 0 for v in fresh]
        self._ids.update(zip(fresh, count(first), strict=False))
        self._items.extend(fresh)

    def recoded(self, cells: Column, of: Values) -> Column:
        named = encoding.are_named(cells)
        if not named.any():
            return cells
        different, which = numbered(cells[named])
        result = cells.copy()
        result[named] = self._intern([of._items[cell - FIRST_ID] for cell in different.tolist()]).take(which)
        return result

    # ---- cells to values ----

    def kinds(self, cells: Column) -> NDArray[np.int8]:
        """The kind of each value; nothing for all others."""
        kinds = np.full(len(cells), Kind.NUMBER, np.int8)
        named = encoding.are_named(cells)
        kinds[named] = self._kinds[cells[named] - FIRST_ID]
        kinds[(cells > LAST_ID) & (cells <= UNBOUND)] = Kind.NOTHING
        return kinds

    def numbers(self, cells: Column) -> NDArray[np.float64]:
        """The nearest doubles, to compare and to calculate with; NaN for other values, and for all others."""
        numbers: NDArray[np.float64] = cells.view(np.float64).copy()
        named = encoding.are_named(cells)
        numbers[named] = self._nearest[cells[named] - FIRST_ID]
        return numbers

    def whole_numbers(self, cells: Column) -> Column | None:
        """The whole numbers that no double holds, 0 for other values; None if there are none."""
        named = encoding.are_named(cells)
        if not named.any():
            return None
        whole = np.zeros(len(cells), np.int64)
        whole[named] = self._whole[cells[named] - FIRST_ID]
        return whole if whole.any() else None

    def large_numbers(self, cells: Column) -> dict[int, int | float]:
        """The numbers that no double holds, by row."""
        rows = np.flatnonzero(encoding.are_named(cells))
        rows = rows[self._kinds[cells[rows] - FIRST_ID] == Kind.NUMBER] if len(rows) else rows
        found = ((row, self._items[cells[row] - FIRST_ID]) for row in rows.tolist())
        return {row: item if isinstance(item, int) else float(item) for row, item in found}

    def have_ranks(self, cells: Column) -> Mask:
        """Masks the values that only `ranks` puts in order: texts, and numbers of more than 64 bits."""
        found = encoding.are_named(cells)
        found[found] = self._whole[cells[found] - FIRST_ID] == 0
        return found

    def ranks(self, cells: Column) -> Column:
        """Numbers in the order of the values, texts by code points; compare those of equal kinds only."""
        distinct, where = numbered(cells)
        keys = list(zip(self.kinds(distinct).tolist(), self._plain(distinct), strict=True))
        ranks = np.empty(len(distinct), np.int64)
        ranks[sorted(range(len(keys)), key=keys.__getitem__)] = np.arange(len(distinct))
        return ranks[where]

    def decode(self, cells: Column, type_: pa.DataType) -> pa.Array:
        """The values as an Arrow array of their reported type (see `schema`); UNBOUND becomes null."""
        if type_ == MIXED:
            return self.mixed(cells)
        if type_ in _PLAIN and not encoding.are_named(cells).any():
            return decoding.numbers(cells.view(np.float64), encoding.are_nothing(cells), type_)
        if pa.types.is_string(type_):
            nothing = encoding.are_nothing(cells)  # all others are texts
            ids = pa.array(cells - FIRST_ID, mask=nothing if nothing.any() else None)
            return self._all_spoken().take(ids)
        distinct, where = _distinct(cells)
        return decoding.of_type(type_, self._plain(distinct)).take(where)

    def mixed(self, cells: Column) -> pa.Array:
        """Writes values of several kinds, the text `"1"` with quotes; UNBOUND becomes null."""
        distinct, where = _distinct(cells)
        texts = decoding.mixed_texts(self._texts(distinct), self.kinds(distinct), self._plain(distinct))
        return texts.take(where)

    def texts(self, cells: Column) -> pa.Array:
        """Writes each value in the language's syntax, as `value_text` does; UNBOUND becomes null."""
        if encoding.all_named(cells):
            return self._all_written().take(pa.array(cells - FIRST_ID))
        distinct, where = _distinct(cells)
        return self._texts(distinct).take(where)

    def text(self, cell: int) -> str:
        if FIRST_ID <= cell <= LAST_ID:
            return str(self._all_written()[cell - FIRST_ID])
        return value_text(self.number(cell))

    def number(self, cell: int) -> float:
        return float(self.numbers(np.array([cell]))[0])

    def plain_number(self, cell: int) -> int | float | None:
        """The number of one value with all its digits within 64 bits; None for other values."""
        found = self.number(cell)
        exact = self.whole_numbers(np.array([cell]))
        return None if np.isnan(found) else number(found) if exact is None else int(exact[0])

    def _all_spoken(self) -> pa.Array:
        """The texts of all values that are texts, by id; other elements are undefined."""
        known = len(self._spoken)
        if known < len(self):
            new = self._items[known:]
            texts = new if self._are_texts(known) else [v if isinstance(v, str) else "" for v in new]
            self._spoken.extend(pa.array(texts, pa.string()))
        return self._spoken.array

    def _all_written(self) -> pa.Array:
        """The written text of every value that has an id, each made once."""
        known = len(self._written)
        if known < len(self):
            texts = self._are_texts(known)
            self._written.extend(
                decoding.quoted(self._all_spoken()[known:])
                if texts
                else self._texts(np.arange(known, len(self)) + FIRST_ID)
            )
        return self._written.array

    def _are_texts(self, known: int) -> bool:
        """Whether all values after the first `known` ones are texts."""
        return bool((self._kinds[known : len(self)] == Kind.TEXT).all())

    def ranked(
        self, columns: Sequence[Column], end: str, others: tuple[str, ...] = ()
    ) -> tuple[pa.Array, list[Column], dict[str, int]] | None:
        """The written texts of values and `others` in order, and their places; None if that does not pay."""
        once = {id(cells): cells for cells in columns}
        if not all(map(encoding.all_named, once.values())):
            return None

        def texts() -> pa.Array:
            return pc.binary_join_element_wise(self._all_written(), end, "")

        order = self._orders[end,] = in_use(
            self._orders.get((end,), NO_ORDER), len(self), sum(map(len, columns)), texts
        )
        if order.texts is None:
            return None
        if others:
            mixed = self._orders.get((end, *others), NO_ORDER)
            if mixed.texts is None or mixed.known != len(self):
                mixed = self._orders[end, *others] = with_others(order, order.texts, others)
            order = mixed
        places = {key: order.rank.take(cells - FIRST_ID) for key, cells in once.items()}
        return (
            order.texts,
            [places[id(cells)] for cells in columns],
            dict(zip(others, order.rank[len(self) :].tolist(), strict=True)),
        )

    def spoken(self, cells: Column) -> tuple[pa.Array, Column] | None:
        """The texts of all values in order, and the places of some; None if there are others, or too many."""
        if len(self) > len(cells) + _SOME or not encoding.all_named(cells):
            return None
        self._spoken_order = in_use(self._spoken_order, len(self), len(cells), self._all_spoken)
        if self._spoken_order.texts is None:
            return None
        return self._spoken_order.texts, self._spoken_order.rank.take(cells - FIRST_ID)

    def spelled(self, cells: Column) -> Column:
        """Replaces values that the language cannot write by texts: `true`, `2024-02-29`."""
        kinds = self.kinds(cells)
        spelled = cells.copy()
        for kind in sorted({Kind(kind) for kind in np.unique(kinds).tolist()} - _WRITTEN):
            rows = np.flatnonzero(kinds == kind)
            distinct, where = _distinct(cells[rows])
            texts = self._intern(list(decoding.plain_texts(kind, self._plain(distinct))))
            spelled[rows] = texts[where.to_numpy()]
        return spelled

    def written_out(self, cells: Column) -> pa.Array:
        """Structs of a kind and a text, of which `read_in` makes the same values again, also of marks."""
        distinct, where = _distinct(cells)
        pairs = [
            (MARKS[cell], "")
            if cell in MARKS
            else (
                types.kind_of_item(self._items[cell - FIRST_ID]).name.lower(),
                types.saved_item(self._items[cell - FIRST_ID]),
            )
            if FIRST_ID <= cell <= LAST_ID
            else ("double", repr(double))
            for cell, double in zip(distinct.tolist(), distinct.view(np.float64).tolist(), strict=True)
        ]
        kinds, texts = ([pair[at] for pair in pairs] for at in (0, 1))
        columns = [pa.array(each, pa.string()).take(where) for each in (kinds, texts)]
        return pa.StructArray.from_arrays(columns, ["kind", "text"])

    def read_in(self, written: Array) -> Column:
        if isinstance(written, pa.ChunkedArray):
            written = written.combine_chunks()
        encoded = pc.binary_join_element_wise(*written.flatten(), " ").dictionary_encode()
        cells = [self._read_in(*text.split(" ", 1)) for text in encoded.dictionary.to_pylist()]
        found: Column = np.array(cells, np.int64).take(encoded.indices.to_numpy())
        return found

    def _read_in(self, kind: str, text: str) -> int:
        if kind in MARKS.values():
            return next(cell for cell, mark in MARKS.items() if mark == kind)
        if kind == "double":
            return int(np.float64(text).view(np.int64))
        return int(self._intern([types.item_from_saved(Kind[kind.upper()], text)])[0])

    def _texts(self, cells: Column) -> pa.Array:
        named = encoding.are_named(cells)
        kinds = self.kinds(cells)
        nothing = encoding.are_nothing(cells)
        parts = [(np.flatnonzero(nothing), pa.nulls(int(nothing.sum()), pa.string()))]
        rows = np.flatnonzero(~named & ~nothing)
        parts.append((rows, decoding.number_texts(cells[rows].view(np.float64))))
        for kind in sorted(set(kinds[named].tolist())):
            rows = np.flatnonzero(named & (kinds == kind))
            parts.append((rows, decoding.item_texts(Kind(kind), self._plain(cells[rows]))))
        return decoding.side_by_side(parts)

    def plain(self, cells: Column) -> list[object]:
        """Numbers and texts as Python has them."""
        return [number(each) if isinstance(each, float) else each for each in self._plain(cells)]

    def _plain(self, cells: Column) -> list[Plain | None]:
        """Python's values: exact, and those of one kind have an order."""
        return [
            self._items[cell - FIRST_ID]
            if FIRST_ID <= cell <= LAST_ID
            else None
            if LAST_ID < cell <= UNBOUND
            else number
            for cell, number in zip(cells.tolist(), cells.view(np.float64).tolist(), strict=True)
        ]

    # ---- functions ----

    def called(self, function: str, arguments: Sequence[Value]) -> Value | bool | None:
        """The result of a function for values as Python has them; None if there is none."""
        cells = [np.array([self.cell(each)]) for each in arguments]
        found: Value | bool | None = self.functions.results(function, cells, self)[0].as_py()
        return number(found) if isinstance(found, float) else found

    # ---- fewer values ----

    def retain(self, *columns: Column) -> tuple[Values, Callable[[Column], Column]]:
        """A copy with the constants and the values in these columns, and a function to its cells."""
        used = np.zeros(len(self), np.bool_)
        used[: self._fixed] = True
        for cells in columns:
            used[cells[encoding.are_named(cells)] - FIRST_ID] = True
        kept = Values(functions=self.functions)
        kept.without = self.without
        kept._add([self._items[i] for i in np.flatnonzero(used).tolist()])
        kept._fixed, kept._start = self._fixed, len(kept)
        moved = np.where(used, np.cumsum(used) - 1 + FIRST_ID, UNBOUND)

        def remap(cells: Column) -> Column:
            named = encoding.are_named(cells)
            new = cells.copy()
            new[named] = moved[cells[named] - FIRST_ID]
            if np.any(new[named] == UNBOUND):
                raise KeyError("a value that was not retained")
            return new

        return kept, remap

    def saved(self) -> SavedValues:
        """All values that have ids; `from_saved` gives them the same cells."""
        kinds = self._kinds[: len(self)].tolist()
        return SavedValues(self._fixed, kinds, list(map(types.saved_item, self._items)))

    @classmethod
    def from_saved(cls, saved: SavedValues) -> Values:
        values = cls()
        items = [types.item_from_saved(*each) for each in zip(saved.kinds, saved.texts, strict=True)]
        values._add(items)
        values._fixed, values._start = saved.constants, len(values)
        return values


def _distinct(cells: Column) -> tuple[Column, pa.Array]:
    encoded = pa.array(cells).dictionary_encode()
    return encoded.dictionary.to_numpy(), encoded.indices
