"""antelog/spark/bucket/{forecasting,learning}.py, antelog/forecast/model_file.py: chances in buckets."""

import random
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import msgspec
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import antelog
from antelog.compile.nodes.plan import Plan
from antelog.engine.dividing import parts_of
from antelog.forecast.columns import KINDS
from antelog.forecast.inference.forms import layout
from antelog.forecast.lines import Limits
from antelog.forecast.model_file import Model, merged
from antelog.forecast.rates.learning import Learning
from antelog.forecast.scores import scores
from antelog.process import Engine
from antelog.spark.bucket import stream as bucket_stream
from antelog.spark.bucket.packing import PACKED
from antelog.spark.bucket.stream import forget
from antelog.spark.job.forecasts import Forecasts, GivenModel, forecasts_of, to_learn
from antelog.spark.running import learned, runner, scored
from tests.engine.replay import Compiled, frames
from tests.forecast.making import with_what_was_found_meanwhile
from tests.odds import with_odds
from tests.spark.comparing import Fact, closing, cut, job_of, tables_of
from tests.spark.comparing import in_order as comparable
from tests.spark.dealt_out import PROGRAMS as DEALT_OUT
from tests.spark.dealt_out import facts_of
from tests.spark.simulated import Stream, dealt, run_batch

RULES = """
input Temp(device: text, level: text, time) delay 2.
input Off(device: text, time) delay 1.
Malf(X, T) :- Temp(X, high, T), Temp(X, high, T+1), Temp(X, high, T+2).
Calm(X, T) :- Temp(X, low, T), not Temp(X, high, T+1), not Off(X, T+2).
query Malf(X, T) alert 60%.
query Calm(X, T).
"""
PROGRAM = antelog.parse(RULES)
PLAN = PROGRAM.plan
TICKS = 120


def readings(seed: int) -> list[Fact]:
    """Readings of devices that stay as they are for a while; some come late, two devices come and go."""
    dice = random.Random(seed)
    found: list[Fact] = []
    for device, ticks in {"a": (0, 120), "b": (0, 120), "c": (40, 90), "d": (0, 35), "e": (70, 120)}.items():
        hot = False
        for tick in range(*ticks):
            hot = dice.random() < (0.7 if hot else 0.2)
            arrival = tick + dice.choices((0, 1, 2), (7, 2, 1))[0]
            if dice.random() < 0.9:
                found.append(("Temp", (device, "high" if hot else "low", tick), arrival))
            if dice.random() < 0.1:
                found.append(("Off", (device, tick), tick + dice.randrange(2)))
    return sorted(found, key=lambda fact: fact[2])


FACTS = readings(0)


@lru_cache
def history() -> Model:
    engine = Engine(PROGRAM, model="learn")
    engine.advance(TICKS + 5, frames(readings(7), PLAN, -1, TICKS + 5))
    return engine.model


def in_process(
    program: antelog.Program, model: Any, facts: Sequence[Fact], until: int = TICKS + 5, **limits: Any
) -> list[dict[str, Any]]:
    engine = Engine(program, model=model, **limits)
    log = engine.advance(until, frames(facts, program.plan, -1, until))
    return comparable({"query": name, **row} for name, table in log.items() for row in table.to_pylist())


def forecasts(given: GivenModel, *, learn: bool = False) -> Forecasts:
    found = forecasts_of(PLAN, given, Learning(learn))
    assert found is not None
    return found


def streamed(
    given: Forecasts,
    buckets: int,
    ends: Sequence[int],
    program: antelog.Program = PROGRAM,
    room: int = 40,
    facts: Sequence[Fact] = FACTS,
) -> list[dict[str, Any]]:
    """The lines of a stream's buckets; each is often read anew from what is stored of it."""
    plan = program.plan
    stream = Stream(job_of(plan, tables_of(plan, facts), buckets, forecasts=given), random.Random(buckets))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bucket_stream, "ROOM", room)
        patch.setattr(bucket_stream, "SMALL", room)
        parts = [*cut(facts, ends), closing(plan, facts[-1][-1] + 5)]
        return comparable(row for part in parts for row in stream.batch(tables_of(plan, part)).changes)


CUTS = [(1, []), (3, [150, 333]), (8, [40, 400])]


@pytest.mark.parametrize(("buckets", "ends"), CUTS)
def test_with_a_fixed_model_chances_are_those_of_the_engine(buckets: int, ends: list[int]) -> None:
    expected = in_process(PROGRAM, history(), readings(0))
    assert {row["change"] for row in expected} == {*KINDS} - {"closed"}
    assert streamed(forecasts(history()), buckets, ends) == expected


@pytest.mark.parametrize("given", [forecasts("learn"), forecasts(history(), learn=True)], ids=["alone", "on"])
def test_what_keys_learn_depends_on_neither_buckets_nor_cuts(given: Forecasts) -> None:
    whole = streamed(given, 1, [])
    assert sum("chance" in row for row in whole) > 100
    assert any(row["change"] == "likely" for row in whole)
    assert whole != streamed(forecasts(history()), 1, [])
    for buckets, ends, room in ((1, [200], 10_000), (3, [150, 333], 40), (8, [250], 0)):
        assert streamed(given, buckets, ends, room=room) == whole


def test_a_stream_goes_on_with_a_newer_model() -> None:
    facts = readings(0)
    engine = Engine(PROGRAM, model=history(), learn=True)
    engine.advance(TICKS + 5, frames(facts, PLAN, -1, TICKS + 5))
    newer = engine.model
    tables = tables_of(PLAN, facts)
    stream = Stream(job_of(PLAN, tables, 3, forecasts=forecasts(history())), random.Random(0))
    first, second = cut(facts, [200])
    stream.batch(tables_of(PLAN, first))
    stream.continue_as(job_of(PLAN, tables, 3, forecasts=forecasts(newer)))
    forget()
    reported = [stream.batch(tables_of(PLAN, part)).changes for part in (second, closing(PLAN, TICKS + 5))]
    found = comparable(row for part in reported for row in part if row["change"] in ("possible", "revised"))
    since = min(row["tick"] for row in found)
    assert found == [
        row
        for row in in_process(PROGRAM, newer, facts)
        if row["change"] in ("possible", "revised") and row["tick"] >= since
    ]


@pytest.mark.parametrize("least", [None, 0.5])
def test_open_answers_of_a_batch_have_chances(least: float | None) -> None:
    facts = [fact for fact in FACTS if fact[2] <= 60]
    tables = tables_of(PLAN, facts)
    given = replace(forecasts(history()), limits=Limits(least))
    job = job_of(PLAN, tables, 3, forecasts=given, batch=True, only=("confirmed",))
    reported = run_batch(job, tables, random.Random(0), answers=True).changes
    engine = Engine(PROGRAM, model=history(), min_chance=least)
    engine.advance(60, frames(facts, PLAN, -1, 60))
    still = [row for row in reported if row["change"] == "open"]
    expected = [
        {"query": name, **row, "change": "open"}
        for name in ("Malf", "Calm")
        for row in engine.answers(name).to_pylist()
        if row["change"] != "confirmed"
    ]
    assert any(row["chance"] is not None for row in still)
    assert comparable(still) == comparable(expected)


# ---- what is learned, and scored ----


def of_buckets(
    what: Any, given: Forecasts, buckets: int, facts: Sequence[Fact], plan: Plan = PLAN
) -> list[bytes]:
    tables = tables_of(plan, facts)
    job = job_of(plan, tables, buckets, forecasts=given, batch=True, until=facts[-1][-1] + 5)
    packed, found = dealt(job, tables, random.Random(0)), []
    for number in job.numbers:
        rows = [line for line in packed if line["bucket"] == number]
        found += runner(job, what)(pa.Table.from_pylist(rows, PACKED)).column("content").to_pylist()
    return found


@pytest.mark.parametrize("buckets", [3, 8])
def test_what_buckets_learn_is_what_one_learns_of_all_keys(buckets: int) -> None:
    (whole,) = map(Model.from_bytes, of_buckets(learned, to_learn(), 1, readings(7)))
    found = merged([Model.from_bytes(each) for each in of_buckets(learned, to_learn(), buckets, readings(7))])
    expected = with_what_was_found_meanwhile(whole, found)
    assert streamed(forecasts(found), 1, []) == streamed(forecasts(expected), 1, [])


def test_scores_of_buckets_are_those_of_the_engine() -> None:
    engine = Engine(PROGRAM, model=history())
    engine.advance(TICKS + 5, frames(readings(0), PLAN, -1, TICKS + 5))
    parts = [msgspec.json.decode(each) for each in of_buckets(scored, forecasts(history()), 3, readings(0))]
    for name, whole in engine.scored.items():
        found = scores.Scores()
        for part in parts:
            found = found + scores.from_dict(part[name])
        assert scores.to_dict(found) == scores.to_dict(whole)


# ---- any program that can be divided ----


@settings(max_examples=10)
@given(data=st.data(), name=st.sampled_from(sorted(DEALT_OUT)), seed=st.integers(0, 999))
def test_any_program_has_the_chances_of_the_engine(data: st.DataObject, name: str, seed: int) -> None:
    program = antelog.parse(data.draw(with_odds(DEALT_OUT[name], every=True)))
    plan, dice = program.plan, random.Random(seed)
    assert plan.key
    for family in layout(plan).families:
        assert plan.key[family.predicate] in family.places
    found = forecasts_of(plan, None, Learning(False))
    assert found is not None
    facts = facts_of(plan, dice, 12, 7)
    job = job_of(plan, tables_of(plan, facts), 3, forecasts=found)
    stream = Stream(job, dice)
    parts = [*cut(facts, [dice.randrange(12)]), closing(plan, 20)]
    reported = comparable(row for part in parts for row in stream.batch(tables_of(plan, part)).changes)
    engine = Engine(Compiled(plan))
    log = engine.advance(20, frames(facts, plan, -1, 20))
    rows = ({"query": query, **row} for query, table in log.items() for row in table.to_pylist())
    assert reported == comparable(rows)


# ---- lines that are left out ----

RARE, FEW = Limits(min_chance=0.4), Limits(most=2)


@pytest.mark.parametrize(("buckets", "ends", "room"), [(1, [90, 200, 310], 0), (5, [150, 333], 40)])
def test_with_min_chance_buckets_change_nothing(buckets: int, ends: list[int], room: int) -> None:
    lines = in_process(PROGRAM, history(), FACTS, min_chance=RARE.min_chance)
    assert {row["change"] for row in lines} == {*KINDS} - {"closed"}
    assert len(lines) < len(in_process(PROGRAM, history(), FACTS))
    assert streamed(replace(forecasts(history()), limits=RARE), buckets, ends, room=room) == lines


@pytest.mark.parametrize(("buckets", "ends"), [(1, []), (5, [150, 333])])
def test_most_is_of_each_bucket(buckets: int, ends: list[int]) -> None:
    names = pa.array(["a", "b", "c", "d", "e"])
    places = dict(zip(names.to_pylist(), parts_of(names, buckets).tolist(), strict=True))
    parts = [
        in_process(PROGRAM, history(), [fact for fact in FACTS if places[str(fact[1][0])] == place], most=2)
        for place in sorted(set(places.values()))
    ]
    given = replace(forecasts(history()), limits=FEW)
    assert streamed(given, buckets, ends) == comparable(row for part in parts for row in part)
