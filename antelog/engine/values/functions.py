"""Functions on columns of cells: users' and built-in ones, each called once for rows of equal kinds."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as is_a
from numpy.typing import NDArray

from antelog.arrow.arrays import array_of
from antelog.arrow.grammar import EXACT
from antelog.arrow.kinds import Kind, type_of_kind
from antelog.compile.literals.terms import Function
from antelog.compile.nodes.plan import Plan
from antelog.engine.columns.tables import Column, ColumnSet, Mask, marked
from antelog.engine.values.encoding import OTHERS, UNBOUND
from antelog.errors import FunctionError
from antelog.functions import UserFunction, file_of, in_words, not_given
from antelog.language.functions import BUILT_IN as SIGNATURES
from antelog.language.syntax import number
from antelog.language.vocabulary import Type


class Cells(Protocol):
    def kinds(self, cells: Column) -> NDArray[np.int8]: ...
    def numbers(self, cells: Column) -> NDArray[np.float64]: ...
    def large_numbers(self, cells: Column) -> dict[int, int | float]: ...
    def decode(self, cells: Column, type_: pa.DataType) -> pa.Array: ...
    def encode(self, array: Any) -> Column: ...
    def text(self, cell: int) -> str: ...


_TAKES = {Type.NUMBER: Kind.NUMBER, Type.TEXT: Kind.TEXT}
_GIVEN = {None: pa.bool_(), "number": pa.float64(), "text": pa.string()}
_IN_WORDS = {
    None: "declared as a condition: give truths",
    "number": "declared as a number: give numbers",
    "text": "declared as a text: give texts",
}


MOST_FAILED = 0.01
_FEW = 100  # calls of a step that may fail whatever its share is
_KEPT = 10_000  # failed calls of a step that are kept; at more of them it does not go on to its end
_TOLD = 100_000  # failed calls that are known, so that each is told once


@dataclass(frozen=True)
class FailedCall:
    """A call that has raised: its arguments as a list in JSON, and what it raised in words."""

    function: str
    arguments: str
    error: str

    @property
    def text(self) -> str:
        return f"{self.function}({self.arguments[1:-1]})"


@dataclass(eq=False)
class Functions:
    """The functions that a program may call; a share of a step's calls, `most_failed`, may raise."""

    called: Mapping[str, Function] = field(default_factory=dict)
    given: Mapping[str, UserFunction] = field(default_factory=dict)
    most_failed: float = MOST_FAILED
    calls: int = 0
    failed: int = 0
    _new: dict[str, FailedCall] = field(default_factory=dict)
    _told: dict[str, str] = field(default_factory=dict)  # what each has raised

    @classmethod
    def of(cls, plan: Plan, given: Mapping[str, UserFunction]) -> Functions:
        return cls({each.name: each for each in plan.functions}, given)

    # ---- calls that raise ----

    def begin_step(self) -> None:
        self.calls = self.failed = 0

    def count(self, calls: int, failed: int, new: Iterable[FailedCall]) -> None:
        """Counts calls of a worker as calls of this step."""
        self.calls += calls
        self.failed += failed
        self._new |= {each.text: each for each in new}

    def check(self, few: int = _FEW) -> None:
        """Raises FunctionError if more calls of the step have failed than may."""
        most = self.most_failed * self.calls
        if self.failed > (max(few, most) if most else 0):
            known = min(self._new.items(), default=("", FailedCall("", "", "")))
            said = {"failed": self.failed, "calls": self.calls, "share": 100 * self.most_failed}
            raise FunctionError.of("functions.failed", **said, known=known[0], error=known[1].error) from None

    def taken(self) -> list[FailedCall]:
        """The calls that have failed and were not taken before, in order."""
        found = [self._new[text] for text in sorted(self._new) if text not in self._told]
        if len(self._told) > _TOLD:  # they are told again
            self._told.clear()
        self._told |= {text: each.error for text, each in self._new.items()}
        self._new.clear()
        return found

    def failure(self, call: str) -> str | None:
        """The failure of a call in words, if it failed; its texts may be without quotes."""
        known = self._told | {text: each.error for text, each in self._new.items()}
        return next((known[text] for text in known if text.replace('"', "") == call.replace('"', "")), None)

    def _note(
        self, function: UserFunction, arguments: Sequence[_Argument], row: int, error: BaseException
    ) -> None:
        self.failed += 1
        texts = [a.values.text(int(a.cells[row])) for a in arguments]
        is_bare = [a.kind is Kind.NUMBER or t.startswith('"') for a, t in zip(arguments, texts, strict=True)]
        written = ", ".join(t if bare else f'"{t}"' for t, bare in zip(texts, is_bare, strict=True))
        text = f"{function.name}({written})"
        if text not in self._new and len(self._new) < _KEPT:
            # The words take a moment.
            words = self._told.get(text) or f"raised {in_words(error, file_of(function))}"
            self._new[text] = FailedCall(function.name, f"[{written}]", words)
        if self.failed > _KEPT:
            self.check(_KEPT)

    # ---- calls ----

    def results(self, name: str, arguments: Sequence[Column], values: Cells) -> pa.Array:
        """The results of a function, row by row; arguments of one row hold for all."""
        function, gives, types = self._found(name)
        columns = np.broadcast_arrays(*arguments) if arguments else [np.zeros(1, np.int64)]
        count = len(columns[0])
        kinds = [values.kinds(np.ascontiguousarray(column)).astype(np.int64) for column in columns]
        key, usable = np.zeros(count, np.int64), np.ones(count, np.bool_)
        for column, kind, wanted in zip(columns, kinds, types, strict=False):
            key = key * len(Kind) + kind
            usable &= (column != UNBOUND) & (column != OTHERS)
            if wanted is not None:
                usable &= kind == _TAKES[wanted]
        rows, parts = [], []
        for each in np.unique(key[usable]).tolist():
            at = marked(usable & (key == each))
            given = [_Argument(np.ascontiguousarray(c.take(at)), Kind(int(k[at[0]])), values)
                     for c, k in zip(columns[: len(types)], kinds, strict=False)]  # fmt: skip
            for part, found_there in self._tried(function, given, at):
                rows.append(part)
                parts.append(_result(name, gives, found_there, len(part)))
        if not parts:
            return pa.nulls(count, _GIVEN[gives])
        if len(parts) == 1 and len(rows[0]) == count:
            return parts[0]
        if len({part.type for part in parts}) > 1:  # of which one has whole numbers that no double holds
            found: list[object] = [None] * count
            for at, part in zip(rows, parts, strict=True):
                for row, value in zip(at.tolist(), part.to_pylist(), strict=True):
                    found[row] = value
            return array_of(found)
        place = np.full(count, -1)
        place[np.concatenate(rows)] = np.arange(sum(map(len, rows)))
        return pa.concat_arrays(parts).take(pa.array(place, mask=place < 0))

    def _tried(
        self, function: UserFunction, arguments: Sequence[_Argument], rows: Column
    ) -> Iterator[tuple[Column, Any]]:
        """Calls a function for rows, or for parts of them where it raises; yields those where it does not."""
        if function.name in SIGNATURES:
            yield rows, _run(function, arguments)
            return
        self.calls += len(rows)
        if function.takes == "values":
            yield rows, list(self._row_by_row(function, arguments, len(rows)))
            return
        waiting = [slice(0, len(rows))]
        while waiting:
            part = waiting.pop()
            count = part.stop - part.start
            given = arguments if count == len(rows) else [each.take(np.r_[part]) for each in arguments]
            try:
                found = _run(function, given)
            except (Exception, SystemExit) as error:  # whatever the user's own code raises
                if count == 1:
                    self._note(function, given, 0, error)
                else:
                    middle = part.start + count // 2
                    waiting += [slice(middle, part.stop), slice(part.start, middle)]
            else:
                yield rows[part], found

    def _row_by_row(
        self, function: UserFunction, arguments: Sequence[_Argument], count: int
    ) -> Iterator[object]:
        given = [each.as_given(function.takes) for each in arguments]
        for row, values in enumerate(zip(*given, strict=True) if given else [()] * count):
            try:
                yield function.code(*values)
            except (Exception, SystemExit) as error:  # likewise
                self._note(function, arguments, row, error)
                yield None

    def cells(self, name: str, arguments: Sequence[Column], values: Cells) -> Column:
        return values.encode(self.results(name, arguments, values))

    def truths(self, name: str, arguments: Sequence[Column], values: Cells, *, of: bool) -> Mask:
        """Masks the rows for which a function is true, or false (`of`), and not null."""
        found = self.results(name, arguments, values)
        result: Mask = found.fill_null(not of).to_numpy(zero_copy_only=False) == of
        return result

    def _found(self, name: str) -> tuple[UserFunction, str | None, Sequence[Type | None]]:
        """A function, its type of results, and the types that it accepts (None: any)."""
        if name in SIGNATURES:
            signature = SIGNATURES[name]
            return BUILT_IN[name], signature.gives and signature.gives.value, signature.types
        if name not in self.given:
            raise not_given([name])
        called = self.called[name]
        return self.given[name], called.gives, (None,) * called.arity


@dataclass(frozen=True, eq=False)
class _Argument(ColumnSet):
    """An argument in some rows: cells of values of one kind."""

    cells: Column
    kind: Kind
    values: Cells

    @property
    def arrow(self) -> pa.Array:
        if self.kind is Kind.NUMBER:
            return pa.array(self.values.numbers(self.cells))
        return self.values.decode(self.cells, type_of_kind(self.kind))

    def as_given(self, takes: str) -> Any:
        """The argument as a function takes it: a column, or a list of Python's values."""
        if takes == "arrow":
            return self.arrow
        if takes == "numpy":
            return self.arrow.to_numpy(zero_copy_only=False)
        if self.kind is not Kind.NUMBER:
            return self.arrow.to_pylist()
        exact = self.values.large_numbers(self.cells)
        return [exact.get(i, number(x)) for i, x in enumerate(self.values.numbers(self.cells).tolist())]


def _run(function: UserFunction, arguments: Sequence[_Argument]) -> Any:
    with np.errstate(all="ignore"):  # what is not a number is not a value
        found = function.code(*(each.as_given(function.takes) for each in arguments))
        return list(found) if isinstance(found, Iterator) else found


def _result(name: str, gives: str | None, found: Any, count: int) -> pa.Array:
    """The results as an array of the declared type, null where there is no value."""
    wanted = _GIVEN[gives]
    array = _column(found)
    if array is None:
        raise FunctionError(f"{name} gave {_in_short(found)}; it is {_IN_WORDS[gives]}, one for each row")
    if len(array) != count:
        raise FunctionError(f"{name} gave {len(array)} values for {count} rows; give one for each row")
    fits = {
        None: is_a.is_boolean,
        "number": lambda t: is_a.is_integer(t) or is_a.is_floating(t) or is_a.is_decimal(t),
        "text": lambda t: is_a.is_string(t) or is_a.is_large_string(t) or is_a.is_string_view(t),
    }[gives]
    if is_a.is_null(array.type):
        return pa.nulls(count, wanted)
    if not fits(array.type):
        raise FunctionError(f"{name} gave values of type {array.type}, and is {_IN_WORDS[gives]}")
    if gives == "number" and is_a.is_int64(array.type) and _is_large(array):
        return array
    if gives == "number":
        doubles = array.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
        return pa.array(doubles, mask=~np.isfinite(doubles))
    return array.cast(wanted)


def _is_large(whole: pa.Array) -> bool:
    least, most = pc.min_max(whole).values()
    return bool(least.is_valid and (least.as_py() < -EXACT or most.as_py() > EXACT))


_SINGLE = (str, bytes, bytearray, memoryview, Mapping, Set)  # their parts are not results, or unordered


def _column(found: Any, *, doubles: bool = False) -> pa.Array | None:
    if isinstance(found, _SINGLE) or (isinstance(found, np.ndarray) and found.ndim != 1):
        return None
    try:
        array = found.combine_chunks() if isinstance(found, pa.ChunkedArray) else found
        return array if isinstance(array, pa.Array) else pa.array(found, from_pandas=True)
    except (OverflowError, pa.ArrowInvalid):
        # Arrow takes no whole numbers beyond 64 bits, and beside broken ones none beyond 53.
        return None if doubles else _column([_double(each) for each in found], doubles=True)
    except Exception:  # whatever a user's own object raises
        return None


def _double(value: Any) -> Any:
    if not isinstance(value, int) or isinstance(value, bool):
        return value
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _in_short(found: Any) -> str:
    if found is None:
        return "nothing"
    if isinstance(found, np.ndarray) and found.ndim != 1:
        return f"an array of {found.ndim} dimensions"
    if isinstance(found, np.ndarray) and found.dtype != object:
        return f"values of type {found.dtype}"
    if not isinstance(found, list | tuple | np.ndarray):
        return f"one value of type {type(found).__name__}"
    alone = next((each for each in found if _column([each]) is None), None)
    if alone is None:
        return "values of several types"
    if isinstance(alone, str):
        return "a text that is not Unicode"
    return f"a value of type {type(alone).__name__}"


# ---- the functions of the language; their names and types are in `antelog/language/functions.py` ----

Doubles: TypeAlias = NDArray[np.float64]
EARTH = 6371.0088  # the mean radius of the earth, in kilometres


def distance_km(lat1: Doubles, lon1: Doubles, lat2: Doubles, lon2: Doubles) -> Doubles:
    """The length of the great circle between two places given in degrees, to the millimetre."""
    one, other = np.radians(lat1), np.radians(lat2)
    north, east = np.sin((other - one) / 2), np.sin(np.radians(lon2 - lon1) / 2)
    part = north * north + np.cos(one) * np.cos(other) * east * east
    kilometres: Doubles = np.round(2 * EARTH * np.arcsin(np.sqrt(np.minimum(part, 1.0))), 6)
    return kilometres


def _with_each(test: Callable[[pa.Array, str], pa.Array]) -> Callable[[pa.Array, pa.Array], pa.Array]:
    """Turns a test of texts against one text into one against a text per row, run once for each text."""

    def tested(texts: pa.Array, others: pa.Array) -> pa.Array:
        found = np.zeros(len(texts), np.bool_)
        encoded = others.dictionary_encode()
        which = encoded.indices.to_numpy()
        order = np.argsort(which, kind="stable")
        ends = np.searchsorted(which.take(order), np.arange(len(encoded.dictionary) + 1))
        for place, other in enumerate(encoded.dictionary.to_pylist()):
            at = order[ends[place] : ends[place + 1]]
            found[at] = test(texts.take(pa.array(at)), other)
        return pa.array(found)

    return tested


def _matches(texts: pa.Array, pattern: str) -> pa.Array:
    try:
        return pc.match_substring_regex(texts, pattern)
    except pa.ArrowInvalid as error:
        raise FunctionError(f"`{pattern}` is not a pattern for `matches`: {error}") from None


BUILT_IN: Mapping[str, UserFunction] = {
    "distance_km": UserFunction("distance_km", distance_km, "numpy"),
    **{
        name: UserFunction(name, code, "arrow")
        for name, code in {
            "lower": pc.utf8_lower,
            "upper": pc.utf8_upper,
            "length": pc.utf8_length,
            "contains": _with_each(pc.match_substring),
            "starts_with": _with_each(pc.starts_with),
            "matches": _with_each(_matches),
        }.items()
    },
}
"""The functions of texts and places."""

ON_TIMES: Mapping[str, Callable[..., pa.Array]] = {
    "minute": pc.minute,
    "hour": pc.hour,
    "weekday": partial(pc.day_of_week, count_from_zero=False),
    "day": pc.day,
    "month": pc.month,
}
ON_DOUBLES: Mapping[str, Callable[..., Doubles]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": lambda one, other: np.where(other == 0, np.nan, one / other),
    "abs": np.abs,
    "round": np.rint,
    "floor": np.floor,
}
ON_WHOLE: Mapping[str, Callable[..., Column]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "abs": np.abs,
    "round": lambda one: one,
    "floor": lambda one: one,
}
