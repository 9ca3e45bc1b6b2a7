"""antelog/engine/values/{values,encoding,decoding,types}.py: cells are equal where values are."""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antelog.arrow.arrays import array_of
from antelog.arrow.kinds import Kind
from antelog.engine.values.decoding import in_pieces, quoted, repeated
from antelog.engine.values.types import MIXED, output_type, types_of_rows
from antelog.engine.values.values import UNBOUND, Values
from antelog.language.printer import value_text

TEXTS = st.text(max_size=4) | st.sampled_from(
    ["wt2", "not", "query", "Wt2", "1", "n/a", "é", "²", "a\n", "ß1"]
)
WHOLE = st.integers(-(2**63), 2**64 - 1) | st.sampled_from(
    [2**53, 2**53 + 1, 2**60, 2**63 - 1, 2**64 - 1, 10**18, 10**30]
)
DECIMALS = st.decimals(-99, 99, places=2) | st.integers(-(10**30), 10**30).map(Decimal)
NUMBERS = WHOLE | st.integers(-9, 9) | st.floats(allow_nan=False) | DECIMALS
MOMENTS = st.datetimes(dt.datetime(1700, 1, 1), dt.datetime(2200, 1, 1))  # noqa: DTZ001 - data without a zone
OTHERS = st.one_of(
    st.booleans(),
    st.dates(),
    st.times(),
    MOMENTS,
    MOMENTS.map(lambda moment: moment.replace(tzinfo=dt.UTC)),
    st.timedeltas(dt.timedelta(-36500), dt.timedelta(36500)),
    st.binary(max_size=3),
)
VALUES = TEXTS | NUMBERS | OTHERS


def encoded(values: Values, given: list[Any]) -> list[int]:
    return list(values.encode(array_of(given)).tolist())


def cells_of(numbers: list[int]) -> np.ndarray[Any, np.dtype[np.int64]]:
    return np.array(numbers, np.int64)


def sort_of(value: object) -> object:
    """What must agree for two values to be the same, besides Python's equality."""
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        zone = isinstance(value, dt.datetime) and value.tzinfo is not None
        return type(value), zone
    return "number"


def same(one: object, other: object) -> bool:
    def exact(value: object) -> object:
        # a decimal is the number a double of the same digits is
        return float(value) if isinstance(value, Decimal) and "." in f"{value.normalize():f}" else value

    return sort_of(one) == sort_of(other) and exact(one) == exact(other)


@given(st.lists(VALUES, max_size=8))
def test_cells_are_equal_where_values_are(given: list[Any]) -> None:
    cells = encoded(Values(), given)
    for one, cell in zip(given, cells, strict=True):
        assert cell != UNBOUND
        for other, again in zip(given, cells, strict=True):
            assert (cell == again) == same(one, other), (one, other)


@given(st.lists(TEXTS | WHOLE | st.floats(allow_nan=False), max_size=8))
def test_a_constant_has_the_cell_of_the_data(given: list[Any]) -> None:
    values = Values()
    constants = [values.cell(value) for value in given]
    assert constants == encoded(values, given) == [values.cell(value) for value in given]


@given(st.lists(TEXTS | st.none(), max_size=8))
def test_texts_come_out_as_they_went_in(given: list[Any]) -> None:
    values = Values()
    for type_ in (pa.string(), pa.large_string(), pa.string_view()):
        array = pa.array(given, type_)
        for form in (array, pa.chunked_array([array, array[:1]]), array.dictionary_encode()):
            out = values.decode(values.encode(form), output_type(form.type))
            assert out.equals(pa.array(form.to_pylist(), pa.string()))


@pytest.mark.parametrize("type_", [pa.string(), pa.large_string(), pa.string_view()])
def test_a_column_of_many_parts_is_one_column(type_: pa.DataType) -> None:
    given = [None if each % 11 == 0 else f"s{each % (1 + each // 5)}" for each in range(300)]
    parts = [pa.array(given[at : at + 7], type_) for at in range(0, 300, 7)]
    whole = Values().encode(pa.array(given, type_)).tolist()
    assert Values().encode(pa.chunked_array(parts)).tolist() == whole
    coded = pa.chunked_array([part.dictionary_encode() for part in parts])
    assert len({len(chunk.dictionary) for chunk in coded.chunks}) > 1
    assert Values().encode(coded).tolist() == whole


@given(st.lists(st.integers(-(2**63), 2**63 - 1) | st.none(), max_size=8))
def test_whole_numbers_come_out_as_they_went_in(given: list[Any]) -> None:
    values = Values()
    array = pa.array(given, pa.int64())
    assert values.decode(values.encode(array), pa.int64()).equals(array)


@given(st.lists(st.floats() | st.none(), max_size=8))
def test_doubles_come_out_as_they_went_in(given: list[Any]) -> None:
    values = Values()
    out = values.decode(values.encode(pa.array(given, pa.float64())), pa.float64())
    assert out.type == pa.float64()
    assert out.to_pylist() == [None if v is None or math.isnan(v) else v for v in given]


@pytest.mark.parametrize(
    ("given", "type_", "out"),
    [
        ([True, False, None], pa.bool_(), pa.bool_()),
        ([0, 86_400_000, None], pa.date64(), pa.date32()),
        ([0, 3_600, None], pa.time32("s"), pa.time64("us")),
        ([0, 3, None], pa.time64("ns"), pa.time64("ns")),
        ([0, -3_000, None], pa.timestamp("s"), pa.timestamp("us")),
        ([0, -3, None], pa.timestamp("ns"), pa.timestamp("ns")),
        ([0, -3, None], pa.timestamp("ms", "Europe/Vienna"), pa.timestamp("us", "UTC")),
        ([0, -3, None], pa.duration("s"), pa.duration("us")),
        ([b"ab", b"\xff\x00", None], pa.binary(2), pa.binary()),
        ([2**64 - 1, None], pa.uint64(), pa.uint64()),
        ([np.float16(0.5), None], pa.float16(), pa.float64()),
        ([Decimal("1.50"), Decimal("0.10"), None], pa.decimal128(9, 2), pa.float64()),
        (
            [Decimal("1.10"), Decimal("0.123456789012345678"), None],
            pa.decimal128(38, 18),
            pa.decimal128(38, 18),
        ),
        ([Decimal("1.5e-60"), Decimal("12.5"), None], pa.decimal256(76, 70), pa.decimal256(76, 70)),
        ([Decimal(7), None], pa.decimal128(9, 0), pa.int64()),
        ([Decimal(2**62 + 1), Decimal(7), None], pa.decimal128(20, 0), pa.decimal128(38, 0)),
        ([Decimal(-(10**50)), None], pa.decimal256(51, 0), pa.decimal256(76, 0)),
    ],
)
def test_types(given: list[Any], type_: pa.DataType, out: pa.DataType) -> None:
    values = Values()
    array = pa.array(given, type_)
    assert output_type(type_) == out
    decoded = values.decode(values.encode(array), out)
    assert decoded.equals(array.cast(out, safe=False))
    read = Values.from_saved(values.saved())
    assert read.decode(values.encode(array), out).equals(decoded)


def test_storage_is_no_part_of_a_value() -> None:
    values = Values()
    for one, other in [
        (pa.array([5_000], pa.timestamp("ms")), pa.array([5_000_000_000], pa.timestamp("ns"))),
        (pa.array([5], pa.date32()), pa.array([5 * 86_400_000], pa.date64())),
        (pa.array([5], pa.timestamp("us", "UTC")), pa.array([5], pa.timestamp("us", "+02:00"))),
        (pa.array([2**60 + 1]), pa.array([Decimal(2**60 + 1)])),
        (pa.array([1e30]), pa.array([Decimal(int(1e30))])),
        (pa.array([0.25], pa.float32()), pa.array([Decimal("0.250")])),
        (pa.array([-0.0]), pa.array([0], pa.int8())),
        (pa.array(["a"]).dictionary_encode(), pa.array(["a"], pa.string_view())),
        (pa.array([7, 7]).dictionary_encode(), pa.array([7.0, 7.0])),
    ]:
        assert values.encode(one).tolist() == values.encode(other).tolist()


def test_kinds_stay_apart() -> None:
    values = Values()
    different = [1, "1", True, "true", b"1", dt.date(1970, 1, 2), dt.timedelta(microseconds=1)]
    assert len(set(encoded(values, different))) == len(different)
    kinds = values.kinds(cells_of([*encoded(values, different), UNBOUND]))
    assert kinds.tolist() == [
        *(Kind.NUMBER, Kind.TEXT, Kind.BOOL, Kind.TEXT, Kind.BYTES, Kind.DATE, Kind.DURATION, Kind.NOTHING)
    ]


def test_several_kinds_come_out_as_texts() -> None:
    values = Values()
    mixed: list[object] = [1, "1", 2.5, "wt2", None, True, "true", 2**60 + 1]
    mixed += [dt.date(2024, 2, 29), dt.timedelta(0, -1), dt.datetime(2024, 2, 29, 1, 2, 3)]  # noqa: DTZ001
    out = values.decode(values.encode(array_of(mixed)), MIXED).to_pylist()
    assert out[:8] == ["1", '"1"', "2.5", "wt2", None, "true", '"true"', str(2**60 + 1)]
    assert out[8:] == ['"2024-02-29"', '"-1 seconds"', '"2024-02-29T01:02:03"']


def test_nothing_is_unbound() -> None:
    values = Values()
    for array in (pa.array([None, math.nan]), pa.nulls(2), pa.array([None, None], pa.string())):
        assert values.encode(array).tolist() == [UNBOUND, UNBOUND]
    assert np.isnan(values.numbers(cells_of([UNBOUND]))).all()
    assert values.texts(cells_of([UNBOUND])).to_pylist() == [None]
    assert values.decode(cells_of([UNBOUND]), pa.null()).equals(pa.nulls(1))
    assert values.decode(cells_of([]), pa.int64()).equals(pa.array([], pa.int64()))


@pytest.mark.parametrize("type_", [pa.list_(pa.int64()), pa.struct([("a", pa.int64())])])
def test_types_without_values_are_refused(type_: pa.DataType) -> None:
    with pytest.raises(TypeError, match="no value is of type"):
        Values().encode(pa.nulls(2, type_))


@given(st.lists(TEXTS | WHOLE | st.floats(allow_nan=False), max_size=8))
def test_texts_are_those_of_the_language(given: list[Any]) -> None:
    values = Values()
    cells = cells_of(encoded(values, given))
    assert values.texts(cells).to_pylist() == [value_text(value) for value in given]


@given(st.lists(NUMBERS, max_size=8), st.lists(TEXTS, max_size=8), st.lists(MOMENTS, max_size=4))
def test_ranks_are_in_the_order_of_the_values(
    numbers: list[Any], texts: list[str], moments: list[dt.datetime]
) -> None:
    values = Values()
    for column in (numbers, texts, moments):
        ranks = values.ranks(cells_of(encoded(values, column)))
        for one, rank in zip(column, ranks.tolist(), strict=True):
            for other, again in zip(column, ranks.tolist(), strict=True):
                if not isinstance(one, Decimal) and not isinstance(other, Decimal):
                    assert (rank < again) == (one < other)


@given(
    st.lists(TEXTS, min_size=1, max_size=8),
    st.sets(st.sampled_from(["wt2", "not", "z", "é"]) | TEXTS, max_size=4),
    TEXTS,
)
def test_texts_have_places_among_those_of_all_values(given: list[str], others: set[str], later: str) -> None:
    values = Values(["wt2"])
    for column in (given, [*given, later]):  # a new value moves the places
        cells = cells_of(encoded(values, column))
        fixed = tuple(sorted(value_text(text) + ", " for text in others))
        known = next(found for _ in range(99) if (found := values.ranked([cells, cells[:1]], ", ", fixed)))
        names, places, place_of = known
        assert names.to_pylist() == sorted(set(names.to_pylist()))
        written = [value_text(text) + ", " for text in column]
        assert [names.take(pa.array(at)).to_pylist() for at in places] == [written, written[:1]]
        assert {text: names[at].as_py() for text, at in place_of.items()} == {text: text for text in fixed}
        texts, at = next(reported for _ in range(99) if (reported := values.spoken(cells)))
        assert texts.to_pylist() == sorted({"wt2", *column})
        assert texts.take(pa.array(at)).to_pylist() == column


def test_places_are_looked_up_once_it_pays() -> None:
    values = Values(str(number) for number in range(100))
    few = cells_of([values.cell("7")])
    assert values.ranked([few], ", ") is None
    assert values.ranked([np.tile(few, 400)], ", ") is not None
    assert values.ranked([cells_of([values.cell(1.5)])], ", ") is None


PIECES = st.lists(st.lists(TEXTS, min_size=1, max_size=3, unique=True), min_size=1, max_size=4)


@given(PIECES, st.integers(1, 6) | st.integers(16, 50), st.data())
def test_texts_in_pieces(pieces: list[list[str]], count: int, data: st.DataObject) -> None:
    rows = [st.lists(st.sampled_from(range(len(p))), min_size=count, max_size=count) for p in pieces]
    which = [data.draw(each) for each in rows]
    chosen = zip(pieces, which, strict=True)
    parts = [(pa.array(piece), None if len(piece) == 1 else cells_of(at)) for piece, at in chosen]
    expected = ["".join(p[at[row]] for p, at in zip(pieces, which, strict=True)) for row in range(count)]
    assert in_pieces(parts, count).to_pylist() == expected


@given(st.lists(st.integers(-(2**70), 2**70) | st.floats(allow_nan=False), max_size=8))
def test_numbers_are_the_nearest_doubles(given: list[Any]) -> None:
    values = Values()
    cells = cells_of(encoded(values, given))
    assert values.numbers(cells).tolist() == [float(value) for value in given]


@given(st.lists(VALUES, max_size=8), st.lists(VALUES, max_size=4), st.data())
def test_retaining_and_saving(given: list[Any], constants: list[Any], data: st.DataObject) -> None:
    texts = [value for value in constants if isinstance(value, str)]
    values = Values(texts)
    cells = cells_of(encoded(values, given))
    kept = cells[[i for i in range(len(given)) if data.draw(st.booleans())]]
    smaller, remap = values.retain(kept)
    assert len(smaller) <= len(set(texts)) + len(set(kept.tolist()))
    assert smaller.decode(remap(kept), MIXED).equals(values.decode(kept, MIXED))
    assert [smaller.cell(text) for text in texts] == [values.cell(text) for text in texts]
    read = Values.from_saved(smaller.saved())
    assert read.decode(remap(kept), MIXED).equals(values.decode(kept, MIXED))
    assert read.retain()[0].saved() == Values(texts).saved()


def test_what_was_not_retained_is_not_there() -> None:
    values = Values()
    cells = values.encode(pa.array(["a", "b"]))
    _, remap = values.retain(cells[:1])
    with pytest.raises(KeyError):
        remap(cells)


def test_spelled_out() -> None:
    values = Values()
    cells = values.encode(array_of([True, "a", 1, None, dt.date(2024, 2, 29), True]))
    expected = values.encode(array_of(["true", "a", 1, None, "2024-02-29", "true"]))
    assert values.spelled(cells).tolist() == expected.tolist()


def test_a_slice_of_mixed_values_has_its_own() -> None:
    mixed = pa.UnionArray.from_dense(
        pa.array([0, 1, 0, 1], pa.int8()),
        pa.array([0, 0, 1, 1], pa.int32()),
        [pa.array(["x", "y"]), pa.array([1.0, 2.0])],
    )
    values = Values()
    whole = values.encode(mixed)
    for start in range(4):
        assert values.encode(mixed.slice(start)).tolist() == whole[start:].tolist()


@given(st.lists(st.text("aZ_9é ", max_size=3) | st.sampled_from(["not", "input", "nota", ""]), max_size=3))
def test_texts_that_are_no_names_are_in_quotes(texts: list[str]) -> None:
    # Arrays may be parts of others.
    array = pa.array(["Before", *texts], pa.string())[1:]
    assert quoted(array).to_pylist() == [value_text(text) for text in texts]


@given(st.lists(VALUES, max_size=6), st.lists(VALUES, max_size=6))
def test_cells_for_other_values_are_cells_of_the_same_values(known: list[Any], given: list[Any]) -> None:
    one, other = Values(), Values()
    encoded(other, known)
    cells = cells_of([*encoded(one, given), UNBOUND])
    moved = other.recoded(cells, one)
    assert moved.tolist() == [*encoded(other, given), UNBOUND]
    assert one.recoded(moved, other).tolist() == cells.tolist()


@pytest.mark.parametrize("count", [1, 65])
def test_words_are_repeated_whether_or_not_they_are_all_the_same(count: int) -> None:
    words = ("one", "zwölf")
    for which in ([1] * count, [0] * count, [0, 1] * count):
        assert repeated(words, np.array(which, np.int8)).to_pylist() == [words[i] for i in which]


def test_background_given_as_rows_has_types_too() -> None:
    assert types_of_rows({"Site": [("a", 1), ("b", 2.5)]}) == {"Site": (pa.string(), pa.float64())}
