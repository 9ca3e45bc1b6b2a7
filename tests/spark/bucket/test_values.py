"""antelog/spark/bucket/forecasting.py: chances that look at values, in buckets."""

import pytest

import antelog
from antelog.forecast.model_file import Model, merged, packed
from antelog.forecast.rates.learning import Learning
from antelog.process import Engine
from antelog.spark.job.forecasts import forecasts_of, to_learn
from antelog.spark.job.needed import EVERYTHING
from antelog.spark.running import learned as in_bucket
from tests.forecast.judges.test_values import PROGRAM, TICKS, learned, readings
from tests.spark.bucket import test_forecasting as others
from tests.spark.comparing import Fact, job_of, tables_of

PLAN = PROGRAM.plan
FACTS: list[Fact] = [("Temp", tuple(row[:-1]), row[-1]) for row in readings()]


@pytest.mark.parametrize(("buckets", "ends"), [(1, []), (3, [150, 333]), (4, [40, 700])])
def test_chances_are_those_of_the_engine(buckets: int, ends: list[int]) -> None:
    given = forecasts_of(PLAN, learned(), Learning(False))
    assert given is not None
    expected = others.in_process(PROGRAM, learned(), FACTS, TICKS + 5)
    assert any(row.get("chance_from") == "values" for row in expected)
    assert others.streamed(given, buckets, ends, PROGRAM, facts=FACTS) == expected


def test_all_facts_are_needed_where_a_model_looks_at_values() -> None:
    rules = "input Temp(x: text, v: number, time). Hot(X, T) :- Temp(X, V, T), V > 9. query Hot(X, T)."
    program = antelog.parse(rules)
    plan, model = program.plan, Engine(program, model="learn").model
    tables = tables_of(plan, [("Temp", ("a", 12.0, 0), 0)])
    with_model = forecasts_of(plan, model, Learning(False))
    assert job_of(plan, tables, 3, forecasts=with_model).needs["Temp"] == EVERYTHING
    assert job_of(plan, tables, 3).needs["Temp"] != EVERYTHING


@pytest.mark.parametrize("buckets", [2, 4])
def test_what_buckets_learn_is_what_one_learns_of_all_keys(buckets: int) -> None:
    (whole,), parts = (
        [Model.from_bytes(each) for each in others.of_buckets(in_bucket, to_learn(), number, FACTS, PLAN)]
        for number in (1, buckets)
    )
    for name, expected in whole.judges.items():
        found = merged(parts).judges[name]["values"]
        assert packed(found) == packed(expected["values"])
