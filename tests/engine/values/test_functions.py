"""antelog/engine/values/functions.py: the columns that functions of users get and give."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import antelog
from antelog import UserFunction
from tests.tables import cases

_ROWS = [("a", 1, 0), ("b", 2.5, 0), ("c", "word", 0), ("d", "", 0), ("e", -3, 0), ("f", 2**60 + 1, 0)]
_PROGRAM = """
input R(x: text, v, time).
function found(v) -> number.
Q(X, N, T) :- R(X, V, T), N = found(V).
query Q(X, N, T).
"""


def _answers(code: Any, rows: list[tuple[Any, ...]] = _ROWS) -> dict[str, Any]:
    program = antelog.parse(_PROGRAM, functions=[code])
    found = antelog.Engine(program).advance(0, {"R": rows})["Q"].to_pylist()
    return {row["X"]: row["N"] for row in found}


# ---- what functions get ----

_GIVEN: list[Any] = []


@antelog.function
def _numpy(v: np.ndarray) -> np.ndarray:
    _GIVEN.append(v)
    return np.array([len(x) if isinstance(x, str) else 2 * x for x in v.tolist()], np.float64)


@antelog.function
def _arrow(v: pa.Array) -> pa.Array:
    _GIVEN.append(v)
    return pc.utf8_length(v) if pa.types.is_string(v.type) else pc.multiply(v, 2.0)


@antelog.function
def _chunked(v: pa.ChunkedArray) -> pa.ChunkedArray:
    _GIVEN.append(v)
    return pa.chunked_array([_arrow(v)])


@antelog.function(rowwise=True)
def _rowwise(v: Any) -> Any:
    _GIVEN.append(v)
    return len(v) if isinstance(v, str) else 2 * v


EACH = (_numpy, _arrow, _chunked, _rowwise)


def _named(function: UserFunction) -> UserFunction:
    return UserFunction("found", function.code, function.takes)


@pytest.fixture(autouse=True)
def _nothing_given() -> None:
    _GIVEN.clear()


def test_type_hints_say_which_columns_a_function_gets() -> None:
    assert [each.takes for each in EACH] == ["numpy", "arrow", "arrow", "values"]
    for function, type_ in ((_numpy, np.ndarray), (_arrow, pa.Array)):
        _answers(_named(function))
        assert _GIVEN
        assert all(isinstance(given, type_) for given in _GIVEN)
        _GIVEN.clear()


def test_numbers_are_doubles_and_texts_strings_each_in_columns_of_their_own() -> None:
    _answers(_named(_arrow))
    assert {given.type for given in _GIVEN} == {pa.float64(), pa.string()}
    _GIVEN.clear()
    _answers(_named(_numpy))
    assert {given.dtype for given in _GIVEN} == {np.dtype(np.float64), np.dtype(object)}


def test_called_for_each_row_a_function_gets_whole_and_broken_numbers_exactly() -> None:
    _answers(_named(_rowwise))
    assert {(type(given), given) for given in _GIVEN} == {
        *((int, 1), (float, 2.5), (str, "word"), (str, ""), (int, -3), (int, 2**60 + 1))
    }


@pytest.mark.parametrize("function", EACH[1:])
def test_all_ways_give_the_same_answers(function: UserFunction) -> None:
    expected = _answers(_named(_numpy))
    assert expected == {"a": 2, "b": 5, "c": 4, "d": 0, "e": -6, "f": float(2**61)}
    assert _answers(_named(function)) == expected


def test_a_function_is_not_called_with_what_has_no_value() -> None:
    program = antelog.parse(
        """
        input R(x: text, v: number, time).
        function found(v) -> number.
        Q(X, N, T) :- R(X, V, T), N = found(10 / V).
        query Q(X, N, T).
        """,
        functions=[_named(_numpy)],
    )
    found = antelog.Engine(program).advance(0, {"R": [("a", 0, 0), ("b", 4, 0)]})["Q"].to_pylist()
    assert [(row["X"], row["N"]) for row in found] == [("b", 5)]
    assert [given.tolist() for given in _GIVEN] == [[2.5]] * len(_GIVEN)


# ---- what functions give ----


@pytest.mark.parametrize(
    ("results", "expected"),
    [
        ([1, None, float("nan")], [1, None, None]),
        ([float("inf"), -float("inf"), -0.0], [None, None, 0]),
        ([2**60, 2.5, None], [2.0**60, 2.5, None]),
        ([2**64, -(2**70), 10**400], [2.0**64, -(2.0**70), None]),
        ([None, None, None], [None, None, None]),
    ],
)
@pytest.mark.parametrize("made", [list, tuple, iter, lambda found: np.array(found, object)])
def test_results_are_doubles_or_nothing(
    results: list[Any], expected: list[float | None], made: Callable[[list[Any]], Any]
) -> None:
    def code(v: Any) -> Any:
        return made([results[int(each)] for each in v])

    found = _answers(UserFunction("found", code, "numpy"), [(x, i, 0) for i, x in enumerate("abc")])
    assert found == {x: value for x, value in zip("abc", expected, strict=True) if value is not None}


@pytest.mark.parametrize(
    "code",
    [
        lambda v: v.astype(np.int8),
        lambda v: v.astype(np.float32),
        lambda v: pa.chunked_array([v[:1], v[1:]]),
        lambda v: pa.array(v).cast("uint64"),
        lambda v: pa.array(v).cast(pa.decimal128(20, 2)),
    ],
)
def test_results_may_have_any_type_of_numbers(code: Callable[[Any], Any]) -> None:
    found = _answers(UserFunction("found", code, "numpy"), [(x, i, 0) for i, x in enumerate("abc")])
    assert found == {"a": 0, "b": 1, "c": 2}


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (lambda _: None, "found gave nothing; it is declared as a number: give numbers, one for each row"),
        (lambda _: 5, "found gave one value of type int; it is declared as a number"),
        (lambda _: "abc", "found gave one value of type str; it is declared as a number"),
        (lambda _: {1, 2, 3}, "found gave one value of type set; it is declared as a number"),
        (lambda v: v.reshape(-1, 1), "found gave an array of 2 dimensions; it is declared as a number"),
        (lambda v: v * 1j, "found gave values of type complex128; it is declared as a number"),
        (lambda v: v[:1], "found gave 1 values for 3 rows; give one for each row"),
        (lambda v: v > 1, "found gave values of type bool, and is declared as a number: give numbers"),
        (lambda _: [1, "a", 2], "found gave values of several types; it is declared as a number"),
        (lambda _: [1, object(), 2], "found gave a value of type object; it is declared as a number"),
        (lambda _: ["\ud800", "a", "b"], "found gave a text that is not Unicode; it is declared as a number"),
    ],
)
def test_other_results_are_refused(code: Callable[[Any], Any], message: str) -> None:
    with pytest.raises(antelog.FunctionError) as error:
        _answers(UserFunction("found", code, "numpy"), [(x, 1, 0) for x in "abc"])
    assert str(error.value).startswith(message)


class _Silent(Exception):  # noqa: N818 - a user's own
    def __str__(self) -> str:
        raise ValueError


# ---- calls that raise ----

_CONDITION = """
input R(x: text, v, time).
function found(v).
Yes(X, T) :- R(X, V, T), found(V).
No(X, T) :- R(X, V, T), not found(V).
query Yes(X, T).
query No(X, T).
"""


def _raising(takes: str, raised: Callable[[], BaseException]) -> UserFunction:
    def found(v: Any) -> Any:
        values = [v] if takes == "values" else v.tolist() if takes == "numpy" else v.to_pylist()
        if not {2, "word"}.isdisjoint(values):
            raise raised()
        truths = [each != 1 for each in values]
        return truths[0] if takes == "values" else truths

    return UserFunction("found", found, takes)


@pytest.mark.parametrize("takes", ["values", "numpy", "arrow"])
@pytest.mark.parametrize(
    ("raised", "said"),
    [(lambda: SystemExit(3), "SystemExit: 3"), (_Silent, "_Silent"), (StopIteration, "StopIteration")],
)
def test_a_call_that_raises_has_no_value_and_is_told_once(
    raised: Callable[[], BaseException], said: str, takes: str
) -> None:
    engine = antelog.Engine(antelog.parse(_CONDITION, functions=[_raising(takes, raised)]))
    for now in (0, 1):
        rows = [(x, v, now) for x, v in zip("abcde", [1, 2, 3, "word", 5], strict=True)]
        found = engine.advance(now, {"R": rows})
        assert {name: found[name].column("X").to_pylist() for name in found} == {
            "Yes": ["c", "e"],
            "No": ["a"],
        }
    assert f"found(word), which raised {said} (line " in str(engine.why("Yes(d, 1)"))
    told = engine.rejects.drop_columns(["detail", "time", "arrival"]).to_pylist()
    assert told == [{"input": "found", "values": v, "reason": "failed"} for v in ('["word"]', "[2]")]
    for detail in engine.rejects.column("detail").to_pylist():
        assert detail.startswith(f"raised {said} (line ")


@pytest.mark.parametrize(
    ("calls", "failing", "share", "is_too_many"),
    [
        *((300, 100, 0.01, False), (300, 101, 0.01, True), (12_000, 120, 0.01, False)),
        *((12_000, 121, 0.01, True), (1, 1, 0, True), (300, 300, 1, False)),
    ],
)
@pytest.mark.parametrize("takes", ["values", "numpy"])
def test_too_many_calls_that_raise_end_the_step_and_nothing_else(
    calls: int, failing: int, share: float, is_too_many: bool, takes: str
) -> None:
    text = "input R(v, time). function found(v). Q(V, T) :- R(V, T), found(V). query Q(V, T)."
    program = antelog.parse(text, functions=[_raising(takes, ValueError)])
    engine = antelog.Engine(program, most_failed=share)
    rows = [(2 if i < failing else i + 3, 0) for i in range(calls)]
    rows = [(2 if v == 2 else v, i) for i, (v, _) in enumerate(rows)]
    if not is_too_many:
        assert engine.advance(calls, {"R": rows})["Q"].num_rows == calls - failing
        return
    with pytest.raises(antelog.FunctionError) as error:
        engine.advance(calls, {"R": rows})
    assert str(error.value).startswith(
        f"{failing:,} of {calls:,} calls of functions failed in one step, and at most {100 * share:.3g} % "
        "may: found(2) raised ValueError (line "
    )
    assert engine.now == -1
    assert engine.advance(0, {"R": [(3, 0)]})["Q"].num_rows == 1


# ---- files of functions ----


def _from_file(folder: Path, text: str) -> antelog.Program:
    (folder / "own.py").write_text(text, encoding="utf-8")
    return antelog.parse(_PROGRAM, functions=folder / "own.py")


def test_a_file_may_have_dataclasses_and_print(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = """from __future__ import annotations
import sys
from dataclasses import dataclass
import antelog

@dataclass
class Scale:
    factor: float

@antelog.function(rowwise=True)
def found(v):
    print("called")
    return Scale(2).factor * v
"""
    program = _from_file(tmp_path, text)
    found = antelog.Engine(program).advance(0, {"R": [("a", 1, 0)]})["Q"].to_pylist()
    assert [row["N"] for row in found] == [2]
    printed = capsys.readouterr()
    assert (printed.out, set(printed.err.splitlines())) == ("", {"called"})


@cases(__file__, "a_file_that_is_wrong_is_refused_with_its_name")
def test_a_file_that_is_wrong_is_refused_with_its_name(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(antelog.FunctionError) as error:
        _from_file(tmp_path, text)
    assert message in str(error.value)


# ---- the code of functions ----

_CODE = """import math
import antelog
FACTOR = 2
KINDS = {"a", "b", "c"}
def _helper(v):
    return v * FACTOR if v in KINDS or v else _again(v)
def _again(v):
    return _helper(v - 1)
@antelog.function(rowwise=True)
def found(v, *, least=0):
    'What it is.'
    return max(least, math.sqrt(sum(_helper(each) for each in [v])))
"""


_SAME = {"What it is": "What it was", "import math": "\n\n# a comment\nimport math, sys"}
_OLD = ("FACTOR = 2", '"c"}', "v - 1", "least=0", "math.sqrt", "in [v])")
_OTHER = dict(zip(_OLD, ("FACTOR = 3", '"d"}', "v - 2", "least=1", "math.cbrt", "in [v, v])"), strict=True))


def test_the_code_of_a_function_is_known_again(tmp_path: Path) -> None:
    (known,) = _from_file(tmp_path, _CODE).plan.coded
    for number, (old, new) in enumerate((_SAME | _OTHER).items()):
        (tmp_path / f"other{number}.py").write_text(_CODE.replace(old, new), encoding="utf-8")
    code = f"import antelog\nfor n in range({len(_SAME | _OTHER)}):\n"
    code += f"    print(antelog.parse({_PROGRAM!r}, functions=f'other{{n}}.py').plan.coded[0].code)"
    environment = {**os.environ, "PYTHONHASHSEED": "7"}
    given = [sys.executable, "-c", code]
    done = subprocess.run(given, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    found = [each == known.code for each in done.stdout.split()]
    assert found == [True] * len(_SAME) + [False] * len(_OTHER)


def test_other_code_is_another_program(tmp_path: Path) -> None:
    old, new = (_from_file(tmp_path, _CODE.replace("FACTOR = 2", f"FACTOR = {n}")) for n in (2, 3))
    engine = antelog.Engine(old, model="learn")
    engine.advance(0, {"R": [("a", 2, 0)]})
    content, said = engine.to_bytes(), r"the code of found is another"
    assert antelog.Engine.restore(content, old).rule_change is None
    with pytest.raises(antelog.RulesChangedError, match=rf"Q is changed; {said}\. Go on"):
        antelog.Engine.restore(content, new)
    assert antelog.Engine.restore(content, new, accept=True).rule_change is not None
    with pytest.raises(antelog.StateError, match=rf"was learned for another program: .*{said}"):
        antelog.Engine(new, model=engine.model)
