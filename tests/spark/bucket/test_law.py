"""antelog/spark/bucket/{batch,output,state,stream}.py: the change log is the kernel's own."""

import random
from collections.abc import Sequence

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from antelog.compile.nodes.plan import Plan
from antelog.language import Checked
from antelog.spark.bucket import stream as bucket_stream
from tests.all_cases import ANY as SOME
from tests.compile.plan.test_partition import TYPED, keyed
from tests.engine.plain import PlainEngine
from tests.engine.replay import Compiled, frames, runnable
from tests.recorded import NAMES, recorded
from tests.spark.comparing import Fact, closing, comparable, cut, job_of, kernel_log, tables_of
from tests.spark.simulated import Stream, run_batch
from tests.strategies import Case, cases
from tests.two_times import cases_with_two_times

BUCKETS = st.sampled_from([1, 2, 3, 8])
# Twice with keys, for few of the others have any.
ANY = SOME | cases(latest=9, most=30) | cases_with_two_times(latest=9, most=20) | keyed(TYPED) | keyed(TYPED)
CUTS = st.lists(st.integers(0, 10), max_size=4)


def _plan(case: Case) -> Plan:
    compiled = runnable(case.checked)
    assume(compiled is not None)
    assert compiled is not None
    return compiled.plan


def _plan_to_run(checked: Checked) -> Plan:
    compiled = runnable(checked)
    assert compiled is not None
    return compiled.plan


def _streamed(
    plan: Plan, facts: Sequence[Fact], until: int, buckets: int, ends: Sequence[int], seed: int
) -> list[dict[str, object]]:
    whole = tables_of(plan, facts)
    stream = Stream(job_of(plan, whole, buckets), random.Random(seed))
    parts = [tables_of(plan, part) for part in (*cut(facts, ends), closing(plan, until))]
    given = [{name: table.cast(whole[name].schema) for name, table in part.items()} for part in parts]
    return comparable(row for part in given for row in stream.batch(part).changes)


def test_what_is_said_of_background_values_is_reported_once() -> None:
    text = """input High(x: text, time) delay 1. static Site(x: text). Site(a). Site(b).
        Rises(X, T) :- Site(X), High(X, T+2), not High(X, T). query Rises(X, T)."""
    facts = (("High", ("b", 1), 1),)
    plan = _plan_to_run(Case(text, facts, 4).checked)
    assert plan.key
    assert _streamed(plan, facts, 4, 3, [1], 0) == kernel_log(plan, facts, 4)


def test_amounts_are_kept_where_a_later_query_has_none() -> None:
    text = """input Fail(x: text, time) delay 1.
        Thrice(X, T) :- Fail(X, T), count(Fail(X, T-2..T)) >= 3. Again(X, T) :- Fail(X, T), Fail(X, T-1).
        query Thrice(X, T). query Again(X, T)."""
    facts = tuple(("Fail", ("a", tick), tick) for tick in range(3))
    plan = _plan_to_run(Case(text, facts, 4).checked)
    log = _streamed(plan, facts, 4, 2, [1], 0)
    assert log == kernel_log(plan, facts, 4)
    assert "so_far" in str(log)


@pytest.mark.slow
@given(case=ANY, buckets=BUCKETS, ends=CUTS, seed=st.integers(0, 99), room=st.sampled_from([0, 3, 99]))
def test_streams(case: Case, buckets: int, ends: list[int], seed: int, room: int) -> None:
    plan = _plan(case)
    assume(plan.inputs)
    with pytest.MonkeyPatch.context() as patch:
        # As many rows as may be appended before a snapshot, and at once.
        patch.setattr(bucket_stream, "ROOM", room)
        patch.setattr(bucket_stream, "SMALL", room)
        log = _streamed(plan, case.facts, case.until, buckets, ends, seed)
    assert log == kernel_log(plan, case.facts, case.until)


def _compare_open(
    plan: Plan, facts: Sequence[Fact], until: int, buckets: int, ends: Sequence[int], seed: int
) -> list[int]:
    stream = Stream(job_of(plan, tables_of(plan, facts), buckets), random.Random(seed))
    engine = PlainEngine(Compiled(plan))
    found = []
    for part in [*cut(facts, ends), closing(plan, until)]:
        counted = stream.batch(tables_of(plan, part)).counts
        (now,) = {each["now"] for each in counted} or {None}
        if now is not None and now > engine.now:
            engine.advance(now, frames(facts, plan, engine.now, now))
        if counted:
            tables = [engine.answers(query.name) for query in plan.queries]
            still = [kind for table in tables for kind in table["change"].to_pylist() if kind != "confirmed"]
            assert sum(each["open"] for each in counted) == len(still)
            found.append(len(still))
    return found


@pytest.mark.slow
@given(case=ANY, buckets=BUCKETS, ends=CUTS, seed=st.integers(0, 99))
def test_open_answers_are_counted(case: Case, buckets: int, ends: list[int], seed: int) -> None:
    plan = _plan(case)
    assume(plan.inputs)
    _compare_open(plan, case.facts, case.until, buckets, ends, seed)


@pytest.mark.slow
@given(case=ANY, buckets=BUCKETS, seed=st.integers(0, 99))
def test_batches(case: Case, buckets: int, seed: int) -> None:
    plan = _plan(case)
    tables = tables_of(plan, case.facts)
    job = job_of(plan, tables, buckets, batch=True, until=case.until)
    log = run_batch(job, tables, random.Random(seed)).changes
    assert comparable(log) == kernel_log(plan, case.facts, case.until)


@pytest.mark.parametrize("name", [name for name in NAMES if runnable(recorded(name).checked)])
def test_the_recorded_cases(name: str) -> None:
    case = recorded(name)
    plan = _plan_to_run(case.checked)
    expected = kernel_log(plan, case.facts, case.until)
    assert expected or name == "count-open"  # of which nothing is ever told
    for seed in range(3):
        ends = random.Random(seed).sample(range(len(case.facts) + 1), 2)
        assert _streamed(plan, case.facts, case.until, 4, ends, seed) == expected
    assert _compare_open(plan, case.facts, case.until, 4, [len(case.facts) // 2], 0)
    tables = tables_of(plan, case.facts)
    job = job_of(plan, tables, 4, batch=True, until=case.until)
    assert comparable(run_batch(job, tables, random.Random(0)).changes) == expected
