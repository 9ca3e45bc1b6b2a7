"""Types that change: facts with values of another type at each step, through engines, `watch` and buckets."""

from __future__ import annotations

import datetime as dt
import json
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pandas as pd
import pyarrow as pa

import antelog
from antelog.arrow.arrays import array_of
from antelog.forecast.lines import Limits
from antelog.forecast.rates.learning import Learning
from antelog.spark.job.forecasts import forecasts_of
from tests.attack.findings import Attempt, command
from tests.spark.comparing import job_of
from tests.spark.simulated import Stream, run_batch

_FROST = """
tick 10 minutes. input Frost(post, time) delay 2 (70%, 20%, 5%).
chance Frost(_, _) = 20%, again 85%.  chance Frost(hollow, _) = 50%, again 95%.
Damage(P, T) :- Frost(P, T), Frost(P, T+1), Frost(P, T+2).
query Damage(P, T) alert 60%.
"""
_PAIRS = """
input Temp(x, y, time) delay 1. input Off(x, time) delay 1.
Up(X, Y, T) :- Temp(X, Y, T), Temp(X, _, T+2).
Calm(X, T) :- Temp(X, _, T), not Off(X, T+1).
Quiet(X, T) :- not Off(X, T).
More(X, Y, T) :- Temp(X, Y, T), Temp(X, Z, T+1), Z >= Y.
query Up(X, Y, T) alert 30%.  query Calm(X, T) alert 50%.  query Quiet(X, T).  query More(X, Y, T).
"""
PROGRAMS = {"frost": (_FROST, {"Frost": 1}), "pairs": (_PAIRS, {"Temp": 2, "Off": 1})}

JSON_VALUES: dict[str, list[Any]] = {
    "nothing": [None],
    "whole": [0, 1, -7, 2**53, 10**20],
    "double": [1.0, 0.5, -1e300],
    "text": ["p1", "1", "hollow", "", 'a "b"', "true", "2024-02-29"],
    "truth": [True, False],
}
NESTED: list[Any] = [[], [1, "a"], {}, {"deep": {"deeper": [None]}}, [[["x"]]]]
TIMES: list[Any] = [None, "soon", True, [], -1, 1.5, 1e300, 10**30]  # none of these is a time
_VALUES: dict[str, list[Any]] = {
    **JSON_VALUES,
    "not a number": [float("nan"), float("inf")],
    "decimal": [Decimal("1.5"), Decimal(10**30), Decimal("0.1")],
    "date": [dt.date(2024, 2, 29), dt.date(1, 1, 1)],
    "moment": [dt.datetime(2024, 2, 29, 12, 0, 1), dt.datetime(1960, 1, 1)],  # noqa: DTZ001 - without a zone
    "instant": [dt.datetime(2024, 2, 29, tzinfo=dt.UTC)],
    "span": [dt.timedelta(seconds=5)],
    "bytes": [b"\xff", b""],
}


def attempts(count: int, seed: int) -> Iterator[Attempt]:
    """So many sequences of facts: of ten, one in a file that is watched, two in the buckets of Spark."""
    for number in range(count):
        run = {9: watched, 4: in_buckets, 7: in_buckets}.get(number % 10, through_engine)
        yield Attempt(f"{run.__name__} {seed}.{number}", partial(run, Random(f"{seed}.{number}")))


def through_engine(random: Random) -> None:
    """Advances an engine step by step, and looks at what came out in all views."""
    text, inputs = PROGRAMS[random.choice(list(PROGRAMS))]
    program = antelog.parse(text)
    engine = antelog.Engine(program, **_options(random, program))
    told: list[dict[str, pa.Table]] = []
    now = -1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", antelog.DataWarning)
        for _ in range(random.randrange(2, 9)):
            before, now = now, now + random.choice([1, 1, 1, 2, 5])
            facts = {
                name: _frame(random, _rows(random, width, before, now))
                for name, width in inputs.items()
                if random.randrange(4)
            }
            with suppress(antelog.DataError):  # no row of it can be used, and nothing was taken
                told.append(engine.advance(now, facts))
            now = engine.now
            told += [{query.name: engine.answers(query.name)} for query in program.plan.queries]
            if random.randrange(4) == 0:
                engine = antelog.Engine.from_bytes(engine.to_bytes())
    antelog.show(told[-1])._repr_html_()
    if random.randrange(5) == 0:
        antelog.draw([each for each in told if "tick" in next(iter(each.values())).column_names])


def _options(random: Random, program: antelog.Program) -> dict[str, Any]:
    options: dict[str, Any] = {}
    if random.randrange(2):
        options["model"] = "learn"
        if random.randrange(2):
            learned = antelog.Engine(program, model="learn")
            name = program.plan.inputs[0].name
            width = len(program.plan.inputs[0].columns)
            learned.advance(30, {name: [(*["p1"] * (width - 1), tick) for tick in range(30)]})
            options["model"] = antelog.Model.from_bytes(learned.model.to_bytes())
    if "model" in options or program.plan.declares_chances:
        options |= random.choice([{}, {}, {"min_chance": 0.3}, {"most": 1}, {"min_chance": 0.9, "most": 1}])
    if random.randrange(4) == 0 and "Quiet" not in program.source.text:
        options["limit"] = random.randrange(1, 5)
    if random.randrange(4) == 0:
        options["only"] = random.sample(["possible", "revised", "confirmed", "rejected", "likely"], 2)
    return options


def _rows(random: Random, width: int, before: int, now: int) -> list[tuple[Any, ...]]:
    """Rows whose columns are mostly of one type each, another one than in the step before."""
    kinds = [random.sample(list(_VALUES), random.choice([1, 1, 1, 2])) for _ in range(width)]
    return [
        (
            *(random.choice(_VALUES[random.choice(kind)]) for kind in kinds),
            random.randrange(max(0, before), now + 1),
        )
        for _ in range(random.randrange(4))
    ]


def _frame(random: Random, rows: list[tuple[Any, ...]]) -> Any:
    if not rows or random.randrange(2):
        return rows
    columns = [array_of(list(column)) for column in zip(*rows, strict=True)]
    table = pa.table(columns, [f"c{place}" for place in range(len(columns))])
    if random.randrange(2) or any(pa.types.is_union(each.type) for each in columns):
        return table
    with suppress(pa.ArrowException, ValueError):  # what pandas cannot hold
        frame: pd.DataFrame = table.to_pandas()
        return frame
    return table


def chances_for(random: Random, program: antelog.Program) -> dict[str, Any]:
    """Some options about chances."""
    options: dict[str, Any] = {"model": "learn"} if random.randrange(2) else {}
    if options or program.plan.declares_chances:
        options |= random.choice([{}, {"min_chance": 0.3}, {"most": 1}])
    return options


def records(random: Random, columns: Sequence[str], ticks: range) -> list[dict[str, Any]]:
    """Records of mostly one type in each column, another one than in those before."""
    *names, time = columns
    kinds = [random.sample(list(JSON_VALUES), random.choice([1, 1, 2])) for _ in names]
    found = []
    for _ in range(random.randrange(1, 6)):
        values = [random.choice(JSON_VALUES[random.choice(kind)]) for kind in kinds]
        record = dict(zip(names, values, strict=True)) | {time: random.choice(ticks)}
        odd = random.randrange(12)
        if odd == 0:
            record[random.choice(names)] = random.choice(NESTED)
        elif odd == 1:
            record[time] = random.choice(TIMES)
        elif odd == 2:
            record[random.choice(columns)] = None
        found.append(record)
    return found


def watched(random: Random) -> None:
    """Watches a file of JSON lines that grows twice, with a state."""
    text, inputs = PROGRAMS[random.choice(list(PROGRAMS))]
    with tempfile.TemporaryDirectory(prefix="antelog-attack-") as folder:
        rules, state = Path(folder, "rules.alog"), Path(folder, "state")
        rules.write_text(text, encoding="utf-8")
        given = ["watch", str(rules), "--no-page", "--once", "--state", str(state)]
        given += random.choice([[], ["--model", "learn"], ["--format", "table"]])
        for name in inputs:
            given += ["--input", f"{name}={Path(folder, name)}.jsonl"]
        for step in range(3):
            for name, width in inputs.items():
                columns = [*"xy"[:width], "time"] if name != "Frost" else ["post", "time"]
                with Path(folder, f"{name}.jsonl").open("a", encoding="utf-8") as file:
                    for _ in range(random.randrange(1, 5)):
                        values = [
                            random.choice(JSON_VALUES[random.choice(list(JSON_VALUES))]) for _ in range(width)
                        ]
                        row = dict(zip(columns, [*values, 3 * step + random.randrange(3)], strict=True))
                        file.write(json.dumps(row) + "\n")
            command(*given)


_TYPES = [
    *(pa.null(), pa.int64(), pa.int8(), pa.float64(), pa.string(), pa.bool_(), pa.date32(), pa.binary()),
    *(pa.timestamp("us"), pa.timestamp("us", "UTC"), pa.decimal128(20, 2), pa.duration("us")),
]


def in_buckets(random: Random) -> None:
    """Deals facts to buckets as Spark does, in batches; a DataFrame's column is of one type, or null."""
    plan = antelog.parse(random.choice(list(PROGRAMS.values()))[0]).plan
    schemas = {source.name: schema_of(random, source.columns) for source in plan.inputs}
    batches = [
        {
            name: table_of(random, schema, range(3 * step, 3 * step + 3), random.choice([0.1, 0.9, 1]))
            for name, schema in schemas.items()
        }
        for step in range(4)
    ]
    learned = forecasts_of(plan, random.choice([None, "learn"]), Learning(False))
    limits = Limits(random.choice([None, 0.3]), random.choice([None, 1]))
    forecasts = learned and replace(learned, limits=limits)
    settings: dict[str, Any] = {"forecasts": forecasts, "begin": 0 if plan.tick else None}
    stream = Stream(job_of(plan, batches[0], random.choice([1, 3]), **settings), random)
    for batch in batches:
        stream.batch(batch)
    whole = {name: pa.concat_tables([each[name] for each in batches]) for name in schemas}
    job = job_of(plan, whole, 2, batch=True, **settings)
    run_batch(job, whole, random, answers=bool(random.randrange(2)))


def schema_of(random: Random, columns: Sequence[str]) -> pa.Schema:
    """Some types for the columns of an input, the last of which is its time."""
    *names, time = columns
    return pa.schema([*(pa.field(name, random.choice(_TYPES)) for name in names), pa.field(time, pa.int64())])


def table_of(random: Random, schema: pa.Schema, ticks: range, nulls: float) -> pa.Table:
    """Rows about some ticks, most or all of which may be null."""
    count = random.randrange(5)
    given = [
        [None if random.random() < nulls else random.choice([0, 1]) for _ in range(count)] for _ in schema
    ]
    columns = [pa.array(values, pa.int8()) for values in given[:-1]]
    times = pa.array([random.choice(ticks) for _ in range(count)], pa.int64())
    types = zip(columns, schema.types[:-1], strict=True)
    return pa.table([*(_as_type(column, type_) for column, type_ in types), times], schema=schema)


def _as_type(column: pa.Array, type_: pa.DataType) -> pa.Array:
    if pa.types.is_null(type_):
        return pa.nulls(len(column))
    if pa.types.is_binary(type_):
        return column.cast(pa.string()).cast(type_)
    if pa.types.is_temporal(type_):
        return column.cast(pa.int32() if pa.types.is_date32(type_) else pa.int64()).cast(type_)
    return column.cast(type_)
