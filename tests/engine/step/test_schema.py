"""antelog/engine/step/schema.py: types follow the program and the types of facts, not the values."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import antelog
from antelog import Engine
from antelog.engine.step.schema import WRITTEN, answer_columns, united
from antelog.engine.values.types import MIXED, wider

US, NS = pa.timestamp("us"), pa.timestamp("ns")


def types_of(rules: str, **seen: Any) -> dict[str, pa.DataType]:
    plan = antelog.parse(rules).plan
    (query,) = plan.queries
    return dict(answer_columns(plan, seen)[query.name].types)


@pytest.mark.parametrize(
    ("seen", "reported"),
    [
        (pa.int64(), pa.int64()),
        (pa.decimal128(9, 2), pa.float64()),
        (pa.decimal128(16, 14), pa.decimal128(16, 14)),
        (pa.decimal128(38, 18), pa.decimal128(38, 18)),
        (pa.decimal128(20, 0), pa.decimal128(38, 0)),
        (pa.dictionary(pa.int8(), pa.string()), pa.string()),
        (pa.timestamp("ms", "Europe/Vienna"), pa.timestamp("us", "UTC")),
        (pa.null(), pa.null()),
        (pa.dense_union([pa.field("0", pa.int64()), pa.field("1", pa.float64())]), pa.float64()),
        (pa.dense_union([pa.field("0", pa.int64()), pa.field("1", pa.string())]), MIXED),
    ],
)
def test_a_variable_has_the_type_of_its_column(seen: pa.DataType, reported: pa.DataType) -> None:
    assert types_of("Q(V, T) :- P(V, T). query Q(V, T).", P=[seen]) == {"V": reported}


@pytest.mark.parametrize(
    ("one", "other", "both"),
    [
        (pa.int64(), pa.int8(), pa.int64()),
        (pa.int64(), pa.float64(), pa.float64()),
        (pa.int64(), pa.uint64(), pa.decimal128(38, 0)),
        (pa.decimal128(38, 0), pa.float64(), pa.float64()),
        (pa.decimal128(38, 18), pa.decimal128(20, 4), pa.decimal128(38, 18)),
        (pa.decimal128(38, 18), pa.int64(), pa.decimal128(38, 18)),
        (pa.decimal128(38, 30), pa.uint64(), pa.decimal256(76, 30)),
        (pa.decimal256(76, 60), pa.int64(), MIXED),
        (pa.null(), pa.bool_(), pa.bool_()),
        (pa.string(), pa.int64(), MIXED),
        (US, NS, MIXED),
        (MIXED, pa.string(), MIXED),
    ],
)
def test_types_that_meet_get_wider(one: pa.DataType, other: pa.DataType, both: pa.DataType) -> None:
    assert wider(one, other) == wider(other, one) == both
    assert wider(both, one) == wider(both, other) == wider(both, both) == both


def test_declarations_decide_before_a_fact_has_come() -> None:
    rules = "input P(x: text, v: number, time). Q(X, V, T) :- P(X, V, T). query Q(X, V, T)."
    assert types_of(rules) == {"X": pa.string(), "V": pa.int64()}
    assert types_of(rules, P=[pa.date32(), pa.float64()]) == {"X": pa.string(), "V": pa.float64()}
    assert types_of(rules, P=[pa.string(), pa.decimal128(38, 30)])["V"] == pa.decimal128(38, 30)
    # Texts among numbers are set aside, so they are no reason to widen.
    assert types_of(rules, P=[pa.string(), pa.string()])["V"] == pa.int64()


def test_values_come_from_everywhere_a_variable_occurs() -> None:
    join = "Q(X, T) :- A(X, T), B(X, T). query Q(X, T)."
    assert types_of(join, A=[pa.int64()], B=[pa.float64()]) == {"X": pa.float64()}
    either = "Q(X, T) :- A(X, T). Q(X, T) :- B(X, T). query Q(X, T)."
    assert types_of(either, A=[pa.int64()], B=[pa.string()]) == {"X": MIXED}
    constant = "Q(X, T) :- A(X, T). Q(lost, T) :- B(Y, T). query Q(X, T)."
    assert types_of(constant, A=[pa.string()], B=[pa.bool_()]) == {"X": pa.string()}


def test_an_unguarded_variable_has_the_types_of_what_names_it() -> None:
    calm = "Calm(X, T) :- not B(X, T). Calm(X, T) :- not A(X, T). query Calm(X, T)."
    assert types_of(calm, A=[pa.int64()], B=[pa.float64()]) == {"X": pa.float64()}


def test_values_come_from_static_facts_and_what_follows_from_them() -> None:
    rules = """
    static Link(from, to). Link(1, 2).
    Reach(X, Y) :- Link(X, Y).
    Reach(X, Z) :- Link(X, Y), Reach(Y, Z).
    static Reach(from, to).
    Q(Y, T) :- P(X, T), Reach(X, Y).
    query Q(Y, T).
    """
    assert types_of(rules, P=[pa.string()]) == {"Y": pa.int64()}
    assert types_of(rules, P=[pa.string()], Link=[pa.int64(), pa.float64()]) == {"Y": pa.float64()}
    undecided = "static Link(from, to). Q(Y, T) :- P(X, T), Link(X, Y). query Q(Y, T)."
    assert types_of(undecided, Link=[pa.int64(), pa.bool_()]) == {"Y": pa.bool_()}


def test_every_table_has_the_schema() -> None:
    program = antelog.parse(
        "input P(x, v, time) delay 1. Q(X, V, T) :- P(X, V, T), P(X, V, T+1). query Q(X, V, T)."
    )
    engine = Engine(program)
    types = {"P": [pa.string(), pa.timestamp("s")]}
    expected = answer_columns(program.plan, types)["Q"].schema
    day = dt.datetime(2024, 2, 29)  # noqa: DTZ001 - data without a zone
    full = engine.advance(
        0, {"P": pa.table({"x": ["a"], "v": pa.array([day], pa.timestamp("s")), "time": [0]})}
    )
    empty = engine.advance(1, {})
    for table in (full["Q"], empty["Q"], engine.answers("Q")):
        assert table.schema.equals(expected)
    assert full["Q"].num_rows == 1
    assert full["Q"]["V"].to_pylist() == [day]
    assert engine.advance(5)["Q"].schema.equals(expected)
    assert engine.answers("Q").num_rows == 0


def test_types_only_get_wider(tmp_path: Path) -> None:
    program = antelog.parse("Q(V, T) :- P(V, T). query Q(V, T).")
    engine = Engine(program)

    def changes(now: int, values: list[object]) -> tuple[pa.Field, list[object]]:
        table = engine.advance(now, {"P": [(value, now) for value in values]})["Q"]
        return table.schema.field("V"), table["V"].to_pylist()

    assert engine.answers("Q").schema.field("V").type == pa.null()
    assert changes(0, [1]) == (pa.field("V", pa.int64()), [1])
    assert changes(1, [1.5]) == (pa.field("V", pa.float64()), [1.5])
    assert changes(2, [1]) == (pa.field("V", pa.float64()), [1.0])
    engine.save(tmp_path / "state")
    engine = Engine.restore(tmp_path / "state", program)
    assert changes(3, [2]) == (pa.field("V", pa.float64()), [2.0])
    field, values = changes(4, ["a b", 3])
    assert (field.type, values) == (pa.string(), ['"a b"', "3"])
    assert field.metadata == WRITTEN
    # No longer does it matter which values a batch has.
    engine = Engine.restore(engine.to_bytes())
    field, values = changes(5, ["a b"])
    assert (field.metadata, values) == (WRITTEN, ['"a b"'])


def test_rows_that_are_set_aside_do_not_decide() -> None:
    engine = Engine(antelog.parse("input P(v: number, time). Q(V, T) :- P(V, T). query Q(V, T)."))
    table = engine.advance(0, {"P": [("n/a", 0), (7, 0)]})["Q"]
    assert (table.schema.field("V").type, table["V"].to_pylist()) == (pa.int64(), [7])


def test_exact_numbers_stay_exact() -> None:
    engine = Engine(antelog.parse("Q(V, T) :- P(V, T). query Q(V, T)."))
    given = [2**53 + 1, 2**63 - 1, 7]
    assert sorted(engine.advance(0, {"P": [(v, 0) for v in given]})["Q"]["V"].to_pylist()) == sorted(given)
    fine = [Decimal("0.123456789012345678"), Decimal("0.123456789012345679"), Decimal("0.5"), Decimal(3)]
    frame = pa.table({"v": pa.array(fine, pa.decimal128(38, 18)), "time": [0] * 4})
    reported = Engine(antelog.parse("Q(V, T) :- P(V, T). query Q(V, T).")).advance(0, {"P": frame})["Q"]
    assert sorted(reported["V"].to_pylist()) == sorted(fine)
    given = [2**64 + 1, 2**53 + 1]
    assert sorted(engine.advance(1, {"P": [(v, 1) for v in given]})["Q"]["V"].to_pylist()) == sorted(given)


# ---- tables of several steps ----

RULES = "input Temp(x, time). Hot(X, T) :- Temp(X, T). query Hot(X, T)."


def lines_of(*steps: list[Any]) -> list[pa.Table]:
    """The lines of an engine, step by step, about facts with these values."""
    engine = antelog.Engine(antelog.parse(RULES))
    return [
        engine.advance(tick, {"Temp": [(value, tick) for value in values]})["Hot"]
        for tick, values in enumerate(steps)
    ]


@pytest.mark.parametrize(
    ("steps", "type_", "values"),
    [
        ([["p1"], ["p2"]], pa.string(), ["p1", "p2"]),
        ([[], ["p1"]], pa.string(), ["p1"]),
        ([[1], [2.5], [3]], pa.float64(), [1.0, 2.5, 3.0]),
        ([[1], [10**20]], pa.decimal128(38, 0), [Decimal(1), Decimal(10**20)]),
        ([[1], ["1"], [2.0]], "written", ["1", '"1"', "2"]),
        ([["p1", "a b"], [True]], "written", ['"a b"', "p1", "true"]),
        ([["1"], [1], ["1"]], "written", ['"1"', "1", '"1"']),
        ([[dt.date(2024, 2, 29)], ["p1"]], "written", ['"2024-02-29"', "p1"]),
        ([[b"\xff"], ["p1"]], "written", ["ff", "p1"]),
        ([[True], [False]], pa.bool_(), [True, False]),
    ],
)
def test_columns_hold_the_values_of_all_steps(steps: list[list[Any]], type_: Any, values: list[Any]) -> None:
    given = lines_of(*steps)
    for parts in (given, [united(given[:-1]), given[-1]]):
        table = united(parts)
        field = table.schema.field("X")
        assert (field.type, field.metadata) == (
            (pa.string(), WRITTEN) if type_ == "written" else (type_, None)
        )
        assert table.column("X").to_pylist() == values
        assert table.column("T").to_pylist() == [row["T"] for each in given for row in each.to_pylist()]
        assert table.column_names == given[0].column_names


def test_a_column_that_one_lacks_is_null_there() -> None:
    first, later = pa.table({"X": [1]}), pa.table({"X": ["a"], "chance": [0.5]})
    assert united([first, later]).to_pylist() == [{"X": "1", "chance": None}, {"X": "a", "chance": 0.5}]
