"""Random aggregates for the programs of `tests/strategies.py`, compared with numbers or with each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hypothesis import strategies as st

from antelog.language import syntax

RANGES = ("T..T+1", "T..T+2", "T-1..T", "T-2..T-1", "T+1..T+2", "T-1..T+1", "T..T", "T")
OPERATOR = st.sampled_from(syntax.OPERATORS)


def aggregation(draw: st.DrawFn, arities: Mapping[str, int], objects: Sequence[str]) -> str:
    """A comparison of an aggregate; `objects` are the variables that have values outside."""
    if draw(st.integers(0, 5)) == 0:
        function = draw(st.sampled_from(["count", "max", "avg"]))
        one, other = (_calculated(draw, _aggregate(draw, function, arities, objects)) for _ in range(2))
        return f"{one} {draw(OPERATOR)} {other}"
    function = draw(
        st.sampled_from(
            ["count", "count", "count", "distinct", "sum", "sum", "avg", "avg", "min", "min", "max"]
        )
    )
    numbers = (
        ("0", "1", "2", "2", "3", "1.5") if function in ("count", "distinct") else ("5", "10", "12.5", "20")
    )
    aggregate = _calculated(draw, _aggregate(draw, function, arities, objects))
    number = draw(st.sampled_from(numbers))
    if draw(st.integers(0, 7)) == 0:
        return f"{number} {draw(OPERATOR)} {aggregate}"
    return f"{aggregate} {draw(OPERATOR)} {number}"


def value(draw: st.DrawFn, arities: Mapping[str, int], objects: Sequence[str]) -> list[str]:
    """An aggregate that gives M its value, and perhaps a comparison of that."""
    function = draw(st.sampled_from(["count", "count", "distinct", "sum", "avg", "min", "max"]))
    given = f"M = {_calculated(draw, _aggregate(draw, function, arities, objects))}"
    return [given, *draw(st.sampled_from([[], ["M > 1"], ["M < 8"], ["K = M - 1, K >= 0"]]))]


def _calculated(draw: st.DrawFn, aggregate: str) -> str:
    """An aggregate, perhaps times and plus numbers."""
    return draw(st.sampled_from(CALCULATED)).format(aggregate)


CALCULATED = (
    *("{}",) * 12, "2 * {}", "2 * {}", "0.5 * {}", "{} + 1", "{} - 0.5", "{} / 2", "3 - {}", "-2 * {} + 7",
    "(1 + {}) * 1.5", "{} * 0", "{} / 0",
)  # fmt: skip


def count_of_past(draw: st.DrawFn, name: str, values: Sequence[str], time: str) -> str:
    """A comparison of how many atoms of a predicate there were before, perhaps with different values."""
    arguments = list(values)
    distinct = bool(arguments) and draw(st.booleans())
    if distinct:
        arguments[draw(st.integers(0, len(arguments) - 1))] = "N"
    atom = f"{name}({', '.join((*arguments, time))})"
    counted = f"distinct N : {atom}" if distinct else atom
    return f"count({counted}) {draw(OPERATOR)} {draw(st.sampled_from(['0', '1', '1', '2']))}"


def _aggregate(draw: st.DrawFn, function: str, arities: Mapping[str, int], objects: Sequence[str]) -> str:
    takes_numbers = function in ("sum", "avg", "min", "max")
    names = [name for name, arity in arities.items() if arity or function == "count"]
    name = "R" if takes_numbers else draw(st.sampled_from(sorted(names)))
    bound = list(objects) or ["a"]
    arguments = [draw(st.sampled_from(["a", "_", "_", *bound, *bound])) for _ in range(arities[name])]
    inside = ""
    if name == "R":
        arguments[1] = "N" if takes_numbers or draw(st.booleans()) else "_"
    if arguments[1:] == ["N"]:
        inside = draw(
            st.sampled_from(["", "", ", N >= 0", ", N > 5", ", 10 <= N", ", N < 12", ", N - 5 != 5"])
        )
    if function == "distinct" and "N" not in arguments:
        arguments[draw(st.integers(0, len(arguments) - 1))] = "N"
    value = "N : " if function != "count" else ""
    written = "count(distinct " if function == "distinct" else f"{function}("
    atom = f"{name}({', '.join((*arguments, draw(st.sampled_from(RANGES))))})"
    return f"{written}{value}{atom}{inside})"
