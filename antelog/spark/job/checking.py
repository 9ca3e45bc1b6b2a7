"""Checks inputs and options before anything runs, and makes a job of them."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as is_a
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame
from pyspark.sql import functions as f
from pyspark.sql.pandas.types import to_arrow_type
from pyspark.sql.types import StructField, TimestampNTZType, TimestampType

from antelog.arrow.kinds import Kind, kind_of
from antelog.arrow.ticks import UTC_ASSUMED, InTicks, is_timestamp, no_tick
from antelog.compile.nodes.plan import Input, Plan, Static
from antelog.compile.rules.statics import Row
from antelog.engine.facts.frames import check_ticks, plain_number
from antelog.engine.step.schema import answer_columns
from antelog.engine.values.types import MIXED, types_of_rows
from antelog.engine.values.values import Values
from antelog.errors import DataError
from antelog.escaping import shown
from antelog.forecast.columns import KINDS
from antelog.forecast.forecaster import LearningSettings
from antelog.forecast.lines import Limits
from antelog.given import NAMED, check
from antelog.language.checks.suggestions import did_you_mean
from antelog.language.durations import UNITS
from antelog.language.epochs import Counting
from antelog.language.syntax import number
from antelog.process import functions_of, plan_of
from antelog.program import Program
from antelog.run.checks import tick_of
from antelog.run.clock import ClockName, Timing
from antelog.run.values import SettingError, length_of
from antelog.spark.job.dividing import numbers_of_buckets
from antelog.spark.job.epochs import ParsedColumn, clock_of, parsed_times
from antelog.spark.job.forecasts import Forecasts, forecasts_of, within
from antelog.spark.job.functions import sent
from antelog.spark.job.job import ARRIVED, WALL, Data, Job, RunSpan, WantedLines
from antelog.spark.job.options import OutputOptions
from antelog.spark.settings import BUCKETS, CLOCK, CLOCKS, MALFORMED, ROW, quoted


@dataclass(frozen=True, eq=False)
class CheckedRun:
    """A job, and for each input the DataFrame that is packed for it."""

    job: Job
    frames: Mapping[str, DataFrame]


def checked(program: Program, inputs: Mapping[str, DataFrame], options: OutputOptions) -> CheckedRun:
    """Checks inputs and options. Raises DataError if the data does not fit the program."""
    given_plan = plan_of(program)
    plan = given_plan.read
    static = options.static or {}
    check("antelog.spark", {"inputs": inputs}, {"inputs": NAMED})
    _check_names(plan, inputs, static)
    batch = not _streams(inputs)
    frames, types, own = {}, {}, {}
    for name, frame in inputs.items():
        source = next(s for s in plan.inputs if s.name == name)
        frames[name] = _in_ticks(
            _selected(source, frame, options), source, given_plan.counting(name), options
        )
        found = {field.name: arrow_type(name, field) for field in frames[name].schema.fields}
        types[name] = tuple(found[column] for column in source.columns)
        check_types(plan, source, types[name])
        if ARRIVED in found:
            own[name] = found[ARRIVED]
            check_time(plan, f"the arrival of {name}", own[name])
    given = {name: rows_of(plan, name, frame) for name, frame in static.items()}
    data = Data(given, {**types, **types_of_rows(given)}, own, sent(functions_of(program)))
    job = job_of(plan, data, options, chances_of(plan, options), batch=batch)
    if job.timing.ahead is not None and job.timing.clock != "processing":
        # Spark gives all rows of a micro-batch its own time, also when it is run again.
        frames = {name: frame.withColumn(WALL, f.current_timestamp()) for name, frame in frames.items()}
    return CheckedRun(replace(job, numbers=_numbers(job, options.buckets)), frames)


def chances_of(plan: Plan, options: OutputOptions) -> Forecasts | None:
    """The source of chances, if there are any. Raises an AntelogError for a model that does not fit."""
    settings = LearningSettings(options.learn, options.half_life, options.epoch, options.judges)
    return within(forecasts_of(plan, options.model, settings), Limits(options.min_chance, options.most))


def job_of(
    plan: Plan, data: Data, options: OutputOptions, forecasts: Forecasts | None, *, batch: bool
) -> Job:
    """The job of a program as one bucket. Raises DataError for options that do not fit."""
    timing = Timing(
        clock=_clock(plan, options.clock, bool(data.own), batch),
        lag=_natural("lag", options.lag),
        idle=_idle(plan, options.idle, batch),
        timescale=plan.timescale,
        ahead=None if batch or plan.tick is None else _duration(options.ahead),
    )
    span = RunSpan(
        begin=tick_given("begin", options.begin, plan), until=tick_given("until", options.until, plan)
    )
    if options.until is not None and not batch:
        raise DataError("`until` is for batches: a stream goes on until it is stopped")
    if options.begin is not None and plan.tick is None:
        raise DataError("`begin` is for programs with `tick`: without it, time begins at 0")
    wanted = WantedLines(_kinds(options.only), options.explanations)
    return Job(plan, data, numbers_of_buckets(1), wanted, timing, span, batch, forecasts)


# ---- the frames ----


def _check_names(plan: Plan, inputs: Mapping[str, DataFrame], static: Mapping[str, DataFrame]) -> None:
    if not inputs:
        raise DataError("there are no facts: hand over a DataFrame for at least one input")
    _check_frames(inputs, [s.name for s in plan.inputs], "input")
    check_static(plan, static)


def check_static(plan: Plan, static: Mapping[str, DataFrame]) -> None:
    """Raises DataError for what are no background facts of the program."""
    _check_frames(static, [s.name for s in plan.statics], "static predicate")
    for name, frame in static.items():
        if frame.isStreaming:
            raise DataError(f"the background facts of {name} are a stream; read them as a batch")


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


def _streams(inputs: Mapping[str, DataFrame]) -> bool:
    """Whether the inputs are streams."""
    streams = {frame.isStreaming for frame in inputs.values()}
    if len(streams) > 1:
        stream = next(name for name, frame in inputs.items() if frame.isStreaming)
        batch = next(name for name, frame in inputs.items() if not frame.isStreaming)
        raise DataError(f"{stream} is a stream and {batch} is not: read both with readStream, or neither")
    return streams.pop()


def _selected(source: Input, frame: DataFrame, options: OutputOptions) -> DataFrame:
    """The columns of the input under the input's names."""
    taken = columns_taken(source, frame.columns, options)
    return frame.select(*(frame[quoted(old)].alias(new) for old, new in taken.items()))


def columns_taken(source: Input, has: Sequence[str], options: OutputOptions) -> dict[str, str]:
    """The columns of an input among those of its facts, by name, else by position; each with its new name."""
    if len(set(has)) < len(has):
        raise DataError(f"the facts of {source.name} have several columns of one name: {', '.join(has)}")
    extra = {MALFORMED: MALFORMED, ROW: ROW, CLOCK: CLOCK}
    if options.clock in (None, "arrival"):
        extra[options.arrival] = ARRIVED
    extra = {old: new for old, new in extra.items() if old in has and old not in source.columns}
    others = [name for name in has if name not in (options.arrival, MALFORMED, ROW, CLOCK)]
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


def _in_ticks(frame: DataFrame, source: Input, counting: Counting, options: OutputOptions) -> DataFrame:
    """The rows with their times read, unless they are ticks; those with one that is none are malformed."""
    if isinstance(options.arrival, InTicks):
        return frame
    words = {source.columns[-1]: "time", ARRIVED: "arrival"}
    columns = {each.name: frame[quoted(each.name)] for each in frame.schema.fields}
    wrong = [columns[MALFORMED]] if MALFORMED in columns else []
    times = list[ParsedColumn]()
    for each in frame.schema.fields:
        if each.name in words:
            read = parsed_times(columns[each.name], each.dataType, words[each.name], counting)
            if read is not None:
                times.append(read)
                wrong.append(read.complaint)
                columns |= {each.name: read.column, MALFORMED: f.coalesce(*wrong)}
                if counting.zone is None and isinstance(each.dataType, TimestampNTZType):
                    warnings.warn(UTC_ASSUMED, UserWarning, stacklevel=7)
    return frame.select(*(column.alias(name) for name, column in columns.items()), *clock_of(times))


def arrow_type(name: str, field: StructField) -> pa.DataType:
    if isinstance(field.dataType, TimestampType):  # versions of PySpark disagree on how to ask for this one
        return pa.timestamp("us", "UTC")
    try:
        return to_arrow_type(field.dataType)
    except PySparkException as error:
        raise DataError(f"column {field.name} of {name} cannot be read: {error}") from None


def check_types(plan: Plan, source: Input, types: Sequence[pa.DataType]) -> None:
    *objects, time = zip(source.columns, types, strict=True)
    for column, type_ in objects:
        if kind_of(type_) is None:
            raise DataError(
                f"column {column} of {source.name} is of type {type_}; "
                "values are numbers, texts, truth values, dates, times, durations or bytes"
            )
    check_time(plan, f"column {time[0]} of {source.name}", time[1])


def check_time(plan: Plan, what: str, type_: pa.DataType) -> None:
    if is_timestamp(type_) and plan.tick is None:
        raise DataError(no_tick(f"{what} has timestamps"))
    if not (is_timestamp(type_) or kind_of(type_) is not None):
        raise DataError(f"{what} is of type {type_}; times are whole numbers or timestamps")


# ---- the options ----


def _kinds(only: Sequence[str]) -> tuple[str, ...]:
    for kind in only:
        if kind not in KINDS:
            hint = did_you_mean(kind, KINDS) or f"The kinds are {', '.join(KINDS)}."
            raise DataError(f"there are no changes of the kind {kind}. {hint}")
    return tuple(only)


def _clock(plan: Plan, clock: str | None, arrivals: bool, batch: bool) -> ClockName:
    if clock is None:
        return "arrival" if arrivals else "event"
    found = next((each for each in CLOCKS if each == clock), None)
    if found is None:
        hint = did_you_mean(clock, CLOCKS) or f"The clocks are {', '.join(CLOCKS)}."
        raise DataError(f"there is no clock {clock}. {hint}")
    if clock == "arrival" and not arrivals:
        raise DataError("no input has a column of arrivals; name it with `arrival`, or use the clock `event`")
    if clock == "processing" and batch:
        raise DataError("a batch is not processed at the times of its facts; use the clock `event`")
    if clock == "processing" and plan.tick is None:
        raise DataError(f"the wall clock needs the length of a tick; declare it: {_TICK}")
    return found


_TICK = "`tick 10 seconds.`"


def _idle(plan: Plan, idle: str | None, batch: bool) -> int | None:
    """A duration in microseconds, a millisecond at least."""
    if idle is None or batch:
        return None
    length = _duration(idle)
    if plan.tick is None:
        raise DataError(f"to go on with the wall clock needs the length of a tick; declare it: {_TICK}")
    return max(1_000, length)


def _duration(text: str) -> int:
    """A duration in microseconds."""
    length = length_of(text)
    if length is None:
        raise DataError(
            f"`{text}` is not a duration; write it like `30 seconds`. Units are {', '.join(UNITS)}"
        )
    return int(length)


def tick_given(name: str, given: int | str | date | None, plan: Plan) -> int | None:
    """A tick, given as a number or a timestamp."""
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
    """The numbers of the buckets: a single one if the program has no key, or facts cannot be divided."""
    if buckets is not None and (type(buckets) is not int or buckets < 1):
        raise DataError(f"buckets is {buckets!r}; it is a number, 1 or more")
    why = _undivided(job)
    if why is not None and (buckets or 2) > 1:
        said = f"the program runs as one bucket, on one core: {shown(why)}"
        warnings.warn(said, UserWarning, stacklevel=6)
    return numbers_of_buckets(1 if why is not None else BUCKETS if buckets is None else buckets)


def _undivided(job: Job) -> str | None:
    """The reason why the facts cannot be divided; None if they can."""
    plan = job.plan
    if not plan.key:
        return plan.key.why_not
    if job.talks_by_itself:
        columns = answer_columns(plan, job.data.types)
        for query in plan.queries:
            if columns[query.name].types[query.answer.variables[plan.key[query.name]]] == MIXED:
                return f"the values {query.name} is divided by are of several types"
    return None


# ---- background facts ----


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
