"""The analysis of a call of a table function: columns in, columns out, and how rows are brought together.

malfunctions(TABLE(readings), since => 0, until => '2026-01-02', query => 'Malf', lines => 'answers')

Spark analyses a call in a process of Python before it runs anything. What is found there goes to the workers.

A function may ask Spark for a PARTITION BY, but then Spark refuses calls that have one. So the rows get two
columns more: their key, and how many rows have it. For the latter, Spark brings these rows together and sorts
them by key, with a clause and without one. If a partition ends before all rows of a key have come, the clause
has divided the key.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime

import pyarrow as pa
import pyarrow.compute as pc
from msgspec import structs
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructType, TimestampType
from pyspark.sql.udtf import AnalyzeArgument, AnalyzeResult, SelectedColumn

from antelog.arrow.kinds import Kind, kind_of
from antelog.compile.nodes.plan import Plan, Relation
from antelog.compile.rules.statics import Row
from antelog.engine.values.types import types_of_rows
from antelog.errors import DataError
from antelog.language.checks.suggestions import did_you_mean
from antelog.spark.bucket.packing import REJECTS
from antelog.spark.bucket.unpacking import OutputColumns, columns_of
from antelog.spark.job.checking import OutputOptions, arrow_type, columns_taken, job_of, tick_given, types_of
from antelog.spark.job.dividing import numbers_of_buckets
from antelog.spark.job.forecasts import Forecasts
from antelog.spark.job.job import ARRIVED, Data, Job, talks_by_itself
from antelog.spark.settings import quoted

NO_STREAM = "a table function takes no stream: use antelog.spark.changes(program, {…}) instead"
"""The name of the column of counts, which Spark names when it refuses to count the rows of a stream."""

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


@dataclass(frozen=True)
class FunctionProgram:
    """A program that is registered as a table function.

    plan        the plan, with the units of its times
    given       the background facts from outside the program
    called      the functions that the program calls, as bytes
    clause      the clause by which rows may be divided
    """

    name: str
    plan: Plan
    given: Mapping[str, tuple[Row, ...]]
    called: bytes
    forecasts: Forecasts | None
    options: OutputOptions
    clause: str


@dataclass(kw_only=True)
class AnalysedCall(AnalyzeResult):
    """A call that Spark may run, and what a worker has to know of it."""

    name: str
    call: FunctionCall
    job: Job
    columns: TableColumns
    output: OutputColumns
    clause: str


def analysed(
    program: FunctionProgram, given: tuple[AnalyzeArgument, ...], named: Mapping[str, AnalyzeArgument]
) -> AnalysedCall:
    """The analysis of a call. Raises DataError if it cannot be answered."""
    call = call_of(program.plan, program.name, given, named)
    columns = columns_of_table(program.plan, call.table, program.options)
    job = _job(program, call, columns)
    output = columns_of(job, call.query, change="status" if call.lines == ANSWERED else "change")
    schema = REJECTS if call.lines == REJECTED else output.schema
    _require_span(program, job, call)
    # The key of a row, and the number of rows that have it. Without a key it is one value for all rows, which
    # Spark does not see to be a constant.
    one = f"pmod(hash({quoted(next(iter(columns.types)))}), 1)"
    key = one if in_one_partition(job.plan) else _key(job.plan, columns)
    of_keys = [SelectedColumn(key, "key"), SelectedColumn(f"count(*) OVER (PARTITION BY {key})", NO_STREAM)]
    return AnalysedCall(
        schema=from_arrow_schema(schema, prefer_timestamp_ntz=True),
        select=[*columns.selected, *of_keys],
        name=program.name,
        call=call,
        job=job,
        columns=columns,
        output=output,
        clause=program.clause,
    )


def _job(program: FunctionProgram, call: FunctionCall, columns: TableColumns) -> Job:
    """The job of one partition."""
    plan = program.plan.read
    types = {each.name: types_of(plan, each, columns.types_of(each.name)) for each in plan.inputs}
    data = Data(
        program.given,
        {**types, **types_of_rows(program.given)},
        {name for name, found in columns.inputs.items() if ARRIVED in found.values()},
        {name: program.plan.counting(name) for name in types},
        program.called,
    )
    until = program.options.until if call.until is None else call.until
    options = replace(
        program.options, begin=_first(plan, program, call), until=tick_given("until", until, plan)
    )
    if call.lines != CHANGED:
        options = replace(options, only=("confirmed",) if call.lines == ANSWERED else ())
    forecasts = None if call.lines == REJECTED else program.forecasts
    if call.query is not None and forecasts is None:
        plan = structs.replace(plan, relations=_only_query(plan, call.query))
    return job_of(plan, data, options, forecasts, batch=True)


def _first(plan: Plan, program: FunctionProgram, call: FunctionCall) -> int | None:
    """The tick at which time begins, if it is given."""
    if call.since is None:
        return tick_given("begin", program.options.begin, plan)
    first = tick_given("since", call.since, plan)
    if plan.tick is None and first != 0:
        raise DataError(
            f"since is {first}; in a program without `tick` time begins at 0. Leave it out, or declare `tick`"
        )
    return None if plan.tick is None else first


def _only_query(plan: Plan, query: str) -> tuple[Relation, ...]:
    """The relations that one query rests on, of which it alone is asked."""
    relations = {each.name: each for each in plan.relations}
    needed, waiting = {query}, [query]
    while waiting:
        patterns = relations[waiting.pop()].patterns
        named = {r.name for pattern in patterns for literal in pattern.stated for r in literal.references}
        waiting += (named & relations.keys()) - needed
        needed |= named
    return tuple(
        structs.replace(each, is_query=each.name == query) for each in plan.relations if each.name in needed
    )


def _require_span(program: FunctionProgram, job: Job, call: FunctionCall) -> None:
    """Raises DataError if lines depend on the first or the last tick, and it is not given.

    A partition knows only its facts, and where they begin and end depends on the clause of a call.
    """
    if call.lines == REJECTED:
        return
    divided = replace(job, numbers=numbers_of_buckets(2))
    ends = job.span.until is None and (divided.ends_together or call.lines == ANSWERED)
    missing = [name for name, each in (("since", job.begins_together), ("until", ends)) if each]
    if missing:
        where = " and ".join(_WHERE[each] for each in missing)
        examples = {"since": "'2026-01-01'", "until": "'2026-01-31'"}
        given = ", ".join(
            f"{each} => {'100' if job.plan.tick is None else examples[each]}" for each in missing
        )
        raise DataError(
            f"the lines of {program.name} depend on where time {where}, and no partition sees that by "
            f"itself. Add to the call: {program.name}(TABLE(…), {given})"
        )


_WHERE = {"since": "begins", "until": "ends"}


def in_one_partition(plan: Plan) -> bool:
    """True if all rows have to be in one partition: there is no key, or some answers need no fact."""
    return not plan.key or talks_by_itself(plan)


def _key(plan: Plan, columns: TableColumns) -> str:
    """An expression of SQL with the value of the program's key."""
    found: dict[str, tuple[str, pa.DataType] | None] = {}
    for name, column in key_columns(plan).items():
        old = next((old for old, new in columns.inputs[name].items() if new == column), None)
        found[name] = None if old is None else (quoted(old), columns.types[old])
    types = {type_ for _, type_ in filter(None, found.values())}
    numbers = all(kind_of(type_) is Kind.NUMBER for type_ in types)
    return of_each_input(
        {
            name: "NULL" if each is None else _comparable(*each, one_type=len(types) == 1, numbers=numbers)
            for name, each in found.items()
        }
    )


def _comparable(column: str, type_: pa.DataType, *, one_type: bool, numbers: bool) -> str:
    """A column of which equal values are equal in SQL too, whatever the types of the other columns."""
    if one_type:
        return column
    number = f"CAST({column} AS DOUBLE)" if kind_of(type_) is Kind.NUMBER else column
    return number if numbers else f"CAST({number} AS STRING)"


def key_columns(plan: Plan) -> dict[str, str | None]:
    """The column of each input that has the program's key; None for inputs that no rule uses."""
    positions = {each.name: each.position for each in plan.key.positions}
    return {
        each.name: each.columns[positions[each.name]] if each.name in positions else None
        for each in plan.inputs
    }


def of_each_input(expressions: Mapping[str, str]) -> str:
    """An expression of SQL that has a value for the rows of each input."""
    if len({*expressions.values()}) == 1:
        return next(iter(expressions.values()))
    cases = " ".join(f"WHEN '{name}' THEN {each}" for name, each in expressions.items())
    return f"CASE {INPUT} {cases} END"


# ---- the arguments of a call ----


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
    table = given[0].dataType
    assert isinstance(table, StructType)
    return FunctionCall(
        table,
        _time("since", values.get("since")),
        _time("until", values.get("until")),
        _word("is no query", values.get("query"), [query.name for query in plan.queries]),
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


# ---- the table ----

# A program with one input takes its columns from the table. If it has several, the column `input` says which
# input a row is of. Spark hands rows over one by one; they become columns again here.


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
