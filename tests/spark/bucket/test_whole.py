"""antelog.spark.bucket.whole.py: a state goes to buckets, to others and back, and no line differs."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from antelog.compile.nodes.plan import Plan
from antelog.engine import savepoint, saving
from antelog.engine.savepoint import Savepoint
from antelog.errors import RulesChangedError, StateError
from antelog.forecast.model_file import Model
from antelog.process import Engine
from antelog.program import parse
from antelog.spark.bucket import whole as buckets_of
from antelog.spark.job.job import Job
from tests.all_cases import ANY
from tests.compile.plan.test_partition import TYPED, keyed
from tests.engine.plain import PlainEngine
from tests.engine.replay import frames, runnable
from tests.spark.bucket.test_forecasting import (
    FACTS,
    PLAN,
    PROGRAM,
    RULES,
    TICKS,
    forecasts,
    history,
    in_process,
    streamed,
)
from tests.spark.comparing import Fact, comparable, cut, in_order, job_of, kernel_log, tables_of
from tests.spark.simulated import Stream
from tests.strategies import Case

Rows = list[dict[str, Any]]


def _through_a_folder(found: Savepoint, job: Job) -> Savepoint:
    with TemporaryDirectory() as folder:
        savepoint.write(Path(folder) / "saved", found)
        return savepoint.read(Path(folder) / "saved", functions=job.data.functions)


def _bucketed(
    job: Job, begin: Savepoint | None, facts: Sequence[Fact], model: Model | None = None
) -> tuple[Rows, Savepoint]:
    """The lines of a micro-batch of buckets that begin with a savepoint, and the one that they leave."""
    if begin is not None:
        job = replace(job, seeds=buckets_of.seeds(job, begin))
    stream, whole = Stream(job, random.Random(0)), tables_of(job.plan, facts)
    given = {name: table.cast(job.tables[name]) for name, table in whole.items()}
    lines = stream.batch(given).changes
    stored = {number: (stream.stored(number)[0], *stream.stored(number)[1]) for number in job.numbers}
    found = buckets_of.whole(
        buckets_of.job_of(job.plan, job.identity, stored, job.data.functions, model), stored
    )
    return lines, _through_a_folder(found, job)


def _rows(log: Any) -> Rows:
    return [{"query": name, **row} for name, table in log.items() for row in table.to_pylist()]


def _left(plan: Plan, found: Savepoint, facts: Sequence[Fact], until: int) -> dict[str, Any]:
    """The facts that are still to come, with those that wait, as an engine takes them."""
    given = frames(facts, plan, -1, until)
    for source in plan.inputs:
        rows = found.waiting(source.name)
        kept = [] if rows is None else [row for row in rows.to_pylist() if row["arrival"] <= until]
        given[source.name] = [*kept, *given.get(source.name, [])]
    return {name: rows for name, rows in given.items() if rows}


@pytest.mark.slow
@given(
    case=ANY | keyed(TYPED) | keyed(TYPED) | keyed(TYPED),
    ends=st.lists(st.integers(0, 12), min_size=3, max_size=3),
    buckets=st.sampled_from([(2, 8), (1, 3), (8, 2)]),
)
def test_a_state_goes_from_a_process_to_buckets_and_back(
    case: Case, ends: list[int], buckets: tuple[int, int]
) -> None:
    compiled = runnable(case.checked)
    assume(compiled is not None and compiled.plan.inputs)
    assert compiled is not None
    plan, whole = compiled.plan, tables_of(compiled.plan, case.facts)
    first, second, third, fourth = cut(case.facts, ends)
    assume(second and third)
    now = max([-1, *(arrival - 1 for *_, arrival in first)])
    engine = PlainEngine(compiled)
    log = _rows(engine.advance(now, frames(first, plan, -1, now))) if now >= 0 else []
    begin = _through_a_folder(Savepoint(engine.saved), job_of(plan, whole, 1))
    more, found = _bucketed(
        job_of(plan, whole, buckets[0]), begin, [*(f for f in first if f[2] > now), *second]
    )
    log += more
    more, found = _bucketed(job_of(plan, whole, buckets[1]), found, third)
    log += more
    engine = PlainEngine.restore(saving.to_bytes(found.engine), compiled)
    assume(engine.now < case.until)
    log += _rows(engine.advance(case.until, _left(plan, found, fourth, case.until)))
    assert comparable(log) == kernel_log(plan, case.facts, case.until)


@pytest.mark.parametrize("model", [None, history()], ids=["learned", "given"])
def test_chances_go_on_as_they_were(model: Model | None) -> None:
    given, until = forecasts(model or "learn"), TICKS + 4
    whole, facts = tables_of(PLAN, FACTS), cut(FACTS, [150, 333])
    expected = in_process(PROGRAM, model, FACTS) if model else streamed(given, 1, [])
    log, found = _bucketed(job_of(PLAN, whole, 2, forecasts=given), None, facts[0], model)
    more, found = _bucketed(job_of(PLAN, whole, 8, forecasts=given), found, facts[1], model)
    engine = Engine.restore(saving.to_bytes(found.engine), PROGRAM)
    last = _rows(engine.advance(until, _left(PLAN, found, facts[2], until)))
    assert sum("chance" in row for row in in_order(more)) > 20
    assert in_order([*log, *more, *last]) == [row for row in expected if row["tick"] <= until]


def test_what_a_process_has_learned_is_the_same_in_any_number_of_buckets() -> None:
    first, second = cut(FACTS, [300])
    now = first[-1][2] - 1
    engine = Engine(PROGRAM, model="learn")
    engine.advance(now, frames(first, PLAN, -1, now))
    job, second = job_of(PLAN, tables_of(PLAN, FACTS), 1), [*(f for f in first if f[2] > now), *second]
    begin = _through_a_folder(Savepoint(engine.saved), job)
    found = []
    for buckets in (1, 3):
        job = job_of(PLAN, tables_of(PLAN, FACTS), buckets, forecasts=forecasts("learn"))
        found.append(in_order(_bucketed(job, begin, second)[0]))
    assert found[0] == found[1]
    assert any(row.get("chance_from") == "outcomes" for row in found[0])


def test_what_does_not_fit_is_refused() -> None:
    engine = Engine(PROGRAM)
    engine.advance(3, frames(FACTS, PLAN, -1, 3))
    whole = tables_of(PLAN, FACTS)
    with pytest.raises(StateError, match="has no chances, and this run has: give --model as before"):
        buckets_of.seeds(job_of(PLAN, whole, 2, forecasts=forecasts("learn")), Savepoint(engine.saved))
    sites = {"Site": (("a",),)}
    with pytest.raises(StateError, match="has other background facts: give them as before"):
        buckets_of.seeds(job_of(PLAN, whole, 2, given=sites), Savepoint(engine.saved))
    other = parse(RULES.replace("high, T+2", "high, T+3")).plan
    with pytest.raises(RulesChangedError, match="the savepoint of the checkpoint was saved by other rules"):
        buckets_of.seeds(job_of(other, whole, 2), Savepoint(engine.saved))
    stream = Stream(job := job_of(PLAN, whole, 1, forecasts=forecasts(history())), random.Random(0))
    stream.batch(whole)
    stored = {job.numbers[0]: (stream.stored(0)[0], *stream.stored(0)[1])}
    with pytest.raises(StateError, match="of a run with a model, which is not in it: give it with --model"):
        buckets_of.job_of(PLAN, job.identity, stored, {})
