"""Background facts: DataFrames, of which every bucket has all rows."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as is_a
from pyspark.sql import DataFrame

from antelog.arrow.kinds import Kind, kind_of
from antelog.compile.nodes.plan import Plan, Static
from antelog.compile.rules.statics import Row
from antelog.engine.facts.frames import check_ticks, plain_number
from antelog.engine.values.values import Values
from antelog.errors import DataError
from antelog.language.syntax import number
from antelog.spark.settings import MALFORMED


def rows_of(plan: Plan, name: str, frame: DataFrame) -> tuple[Row, ...]:
    """The facts in a DataFrame, collected by the driver. Raises DataError if rows are invalid."""
    static = next(s for s in plan.statics if s.name == name)
    has = frame.columns
    by_name = set(static.columns) <= set(has)
    if not by_name and len(has) != len(static.columns):
        raise DataError(
            f"the background facts of {name} have the columns {', '.join(has)}; "
            f"{name} has {', '.join(static.columns)}. Give them the same names or the same number"
        )
    marks = [MALFORMED] if by_name and MALFORMED in has else []
    table = frame.select(*static.columns, *marks).toArrow() if by_name else frame.toArrow()
    if marks:
        wrong = table.column(MALFORMED).drop_null()
        if len(wrong):
            raise DataError(f"a background fact of {name} cannot be used: {wrong[0]}")
        table = table.drop_columns(marks)
    columns = [
        _values(static, position, column.combine_chunks()) for position, column in enumerate(table.columns)
    ]
    check_ticks(static, columns)
    return tuple(sorted(set(zip(*columns, strict=True)), key=str))


def _values(static: Static, position: int, array: pa.Array) -> list[str | int | float]:
    """The values of a column as the rules have them: numbers and texts."""
    what = f"column {static.columns[position]} of {static.name}"
    kind, wanted = kind_of(array.type), static.types[position]
    if array.null_count:
        raise DataError(f"{what} has no value in {array.null_count} of {len(array)} rows; filter them out")
    if kind is None or (kind not in (Kind.NUMBER, Kind.TEXT) and wanted != "text"):
        raise DataError(f"{what} is of type {array.type}; background facts are numbers and texts: cast it")
    if wanted is not None and (kind is Kind.NUMBER) == (wanted == "text"):
        raise DataError(f"{what} is of type {array.type}, and the program says it is a {wanted}: cast it")
    if kind is not Kind.NUMBER and kind is not Kind.TEXT:
        values = Values()
        array = values.decode(values.spelled(values.encode(array)), pa.string())
    if is_a.is_floating(array.type) and not pc.all(pc.is_finite(array)).as_py():
        odd = array.filter(pc.invert(pc.is_finite(array)))
        raise DataError(f"`{odd[0]}` in {what} is not a number; filter it out")
    if is_a.is_decimal(array.type):
        return [plain_number(value, what) for value in array.to_pylist()]
    return [value if isinstance(value, str) else number(value) for value in array.to_pylist()]
