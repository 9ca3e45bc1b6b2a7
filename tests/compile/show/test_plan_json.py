"""antelog/compile/show/plan_json.py: plans as JSON; what is none is refused with the reason."""

from __future__ import annotations

import json

import pytest

import antelog
from antelog.compile import from_json, to_json
from antelog.compile.show.explain import plan_text

PLAN = antelog.parse("Q(X, T) :- A(X, T), not B(X, _, T+1), X != a. query Q(X, T).").plan


def test_a_plan_survives() -> None:
    assert from_json(to_json(PLAN)) == PLAN


def test_another_version_is_refused() -> None:
    document = json.loads(to_json(PLAN)) | {"version": 0}
    with pytest.raises(antelog.PlanError, match="version 0"):
        from_json(json.dumps(document))


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[: len(text) // 2],
        lambda _: "",
        lambda _: "[]",
        lambda text: text.replace('"delay":0', '"delay":"none"', 1),
        lambda text: text.replace('"type":"Atom"', '"type":"Bomb"', 1),
        lambda text: text.replace('"relations"', '"relation"', 1),
    ],
)
def test_what_is_no_plan_is_refused(damage: object) -> None:
    assert callable(damage)
    with pytest.raises(antelog.PlanError, match="not a plan that antelog wrote"):
        from_json(damage(to_json(PLAN)))


def test_text_is_stable() -> None:
    assert plan_text(from_json(to_json(PLAN))) == plan_text(PLAN)
