"""The analysis of a call of a table function: columns in, columns out, and how rows are brought together.

Spark analyses a call in a process of Python before it runs anything. What is found there goes to the workers.

A function may ask Spark for a PARTITION BY, but then Spark refuses calls that have one. So the rows get two
columns more: their key, and how many rows have it. For the latter, Spark brings these rows together and sorts
them by key, with a clause and without one. If a partition ends before all rows of a key have come, the clause
has divided the key.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import pyarrow as pa
from msgspec import structs
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.udtf import AnalyzeArgument, AnalyzeResult, SelectedColumn

from antelog.arrow.kinds import Kind, kind_of
from antelog.compile.nodes.plan import Plan, Relation
from antelog.compile.rules.statics import Row
from antelog.engine.values.types import types_of_rows
from antelog.errors import DataError
from antelog.spark.job.checking import job_of, tick_given
from antelog.spark.job.dividing import numbers_of_buckets
from antelog.spark.job.forecasts import Forecasts
from antelog.spark.job.job import ARRIVED, Data, Job, talks_by_itself
from antelog.spark.job.options import OutputOptions
from antelog.spark.settings import quoted
from antelog.spark.sql.arguments import ANSWERED, CHANGED, REJECTED, FunctionCall, call_of
from antelog.spark.sql.table import INPUT, TableColumns, columns_of_table, types_of_input
from antelog.spark.transport.packing import REJECTS
from antelog.spark.transport.unpacking import OutputColumns, columns_of

NO_STREAM = "a table function takes no stream: use antelog.spark.changes(program, {…}) instead"
"""The name of the column of counts, which Spark names when it refuses to count the rows of a stream."""


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
    return AnalysedCall(
        schema=from_arrow_schema(schema, prefer_timestamp_ntz=True),
        select=[*columns.selected, *_of_keys(job, columns)],
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
    types = {each.name: types_of_input(plan, each, columns) for each in plan.inputs}
    own = {name: found[ARRIVED] for name, found in types.items() if ARRIVED in found}
    of_inputs = {
        each.name: tuple(types[each.name][column] for column in each.columns) for each in plan.inputs
    }
    data = Data(program.given, {**of_inputs, **types_of_rows(program.given)}, own, program.called)
    options = replace(program.options, begin=_first(plan, program, call), until=_last(plan, program, call))
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


def _last(plan: Plan, program: FunctionProgram, call: FunctionCall) -> int | None:
    """The last tick, if it is given."""
    return tick_given("until", program.options.until if call.until is None else call.until, plan)


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
        given = ", ".join(f"{each} => {_example(job.plan, each)}" for each in missing)
        raise DataError(
            f"the lines of {program.name} depend on where time {where}, and no partition sees that by "
            f"itself. Add to the call: {program.name}(TABLE(…), {given})"
        )


_WHERE = {"since": "begins", "until": "ends"}


def _example(plan: Plan, name: str) -> str:
    if plan.tick is None:
        return "100"
    return "'2026-01-01'" if name == "since" else "'2026-01-31'"


def _of_keys(job: Job, columns: TableColumns) -> list[SelectedColumn]:
    """The key of a row, and the number of rows that have it."""
    key = _one_key(columns) if in_one_partition(job.plan) else _key(job.plan, columns)
    return [SelectedColumn(key, "key"), SelectedColumn(f"count(*) OVER (PARTITION BY {key})", NO_STREAM)]


def in_one_partition(plan: Plan) -> bool:
    """True if all rows have to be in one partition: there is no key, or some answers need no fact."""
    return not plan.key or talks_by_itself(plan)


def _one_key(columns: TableColumns) -> str:
    """An expression of SQL with one value for all rows, which Spark does not see to be a constant."""
    return f"pmod(hash({quoted(next(iter(columns.types)))}), 1)"


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
