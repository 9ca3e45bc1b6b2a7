"""Engine(explanations=N): the lines are the same, with fewer explanations or none, and so are chances."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest

import antelog
from antelog.files import ARRIVAL
from tests.run import cases
from tests.run.runners import between
from tests.spark.comparing import job_of, tables_of
from tests.spark.dealt_out import facts_of, plan_of
from tests.spark.simulated import run_batch

WORDS = """
input Temp(device, value, time) delay 2.
Many(X, T) :- Temp(X, _, T), count(Temp(X, _, T-3..T)) >= 2.
query Many(X, T) "{X}: {so_far}".
"""


@pytest.mark.parametrize(
    ("name", "options"), [*((name, {}) for name in cases.EXAMPLES), ("turbines", {"model": "learn"})]
)
def test_lines_are_the_same_with_fewer_explanations(name: str, options: Mapping[str, Any]) -> None:
    case = cases.example(name)
    whole, one, none = (_log(case, explanations=most, **options) for most in (None, 1, 0))
    assert any(table.num_rows for table in whole)
    for all_of_it, first, nothing in zip(whole, one, none, strict=True):
        assert nothing.schema == first.schema == all_of_it.schema
        texts = all_of_it.column("explanations").to_pylist()
        assert first.column("explanations").to_pylist() == [each[:1] for each in texts]
        assert first.column("because").equals(all_of_it.column("because"))
        for column in ("explanations", "because"):
            assert nothing.column(column).null_count == nothing.num_rows
        others = [each for each in all_of_it.column_names if each not in ("explanations", "because")]
        assert all(nothing.column(each).equals(all_of_it.column(each)) for each in others)
        assert all(first.column(each).equals(all_of_it.column(each)) for each in others)


def _log(case: cases.Case, **options: Any) -> Sequence[pa.Table]:
    """The lines of a case, in two steps, what is open after each, and that of a restored engine."""
    engine = antelog.Engine(case.program, arrival=ARRIVAL, **options)
    found = list[pa.Table]()
    for now in sorted({case.last // 2, case.last}):
        if now > engine.now:
            found += engine.advance(now, between(case.facts, engine.now, now)).values()
            found += [engine.answers(query.name) for query in engine.plan.queries]
    most = options["explanations"]
    again = antelog.Engine.restore(engine.to_bytes(), case.program, explanations=most, arrival=ARRIVAL)
    return [*found, *(again.answers(query.name) for query in again.plan.queries)]


def test_words_say_what_amounts_come_to_without_explanations() -> None:
    facts = {"Temp": [("wt2", 95, 0), ("wt2", 92, 1)]}
    engine = antelog.Engine(antelog.parse(WORDS), explanations=0)
    lines = engine.advance(1, facts)["Many"].to_pylist()
    assert [(line["text"], line["explanations"]) for line in lines] == [
        (line["text"], None)
        for line in antelog.Engine(antelog.parse(WORDS)).advance(1, facts)["Many"].to_pylist()
    ]
    assert lines[0]["text"] == "wt2: 1"


def test_lines_of_a_replay_say_nothing_of_explanations() -> None:
    case = cases.example("turbines")
    replay = antelog.replay(case.program, case.inputs, explanations=0, arrival=case.arrival)
    lines = [json.loads(line) for line in replay.lines()]
    assert len(lines) > 10
    assert not any({"explanations", "because"} & line.keys() for line in lines)


def test_lines_of_changed_rules_have_as_many_as_are_wanted() -> None:
    before, after = (
        antelog.parse(f"input A(x, time) delay 3. P(X, T) :- A(X, T), A(X, T+{n}). query P(X, T).")
        for n in (1, 2)
    )
    engine = antelog.Engine(before, explanations=0)
    engine.advance(0, {"A": [("a", 0)]})
    change = engine.change_rules(after, accept=True)
    assert change is not None
    tables = [*change.closed.values(), *change.changes.values()]
    assert sum(table.num_rows for table in tables)
    assert all(table.column("explanations").null_count == table.num_rows for table in tables)


@pytest.mark.parametrize("most", [0, 1])
def test_buckets_on_spark_have_as_many_as_are_wanted(most: int) -> None:
    plan = plan_of("turbines")
    tables = tables_of(plan, facts_of(plan, random.Random(3), 12, 0))
    job = job_of(plan, tables, 3, batch=True)
    whole, fewer = (
        run_batch(each, tables, random.Random(3)).changes for each in (job, replace(job, explanations=most))
    )
    assert whole
    expected = [
        row
        | {"explanations": row["explanations"][:most] or None, "because": row["because"] if most else None}
        for row in whole
    ]
    assert fewer == expected
