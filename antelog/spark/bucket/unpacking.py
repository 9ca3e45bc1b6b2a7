"""Unpacks the output of buckets: changes and rejects as columns for users, changes as messages of a topic."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as is_a

from antelog.arrow.arrays import from_blob, table_of
from antelog.arrow.kinds import Kind, kind_of
from antelog.compile.nodes.plan import Plan
from antelog.engine.step.schema import AFTER_ANSWER, DIGITS, EXPLANATIONS, as_doubles
from antelog.engine.step.wording import finished, ordered
from antelog.engine.values.values import Values
from antelog.forecast.columns import NAMES
from antelog.language.moments import TIME, timed
from antelog.language.syntax import number
from antelog.lines import LABEL
from antelog.run.sinks.json_lines import Style, change_lines
from antelog.run.sinks.result import StepResult
from antelog.spark.bucket.packing import REJECTS
from antelog.spark.job.job import OTHERS, Job
from antelog.spark.settings import spare

STATUS, SINCE = "status", "since"  # columns that answers and their states have, and changes have not

_BEFORE = ("query", "tick", TIME, "change", STATUS, SINCE, timed(SINCE), "answer")
_AFTER = (OTHERS, *(name for each in AFTER_ANSWER for name in (each, timed(each))), *NAMES, *LABEL)
_TAKEN = {*_BEFORE, *_AFTER} - {*LABEL}  # names that no column of a variable may have


@dataclass(frozen=True)
class OutputColumns:
    """The columns of changes or answers; `variables` maps the variables of each query to columns."""

    schema: pa.Schema
    variables: Mapping[str, Mapping[str, str]]
    change: str


def columns_of(job: Job, only: str | None = None, *, change: str = "change") -> OutputColumns:
    """The columns for all queries, or for one; `change` names the column with the kind of change."""
    names = [query.name for query in job.plan.queries if only in (None, query.name)]
    variables: dict[str, dict[str, str]] = {}
    types: dict[str, pa.DataType] = {}
    known: dict[str, pa.DataType] = {}
    explanations: pa.DataType = EXPLANATIONS
    taken = _TAKEN | {*(LABEL if any(job.plan.relation(name).notice.labelled for name in names) else ())}
    for name in names:
        variables[name] = {}
        schema = finished(job.schemas[name].empty_table(), job.plan, name).schema
        known |= {field.name: field.type for field in schema}
        if job.plan.relation(name).has_amounts:
            explanations = known["explanations"]
        answer = job.plan.relation(name).answer
        stamps = {each: timed(each) for each in answer.times if timed(each) in schema.names}
        # A time has its timestamp behind it, if there is one.
        named = [(each, stamps[each]) if each in stamps else (each,) for each in answer.names]
        for variable in chain.from_iterable(named):
            column = _column(variable, types, taken)
            type_ = _stored(schema.field(variable).type)
            types[column] = type_ if types.get(column, type_) == type_ else pa.string()
            variables[name][variable] = column
    # One query with aggregates is enough for a field with what these come to.
    known["explanations"] = explanations
    whole = pa.schema(
        [
            ("query", pa.string()),
            ("tick", pa.int64()),
            *((name, known[name]) for name in (TIME,) if name in known),
            (change, pa.string()),
            ("answer", pa.string()),
            *types.items(),
            *((name, known[name]) for name in _AFTER if name in known),
        ]
    )
    return OutputColumns(whole, variables, change)


def _plan_of(job: Job, query: str, table: pa.Table) -> Plan:
    """The plan that lines of a query are of: those that close answers may be of earlier rules."""
    for plan in (job.plan, *(each.plan for each in job.data.before)):
        for relation in plan.queries:
            if relation.name == query and {*relation.answer.names} <= {*table.column_names}:
                return plan
    raise LookupError(query)


def _column(variable: str, others: Mapping[str, object], taken: Set[str]) -> str:
    """A name for the column of a variable that no other column has; Spark ignores case."""
    column = variable
    while column.lower() in taken or any(
        column.lower() == other.lower() and column != other for other in others
    ):
        column += "_"
    return column


def _stored(type_: pa.DataType) -> pa.DataType:
    if is_a.is_null(type_):
        return pa.string()
    if is_a.is_uint64(type_):
        return pa.decimal128(20, 0)
    if is_a.is_decimal256(type_):
        return pa.string()  # more digits than Spark's decimals have
    return pa.timestamp("us", type_.tz) if is_a.is_timestamp(type_) else type_


def unpacked(job: Job, columns: OutputColumns, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for query, payload in _payloads(batches):
        plan = _plan_of(job, query, payload)
        table = finished(payload, plan, query, job.explanations)
        found: dict[str, pa.Array | pa.ChunkedArray] = {
            "query": pa.array([query] * table.num_rows, pa.string()),
            columns.change: table.column("change"),
            "answer": answer_texts(table, plan.relation(query).answer.names),
        }
        table = as_doubles(table)
        variables = columns.variables.get(query, {})
        called = {**{name: name for name in ("tick", TIME, *_AFTER)}, **variables}
        found |= {column: table.column(name) for name, column in called.items() if name in table.column_names}
        yield from table_of(found, table.num_rows, columns.schema).to_batches()


def _payloads(batches: Iterator[pa.RecordBatch]) -> Iterator[tuple[str, pa.Table]]:
    spare()
    for batch in batches:
        for row in batch.to_pylist():
            yield row["query"], from_blob(row["payload"])


MESSAGES = pa.schema([("key", pa.string()), ("value", pa.string())])


def message_reader(job: Job, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Unpacks payloads into messages: an answer as the key, the line of `antelog try` as the value."""
    for query, payload in _payloads(batches):
        plan = _plan_of(job, query, payload)
        relation = plan.relation(query)
        table = ordered(finished(payload, plan, query), relation.answer.names)
        step = StepResult(0, {query: table})
        lines = change_lines([relation], step, Style(job.explanations)).split("\n")[:-1]
        answers = answer_texts(table, relation.answer.names).to_pylist()
        others = table.column(OTHERS).to_pylist() if OTHERS in table.column_names else [None] * len(lines)
        keys = [
            f'{{"query":{json.dumps(query)},"answer":{answer}{_named(names)}}}'
            for answer, names in zip(answers, others, strict=True)
        ]
        yield pa.record_batch([pa.array(keys, pa.string()), pa.array(lines, pa.string())], schema=MESSAGES)


def _named(others: Sequence[str] | None) -> str:
    return f',"others":{json.dumps(others, separators=(",", ":"), ensure_ascii=False)}' if others else ""


def answer_texts(table: pa.Table, variables: tuple[str, ...]) -> pa.Array:
    parts: list[str | pa.Array] = []
    for name in variables:
        column, field = table.column(name).combine_chunks(), table.schema.field(name)
        text = column if field.metadata == DIGITS else _json(column)
        parts += [", " if parts else "", json.dumps(name) + ": ", pc.fill_null(text, "null")]
    if not parts:
        return pa.array(["{}"] * table.num_rows, pa.string())
    return pc.binary_join_element_wise("{", *parts, "}", "")


def _json(array: pa.Array) -> pa.Array:
    """Values as JSON: numbers and truth values as such, all else as texts."""
    if is_a.is_null(array.type):
        return pa.array(["null"] * len(array), pa.string())
    if is_a.is_integer(array.type) or is_a.is_boolean(array.type):
        return pc.fill_null(array.cast(pa.string()), "null")
    # Most values occur in many answers.
    encoded = array.dictionary_encode()
    distinct = encoded.dictionary
    if kind_of(array.type) not in (Kind.NUMBER, Kind.TEXT):
        values = Values()
        distinct = values.decode(values.spelled(values.encode(distinct)), pa.string())
    written = pa.array([_written(value) for value in distinct.to_pylist()], pa.string())
    return pc.fill_null(written.take(encoded.indices), "null")


def _written(value: str | float | Decimal) -> str:
    if isinstance(value, Decimal) and value != value.to_integral_value():
        return f"{value:f}".rstrip("0")
    if isinstance(value, Decimal | float):
        value = int(value) if isinstance(value, Decimal) else number(value)
    return json.dumps(value, ensure_ascii=False)


def reject_reader(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        for payload in batch.column("payload").to_pylist():
            yield from from_blob(payload).cast(REJECTS).to_batches()
