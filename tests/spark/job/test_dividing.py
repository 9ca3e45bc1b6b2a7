"""antelog/engine/dividing.py: into how many buckets facts are dealt changes nothing."""

import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

from antelog.compile.nodes.plan import Plan
from antelog.run.clock import end as last_tick
from antelog.spark.job.job import ARRIVED
from tests.engine.plain import PlainEngine
from tests.engine.replay import Compiled, frames
from tests.spark.comparing import Fact, closing, comparable, cut, job_of, kernel_log, tables_of
from tests.spark.dealt_out import PROGRAMS, facts_of, plan_of
from tests.spark.simulated import Seen, Stream, run_batch

FIRST = 7  # time does not begin with the first tick there is


def _set_aside(rejects: Sequence[dict[str, Any]]) -> Counter[tuple[str, str, int]]:
    return Counter((row["input"], row["reason"], row["arrival"]) for row in rejects)


def _replayed(plan: Plan, facts: Sequence[Fact]) -> PlainEngine:
    engine = PlainEngine(Compiled(plan))
    last = max(arrival for _, _, arrival in facts)
    engine.advance(last, frames(facts, plan, -1, last))
    return engine


def _end(engine: PlainEngine) -> int:
    return last_tick(engine.now, (engine.answers(query.name) for query in engine.plan.queries))


def _streamed(plan: Plan, facts: Sequence[Fact], until: int, buckets: int, seed: int) -> list[Seen]:
    chance = random.Random(seed)
    stream = Stream(job_of(plan, tables_of(plan, facts), buckets), chance)
    ends = [chance.randrange(len(facts)) for _ in range(2)]
    parts = [*cut(facts, ends), closing(plan, until)]
    return [stream.batch(tables_of(plan, part)) for part in parts]


@pytest.mark.parametrize(("buckets", "seed"), [(1, 0), (2, 1), (5, 2)])
@pytest.mark.parametrize("name", PROGRAMS)
def test_buckets(name: str, buckets: int, seed: int) -> None:
    plan = plan_of(name)
    assert plan.key, plan.key.why_not
    facts = facts_of(plan, random.Random(seed), 12, FIRST if seed else 0)
    tables = tables_of(plan, facts)
    engine = _replayed(plan, facts)
    end = _end(engine)
    expected = kernel_log(plan, facts, end)
    # A batch that ends by itself, one that is told where to end, and a stream.
    job = job_of(plan, tables, buckets, batch=True)
    batch = run_batch(job, tables, random.Random(seed))
    assert comparable(batch.changes) == expected
    assert _set_aside(batch.rejects) == _set_aside(engine.rejects.to_pylist())
    reported = run_batch(job_of(plan, tables, buckets, batch=True, until=end), tables, random.Random(seed))
    assert comparable(reported.changes) == expected
    seen = _streamed(plan, facts, end, buckets, seed)
    assert comparable(row for each in seen for row in each.changes) == expected
    assert _set_aside([row for each in seen for row in each.rejects]) == _set_aside(batch.rejects)
    for parts in (batch.counts, reported.counts, [row for each in seen for row in each.counts]):
        assert sum(row["conflicting"] for row in parts) == engine.status.counts.conflicting


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_cases_have_something_to_tell(name: str) -> None:
    plan = plan_of(name)
    logs = [kernel_log(plan, facts_of(plan, random.Random(seed), 12, FIRST), 20) for seed in range(4)]
    assert sum(map(bool, logs)) > 1


@pytest.mark.parametrize("buckets", [1, 3])
def test_time_begins_where_a_stream_is_told(buckets: int) -> None:
    plan = plan_of("absences where one fact excludes others")
    facts: list[Fact] = [("Temp", ("a", "a", 9), 9), ("Temp", ("c", "b", 9), 9)]
    tables = tables_of(plan, facts)
    for begin in (None, 5, 12):
        job = job_of(plan, tables, buckets, batch=True, until=15, begin=begin)
        seen = run_batch(job, tables, random.Random(1))
        ticks = {row["tick"] for row in seen.changes}
        assert min(ticks) == (9 if begin is None else begin)
        stream = Stream(job_of(plan, tables, buckets, begin=begin), random.Random(2))
        parts = [tables, tables_of(plan, closing(plan, 15))]
        assert comparable(r for part in parts for r in stream.batch(part).changes) == comparable(seen.changes)


@pytest.mark.parametrize("buckets", [1, 3])
def test_time_begins_with_the_first_row_that_is_a_fact(buckets: int) -> None:
    """Not with one that is late or early, and also with one that no rule can use."""
    plan = plan_of("absences where one fact excludes others")
    rows = [("Temp", ("d", "b", 1), 7), ("Temp", ("d", "b", 9), 8), ("Temp", ("d", "c", 9), 9)]
    facts: list[Fact] = [*rows, ("Temp", ("a", "a", 12), 12)]
    tables = tables_of(plan, facts)
    assert tables["Temp"].column(ARRIVED).to_pylist() == [7, 8, 9, 12]
    stream = Stream(job_of(plan, tables, buckets), random.Random(3))
    parts = [*cut(facts, [1, 2]), closing(plan, 14)]
    log = [row for part in parts for row in stream.batch(tables_of(plan, part)).changes]
    assert min(row["tick"] for row in log) == 9
    assert comparable(log) == kernel_log(plan, facts, 14)
