"""The arguments of a call of a table function, and the options it then runs with.

malfunctions(TABLE(readings), since => 0, until => '2026-01-02', query => 'Malf', lines => 'answers')
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime

from pyspark.sql.types import StructType, TimestampType
from pyspark.sql.udtf import AnalyzeArgument

from antelog.compile.nodes.plan import Plan
from antelog.errors import DataError
from antelog.language.checks.suggestions import did_you_mean

CHANGED, ANSWERED, REJECTED = LINES = ("changes", "answers", "rejects")
"""The kinds of lines that a function may return."""


@dataclass(frozen=True)
class FunctionCall:
    """A call of a table function.

    table        the columns of the table that is handed over
    since        where time begins
    until        the last tick
    query        the query whose lines are wanted; None: all queries
    lines        the kind of lines
    """

    table: StructType
    since: int | str | date | None
    until: int | str | date | None
    query: str | None
    lines: str


def call_of(
    plan: Plan, name: str, given: Sequence[AnalyzeArgument], named: Mapping[str, AnalyzeArgument]
) -> FunctionCall:
    """The call with these arguments. Raises DataError for those that the function does not take."""
    if len(given) != 1 or not given[0].isTable:
        raise DataError(
            f"{name} takes one table, then arguments by name: "
            f"SELECT * FROM {name}(TABLE(readings), until => 9)"
        )
    taken = ("since", "until", "query", "lines")
    for each in named:
        if each not in taken:
            hint = did_you_mean(each, taken) or f"It has {', '.join(taken)}."
            raise DataError(f"{name} has no argument {each}. {hint}")
    values = {each: _value(each, argument) for each, argument in named.items()}
    times = {each: _time(each, values.get(each)) for each in ("since", "until")}
    queries = [query.name for query in plan.queries]
    table = given[0].dataType
    assert isinstance(table, StructType)
    return FunctionCall(
        table,
        times["since"],
        times["until"],
        _word("is no query", values.get("query"), queries),
        _word("are no lines", values.get("lines"), LINES) or CHANGED,
    )


def _value(name: str, argument: AnalyzeArgument) -> object:
    if argument.isTable or not argument.isConstantExpression:
        raise DataError(f"{name} depends on rows of a table; give a constant, as in {name} => 9")
    if isinstance(argument.dataType, TimestampType) and argument.value is not None:
        local: datetime = argument.value  # Spark hands it over by the clock of this machine
        return local.astimezone(UTC)
    return argument.value


def _time(name: str, value: object) -> int | str | date | None:
    if value is None or (isinstance(value, int | str | date) and not isinstance(value, bool)):
        return value
    raise DataError(f"{name} is {value}; it is a tick, a timestamp, or a text that is one of them")


def _word(missing: str, value: object, known: Sequence[str]) -> str | None:
    if value is None or value in known:
        return None if value is None else str(value)
    hint = did_you_mean(str(value), known) or f"Use one of: {', '.join(known)}."
    raise DataError(f"there {missing} {value!r}. {hint}")
