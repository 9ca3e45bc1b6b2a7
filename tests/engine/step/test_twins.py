"""antelog/engine/step/matching.py: static facts, and answers that differ in a name, are worked out once."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from antelog import Engine, parse
from antelog.engine.state import start
from tests.engine.replay import follow, runnable
from tests.engine.stages import stage
from tests.specification import evaluate
from tests.specification.helpers import stream_of
from tests.strategies import Case

SHOPS = """
static Shop(shop, region). Shop(annes, middle). Shop(bos, middle). Shop(carls, coast).
input Hot(region, product, time) delay 1.
input Sold(shop, time) delay 1.
"""
RULE = "Lead(S, P, T) :- Shop(S, R), Hot(R, P, T), Hot(R, P, T+1), not Cold(R, T). "
LEAD = RULE + "Cold(R, T) :- Hot(R, ice, T). "


def found(rules: str) -> set[frozenset[str]] | None:
    """Which values stand for each other."""
    given = stage(f"{SHOPS} {rules} query Lead(S, P, T).")
    twins = given.known.static.twins.get("Lead")
    if twins is None:
        return None
    which, cells = twins.each(twins.one)
    each = given.known.values.texts(cells).to_pylist()
    assert twins.sizes(twins.one).tolist() == np.bincount(which).tolist()
    return {
        frozenset(name for name, number in zip(each, which, strict=True) if number == one)
        for one in range(len(twins.one))
    }


def test_values_are_twins_if_the_background_has_them_beside_the_same() -> None:
    assert found(LEAD) == {frozenset({"annes", "bos"}), frozenset({"carls"})}


@pytest.mark.parametrize(
    "rule",
    [
        "Lead(S, P, T) :- Shop(S, R), Hot(R, P, T), Sold(S, T).",  # a fact is about the shop
        "Lead(S, P, T) :- Shop(S, R), Hot(R, P, T), not Sold(S, T).",
        "Lead(S, P, T) :- Shop(S, R), Hot(R, P, T), P != S.",
        "static Off(x, y). Off(annes, ice). Lead(S, P, T) :- Shop(S, R), Hot(R, P, T), not Off(S, P).",
        LEAD + "Lead(S, P, T) :- Shop(S, R), Hot(R, P, T), Sold(S, T).",  # so it is in another rule
        LEAD + "static Inner(shop, region). Inner(bos, coast). Lead(S, P, T) :- Inner(S, R), Hot(R, P, T).",
        LEAD + "Lead(annes, P, T) :- Hot(coast, P, T).",
    ],
)
def test_what_else_is_said_of_a_value_tells_it_from_others(rule: str) -> None:
    assert found(rule) is None


def test_a_static_condition_on_the_value_only_leaves_fewer() -> None:
    assert found(LEAD.replace("Shop(S, R),", "Shop(S, R), S != annes,")) is None
    dora = LEAD + "Shop(dora, middle)."
    without = dora.replace("Shop(S, R),", "Shop(S, R), S != annes,")
    assert found(without) == {frozenset({"bos", "dora"}), frozenset({"carls"})}


FACTS = {
    0: {"Hot": [("middle", "tea", 0)]},
    1: {"Hot": [("middle", "tea", 1), ("coast", "ice", 1)]},
    2: {"Hot": [("coast", "ice", 2), ("middle", "oat", 2)]},
    4: {},
}


@pytest.mark.parametrize("only", [None, ["confirmed"], ["possible", "rejected"]])
def test_the_log_is_as_if_each_were_worked_out_alone(only: list[str] | None) -> None:
    """A second rule that never fires says that annes is not like bos."""
    apart = LEAD + "Lead(annes, P, T) :- Hot(nowhere, P, T), Hot(nowhere, P, T+1)."
    assert found(LEAD) is not None
    assert found(apart) is None
    one, other = (
        Engine(parse(f"{SHOPS} {rules} query Lead(S, P, T)."), only=only) for rules in (LEAD, apart)
    )
    lines = 0
    for tick, facts in FACTS.items():
        reported, expected = one.advance(tick, facts)["Lead"], other.advance(tick, facts)["Lead"]
        assert reported.equals(expected)
        assert one.answers("Lead").equals(other.answers("Lead"))
        assert one.status.open_answers == other.status.open_answers
        lines += reported.num_rows
    assert lines >= 2


def test_limits_on_facts_treat_twins_alike() -> None:
    apart = LEAD + "Lead(annes, P, T) :- Hot(nowhere, P, T), Hot(nowhere, P, T+1)."
    one, other = (Engine(parse(f"{SHOPS} {rules} query Lead(S, P, T)."), limit=1) for rules in (LEAD, apart))
    rows = {
        0: [("middle", "tea", 0)],
        1: [("middle", "tea", 1), ("coast", "ice", 1), ("middle", "oat", 1)],
        2: [],
    }
    for tick, facts in rows.items():
        assert one.advance(tick, {"Hot": facts})["Lead"].equals(other.advance(tick, {"Hot": facts})["Lead"])
    assert one.status.dropped == other.status.dropped > 0


WITH_TWINS = [
    LEAD + "query Lead(S, P, T).",
    "Calm(S, T) :- Shop(S, R), not Cold(R, T). Cold(R, T) :- Hot(R, ice, T). query Calm(S, T).",
    "Two(P, S, T) :- Hot(R, P, T), Hot(Q, P, T+1), Shop(S, R), R != Q. query Two(P, S, T).",
    "Soon(S, T) :- Shop(S, R), Hot(R, P, T), Hot(R, P, U), U > T, U <= T + 2. query Soon(S, T).",
    """Odd(S, T) :- Shop(S, R), Hot(R, tea, T), not Even(R, T). Even(R, T) :- Hot(R, P, T-1).
    Odd(S, T) :- Shop(S, R), Hot(R, ice, T+1). query Odd(S, T).""",
    "Any(S, S2, T) :- Shop(S, R), Shop(S2, Q), Hot(R, P, T), Hot(Q, P, T+1). query Any(S, S2, T).",
]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("rules", WITH_TWINS)
def test_the_specification_knows_no_twins(rules: str, seed: int) -> None:
    random = Random(seed)
    facts = {
        (random.choice(["middle", "coast"]), random.choice(["tea", "ice"]), random.randrange(4))
        for _ in range(6)
    }
    arriving = tuple(("Hot", fact, fact[2] + random.randrange(2)) for fact in sorted(facts))
    case = Case(f"{SHOPS} {rules}", arriving, 6)
    compiled = runnable(case.checked)
    assert compiled is not None
    assert start(compiled.plan).static.twins
    evaluation = evaluate(case.checked, stream_of(case.facts), case.until)
    assert follow(case, compiled, evaluation) > 0


# ---- static facts ----

STATIC = """
static Link(x, y). Link(a, b). Link(b, c). Link(c, a).
static Staff(x). Staff(a).
input P(x, time). input R(x, time) delay 1.
Q(X, T) :- Link(X, Y), P(Y, T), R(X, T-2), X != c, not Staff(X).
query Q(X, T).
"""


def test_background_is_joined_and_tested_before_any_fact_comes() -> None:
    given = stage(STATIC)
    prepared, background = given.pattern("Q")
    assert given.read(prepared, background.rows) == [{"X": "a", "Y": "b"}, {"X": "b", "Y": "c"}]
    (forbidden,) = background.forbidden
    assert given.read(prepared, forbidden) == [{"X": "a"}]


def test_a_variable_of_the_background_alone_takes_no_rows() -> None:
    text = "static Link(x, y). Link(a, b). Link(a, c). input P(x, time). "
    given = stage(text + "Q(X, T) :- Link(X, Y), P(X, T). query Q(X, T).")
    prepared, background = given.pattern("Q")
    assert given.read(prepared, background.rows) == [{"X": "a"}]
