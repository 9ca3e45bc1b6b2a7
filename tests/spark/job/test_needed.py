"""antelog/spark/job/needed.py: facts no rule can use are left out, and what is told stays the same."""

import math
import random
from collections.abc import Sequence

import pyarrow as pa
import pytest

from antelog import parse
from antelog.spark.job.needed import EVERYTHING, covers, needs_of
from tests.spark.comparing import Fact, comparable, job_of, kernel_log, tables_of
from tests.spark.simulated import run_batch

INPUTS = """
input P(x: text, level: text, v: number, time) delay 1.
input Q(x: text, time) delay 1.
"""
CHAIN = """
D(X, V, T) :- Q(X, T), P(X, low, V, T+1).
E(X, V, T) :- Q(X, T), P(X, mid, V, T+1), not D(X, V, T).
A(X, T) :- Q(X, T), not E(X, 7, T+1).
query A(X, T).
"""
LEVELS = ("low", "mid", "high")


def _facts() -> list[Fact]:
    found: list[Fact] = []
    for number, level in enumerate(LEVELS):
        for v in range(10):
            tick = 3 * v + number
            found += [("P", ("a", level, float(v), tick + 1), tick + 1), ("Q", ("a", tick), tick)]
    return found


def _passed_over(rules: str, facts: Sequence[Fact], buckets: int) -> int:
    """How many rows are left out, while what is told is what the kernel tells of all."""
    plan = parse(rules).plan
    tables = tables_of(plan, facts)
    until = max(arrival for _, _, arrival in facts) + 3
    job = job_of(plan, tables, buckets, batch=True, until=until)
    seen = run_batch(job, tables, random.Random(buckets))
    log = kernel_log(plan, facts, until)
    assert log
    assert comparable(seen.changes) == log
    passed_over: int = sum(each["unneeded"] for each in seen.counts)
    used: int = sum(each["admitted"] for each in seen.counts)
    assert passed_over + used == len(facts)
    return passed_over


@pytest.mark.parametrize(
    ("rules", "levels", "numbers"),
    [
        ("A(X,T) :- Q(X,T), not P(X, high, _, T+1). query A(X,T).", {"high"}, range(10)),
        ("A(X,T) :- Q(X,T), not P(X, high, 3, T+1). query A(X,T).", {"high"}, {3}),
        ("D(X,V,T) :- P(X, low, V, T), V > 3. A(X,T) :- Q(X,T), not D(X, 7, T+1). query A(X,T).",
         {"low"}, {7}),
        (CHAIN, {"low", "mid"}, {7}),
    ],
)  # fmt: skip
def test_what_a_negation_asks_for(rules: str, levels: set[str], numbers: Sequence[int]) -> None:
    facts = _facts()
    wanted = [
        values for name, values, _ in facts if name == "P" and values[1] in levels and values[2] in numbers
    ]
    for buckets in (1, 3):
        left = sum(name == "P" for name, _, _ in facts) - _passed_over(INPUTS + rules, facts, buckets)
        assert left == len(wanted)


def test_what_shows_that_a_source_is_seen_is_needed() -> None:
    inputs = INPUTS.replace("v: number, time) delay 1.", "v: number, time) delay 1, every 3 per x.")
    rules = f"{inputs}A(X, T) :- Q(X, T), not P(X, high, _, T+1). query A(X, T)."
    facts = [each for each in _facts() if each[0] == "Q" or not 9 <= each[2] <= 15]
    assert any("lost" in str(line) for line in kernel_log(parse(rules).plan, facts, 40))
    assert [_passed_over(rules, facts, buckets) for buckets in (1, 3)] == [0, 0]


def test_what_is_no_number_is_set_aside_also_where_no_rule_can_use_it() -> None:
    rules = INPUTS + "A(X, T) :- P(X, high, V, T), V > 3. query A(X, T)."
    facts: list[Fact] = [
        ("P", ("a", level, v, tick), tick)
        for tick, (level, v) in enumerate(
            [("high", 5.0), ("high", math.inf), ("low", math.nan), ("low", -math.inf), ("low", 1.0)]
        )
    ]
    plan = parse(rules).plan
    tables = tables_of(plan, facts)
    seen = run_batch(job_of(plan, tables, 2, batch=True, until=9), tables, random.Random(2))
    found = {name: sum(each[name] for each in seen.counts) for name in ("admitted", "malformed", "unneeded")}
    assert found == {"admitted": 1, "malformed": 3, "unneeded": 1}


def test_facts_that_bring_a_value_are_needed_even_if_no_rule_can_use_them() -> None:
    rules = INPUTS + "Hot(X, T) :- P(X, high, _, T). Calm(X, T) :- not Hot(X, T). query Calm(X, T)."
    facts: list[Fact] = [("P", ("a", "low", 1.0, 2), 2), ("P", ("b", "high", 1.0, 3), 3)]
    for buckets in (1, 3):
        assert _passed_over(rules, facts, buckets) == 0
    log = kernel_log(parse(rules).plan, facts, 3)
    assert {row["X"] for row in log if row.get("X")} == {"a", "b"}


@pytest.mark.parametrize(
    ("known", "wanted", "expected"),
    [
        ("V > 90", "V > 91", True),
        ("V > 91", "V > 90", False),
        ("V >= 90", "V > 90", True),
        ("V > 90", "V >= 90", False),
        ("V < 5", "V = 3", True),
        ("V < 5", "V > 7", False),
        ("V != 5", "V = 3", True),
        ("V != 5", "V > 5", True),  # all facts are kept where a value may be any but one
    ],
)
def test_facts_that_were_kept_cover_those_that_are_wanted(known: str, wanted: str, expected: bool) -> None:
    rules = "input A(x, v: number, time). P(X, T) :- A(X, V, T), {}. query P(X, T)."
    types = (pa.string(), pa.float64(), pa.int64())
    one, other = (needs_of(parse(rules.format(each)).plan, "A", types) for each in (known, wanted))
    assert covers(one, other) is expected
    assert covers(EVERYTHING, other)
