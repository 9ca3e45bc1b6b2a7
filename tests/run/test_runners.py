"""Recorded facts through all runners: `Engine`, `try`, `watch --once`, a batch and a stream on Spark.

With arrivals facts are cut into steps of any size. Without them they come in one step, or in several, which
are compared with the facts that have the arrivals of `antelog/run/clock.py`. What Spark calls is called in
this process, for Spark itself see `tests/spark`. `make long` takes all streams, with all of their facts.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from antelog import Engine
from antelog.engine.facts.admission import arrivals
from antelog.files import ARRIVAL
from antelog.run import clock
from antelog.run.sinks.json_lines import Style, change_lines
from antelog.run.sinks.result import StepResult
from antelog.spark.job.forecasts import Forecasts, forecasts_of
from antelog.spark.job.job import ARRIVED
from tests.cli.trying import antelog
from tests.run import cases
from tests.run.cases import Case
from tests.spark.comparing import comparable, job_of
from tests.spark.simulated import Stream, run_batch

MOST = 3_000
"""The facts of a recorded stream that are taken in every run of the tests."""

STREAMS = list(cases.streams())
SAMPLE = [name for name in STREAMS if name in ("outbreak", "gap-1", "overheating", "rush", "shocks")]
_BUCKETS = 3

Facts = Mapping[str, pa.Table]
Log = Sequence[Mapping[str, pa.Table]]


# ---- runners ----


def printed(command: str, case: Case, *flags: str) -> list[str]:
    """The lines of `antelog try` or `antelog watch`."""
    done = antelog(command, *case.arguments, *flags)
    assert done.exit_code == 0, done.stderr
    return done.stdout.splitlines()


def lines_of(case: Case, log: Log) -> list[str]:
    """The lines of the steps of an engine."""
    relations = list(case.program.plan.queries)
    texts = [change_lines(relations, StepResult(0, tables), Style()) for tables in log]
    return "".join(texts).splitlines()


def in_steps(case: Case, ends: Iterable[int]) -> Log:
    """The log of an engine that is advanced to these ticks, and to the end."""
    engine = Engine(case.program, arrival=ARRIVAL)
    log = [
        engine.advance(now, between(case.facts, engine.now, now))
        for now in [*ends, int(case.arrivals[-1])]
        if now > engine.now
    ]
    return [*log, *_to_the_end(engine)]


def _to_the_end(engine: Engine) -> Log:
    end = clock.end(engine.now, (engine.answers(each.name) for each in engine.plan.queries))
    return [engine.advance(end)] if end > engine.now else []


def between(facts: Facts, after: int, now: int) -> Facts:
    """The facts that arrive after a tick, up to another."""
    found = {}
    for name, table in facts.items():
        arrival = table.column(ARRIVAL)
        found[name] = table.filter(pc.and_(pc.greater(arrival, after), pc.less_equal(arrival, now)))
    return found


def _comparable(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
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


def rows_of(log: Log, until: int | None = None) -> list[dict[str, Any]]:
    """The changes of a log, up to a tick, in the form that those of Spark have."""
    rows = ({"query": name, **row} for tables in log for name, t in tables.items() for row in t.to_pylist())
    return _comparable(row for row in rows if until is None or row["tick"] <= until)


def on_spark(facts: Facts) -> Facts:
    """The facts as Spark's functions take them."""
    return {
        each: table.rename_columns([ARRIVED if c == ARRIVAL else c for c in table.column_names])
        for each, table in facts.items()
    }


def batch(case: Case, *, arrivals: bool = True) -> list[dict[str, Any]]:
    """The changes of a batch."""
    tables = on_spark(case.facts if arrivals else without(case.facts))
    job = job_of(case.program.plan, tables, _BUCKETS, batch=True, forecasts=_forecasts(case))
    return _comparable(run_batch(job, tables, random.Random(7)).changes)


def streamed(case: Case, parts: Sequence[Facts]) -> list[dict[str, Any]]:
    """The changes of a stream with these micro-batches."""
    tables = [on_spark(part) for part in parts]
    job = job_of(case.program.plan, tables[0], _BUCKETS, forecasts=_forecasts(case))
    stream = Stream(job, random.Random(7))
    return _comparable(row for part in tables for row in stream.batch(part).changes)


def _forecasts(case: Case) -> Forecasts | None:
    return forecasts_of(case.program.plan, None, learn=False)


def without(facts: Facts) -> Facts:
    """The facts without arrivals."""
    return {name: table.drop_columns([ARRIVAL]) for name, table in facts.items()}


# ---- the comparison ----


def compare(case: Case, folder: Path) -> None:
    """All runners, with the arrivals of a case and without any."""
    chance = random.Random(case.name)
    expected = printed("try", case)
    assert len(expected) > 1
    assert printed("watch", case, "--once", "--no-page") == expected
    arrivals = case.arrivals
    ticks = np.unique(arrivals).tolist()
    cuts = [[], ticks[:: max(1, len(ticks) // 50)], sorted(chance.sample(ticks, min(7, len(ticks))))]
    logs = [in_steps(case, cut) for cut in cuts]
    assert [lines_of(case, log) == expected for log in logs] == [True, True, True]
    whole = rows_of(logs[0])
    assert batch(case) == whole
    last = int(arrivals[-1]) - 1
    parts = _parts(case.facts, cuts[2])
    assert streamed(case, parts) == rows_of(logs[0], last)
    compare_timeless(case.timeless(folder), folder)


def _parts(facts: Facts, ends: Sequence[int]) -> list[Facts]:
    bounds = [-1, *ends, 2**60]
    return [between(facts, after, now) for after, now in pairwise(bounds)]


def compare_timeless(case: Case, folder: Path) -> None:
    """All runners, of facts without arrivals, in one step and in several."""
    expected = printed("try", case)
    assert printed("watch", case, "--once", "--no-page") == expected
    engine = Engine(case.program)
    first = engine.advance(int(case.arrivals[-1]), without(case.facts))
    log = [first, *_to_the_end(engine)]
    assert lines_of(case, log) == expected
    assert batch(case, arrivals=False) == rows_of(log)
    assert streamed(case, [without(case.facts)]) == rows_of(log, int(case.arrivals[-1]) - 1)
    compare_several_steps(case, folder)


def compare_several_steps(case: Case, folder: Path) -> None:
    """Facts without arrivals in steps, and the facts with the arrivals that they had by that."""
    engine = Engine(case.program)
    parts = _dealt(case.facts, 4)
    log: list[Mapping[str, pa.Table]] = []
    dated: list[Facts] = []
    micro: list[Facts] = []
    for part in parts:
        times = {name: table.column(table.num_columns - 2).to_numpy() for name, table in part.items()}
        now = max([engine.now + 1, *(int(time.max()) for time in times.values() if len(time))])
        dated.append(
            {
                name: table.drop_columns([ARRIVAL]).append_column(
                    "arrival", pa.array(arrivals(times[name], engine.now))
                )
                for name, table in part.items()
            }
        )
        log.append(engine.advance(now, without(part)))
        micro.append(without(part))
    log += _to_the_end(engine)
    tables = {name: pa.concat_tables([part[name] for part in dated]) for name in case.facts}
    found = case.dated(folder, tables)
    expected = printed("try", found)
    assert lines_of(case, log)[: len(expected)] == expected
    compare_stream_without_arrivals(case, found, micro)


def compare_stream_without_arrivals(case: Case, dated: Case, micro: Sequence[Facts]) -> None:
    """A stream with several micro-batches finishes the tick before the highest one that it has seen."""
    highest, now = -1, -1
    tables: list[Facts] = []
    for part in micro:
        times = {name: table.column(table.num_columns - 1).to_numpy() for name, table in part.items()}
        tables.append(
            {
                name: table.append_column(ARRIVAL, pa.array(arrivals(times[name], now)))
                for name, table in part.items()
            }
        )
        highest = max([highest, *(int(time.max()) for time in times.values() if len(time))])
        now = max(now, highest - 1)
    whole = {name: pa.concat_tables([part[name] for part in tables]) for name in case.facts}
    engine = Engine(case.program, arrival=ARRIVAL)
    log = [engine.advance(now, between(whole, -1, now))]
    assert streamed(case, micro) == rows_of(log, now)
    assert dated.facts.keys() == whole.keys()


def _dealt(facts: Facts, count: int) -> list[Facts]:
    """The facts of each input in this many parts, in any order."""
    chance = np.random.default_rng(5)
    facts = {name: t.take(pa.array(chance.permutation(t.num_rows))) for name, t in facts.items()}
    return [
        {
            name: table.slice(part * -(-table.num_rows // count), -(-table.num_rows // count))
            for name, table in facts.items()
        }
        for part in range(count)
    ]


@pytest.mark.parametrize("name", cases.EXAMPLES)
def test_of_each_example(name: str, tmp_path: Path) -> None:
    compare(cases.EXAMPLES[name], tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", SAMPLE)
def test_of_the_first_facts_of_streams(name: str, tmp_path: Path) -> None:
    compare(cases.stream(name, tmp_path, MOST), tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("name", STREAMS)
def test_of_each_stream(name: str, tmp_path: Path) -> None:
    compare(cases.stream(name, tmp_path), tmp_path)
