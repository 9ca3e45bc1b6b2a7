"""Columns of a file as the engine takes them: times as ticks, and `007` as 7 except in columns of texts."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as is_a
from numpy.typing import NDArray

from antelog.arrow.arrays import MOST_DIGITS, array_of, digits_of, mask_of, parts_of_union, plain, refusal
from antelog.arrow.grammar import EXACT, NO_NUMBER, NOT_WHOLE, NUMBER, ROUNDED, STAMP
from antelog.arrow.kinds import Kind, kind_of, raw_values, written
from antelog.arrow.ticks import (
    UTC_ASSUMED,
    Ticks,
    assumes_utc,
    is_timestamp,
    looks_like_stamp,
    no_tick,
    times_of,
    why_no_tick,
)
from antelog.errors import DataError
from antelog.language.durations import duration_text, ticks_of
from antelog.language.epochs import TICKS, WORDS, Counting, far_note, last_tick, likely
from antelog.language.printer import value_text
from antelog.language.terms import WHOLE, number

_SHORT = r"^[+-]?[0-9]{1,18}$"
_WHOLE = r"^[+-]?[0-9]+$"
_LONG = r"[0-9]{16}"
_TOO_LONG = rf"^[+-]?0*[1-9][0-9]{{{MOST_DIGITS},}}$"
NUMBERS = ("number", "integer", "double")  # the types of columns of numbers


def column_type(type_: str | None) -> pa.DataType:
    """The type of a column in which all values are of one."""
    return pa.int64() if type_ == "integer" else pa.float64() if type_ in NUMBERS else pa.string()


@dataclass(frozen=True, eq=False)
class Fault:
    """Rows that cannot be used, and a message about each."""

    applies: NDArray[np.bool_]
    detail: Callable[[int], str]


def cells(array: pa.Array, name: str, type_: str | None) -> tuple[pa.Array, list[Fault]]:
    """The values of a column whose type is `number`, `text` or unknown, and their faults."""
    if kind_of(array.type) is not Kind.TEXT:
        return array, _faults_of_values(array, name, type_)
    texts = array.cast(pa.string())
    faults = [Fault(mask_of(texts.is_null()), lambda _: f"column {name} has no value")]
    if type_ in NUMBERS:
        wrong = mask_of(texts.is_valid())
        faults.append(Fault(wrong, lambda i: f"value `{texts[i]}` of column {name} {NO_NUMBER}"))
    return texts, faults


def cells_of_text_file(array: pa.Array, name: str, type_: str | None) -> tuple[pa.Array, list[Fault]]:
    """The values of a column of a file in which everything is text; the type may be `double`, too."""
    empty = mask_of(pc.equal(array, ""))
    faults = [Fault(empty, lambda _: f"column {name} is empty")]
    if type_ == "text":
        return array, faults
    if (numbers := digits_of(array)) is not None:
        fits = np.ones(len(array), np.bool_)
    else:
        fits = mask_of(pc.match_substring_regex(array, NUMBER))
        if type_ is None and not fits.any():
            return array, faults
        numbers, fine = _numbers(array if fits.all() else array.filter(pa.array(fits)))
        fits[fits] = fine
    if type_ not in NUMBERS:
        return (numbers if fits.all() else _mixed(numbers, fits, array)), faults
    faults.append(Fault(~fits & ~empty, lambda i: f"value `{array[i]}` of column {name} {NO_NUMBER}"))
    if type_ in _EXACT:
        convert, why = _EXACT[type_]
        numbers, inexact = convert(numbers)
        wrong = np.zeros(len(array), np.bool_)
        wrong[fits] = inexact
        faults.append(Fault(wrong, lambda i: f"value `{array[i]}` of column {name} {why}"))
    return _spread(numbers, fits), faults


def in_ticks(texts: pa.Array, name: str, tick: int | None) -> tuple[pa.Array, list[Fault]]:
    """Texts with ticks for durations (`30 minutes`: 2 of 15), and the faults of those that are neither."""
    if tick is None:
        return texts, []
    each = texts.dictionary_encode()
    words = each.dictionary.to_pylist()
    ticks = [ticks_of(word, tick) for word in words]
    found = [word if n is None else str(n) for word, n in zip(words, ticks, strict=True)]
    numbers = pa.array(found, pa.string()).take(each.indices)
    wrong = ~mask_of(pc.match_substring_regex(numbers, f"{NUMBER}|^$"))
    what = f"of column {name} is not a number of ticks; a tick is {duration_text(tick)}"
    return numbers, [Fault(wrong, lambda i: f"value `{texts[i]}` {what}")]


# ---- texts ----


def _numbers(texts: pa.Array) -> tuple[pa.Array, NDArray[np.bool_]]:
    """Numbers from texts that look like them, those that are finite and not too long; and which these are."""
    texts = pc.replace_substring_regex(pc.utf8_trim_whitespace(texts), r"^\+", "")
    fine = np.ones(len(texts), np.bool_)
    if pc.all(pc.match_substring_regex(texts, _SHORT)).as_py():
        return texts.cast(pa.int64()), fine
    doubles = texts.cast(pa.float64())
    fine = np.isfinite(doubles.to_numpy()) & ~mask_of(pc.match_substring_regex(texts, _TOO_LONG))
    doubles, texts = doubles.filter(pa.array(fine)), texts.filter(pa.array(fine))
    long = mask_of(pc.match_substring_regex(texts, _LONG)) & mask_of(pc.match_substring_regex(texts, _WHOLE))
    if not long.any():
        return doubles, fine
    # Long whole numbers are not to be rounded.
    exact = [
        int(text) if is_long else double
        for text, is_long, double in zip(texts.to_pylist(), long, doubles.to_pylist(), strict=True)
    ]
    return array_of(exact), fine


def _integers(numbers: pa.Array) -> tuple[pa.Array, NDArray[np.bool_]]:
    """Numbers as whole ones, and which of them are not whole within 64 bits."""
    if numbers.type == pa.int64():
        return numbers, np.zeros(len(numbers), np.bool_)
    given = [number(each) for each in numbers.to_pylist()]
    wrong = np.array([not isinstance(each, int) for each in given], np.bool_)
    return pa.array([each if isinstance(each, int) else 0 for each in given], pa.int64()), wrong


def _doubles(numbers: pa.Array) -> tuple[pa.Array, NDArray[np.bool_]]:
    """Numbers as doubles, and which of them are whole and may be rounded by that."""
    if numbers.type == pa.float64():
        return numbers, np.zeros(len(numbers), np.bool_)
    if numbers.type == pa.int64():
        return numbers.cast(pa.float64(), safe=False), np.abs(numbers.to_numpy()) > EXACT
    given = numbers.to_pylist()
    rounded = [not isinstance(number, float) and abs(number) > EXACT for number in given]
    return pa.array(list(map(float, given)), pa.float64()), np.array(rounded, np.bool_)


_EXACT = {"integer": (_integers, NOT_WHOLE), "double": (_doubles, ROUNDED)}  # and what is said of others


def _spread(values: pa.Array, where: NDArray[np.bool_]) -> pa.Array:
    """Values in some rows, any of them in the others, which are not to be used."""
    if where.all():
        return values
    return values.take(pa.array(np.maximum(np.cumsum(where) - 1, 0))) if len(values) else pa.nulls(len(where))


def _mixed(numbers: pa.Array, where: NDArray[np.bool_], texts: pa.Array) -> pa.Array:
    if is_a.is_union(numbers.type):
        found, given = iter(numbers.to_pylist()), zip(where, texts.to_pylist(), strict=True)
        return array_of([next(found) if is_number else text for is_number, text in given])
    codes = np.where(where, 0, 1).astype(np.int8)
    offsets = np.where(where, np.cumsum(where), np.cumsum(~where)).astype(np.int32) - 1
    children = [numbers, texts.filter(pa.array(~where))]
    return pa.UnionArray.from_dense(pa.array(codes), pa.array(offsets), children)


# ---- values of other types ----


def refuse_column(type_: pa.DataType, name: str, wanted: str | None, file: str) -> None:
    """Raises DataError if no value of an Arrow type can stand in a column."""
    refused = refusal(type_)
    if refused is not None:
        values = "values are numbers, texts, truth values, dates, times, durations or bytes"
        raise DataError(f"{file}: column {name} {refused}; {values}")
    if is_a.is_union(type_):  # of values of several types, each of which is judged
        return
    type_ = plain(pa.array([], type_)).type
    type_ = type_.value_type if is_a.is_dictionary(type_) else type_
    kind = kind_of(type_)
    if kind is not Kind.NOTHING and wanted is not None and (kind is Kind.NUMBER) != (wanted in NUMBERS):
        raise DataError(f"{file}: column {name} is of type {type_}, and the program has a {wanted} there")


def refuse_times(type_: pa.DataType, name: str, file: str) -> None:
    refused = refusal(type_)
    if refused is not None:
        raise DataError(f"{file}: column {name} {refused}; times are whole numbers or timestamps")


def _faults_of_values(array: pa.Array, name: str, type_: str | None) -> list[Fault]:
    wrong, infinite = np.zeros(len(array), np.bool_), _matching(array, pc.is_inf)
    is_union = is_a.is_union(array.type)
    missing = np.zeros(len(array), np.bool_) if is_union else mask_of(array.is_null())
    for rows, part in parts_of_union(array) if is_union else [(~missing, array)]:
        kind = kind_of(part.type)
        if kind is Kind.NOTHING:
            missing[rows] = True
        elif type_ is not None and (kind is Kind.NUMBER) != (type_ in NUMBERS):
            wrong[rows] = True
    fractions = np.zeros(len(array), np.bool_)
    if type_ == "integer" and array.type != pa.int64():
        given = (each if isinstance(each, int | float | Decimal) else 0 for each in array.to_pylist())
        fractions[:] = [each != each // 1 or int(each) not in WHOLE for each in given]
    return [
        Fault(missing | _matching(array, pc.is_nan), lambda _: f"column {name} has no value"),
        Fault(wrong, lambda i: f"value `{_shown(array[i].as_py())}` of column {name} is not a {type_}"),
        Fault(infinite, lambda i: f"value `{array[i]}` of column {name} {NO_NUMBER}"),
        Fault(fractions, lambda i: f"value `{array[i]}` of column {name} {NOT_WHOLE}"),
    ]


def _matching(array: pa.Array, test: Callable[[pa.Array], pa.Array]) -> NDArray[np.bool_]:
    """Which floats of an array pass a test."""
    if is_a.is_floating(array.type):
        return mask_of(pc.fill_null(test(array), False))
    found = np.zeros(len(array), np.bool_)
    for rows, part in parts_of_union(array) if is_a.is_union(array.type) else ():
        found[rows] = _matching(part, test)
    return found


def _shown(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


# ---- times ----


def ticks(array: pa.Array, what: str, counting: Counting, file: str) -> tuple[Ticks, Fault]:
    """The ticks of a column of times, which errors call `what`, and the fault of some."""
    is_texts = kind_of(array.type) is Kind.TEXT
    given = array.cast(pa.string()) if is_texts else array
    found = times_of(given, counting)
    if is_texts:
        stamps = not found.whole.all() and bool((looks_like_stamp(given) & ~found.whole).any())
    else:
        stamps = is_timestamp(array.type)
    if counting.tick is None and stamps:
        raise DataError(no_tick(f"{file}: the {what} is a timestamp"))

    def detail(i: int) -> str:
        if array.type == pa.bool_():
            return f"the {what} is not a whole number"
        shown = _time_shown(array[i])
        text = pa.array([shown if shown and shown.strip() else None], pa.string())
        reason = str(why_no_tick(what, found.take(np.array([i])), text, counting)[0])
        return reason if found.whole[i] else reason + _if_seconds(array[i].as_py(), counting)

    return found, Fault(~found.natural, detail)


def notes_on(times: Ticks, counting: Counting, name: str, column: str) -> dict[str, str]:
    """Notes for the user on the times of an input, by name."""
    notes = {f"{name}: {unit}": f"{name}: times are read as {WORDS[unit]} since 1970" for unit in times.units}
    if assumes_utc(times, counting):
        notes["zone"] = UTC_ASSUMED
    fine = times.numbers[times.natural]
    if counting.tick is not None and len(fine) and counting.unit != TICKS:
        furthest = int(fine.max())
        if furthest > last_tick(counting.tick):
            notes[f"{name}: far"] = far_note(furthest, counting, name, column)
    return notes


def looks_like_time(text: str) -> bool:
    one = pa.array([text])
    return bool(mask_of(pc.match_substring_regex(one, f"{NUMBER}|{STAMP}"))[0])


def _if_seconds(value: object, counting: Counting) -> str:
    """Advice for a number with a fraction that looks like a time since 1970; empty for others."""
    try:
        number = float(str(value))
    except ValueError:
        return ""
    unit = likely(number)
    if unit is None or counting.tick is None or counting.unit is not None:
        return ""
    return (
        f"; to read it as {WORDS[unit]} since 1970, write `time: {unit}` in its input, or --time-unit {unit}"
    )


def _time_shown(time: pa.Scalar | None) -> str | None:
    """A time in errors, a typed one in the language's syntax; None for no time."""
    if isinstance(time, pa.UnionScalar):
        return _time_shown(time.value)
    if time is None or not time.is_valid:
        return None
    kind = kind_of(time.type)
    if kind is Kind.TEXT:
        return str(time)
    value = time.as_py() if kind is Kind.NUMBER else None
    if isinstance(value, float) and math.isnan(value):
        return None
    if isinstance(value, Decimal):
        return f"{value.normalize():f}"
    assert kind is not None
    return value_text(written(raw_values(pa.repeat(time, 1), kind)[0], kind) if value is None else value)


# ---- columns one below the other ----


def part(table: pa.Table, first: int, last: int) -> pa.Table:
    """The rows from one position up to another."""
    # What Arrow says of the codes and offsets of a union ignores slices.
    if any(is_a.is_union(field.type) for field in table.schema):
        return table.take(pa.array(np.arange(first, last)))
    return table.slice(first, last - first)


def stacked(tables: Sequence[pa.Table]) -> pa.Table:
    """One table of several, whose columns have the same names but perhaps different types."""
    first = tables[0]
    columns = [_one_column([table.column(i) for table in tables]) for i in range(first.num_columns)]
    return pa.table(columns, first.column_names)


def _one_column(columns: Sequence[pa.ChunkedArray]) -> pa.ChunkedArray:
    chunks = [chunk for column in columns for chunk in column.chunks if len(chunk)]
    types = list(dict.fromkeys(chunk.type for chunk in chunks))
    if len(types) < 2:
        return pa.chunked_array(chunks, types[0] if types else columns[0].type)
    leaves = [[part.type for part in type_] if is_a.is_union(type_) else [type_] for type_ in types]
    distinct = list(dict.fromkeys(chain(*leaves)))
    return pa.chunked_array([_as_union(chunk, distinct) for chunk in chunks])


def _as_union(array: pa.Array, leaves: Sequence[pa.DataType]) -> pa.Array:
    children = {leaf: pa.array([], leaf) for leaf in leaves}
    codes, offsets = np.zeros(len(array), np.int8), np.zeros(len(array), np.int32)
    whole = [(np.arange(len(array)), array)]
    for rows, values in parts_of_union(array) if is_a.is_union(array.type) else whole:
        known = children[values.type]  # two parts of a union may be of one type
        children[values.type] = pa.concat_arrays([known, values])
        codes[rows] = leaves.index(values.type)
        offsets[rows] = len(known) + np.arange(len(values))
    return pa.UnionArray.from_dense(pa.array(codes), pa.array(offsets), list(children.values()))
