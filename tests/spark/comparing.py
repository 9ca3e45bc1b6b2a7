"""The kernel's own log, in the columns of a DataFrame of changes, to compare with."""

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import pyarrow as pa
from hypothesis import assume

from antelog.compile.nodes.plan import Input, Plan
from antelog.forecast.columns import KINDS
from antelog.language.syntax import Value
from antelog.run.clock import MAX_WAITING, Timing
from antelog.spark.job.job import ARRIVED, Data, Job, numbers_of_buckets, sent
from tests.engine.plain import PlainEngine
from tests.engine.replay import Compiled, frames

Fact = tuple[str, tuple[Value, ...], int]
_TYPES = {"text": pa.string(), "number": pa.float64()}


def job_of(plan: Plan, tables: Mapping[str, pa.Table], buckets: int, **settings: Any) -> Job:
    """A job over tables whose column ARRIVED, if there is one, has the arrivals."""
    schemas = {name: table.schema for name, table in tables.items()}
    types = {
        each.name: (*(schemas[each.name].field(column).type for column in each.columns[:-1]), pa.int64())
        for each in plan.inputs
        if each.name in tables
    }
    own = {name for name, table in tables.items() if ARRIVED in table.column_names}
    countings = {name: plan.counting(name) for name in types}
    numbers = numbers_of_buckets(buckets if plan.key else 1)
    data = Data(settings.pop("given", {}), types, own, countings, sent(Compiled(plan).functions))
    batch, only = settings.pop("batch", False), settings.pop("only", KINDS)
    more = {name: settings.pop(name, None) for name in ("forecasts", "begin", "until")}
    more["max_waiting"] = settings.pop("max_waiting", MAX_WAITING)
    timing = Timing(**{"clock": "arrival" if own else "event", **settings}, timescale=plan.timescale)
    return Job(plan, data, numbers, timing, batch, only, **more)


def tables_of(plan: Plan, facts: Iterable[Fact], *, arrivals: bool = True) -> dict[str, pa.Table]:
    found = {}
    facts = list(facts)
    for source in plan.inputs:
        rows = [(*values, arrival) for name, values, arrival in facts if name == source.name]
        names = [*source.columns, ARRIVED]
        columns = list(zip(*rows, strict=True)) if rows else [()] * len(names)
        values = zip(columns[:-2], source.types, strict=False)
        types = [*(_type_for(column, t) for column, t in values), pa.int64(), pa.int64()]
        table = pa.table([pa.array(c, t) for c, t in zip(columns, types, strict=True)], names)
        found[source.name] = table if arrivals else table.drop_columns([ARRIVED])
    return found


def _type_for(column: Sequence[Value], declared: str | None) -> pa.DataType:
    """The type of a column of a frame. Doubles and whole numbers that they round do not share one."""
    # Without a declared type, a column has numbers if all its values are, else texts.
    numbers = column and not any(isinstance(value, str) for value in column)
    type_ = _TYPES.get(declared or "") or (pa.float64() if numbers else pa.string())
    if pa.types.is_floating(type_) and any(isinstance(each, int) and abs(each) > 2**53 for each in column):
        assume(all(isinstance(each, int) for each in column))
        return pa.int64()
    return type_


def kernel_log(plan: Plan, facts: Iterable[Fact], until: int) -> list[dict[str, Any]]:
    engine = PlainEngine(Compiled(plan))
    log = engine.advance(until, frames(facts, plan, -1, until))
    return comparable({"query": name, **row} for name, table in log.items() for row in table.to_pylist())


def comparable(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Rows in an order of their own, and without what only DataFrames have."""
    # A frame for several queries has columns that some have no use for.
    plain = [_without_nothing({name: row[name] for name in row if name != "answer"}) for row in rows]
    return sorted(plain, key=lambda row: json.dumps(row, sort_keys=True, default=str))


def in_order(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Rows in an order of their own, with chances as lines have them."""
    return comparable({name: _rounded(value) for name, value in row.items()} for row in rows)


def _rounded(value: Any) -> Any:
    match value:
        case float():
            return round(value, 6)
        case list():
            return [_rounded(each) for each in value]
        case dict():
            return {name: _rounded(each) for name, each in value.items()}
        case _:
            return value


def _without_nothing(value: Any) -> Any:
    match value:
        case dict():
            return {name: _without_nothing(each) for name, each in value.items() if each is not None}
        case list():
            return [_without_nothing(each) for each in value]
        case _:
            return value


def cut(facts: Sequence[Fact], ends: Sequence[int]) -> list[list[Fact]]:
    ordered = sorted(facts, key=lambda fact: fact[2])
    places = [0, *sorted(min(end, len(ordered)) for end in ends), len(ordered)]
    return [ordered[start:end] for start, end in pairwise(places)]


def closing(plan: Plan, until: int, facts: Iterable[Fact] = ()) -> list[Fact]:
    """A fact of each input that comes when a tick is over, so that a stream finishes it; it tells of none."""
    return [_closing(source, until, facts) for source in plan.inputs]


def _closing(source: Input, until: int, facts: Iterable[Fact]) -> Fact:
    known = [values for name, values, _ in facts if name == source.name]
    # In a column without a type it is as the facts are, or a number, for that may be made a text as well.
    values = tuple(
        "a" if type_ == "text" or any(isinstance(each[place], str) for each in known) else 5.0
        for place, type_ in enumerate(source.types[: len(source.columns) - 1])
    )
    return source.name, (*values, until + 1), until + 1
