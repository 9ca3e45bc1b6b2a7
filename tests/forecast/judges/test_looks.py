"""antelog/forecast/judges/looks.py: the values that a query compares, and the latest ones as of a tick."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import antelog
from antelog.engine.values.values import Values
from antelog.errors import StateError
from antelog.forecast.judges.looks import (
    LAST,
    NUMBER,
    OLDEST,
    LatestValues,
    Look,
    looks_of,
    no_values,
    values_of,
)
from antelog.forecast.model_file import rewritten
from antelog.process import Engine
from tests.forecast.making import cells, facts_of, plan_of, replayed
from tests.tables import cases

READING = "input Reading(device: text, kind: text, value: number, time) delay 1.\n"


def looks(rules: str) -> tuple[Look, ...]:
    return looks_of(plan_of(READING + rules + "query P(X, T)."), "P")


def test_a_comparison_is_found_through_an_auxiliary_predicate() -> None:
    rules = "High(X, T) :- Reading(X, warm, V, T), V >= 90. P(X, T) :- High(X, T), High(X, T+1)."
    found = looks(rules)
    assert found == (Look("Reading", ((1, "warm"),), ((0, 0),), 2, ">=", 90.0),)


def test_a_query_without_comparisons_of_numbers_has_no_looks() -> None:
    assert looks("P(X, T) :- Reading(X, warm, 3, T), not Reading(X, cold, _, T+1).\n") == ()
    assert looks("P(X, T) :- Reading(X, K, _, T), K > a.\n") == ()


def test_negated_atoms_and_other_constants_are_looked_at_apart() -> None:
    rules = "Cold(X, T) :- Reading(X, cold, V, T), V < 5. P(X, T) :- Reading(X, warm, V, T), V > 90"
    found = [(each.constants, each.operator, each.threshold) for each in looks(f"{rules}, not Cold(X, T+1).")]
    assert found == [(((1, "warm"),), ">", 90.0), (((1, "cold"),), "<", 5.0)]


def test_one_column_has_one_look() -> None:
    """The trees find other thresholds themselves."""
    found = looks("P(X, T) :- Reading(X, _, V, T), V > 90, Reading(X, _, W, T+1), W < 80.\n")
    assert [each.threshold for each in found] == [90.0]


@cases(__file__, "the_threshold_is_a_number_or_else_0")
def test_the_threshold_is_a_number_or_else_0(condition: str, operator: str, threshold: float) -> None:
    found = looks(f"P(X, T) :- Reading(X, a, V, T), {condition}.\n")
    assert (found[0].operator, found[0].threshold) == (operator, threshold)


def test_a_value_that_the_answer_has_is_looked_at_too() -> None:
    rules = READING + "P(X, V, T) :- Reading(X, a, V, T), V > 9, not Reading(X, b, V, T+1). query P(X, V, T)."
    (look, *_) = looks_of(plan_of(rules), "P")
    assert (look.key, look.column, look.threshold) == (((0, 0),), 2, 9.0)


def test_aggregates_are_looked_into() -> None:
    found = looks("P(X, T) :- Reading(X, _, _, T), avg(V : Reading(X, a, V, T-2..T+2)) > 70.\n")
    assert [(each.column, each.operator, each.threshold) for each in found] == [(2, ">", 70.0)]
    found = looks("P(X, T) :- Reading(X, _, _, T), count(Reading(X, a, V, T..T+9), V > 8) >= 3.\n")
    assert [(each.column, each.operator, each.threshold) for each in found] == [(2, ">", 8.0)]


def test_a_key_that_the_answer_does_not_have_is_open() -> None:
    rules = READING + "High(T) :- Reading(X, a, V, T), V > 9. P(T) :- High(T), High(T+1). query P(T)."
    (look,) = looks_of(plan_of(rules), "P")
    assert look.key == ()


def test_inputs_that_the_query_names_are_looked_at() -> None:
    plan = plan_of(
        READING + "input Load(place: text, device: text, l: number, t) delay 1.\n"
        "P(X, T) :- Reading(X, warm, V, T), V >= 90.\n"
        "query P(X, T) given Load(hall, X, L, T), Reading(X, _, V, T), Reading(X, warm, V, T)."
    )
    assert looks_of(plan, "P") == (
        Look("Reading", ((1, "warm"),), ((0, 0),), 2, ">=", 90.0),
        Look("Load", ((0, "hall"),), ((1, 0),), 2, ">=", 0.0),
        Look("Reading", (), ((0, 0),), 2, ">=", 0.0),
    )


LOOK = Look("Temp", (), ((0, 0),), 1, ">", 100.0)


def test_what_the_latest_values_say() -> None:
    known, values = latest([("a", 97, 5, 5), ("a", 101, 6, 6), ("b", 300, 6, 6)])
    found = known.features((cells(values, ["a", "a", "c"]),), np.array([6, 5, 6]), ">").tolist()
    value = [1.0, -3.0, -3.0, -3.0, -3.0, -3.0]
    assert found[0] == pytest.approx([*value, -1.0, 2.0, 1.0, 4.0, 4.0, 0.0, *np.log1p([1, 1]), 2.0])
    assert found[1][:9] == [-3.0] * 7 + [0.0, -1.0]
    assert found[2] == [0.0] * NUMBER
    assert len(found[0]) == NUMBER


def test_cells_are_rewritten_where_others_stand_for_the_values() -> None:
    known, values = latest([("a", 110, 5, 5)])
    others = Values(["x", "a"])
    moved = rewritten(known, lambda column: others.recoded(column, values))
    assert moved.features((cells(others, ["a", "x"]),), np.array([5, 5]), ">")[:, 0].tolist() == [10.0, 0.0]


def test_only_facts_with_the_constants_and_a_number_count() -> None:
    look = Look("Temp", ((1, "in"),), ((0, 0),), 2, ">", 0.0)
    values = Values()
    facts = facts_of(values, [("a", "in", 1, 0, 0), ("a", "out", 2, 0, 0), ("a", "in", "hot", 0, 0)])
    assert values_of(look, {"Temp": facts}, Values(), values).value.tolist() == [1.0]
    assert values_of(look, {}, Values(), values).count == 0


@pytest.mark.parametrize("seed", range(20))
def test_as_looking_at_each_fact(seed: int) -> None:
    """Whatever the order facts come in, and whether what nobody needs is dropped meanwhile."""
    random = np.random.default_rng(seed)
    facts = made(random, 300)
    rows = [(f"k{random.integers(4)}", int(random.integers(60))) for _ in range(80)]
    known, values = latest(facts)
    asked = cells(values, [key for key, _ in rows]), np.array([tick for _, tick in rows])
    found = known.features((asked[0],), asked[1], ">")[:, :LAST]
    expected = [by_hand(facts, *row) for row in rows]
    assert np.allclose(found, expected)
    first, tick = (each for each in (asked[0], asked[1]))
    early = np.array([int(str(each[-1])) <= 30 for each in facts])
    old, _ = latest([fact for fact, is_early in zip(facts, early, strict=True) if is_early], values)
    new, _ = latest([fact for fact, is_early in zip(facts, early, strict=True) if not is_early], values)
    later = tick > 30
    some = old.trimmed(30).and_then(new).features((first[later],), tick[later], ">")
    assert np.allclose(some[:, :LAST], found[later])
    assert old.trimmed(30).count <= LAST * 4


def test_what_is_too_old_is_not_seen() -> None:
    known, values = latest([("a", 110, 5, 5)])
    seen = known.features((cells(values, ["a", "a"]),), np.array([4 + OLDEST, 5 + OLDEST]), ">")
    assert seen[:, -1].tolist() == [1.0, 0.0]
    assert known.trimmed(5 + OLDEST).count == 0


def test_without_a_key_all_facts_count() -> None:
    known = LatestValues((), np.array([1, 2]), np.array([1, 2]), np.array([5.0, 7.0]))
    assert known.features((), np.array([2]), ">")[0, :2].tolist() == [7.0, 5.0]
    assert no_values(0).features((), np.array([2]), ">")[0, -1] == 0


def latest(facts: list[tuple[object, ...]], values: Values | None = None) -> tuple[LatestValues, Values]:
    """The values of facts given as key, value, time and arrival."""
    own, of = values or Values(), Values()
    if not facts:
        return no_values(1), own
    return values_of(LOOK, {"Temp": facts_of(of, facts)}, own, of), own


def made(random: np.random.Generator, count: int) -> list[tuple[object, ...]]:
    time = random.integers(50, size=count)
    arrival = time + random.integers(6, size=count)
    return [
        (f"k{random.integers(4)}", int(random.integers(90, 110)), int(t), int(a))
        for t, a in zip(time, arrival, strict=True)
    ]


def by_hand(facts: list[tuple[object, ...]], key: str, tick: int) -> list[float]:
    mine = sorted((t, a, v) for k, v, t, a in facts if k == key and a <= tick)  # type: ignore[operator]
    newest = [float(v) - 100 for *_, v in mine[::-1][:LAST]]  # type: ignore[arg-type]
    return [*newest, *[newest[-1] if newest else 0.0] * (LAST - len(newest))]


RULES = """
input Temp(motor: text, value: number, time).
input Load(motor: text, percent: number, time) delay 1.
Hot(X, T) :- Temp(X, V, T), V >= 90, Temp(X, W, T+1), W >= 90.
query Hot(X, T){}.
"""
PLAIN, GIVEN = antelog.parse(RULES.format("")), antelog.parse(RULES.format(" given Load(X, L, T)"))
TICKS = 600


@cache
def facts() -> dict[str, list[tuple[Any, ...]]]:
    """Every other reading is hot, and the next one as well where the load is high."""
    random = np.random.default_rng(0)
    temp: list[tuple[Any, ...]] = []
    load: list[tuple[Any, ...]] = []
    for tick in range(0, TICKS, 2):
        for motor in ("a", "b"):
            percent = float(random.integers(0, 100))
            load.append((motor, percent, tick))
            temp += [(motor, 91.0, tick), (motor, 91.0 if percent > 60 else 20.0, tick + 1)]
    return {"Temp": temp, "Load": load}


def run(engine: Engine, ends: list[int]) -> pa.Table:
    return replayed(engine, facts(), ends)["Hot"]


@cache
def learned() -> Engine:
    engine = Engine(GIVEN, model="learn")
    run(engine, [TICKS])
    return engine


def test_what_no_rule_says_is_learned() -> None:
    other = Engine(PLAIN, model="learn")
    run(other, [TICKS])
    brier, without = (each.scores().to_pylist()[0]["brier"] for each in (learned(), other))
    assert brier < 0.5 * without


def test_a_model_that_looks_at_other_inputs_is_refused() -> None:
    with pytest.raises(StateError, match="Hot is not the same in both"):
        Engine(PLAIN, model=learned().model)
    Engine(GIVEN, model=learned().model)


def test_where_chances_look_at_something_else_learning_begins_anew() -> None:
    engine = Engine(PLAIN, model="learn")
    run(engine, [99])
    change = engine.change_rules(GIVEN, accept=True)
    assert change is not None
    assert change.anew == ("Hot",)
    assert "linear" in run(engine, [TICKS])["chance_from"].to_pylist()


def test_the_key_is_one_of_what_is_looked_at_too() -> None:
    assert GIVEN.plan.key["Load"] == 0
    # A load of all motors has no motor, so that its facts would belong to every part.
    rules = RULES.replace("input Load(motor: text, ", "input Load(").format(" given Load(L, T)")
    assert not antelog.parse(rules).plan.key
