"""Checks inputs and options before anything runs, and makes a job of them."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, cast

import pyarrow as pa
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame
from pyspark.sql import functions as f
from pyspark.sql.pandas.types import to_arrow_type
from pyspark.sql.types import StructField, TimestampNTZType, TimestampType

from antelog.arrow.kinds import Kind, kind_of
from antelog.arrow.ticks import UTC_ASSUMED, is_timestamp, no_tick
from antelog.compile.nodes.plan import Input, Plan, Static
from antelog.compile.rules.statics import Row
from antelog.engine.dividing import talks_by_itself
from antelog.engine.facts.frames import static_rows
from antelog.engine.step.schema import answer_columns
from antelog.engine.values.types import MIXED, Types, types_of_rows
from antelog.engine.values.values import Values
from antelog.errors import DataError, UnsupportedError
from antelog.escaping import shown
from antelog.forecast.columns import KINDS
from antelog.forecast.lines import Limits
from antelog.forecast.rates.learning import Learning
from antelog.given import NAMED, TEXT, check
from antelog.language.checks.suggestions import did_you_mean, require_known
from antelog.language.durations import UNITS
from antelog.process import functions_of, plan_of
from antelog.program import Program
from antelog.run.checks import tick_of
from antelog.run.clock import ClockName, Timing
from antelog.run.options import flag, in_python, option, taken
from antelog.run.settings import (
    ChanceSettings,
    ClockSettings,
    KindSettings,
    LimitSettings,
    SparkSettings,
    StaticFrames,
    StreamSettings,
    most_failed,
)
from antelog.run.values import SettingError, length_of
from antelog.spark.failures import find_workers
from antelog.spark.job.forecasts import Forecasts, forecasts_of
from antelog.spark.job.job import ARRIVED, WALL, Data, Job, sent
from antelog.spark.job.partitions import numbers_of_buckets
from antelog.spark.settings import BUCKETS, CLOCK, CLOCKS, MALFORMED, ROW, SOURCE, quoted


def _one_query() -> Any:
    return option(None, in_python(TEXT), "The query whose answers are wanted.")


@dataclass(frozen=True, kw_only=True)
class LearnOptions(SparkSettings, StaticFrames):
    """The options of `learn`."""


@dataclass(frozen=True, kw_only=True)
class ScoreOptions(SparkSettings, ChanceSettings, StaticFrames):
    """The options of `scores`."""


@dataclass(frozen=True, kw_only=True)
class AnswerOptions(SparkSettings, LimitSettings, StaticFrames):
    """The options of `answers`."""

    query: str | None = _one_query()


@dataclass(frozen=True, kw_only=True)
class RejectOptions(StreamSettings, StaticFrames):
    """The options of `rejects`."""

    most_failed: float = most_failed()


@dataclass(frozen=True, kw_only=True)
class OutputOptions(StreamSettings, LimitSettings, KindSettings, StaticFrames):
    """The options of `outputs`, which every other struct of options is made into."""

    checkpoint: str | None = option(
        None, in_python(TEXT), "The checkpoint of the stream, which is refused if it is of other rules."
    )
    accept: bool = flag(False, "Go on with the rules of the program, though the checkpoint is of others.")


@dataclass(frozen=True, kw_only=True)
class ChangeOptions(OutputOptions):
    """The options of `changes`."""

    query: str | None = _one_query()


@dataclass(frozen=True, kw_only=True)
class FunctionOptions(ClockSettings, LimitSettings, KindSettings, StaticFrames):
    """The options of `register`."""


def checked(
    program: Program, inputs: Mapping[str, DataFrame], given: object, **more: Any
) -> tuple[Job, Mapping[str, DataFrame]]:
    """Checks inputs and options; returns the job, and the DataFrames of inputs with its columns."""
    options = taken(OutputOptions, given, **more)
    given_plan = plan_of(program)
    plan = given_plan.read
    check("antelog.spark", {"inputs": inputs}, {"inputs": NAMED})
    if not inputs:
        raise DataError("there are no facts: hand over a DataFrame for at least one input")
    _check_frames(inputs, [s.name for s in plan.inputs], "input")
    find_workers(next(iter(inputs.values())).sparkSession)
    background = background_of(plan, options.static or {})
    first: dict[bool, str] = {}
    for name, frame in inputs.items():
        first.setdefault(frame.isStreaming, name)
    if len(first) > 1:
        raise DataError(
            f"{first[True]} is a stream and {first[False]} is not: read both with readStream, or neither"
        )
    countings = {each.name: given_plan.counting(each.name) for each in plan.inputs}
    frames, types, arriving = {}, {}, set[str]()
    for name, frame in inputs.items():
        source = next(s for s in plan.inputs if s.name == name)
        columns = columns_taken(source, frame.columns, options)
        frames[name] = frame.select(*(frame[quoted(old)].alias(new) for old, new in columns.items()))
        fields = {field.name: field for field in frames[name].schema.fields}
        found = {each: arrow_type(name, field) for each, field in fields.items()}
        types[name] = types_of(plan, source, found)
        if ARRIVED in found:
            arriving.add(name)
        local = any(isinstance(fields[each].dataType, TimestampNTZType) for each in _times(source, found))
        if local and countings[name].zone is None:
            warnings.warn(UTC_ASSUMED, UserWarning, stacklevel=6)
    data = Data(
        background, {**types, **types_of_rows(background)}, arriving, countings, sent(functions_of(program))
    )
    job = job_of(plan, data, options, chances_of(plan, options), batch=True not in first)
    if job.timing.ahead is not None and job.timing.clock != "processing":
        # Spark gives all rows of a micro-batch its own time, also when it is run again.
        frames = {name: frame.withColumn(WALL, f.current_timestamp()) for name, frame in frames.items()}
    return replace(job, numbers=_numbers(job, options.buckets)), frames


def chances_of(plan: Plan, options: OutputOptions) -> Forecasts | None:
    """The source of chances; None without chances. Raises an AntelogError for a model that does not fit."""
    learning = Learning(options.learn, options.half_life, options.judges)
    found, limits = forecasts_of(plan, options.model, learning), Limits(options.min_chance, options.most)
    if limits and found is None:
        raise UnsupportedError(
            'min_chance and most need chances: give a model or `model="learn"`, '
            "or declare a `chance` in the program"
        )
    return found and replace(found, limits=limits)


def job_of(
    plan: Plan, data: Data, options: OutputOptions, forecasts: Forecasts | None, *, batch: bool
) -> Job:
    """Makes the job of a program with one bucket. Raises DataError for options that do not fit."""
    timing = Timing(
        clock=_clock(plan, options.clock, bool(data.arriving), batch),
        lag=_natural("lag", options.lag),
        # A millisecond at least.
        idle=None if options.idle is None or batch else max(1_000, _duration(options.idle)),
        timescale=plan.timescale,
        ahead=None if batch or plan.tick is None else _duration(options.ahead),
    )
    if timing.idle is not None and plan.tick is None:
        raise DataError(f"to go on with the wall clock needs the length of a tick; declare it: {_TICK}")
    begin, until = tick_given("begin", options.begin, plan), tick_given("until", options.until, plan)
    if options.until is not None and not batch:
        raise DataError("`until` is for batches: a stream goes on until it is stopped")
    if options.checkpoint is not None and batch:
        raise DataError("`checkpoint` is for streams: a batch has none")
    if options.begin is not None and plan.tick is None:
        raise DataError("`begin` is for programs with `tick`: without it, time begins at 0")
    for kind in options.only:
        require_known(kind, KINDS, "there are no changes of the kind", "The kinds are")
    return Job(
        plan,
        data,
        numbers_of_buckets(1),
        timing,
        batch,
        tuple(options.only),
        explanations=options.explanations,
        begin=begin,
        until=until,
        forecasts=forecasts,
        max_waiting=options.max_waiting,
        most_failed=options.most_failed,
    )


# ---- the frames ----


def _check_frames(given: Mapping[str, DataFrame], known: Sequence[str], what: str) -> None:
    for name, frame in given.items():
        if name not in known:
            has = f"it has {', '.join(known)}" if known else "it has none"
            raise DataError(f"the program has no {what} {name}; {has}. {did_you_mean(name, known)}".rstrip())
        if not isinstance(frame, DataFrame):
            raise DataError(
                f"{name} is given as {type(frame).__name__}; hand over a DataFrame of Spark, "
                "as spark.createDataFrame makes of other tables"
            )


_OURS = (MALFORMED, ROW, CLOCK, SOURCE)  # columns that an input may have beside its own


def columns_taken(source: Input, has: Sequence[str], options: OutputOptions) -> dict[str, str]:
    """Finds the columns of an input by name, else by position: from names in the facts to new names."""
    if len(set(has)) < len(has):
        raise DataError(f"the facts of {source.name} have several columns of one name: {', '.join(has)}")
    extra = {each: each for each in _OURS}
    if options.clock in (None, "arrival"):
        extra[options.arrival] = ARRIVED
    extra = {old: new for old, new in extra.items() if old in has and old not in source.columns}
    others = [name for name in has if name not in (options.arrival, *_OURS)]
    missing = [name for name in source.columns if name not in has]
    if not missing:
        return {**{name: name for name in source.columns}, **extra}
    if len(missing) == len(source.columns) == len(others):
        return {**dict(zip(others, source.columns, strict=True)), **extra}
    rename = f"Rename one: {source.name} has {', '.join(source.columns)}."
    raise DataError(
        f"the facts of {source.name} lack the column {missing[0]}; they have {', '.join(has)}. "
        f"{did_you_mean(missing[0], others) or rename}"
    )


def arrow_type(name: str, field: StructField) -> pa.DataType:
    if isinstance(field.dataType, TimestampType):  # versions of PySpark disagree on how to ask for this one
        return pa.timestamp("us", "UTC")
    try:
        return to_arrow_type(field.dataType)
    except PySparkException as error:
        raise DataError(f"column {field.name} of {name} cannot be read: {error}") from None


def types_of(plan: Plan, source: Input, found: Mapping[str, pa.DataType]) -> Types:
    """The types of an input's columns once its times are ticks. Raises DataError for those of no use."""
    for column, declared in zip(source.columns[:-1], source.types, strict=False):
        kind, said = kind_of(found[column]), f"column {column} of {source.name} is of type {found[column]}"
        if kind is None:
            raise DataError(
                f"{said}; values are numbers, texts, truth values, dates, times, durations or bytes"
            )
        # What is neither a number nor a text is written out where the program has texts.
        if kind is not Kind.NOTHING and declared and (kind is Kind.NUMBER) is (declared == "text"):
            raise DataError(
                f"{said}, and the program declares it as {declared}: cast it, or declare it otherwise"
            )
    for column, what in _times(source, found).items():
        kind, said = kind_of(found[column]), f"{what} is of type {found[column]}"
        if is_timestamp(found[column]) and plan.tick is None:
            raise DataError(no_tick(f"{what} has timestamps"))
        if kind is Kind.TEXT and plan.tick is None:
            raise DataError(f"{said}; times are whole numbers where the program has no `tick`: cast it")
        if not is_timestamp(found[column]) and kind not in (Kind.NUMBER, Kind.TEXT, Kind.NOTHING):
            raise DataError(f"{said}; times are whole numbers or timestamps")
    return (*(found[column] for column in source.columns[:-1]), pa.int64())


def _times(source: Input, found: Mapping[str, pa.DataType]) -> dict[str, str]:
    """The columns of times, each with its name in messages."""
    time, name = source.columns[-1], source.name
    names = {time: f"column {time} of {name}", ARRIVED: f"the arrival of {name}"}
    return {column: what for column, what in names.items() if column in found}


# ---- the options ----


def _clock(plan: Plan, clock: str | None, arrivals: bool, batch: bool) -> ClockName:
    if clock is None:
        return "arrival" if arrivals else "event"
    require_known(clock, CLOCKS, "there is no clock", "The clocks are")
    if clock == "arrival" and not arrivals:
        raise DataError("no input has a column of arrivals; name it with `arrival`, or use the clock `event`")
    if clock == "processing" and batch:
        raise DataError("a batch is not processed at the times of its facts; use the clock `event`")
    if clock == "processing" and plan.tick is None:
        raise DataError(f"the wall clock needs the length of a tick; declare it: {_TICK}")
    return cast("ClockName", clock)


_TICK = "`tick 10 seconds.`"


def _duration(text: str) -> int:
    """A duration in microseconds."""
    length = length_of(text)
    if length is None:
        raise DataError(
            f"`{text}` is not a duration; write it like `30 seconds`. Units are {', '.join(UNITS)}"
        )
    return int(length)


def tick_given(name: str, given: int | str | date | None, plan: Plan) -> int | None:
    """Reads a tick from a number or a timestamp."""
    if isinstance(given, int):
        return _natural(name, given)
    try:
        return tick_of(given, plan)
    except SettingError as error:
        raise DataError(f"{name}: {error}") from None


def _natural(name: str, number: int) -> int:
    if type(number) is not int or number < 0:
        raise DataError(f"{name} is {number!r}; it is a number of ticks, 0 or more")
    return number


def _numbers(job: Job, buckets: int | None) -> tuple[int, ...]:
    """The numbers of the buckets: a single one if facts cannot be divided."""
    if buckets is not None and (type(buckets) is not int or buckets < 1):
        raise DataError(f"buckets is {buckets!r}; it is a number, 1 or more")
    why = None
    if not job.plan.key:
        why = job.plan.key.why_not
    elif talks_by_itself(job.plan):
        columns = answer_columns(job.plan, job.data.types)
        for query in job.plan.queries:
            if columns[query.name].types[query.answer.variables[job.plan.key[query.name]]] == MIXED:
                why = f"the values {query.name} is divided by are of several types"
    if why is not None and (buckets or 2) > 1:
        message = f"the program runs as one bucket, on one core: {shown(why)}"
        warnings.warn(message, UserWarning, stacklevel=6)
    return numbers_of_buckets(1 if why is not None else BUCKETS if buckets is None else buckets)


# ---- background facts ----


def background_of(plan: Plan, frames: Mapping[str, DataFrame]) -> dict[str, tuple[Row, ...]]:
    """Collects background facts from DataFrames. Raises DataError if rows are invalid."""
    _check_frames(frames, [each.name for each in plan.statics], "static predicate")
    for name, frame in frames.items():
        if frame.isStreaming:
            raise DataError(f"the background facts of {name} are a stream; read them as a batch")
    tables = {each.name: _collected(each, frames[each.name]) for each in plan.statics if each.name in frames}
    rows = static_rows(plan, tables)
    return {name: tuple(sorted(set(rows[name]), key=str)) for name in frames}


def _collected(static: Static, frame: DataFrame) -> pa.Table:
    """The rows of a static predicate, with texts in the columns that the program declares as texts."""
    if set(static.columns) <= set(frame.columns):
        marks = [MALFORMED] if MALFORMED in frame.columns else []
        table = frame.select(*static.columns, *marks).toArrow()
        wrong = [each for mark in marks for each in table.column(mark).drop_null().to_pylist()]
        if wrong:
            raise DataError(f"a background fact of {static.name} cannot be used: {wrong[0]}")
        table = table.select(static.columns)
    else:
        table = frame.toArrow()
    for at, type_ in enumerate(static.types[: table.num_columns]):
        if type_ == "text" and kind_of(table.schema.types[at]) not in (None, Kind.NUMBER, Kind.TEXT):
            values = Values()
            cells = values.encode(table.column(at).combine_chunks())
            texts = values.decode(values.spelled(cells), pa.string())
            table = table.set_column(at, table.column_names[at], texts)
    return table
