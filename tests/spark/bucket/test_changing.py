"""antelog/spark/bucket/stream.py: rules that change while a stream runs, as in one process."""

import random
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import assume, given, note
from hypothesis import strategies as st

from antelog import StateError, parse
from antelog.compile.nodes.plan import Plan
from antelog.spark.bucket.stream import lacking, refusal, sentences
from antelog.spark.job.job import Job, Predecessor
from tests.compile.plan.test_partition import TYPED, keyed
from tests.engine.few import at_most_for
from tests.engine.pairs import Pair, new_version, possible_pairs
from tests.engine.replay import Compiled
from tests.engine.test_transition import Changed, plain
from tests.spark.comparing import Fact, closing, comparable, job_of, tables_of
from tests.spark.simulated import Stream

BUCKETS = st.sampled_from([1, 2, 3])


@st.composite
def with_a_key(draw: st.DrawFn) -> Pair:
    case = draw(keyed(TYPED))
    new = new_version(draw, case.text)
    pair = Pair(case.text, new, case, draw(st.integers(0, case.until)))
    assume(pair.programs is not None)
    return pair


@pytest.mark.slow
@given(possible_pairs() | with_a_key() | with_a_key(), BUCKETS, st.integers(0, 99))
def test_the_log_is_that_of_one_process(pair: Pair, buckets: int, seed: int) -> None:
    programs = pair.programs
    assert programs is not None
    note(str(pair))
    old, new = programs
    assume(pair.cut >= 0 and refusal(old.plan, new.plan) is None)
    with at_most_for(pair.case):
        _check(pair, old, new, buckets, seed)


def _check(pair: Pair, old: Compiled, new: Compiled, buckets: int, seed: int) -> None:
    facts: list[Fact] = list(pair.case.facts)
    first = closing(old.plan, pair.cut, facts)
    until = max(pair.case.until, pair.cut + 1)
    facts += first
    last = closing(old.plan, until, facts)
    whole = tables_of(old.plan, [*facts, *last])
    before, after = job_of(old.plan, whole, buckets), job_of(new.plan, _named(whole, new.plan), buckets)
    assume(len(before.numbers) == len(after.numbers))
    after = _after(after, before)
    stream = Stream(before, random.Random(seed))
    early = [fact for fact in facts if fact[2] <= pair.cut] + first
    late = [fact for fact in facts if fact[2] > pair.cut and fact not in first] + last
    lines = stream.batch(_cast(tables_of(old.plan, early), whole)).changes
    stream.continue_as(after)
    tables = _cast(_named(tables_of(old.plan, late), new.plan), _named(whole, new.plan))
    lines += stream.batch(tables).changes
    process = Changed(replace(pair, case=replace(pair.case, facts=tuple(facts), until=until)), old, new)
    whole_log = [*process.before, *process.closed, *process.lines, *process.after]
    others = lacking(after, before)
    for name in {row["query"] for row in (*lines, *whole_log)}:
        known = process.change is None or all(
            each.continues for each in process.change.queries if each.name == name
        )
        if known or not others:
            assert _of(lines, name) == _of(whole_log, name), name


def _of(rows: list[dict[str, Any]], name: str) -> list[Any]:
    found = comparable(row for row in rows if row["query"] == name)
    return sorted((plain(row) for row in found), key=repr)


def _after(job: Job, before: Job) -> Job:
    predecessor = Predecessor(before.identity, before.plan)
    return replace(job, data=replace(job.data, before=(predecessor,)))


def _named(tables: dict[str, Any], plan: Plan) -> dict[str, Any]:
    return {
        each.name: tables[each.name].rename_columns([*each.columns, tables[each.name].column_names[-1]])
        for each in plan.inputs
    }


def _cast(tables: dict[str, Any], whole: dict[str, Any]) -> dict[str, Any]:
    return {name: table.cast(whole[name].schema) for name, table in tables.items()}


OLD = """input A(x, time) delay 1.
    P(X, T) :- A(X, T), A(X, T+1). Q(X, T) :- A(X, T+2), A(X, T). query P(X, T). query Q(X, T)."""
NEW = """input A(x, time) delay 1.
    P(X, T) :- A(X, T), A(X, T+1). R(X, T) :- A(X, T). query P(X, T). query R(X, T)."""


def test_lines_of_queries_that_are_gone_are_closed() -> None:
    old, new = parse(OLD).plan, parse(NEW).plan
    facts: list[Fact] = [("A", ("a", 1), 1), ("A", ("a", 3), 3)]
    whole = tables_of(old, facts)
    before = job_of(old, whole, 2)
    stream = Stream(before, random.Random(1))
    stream.batch(_cast(tables_of(old, facts[:1]), whole))
    stream.batch(_cast(tables_of(old, [("A", ("b", 2), 2)]), whole))
    stream.continue_as(_after(job_of(new, whole, 2), before))
    rows = stream.batch(_cast(tables_of(new, facts[1:]), whole)).changes
    closed = [row for row in rows if row["change"] == "closed"]
    assert [(row["tick"], row["query"], row["answer"]) for row in closed] == [(1, "Q", '{"X": "a", "T": 1}')]


def test_a_sentence_says_what_becomes_of_each_query() -> None:
    old, new = parse(OLD).plan, parse(NEW.replace("A(X, T+1)", "A(X, T+2)")).plan
    whole = tables_of(old, [("A", ("a", 1), 1)])
    changed = "P is changed; open answers that it has no more are closed"
    assert [*sentences(job_of(new, whole, 1), job_of(old, whole, 1))] == [
        f"{changed}; complete from 2 ticks after the change on",
        "R is new; complete from 1 tick after the change on",
        "Q is gone; its open answers are closed",
    ]


def test_a_state_of_rules_nobody_knows_is_refused() -> None:
    old, new = parse(OLD).plan, parse(NEW).plan
    whole = tables_of(old, [("A", ("a", 1), 1)])
    stream = Stream(job_of(old, whole, 1), random.Random(1))
    stream.batch(whole)
    stream.continue_as(job_of(new, whole, 1))
    with pytest.raises(StateError, match="another program"):
        stream.batch(whole)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (NEW.replace("query P", "P(X, T) :- B(X, T). query P"), "no place for other inputs"),
        (
            NEW.replace("A(X, T+1)", "A(_, T+1)").replace("A(X, T). query", "A(X, T), A(_, T+1). query"),
            "divided",
        ),
    ],
)
def test_what_a_checkpoint_cannot_go_on_with(text: str, why: str) -> None:
    assert why in str(refusal(parse(OLD).plan, parse(text).plan))
