"""Whole numbers are exact within 64 bits, from facts to lines; a sum beyond the doubles has no value."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import antelog
from antelog import DataWarning, Engine
from antelog.errors import ProgramError
from antelog.language.printer import to_text

EXACT, MOST = 2**53, 2**63 - 1
ROUNDED = "X of A has whole numbers beyond 2\\^53"


def lines(text: str, *facts: tuple[Any, ...], tmp_path: Path, form: str = "jsonl") -> list[dict[str, Any]]:
    """The changes that `antelog try` prints of facts P(id, v, time) in a file."""
    path = tmp_path / f"p.{form}"
    rows = [dict(zip(("id", "v", "time"), each, strict=True)) for each in facts]
    if form == "jsonl":
        path.write_text("".join(json.dumps(each) + "\n" for each in rows))
    elif form == "csv":
        path.write_text("id,v,time\n" + "".join(f"{a!r},{b!r},{t}\n" for a, b, t in facts))
    else:
        pq.write_table(pa.Table.from_pylist(rows), path)
    replay = antelog.replay(antelog.parse(text), {"P": path})
    return [json.loads(line) for line in replay.lines()]


def answers(text: str, *facts: tuple[Any, ...], tmp_path: Path, form: str = "jsonl") -> list[Any]:
    found = lines(text, *facts, tmp_path=tmp_path, form=form)
    return [each["answer"]["X"] for each in found if each["change"] == "confirmed"]


@pytest.mark.parametrize(
    ("test", "holds"),
    [
        ("X > 1700000000000000000", [1700000000000000001, MOST]),
        ("X <= 1700000000000000000", [EXACT + 1, 1700000000000000000]),
        ("X = 1700000000000000001", [1700000000000000001]),
        ("X != 1700000000000000001", [EXACT + 1, 1700000000000000000, MOST]),
        ("X + 1 = 9223372036854775806", []),
        ("X >= 9223372036854775807", [MOST]),
        ("X < 9223372036854775808", [EXACT + 1, 1700000000000000000, 1700000000000000001, MOST]),
        ("X + 1 > X, X * 2 > 1e19", [MOST]),
        ("X - 1 = 9007199254740992", [EXACT + 1]),
        ("X - 9007199254740993 = 0", [EXACT + 1]),
    ],
)
@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_whole_numbers_compare_by_value(test: str, holds: list[int], form: str, tmp_path: Path) -> None:
    facts = [(each, 0, 1) for each in (EXACT + 1, 1700000000000000000, 1700000000000000001, MOST)]
    text = f"input P(id, v, time). A(X, T) :- P(X, _, T), {test}. query A(X, T)."
    assert answers(text, *facts, tmp_path=tmp_path, form=form) == holds


def test_what_follows_2_to_the_53_has_an_answer(tmp_path: Path) -> None:
    text = "input P(id, v, time). A(D, T) :- P(X, _, T), D = X + 1. query A(X, T)."
    facts = [(EXACT - 1, 0, 1), (EXACT, 0, 1), (EXACT + 1, 0, 1), (MOST, 0, 1)]
    assert answers(text, *facts, tmp_path=tmp_path) == [EXACT, EXACT + 1, EXACT + 2, 2.0**63]


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_beside_a_fraction_large_numbers_stay_apart(form: str, tmp_path: Path) -> None:
    text = "input P(id, v, time). A(X, T) :- P(X, _, T). query A(X, T)."
    facts = [(MOST, 0, 1), (MOST - 1, 0, 1), (0.5, 0, 1), (EXACT + 1, 0, 2)]
    assert answers(text, *facts, tmp_path=tmp_path, form=form) == [0.5, MOST - 1, MOST, EXACT + 1]


@pytest.mark.parametrize(
    ("values", "amount", "so_far"),
    [
        ((EXACT, 1), "sum", EXACT + 1),
        ((EXACT, 0.25, 0.75), "sum", EXACT + 1),
        ((MOST, -1), "sum", MOST - 1),
        ((EXACT + 1, EXACT + 3), "avg", EXACT + 2),
        ((EXACT, EXACT + 1), "avg", EXACT + 0.0),
        ((1e308, 1e308), "avg", 1e308),
        ((EXACT + 1, float(EXACT)), "max", EXACT + 1),
        ((EXACT + 1, EXACT + 2), "min", EXACT + 1),
        ((MOST, 2.0**63), "min", MOST),
        ((1e308, 1e308), "sum", None),
    ],
)
@pytest.mark.parametrize("window", ["T", "T-3..T"])
def test_aggregates(
    values: tuple[float, ...], amount: str, so_far: object, window: str, tmp_path: Path
) -> None:
    rule = f"A(X, T) :- P(X, 1, T), {amount}(V : P(V, _, {window})) != 0.25."
    text = f"input P(id, v, time). {rule} query A(X, T)."
    found = lines(text, *((each, int(not i), 5) for i, each in enumerate(values)), tmp_path=tmp_path)
    if so_far is None:
        assert found == []
        return
    ((_, value),) = found[-1]["explanations"][0]["so_far"].items()
    assert (found[-1]["change"], value) == ("confirmed", so_far)


def test_joins_and_different_values(tmp_path: Path) -> None:
    text = """
    input P(id, v, time).
    A(X, T) :- P(X, V, T), P(V, _, T).
    A(2, T) :- P(_, 7, T), count(distinct I : P(I, _, T..T)) = 2.
    query A(X, T).
    """
    facts = [(EXACT + 1, EXACT, 1), (EXACT + 2, EXACT + 1, 1), (MOST, 7, 2), (MOST - 1, 7, 2)]
    assert answers(text, *facts, tmp_path=tmp_path) == [EXACT + 2, 2]


def test_a_sum_beyond_the_doubles_says_so() -> None:
    text = "input P(id, v, time). A(X, T) :- P(X, _, T), sum(V : P(_, V, T-1..T)) > 5. query A(X, T)."
    engine = Engine(antelog.parse(text))
    with pytest.warns(DataWarning, match=r"sum\(V : P\(_, V, T-1\.\.T\)\) is beyond all doubles"):
        assert engine.advance(3, {"P": [("a", 1e308, 2), ("b", 1e308, 2)]})["A"].num_rows == 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # it is said once
        engine.advance(5, {"P": [("a", 1e308, 5), ("b", 1e308, 5)]})


def test_integer_columns_have_64_bits_and_others_doubles() -> None:
    rules = "A(X, T) :- P(X, _, T). query A(X, T)."
    facts = {"P": [(MOST, 0, 1), (4.0, 0, 1), (0.5, 0, 1)]}
    engine = Engine(antelog.parse(f"input P(id: integer, v, time). {rules}"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        column = engine.advance(1, facts)["A"].column("X")
    assert (column.type, column.to_pylist()) == (pa.int64(), [4, MOST])
    assert engine.rejects.column("detail").to_pylist() == [
        "value `0.5` of column id is not a whole number within 64 bits"
    ]
    engine = Engine(antelog.parse(f"input P(id, v, time). {rules}"))
    with pytest.warns(DataWarning, match=ROUNDED):
        column = engine.advance(1, facts)["A"].column("X")
    assert (column.type, column.to_pylist()) == (pa.float64(), [0.5, 4.0, 2.0**63])


def test_the_tables_of_a_replay_have_doubles_and_its_lines_all_digits(tmp_path: Path) -> None:
    program = antelog.parse("input P(id, v, time). A(X, T) :- P(X, _, T). query A(X, T).")
    path = tmp_path / "p.csv"
    path.write_text(f"id,v,time\n{MOST},0,1\n0.5,0,1\n")
    with pytest.warns(DataWarning, match=ROUNDED):
        (step,) = (each for each in antelog.replay(program, {"P": path}) if each.tables["A"].num_rows)
    assert step.tables["A"].column("X").to_pylist() == [0.5, 2.0**63]
    found = [json.loads(line)["answer"]["X"] for line in antelog.replay(program, {"P": path}).lines()]
    assert found == [0.5, MOST]


def test_a_saved_engine_goes_on_with_all_digits() -> None:
    text = "input P(id: integer, v, time). A(X, T) :- P(X, _, T-1), P(X, _, T). query A(X, T)."
    engine = Engine(antelog.parse(text))
    engine.advance(1, {"P": [(EXACT + 1, 0, 1), (MOST, 0, 1)]})
    engine = Engine.restore(engine.to_bytes())
    found = engine.advance(2, {"P": [(EXACT, 0, 2), (MOST, 0, 2)]})["A"]
    assert found.filter(pa.compute.equal(found.column("change"), "confirmed")).column("X").to_pylist() == [
        MOST
    ]


def test_constants_and_limits() -> None:
    text = """
    limit top = 9223372036854775807.
    A(X, T) :- P(X, V, T), X = top, V < 18446744073709551616.
    query A(X, T).
    """
    program = antelog.parse(text)
    assert "limit top = 9223372036854775807." in to_text(program.document)
    facts = {"P": [(MOST, 1e19, 1), (MOST - 1, 1, 1)]}
    assert Engine(program).advance(1, facts)["A"].column("X").to_pylist() == [MOST]
    program = antelog.parse(text, limits={"top": MOST - 1})
    assert Engine(program).advance(1, facts)["A"].column("X").to_pylist() == [MOST - 1]
    with pytest.raises(ProgramError, match="larger than any double"):
        antelog.parse("A(X, T) :- P(X, V, T), V < 1e999. query A(X, T).")
    with pytest.raises(ProgramError, match=r"2\^53, and that is longer than all time"):
        antelog.parse("input P(x, time) delay 9007199254740993.")
    with pytest.raises(ProgramError, match="ticks away"):
        antelog.parse("A(X, T) :- P(X, T), U <= T + 9007199254740993, U > T, Q(X, U). query A(X, T).")
