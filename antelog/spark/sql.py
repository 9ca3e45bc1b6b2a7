"""Programs as table functions of SQL: Spark has a call analysed, then a partition's rows run as in a bucket.

    malfunctions(TABLE(readings), since => 0, until => '2026-01-02', query => 'Malf', lines => 'answers')

Rows get two columns more: their key, and how many rows have it. If a partition ends before all rows of a key
have come, the clause of the call divides the key.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from itertools import chain, islice
from typing import Any, cast

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as is_a
from msgspec import structs
from pyspark.sql import SparkSession
from pyspark.sql.functions import udtf
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructType, TimestampType
from pyspark.sql.udtf import AnalyzeArgument, AnalyzeResult, SelectedColumn, UserDefinedTableFunction

from antelog.arrow.kinds import Kind, kind_of
from antelog.compile.nodes.plan import Plan, Relation
from antelog.compile.rules.statics import Row
from antelog.engine.dividing import talks_by_itself
from antelog.engine.values.types import types_of_rows
from antelog.errors import DataError
from antelog.given import TEXT, ArgumentKind, check
from antelog.language.checks.suggestions import did_you_mean, require_known
from antelog.process import functions_of, plan_of
from antelog.program import Program
from antelog.run.options import keywords, taken
from antelog.spark.bucket.packing import REJECTS, packed
from antelog.spark.bucket.state import CHANGES, reasoner
from antelog.spark.bucket.state import REJECTED as SET_ASIDE
from antelog.spark.bucket.unpacking import OutputColumns, columns_of, reject_reader, unpacked
from antelog.spark.failures import explaining_lost_java, find_workers, plain_errors, require_version
from antelog.spark.job import checking
from antelog.spark.job.forecasts import Forecasts
from antelog.spark.job.job import ARRIVED, Data, Job, sent
from antelog.spark.job.partitions import numbers_of_buckets
from antelog.spark.settings import quoted

# The name of the column of counts, which Spark shows when it refuses to count the rows of a stream.
NO_STREAM = "a table function takes no stream: use antelog.spark.changes(program, {…}) instead"
CHANGED, ANSWERED, REJECTED = LINES = ("changes", "answers", "rejects")  # that a function may return


@dataclass(frozen=True)
class FunctionCall:
    """A call of a table function: the columns of its table, and its arguments; without `query`, of all."""

    table: StructType
    since: int | str | date | None
    until: int | str | date | None
    query: str | None
    lines: str


INPUT = "input"  # the column that says which input a row is of


@dataclass(frozen=True)
class TableColumns:
    """The columns of a table that a program reads."""

    types: Mapping[str, pa.DataType]  # by names in the table
    inputs: Mapping[str, Mapping[str, str]]  # for each input, from names in the table to the input's

    @property
    def selected(self) -> list[SelectedColumn]:
        """The columns as Spark hands them over: timestamps as numbers, which need no zone of a worker."""
        return [
            SelectedColumn(f"unix_micros({quoted(old)})" if _is_zoned(type_) else quoted(old), f"c{at}")
            for at, (old, type_) in enumerate(self.types.items())
        ]

    def types_of(self, name: str) -> dict[str, pa.DataType]:
        """The types of an input's columns, by the input's names."""
        return {new: self.types[old] for old, new in self.inputs[name].items()}

    def facts(self, rows: pa.Table, name: str) -> pa.Table:
        """The facts of an input among rows of the table."""
        own = rows.filter(pc.equal(rows.column(INPUT), name)) if len(self.inputs) > 1 else rows
        return pa.table({new: own.column(old) for old, new in self.inputs[name].items()})

    def table_of(self, given: Sequence[Sequence[object]]) -> pa.Table:
        """Makes a table of the first values of rows. Raises DataError if a row is of no input."""
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
    """A program that is registered as a table function."""

    name: str
    plan: Plan
    given: Mapping[str, tuple[Row, ...]]  # background facts from outside the program
    called: bytes  # the functions that it calls, pickled
    forecasts: Forecasts | None
    options: checking.OutputOptions
    clause: str  # by which rows may be divided


@dataclass(kw_only=True)
class AnalysedCall(AnalyzeResult):
    """A call that Spark may run, with all that a worker has to know of it."""

    name: str
    call: FunctionCall
    job: Job
    columns: TableColumns
    output: OutputColumns
    clause: str


def analysed(
    program: FunctionProgram, given: tuple[AnalyzeArgument, ...], named: Mapping[str, AnalyzeArgument]
) -> AnalysedCall:
    """Analyses a call. Raises DataError if it cannot be answered."""
    call = call_of(program.plan, program.name, given, named)
    columns = columns_of_table(program.plan, call.table, program.options)
    job = _job(program, call, columns)
    output = columns_of(job, call.query, change="status" if call.lines == ANSWERED else "change")
    schema = REJECTS if call.lines == REJECTED else output.schema
    _require_span(program, job, call)
    # Without a key, one value for all rows, which Spark does not see to be a constant.
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
    types = {each.name: checking.types_of(plan, each, columns.types_of(each.name)) for each in plan.inputs}
    data = Data(
        program.given,
        {**types, **types_of_rows(program.given)},
        {name for name, found in columns.inputs.items() if ARRIVED in found.values()},
        {name: program.plan.counting(name) for name in types},
        program.called,
    )
    until = program.options.until if call.until is None else call.until
    options = replace(
        program.options, begin=_first(plan, program, call), until=checking.tick_given("until", until, plan)
    )
    if call.lines != CHANGED:
        options = replace(options, only=("confirmed",) if call.lines == ANSWERED else ())
    forecasts = None if call.lines == REJECTED else program.forecasts
    if call.query is not None and forecasts is None:
        plan = structs.replace(plan, relations=_only_query(plan, call.query))
    return checking.job_of(plan, data, options, forecasts, batch=True)


def _first(plan: Plan, program: FunctionProgram, call: FunctionCall) -> int | None:
    """The tick at which time begins, if it is given."""
    if call.since is None:
        return checking.tick_given("begin", program.options.begin, plan)
    first = checking.tick_given("since", call.since, plan)
    if plan.tick is None and first != 0:
        raise DataError(
            f"since is {first}; in a program without `tick` time begins at 0. Leave it out, or declare `tick`"
        )
    return None if plan.tick is None else first


def _only_query(plan: Plan, query: str) -> tuple[Relation, ...]:
    """The relations that a query rests on, with it as the only query."""
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
    """Raises DataError if lines depend on the first or last tick, which no partition knows by itself."""
    if call.lines == REJECTED:
        return
    divided = replace(job, numbers=numbers_of_buckets(2))
    ends = job.until is None and (divided.ends_together or call.lines == ANSWERED)
    missing = [name for name, each in (("since", job.begins_together), ("until", ends)) if each]
    if missing:
        words = {"since": "begins", "until": "ends"}
        where = " and ".join(words[each] for each in missing)
        examples = {"since": "'2026-01-01'", "until": "'2026-01-31'"}
        given = ", ".join(
            f"{each} => {'100' if job.plan.tick is None else examples[each]}" for each in missing
        )
        raise DataError(
            f"the lines of {program.name} depend on where time {where}, and no partition sees that by "
            f"itself. Add to the call: {program.name}(TABLE(…), {given})"
        )


def in_one_partition(plan: Plan) -> bool:
    """Whether all rows have to be in one partition: there is no key, or some answers need no fact."""
    return not plan.key or talks_by_itself(plan)


def _key(plan: Plan, columns: TableColumns) -> str:
    """An expression of SQL for the program's key, in which equal values of different types are equal."""
    found = {
        name: next((old for old, new in columns.inputs[name].items() if new == column), None)
        for name, column in key_columns(plan).items()
    }
    types = {columns.types[old] for old in found.values() if old is not None}
    expressions = dict.fromkeys(found, "NULL")
    for name, old in found.items():
        if old is not None:
            value = quoted(old)
            if len(types) > 1 and kind_of(columns.types[old]) is Kind.NUMBER:
                value = f"CAST({value} AS DOUBLE)"
            if len(types) > 1 and any(kind_of(type_) is not Kind.NUMBER for type_ in types):
                value = f"CAST({value} AS STRING)"
            expressions[name] = value
    return of_each_input(expressions)


def key_columns(plan: Plan) -> dict[str, str | None]:
    """The column of each input that has the program's key; None for inputs that no rule uses."""
    positions = {each.name: each.position for each in plan.key.positions}
    return {
        each.name: each.columns[positions[each.name]] if each.name in positions else None
        for each in plan.inputs
    }


def of_each_input(expressions: Mapping[str, str]) -> str:
    """Joins expressions of SQL, one for the rows of each input, into one."""
    if len({*expressions.values()}) == 1:
        return next(iter(expressions.values()))
    cases = " ".join(f"WHEN '{name}' THEN {each}" for name, each in expressions.items())
    return f"CASE {INPUT} {cases} END"


# ---- the arguments of a call ----


def call_of(
    plan: Plan, name: str, given: Sequence[AnalyzeArgument], named: Mapping[str, AnalyzeArgument]
) -> FunctionCall:
    """Reads the arguments of a call. Raises DataError for those that the function does not take."""
    if len(given) != 1 or not given[0].isTable:
        raise DataError(
            f"{name} takes one table, then arguments by name: "
            f"SELECT * FROM {name}(TABLE(readings), until => 9)"
        )
    taken = ("since", "until", "query", "lines")
    for each in named:
        require_known(each, taken, f"{name} has no argument")
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
    if value is None:
        return None
    require_known(str(value), known, f"there {missing}", "Use one of:")
    return str(value)


# ---- the table ----


def columns_of_table(plan: Plan, table: StructType, options: checking.OutputOptions) -> TableColumns:
    """Finds the columns of a table that a program reads. Raises DataError if some are missing."""
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
    taken = {each.name: checking.columns_taken(each, of_inputs, options) for each in plan.inputs}
    wanted = {old for columns in taken.values() for old in columns} | ({INPUT} if several else set())
    types = {
        field.name: checking.arrow_type("the table", field) for field in table.fields if field.name in wanted
    }
    if several and kind_of(types[INPUT]) is not Kind.TEXT:
        raise DataError(
            f"the column `{INPUT}` is of type {types[INPUT]}; it has the names of inputs, as texts"
        )
    return TableColumns(types, taken)


def _union(plan: Plan) -> str:
    """A query in SQL that joins the tables of all inputs into one."""
    columns = dict.fromkeys(name for each in plan.inputs for name in each.columns)
    selects = []
    for each in plan.inputs:
        values = [quoted(name) if name in each.columns else f"NULL AS {quoted(name)}" for name in columns]
        selects.append(f"SELECT '{each.name}' AS {INPUT}, {', '.join(values)} FROM …")
    return " UNION ALL ".join(selects)


def _is_zoned(type_: pa.DataType) -> bool:
    return pa.types.is_timestamp(type_) and type_.tz is not None


# ---- a partition ----

PIECE = 10_000  # the rows that are made columns at once, and the fewest whose lines are made at once


class Partition:
    """Takes the rows of a partition one by one, and makes lines once all rows of their keys are there."""

    def __init__(self, call: AnalysedCall) -> None:
        self.call = call
        self.tables: list[pa.Table] = []
        self.waiting: list[Sequence[object]] = []
        self.missing: dict[object, int] = {}  # rows still to come, of keys of which some have come
        self.ready: deque[tuple[object, ...]] = deque()
        self.share = 0  # lines to return with each row, as Java keeps in memory all that come at the end

    def add(self, row: Sequence[object]) -> Iterable[tuple[object, ...]]:
        """Takes a row, whose last values are its key and how many rows have it; returns some of the lines."""
        *_, key, rows = row
        self.waiting.append(row)
        if key is not None and key == key:  # a row without a key, or with not-a-number, is set aside
            left = self.missing.pop(key, cast("int", rows)) - 1
            if left:
                self.missing[key] = left
        if len(self.waiting) >= PIECE:
            self._flush()
        if self.tables and not self.missing:
            self.ready.extend(self._lines())
            self.share = 1 + len(self.ready) // PIECE
        return [self.ready.popleft() for _ in range(min(self.share, len(self.ready)))]

    def end(self) -> Iterable[tuple[object, ...]]:
        """All other lines. Raises DataError if the partition lacks rows of some keys."""
        if self.missing:
            raise DataError(
                f"the PARTITION BY of {self.call.name} divides rows that belong together. Leave it out, or "
                f"write {self.call.clause}"
            )
        return chain(self.ready, self._lines())

    def _lines(self) -> Iterable[tuple[object, ...]]:
        self._flush()
        if not self.tables:
            return ()
        rows = pa.concat_tables(self.tables)
        job, plain, call = self.call.job, self.call.job.without_model, self.call.call
        facts = {each.name: self.call.columns.facts(rows, each.name) for each in job.plan.inputs}
        packets = pa.Table.from_batches(
            [batch for name, each in facts.items() for batch in packed(plain, name, iter(each.to_batches()))]
        )
        self.tables = []
        found = reasoner(job, call.lines == ANSWERED)(packets)
        what = SET_ASIDE if call.lines == REJECTED else CHANGES
        payloads = found.filter(pc.equal(found.column("what"), what)).select(["query", "payload"])
        batches = iter(payloads.to_batches())
        if what == SET_ASIDE:
            return rows_of(reject_reader(batches))
        return rows_of(unpacked(plain, self.call.output, batches))

    def _flush(self) -> None:
        if self.waiting:
            self.tables.append(self.call.columns.table_of(self.waiting))
            self.waiting = []


def handler_of(program: FunctionProgram) -> type:
    """The class of a handler for each partition; made here, so that Spark sends it with its program."""

    class Handler:
        # Methods with `yield`: Spark puts a sentence of its own around errors of others.
        def __init__(self, call: AnalysedCall) -> None:
            self.partition = Partition(call)

        @staticmethod
        def analyze(*given, **named):  # type: ignore[no-untyped-def]  # Spark looks at no types, but at names
            with plain_errors():
                return analysed(program, given, named)

        def eval(self, row, **_named):  # type: ignore[no-untyped-def]  # likewise
            with plain_errors():
                yield from self.partition.add(row)

        def terminate(self):  # type: ignore[no-untyped-def]  # likewise
            with plain_errors():
                yield from self.partition.end()

    return Handler


def rows_of(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[object, ...]]:
    """The rows of batches, with tuples for lists and structs."""
    known: dict[object, object] = {}
    for batch in batches:
        yield from zip(*(_cells(column, known) for column in batch.columns), strict=True)


def _cells(array: pa.Array, known: dict[object, object]) -> list[object]:
    if is_a.is_string(array.type):
        encoded = array.dictionary_encode()
        distinct = [known.setdefault(text, text) for text in encoded.dictionary.to_pylist()]
        return [None if code is None else distinct[code] for code in encoded.indices.to_pylist()]
    if is_a.is_list(array.type):
        items = iter(_cells(array.flatten(), known))
        lengths = pc.list_value_length(array).to_pylist()
        lists = [None if length is None else tuple(islice(items, length)) for length in lengths]
        return [known.setdefault(each, each) for each in lists] if _is_of_texts(array.type) else list(lists)
    if is_a.is_struct(array.type):
        rows = zip(*(_cells(field, known) for field in array.flatten()), strict=True)
        return [row if there else None for row, there in zip(rows, array.is_valid().to_pylist(), strict=True)]
    return list(array.to_pylist())


def _is_of_texts(type_: pa.DataType) -> bool:
    """Whether there are only texts in a type: numbers such as 1 and 1.0 are equal and not the same."""
    parts = [type_.field(at).type for at in range(type_.num_fields)]
    return all(map(_is_of_texts, parts)) if parts else is_a.is_string(type_)


# ---- the function ----

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SESSION = ArgumentKind("a SparkSession", lambda value: hasattr(value, "udtf"))


@explaining_lost_java()
def register(spark: SparkSession, name: str, program: Program, /, **options: Any) -> str:
    """Makes a program a table function of SQL: `SELECT * FROM name(TABLE(readings) PARTITION BY device)`.

    Returns the clause by which rows may be divided, such as "PARTITION BY `device`". It has the options of
    `antelog.spark` but for `buckets` and those of streams.
    """
    check("register", {"spark": spark, "name": name}, {"spark": _SESSION, "name": TEXT})
    given = keywords(checking.FunctionOptions, "register", options)
    plan = plan_of(program)
    if not _NAME.fullmatch(name):
        raise DataError(f"{name!r} is not a name of a function in SQL; use letters, digits and `_`")
    require_version(spark, "table functions of antelog need", "Use antelog.spark.changes for DataFrames")
    find_workers(spark)
    clause = "WITH SINGLE PARTITION"
    if not in_one_partition(plan):
        keys = {name: "NULL" if each is None else quoted(each) for name, each in key_columns(plan).items()}
        clause = f"PARTITION BY {of_each_input(keys)}"
    chosen = taken(checking.OutputOptions, replace(given, static=None))
    prepared = FunctionProgram(
        name,
        plan,
        checking.background_of(plan, given.static or {}),
        sent(functions_of(program)),
        checking.chances_of(plan.read, chosen),
        replace(chosen, model=None),
        clause,
    )
    # Options that fit no call are refused at once.
    data = Data(prepared.given, {}, {each.name for each in plan.inputs}, {})
    checking.job_of(plan.read, data, prepared.options, prepared.forecasts, batch=True)
    # With `useArrow` Spark makes a table of each row that a function takes, also where nothing comes out.
    function = cast("UserDefinedTableFunction", udtf(handler_of(prepared), useArrow=False))
    spark.udtf.register(name, function)
    return clause
