"""The table that a table function reads: its columns, and its rows as facts of each input.

A program with one input takes its columns from the table. If it has several, the column `input` says
which input a row is of. Spark hands rows over one by one; they become columns again here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql.types import StructType
from pyspark.sql.udtf import SelectedColumn

from antelog.arrow.kinds import Kind, kind_of
from antelog.compile.nodes.plan import Plan
from antelog.errors import DataError
from antelog.language.checks.suggestions import did_you_mean
from antelog.spark.job.checking import OutputOptions, arrow_type, columns_taken
from antelog.spark.settings import quoted

INPUT = "input"
"""The column that says which input a row is of."""


@dataclass(frozen=True)
class TableColumns:
    """The columns of a table that a program reads.

    types       the type of each column, by its name in the table
    inputs      for each input its columns: the name in the table, and that of the input
    """

    types: Mapping[str, pa.DataType]
    inputs: Mapping[str, Mapping[str, str]]

    @property
    def selected(self) -> list[SelectedColumn]:
        """The columns as Spark hands them over: timestamps as numbers, which need no zone of a worker."""
        return [
            SelectedColumn(f"unix_micros({quoted(old)})" if _is_zoned(type_) else quoted(old), f"c{at}")
            for at, (old, type_) in enumerate(self.types.items())
        ]

    def types_of(self, name: str) -> dict[str, pa.DataType]:
        """The types of an input's columns, by their names there."""
        return {new: self.types[old] for old, new in self.inputs[name].items()}

    def facts(self, rows: pa.Table, name: str) -> pa.Table:
        """The facts of an input among rows of the table."""
        own = rows.filter(pc.equal(rows.column(INPUT), name)) if len(self.inputs) > 1 else rows
        return pa.table({new: own.column(old) for old, new in self.inputs[name].items()})

    def table_of(self, given: Sequence[Sequence[object]]) -> pa.Table:
        """Rows as a table; further values in them are left out. Raises DataError if one is of no input."""
        arrays = [
            pa.array(values, pa.int64()).cast(type_) if _is_zoned(type_) else pa.array(values, type_)
            for values, type_ in zip(zip(*given, strict=True), self.types.values(), strict=False)
        ]
        table = pa.table(arrays, names=list(self.types))
        if len(self.inputs) > 1:
            names = list(self.inputs)
            for each in table.column(INPUT).unique().to_pylist():
                if each not in self.inputs:
                    hint = did_you_mean(str(each), names) or f"The inputs are {', '.join(names)}."
                    raise DataError(
                        f"the column `{INPUT}` has {each!r}, which is not an input of the program. {hint} "
                        f"Leave other rows out: TABLE(SELECT * FROM … WHERE {INPUT} IN (…))"
                    )
        return table


def columns_of_table(plan: Plan, table: StructType, options: OutputOptions) -> TableColumns:
    """The columns of a table that a program reads. Raises DataError if some are missing or do not fit."""
    has = [field.name for field in table.fields]
    several = len(plan.inputs) > 1
    if several and INPUT not in has:
        names = [each.name for each in plan.inputs]
        raise DataError(
            f"the program has the inputs {', '.join(names)}, and the table no column `{INPUT}` that says "
            f"which of them a row is of. Put their tables together: {_union(plan)}"
        )
    if several and any(INPUT in each.columns for each in plan.inputs):
        raise DataError(
            f"an input has a column `{INPUT}`, which has to say which input a row is of; rename it"
        )
    of_inputs = [name for name in has if not (several and name == INPUT)]
    taken = {each.name: columns_taken(each, of_inputs, options) for each in plan.inputs}
    wanted = {old for columns in taken.values() for old in columns} | ({INPUT} if several else set())
    types = {field.name: arrow_type("the table", field) for field in table.fields if field.name in wanted}
    if several and kind_of(types[INPUT]) is not Kind.TEXT:
        raise DataError(
            f"the column `{INPUT}` is of type {types[INPUT]}; it has the names of inputs, as texts"
        )
    return TableColumns(types, taken)


def _union(plan: Plan) -> str:
    """A query in SQL that puts a table for each input together."""
    columns = dict.fromkeys(name for each in plan.inputs for name in each.columns)
    selects = []
    for each in plan.inputs:
        values = [quoted(name) if name in each.columns else f"NULL AS {quoted(name)}" for name in columns]
        selects.append(f"SELECT '{each.name}' AS {INPUT}, {', '.join(values)} FROM …")
    return " UNION ALL ".join(selects)


def _is_zoned(type_: pa.DataType) -> bool:
    return pa.types.is_timestamp(type_) and type_.tz is not None
