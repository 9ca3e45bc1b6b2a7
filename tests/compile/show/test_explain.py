"""antelog/compile/show/explain.py: a plan as lines of text; the details of a plan, line by line."""

from __future__ import annotations

import json

import pytest

import antelog
from antelog.compile import from_json, to_json
from antelog.compile.show.explain import (
    Line,
    bounds_lines,
    explain,
    key_text,
    plan_html,
    plan_text,
    source_lines,
)
from tests.compile.plans import plan_of

PLAN = plan_of("""input A(x: text, time) delay 2. static S(x). S(a). S(b).
    P(X, T) :- A(X, T), S(X), not B(X, T). P(c, 5) :- A(c, 5). B(X, T) :- A(X, T+1). query P(X, T).""")


def test_a_line_has_its_indentation() -> None:
    assert str(Line("open     at once", indent=2, hanging=11)) == "  open     at once"


def test_the_whole_ends_with_the_key() -> None:
    assert explain(PLAN).splitlines()[-1] == key_text(PLAN)
    assert plan_text(PLAN).splitlines() == explain(PLAN).splitlines()


def test_a_row_for_each_relation_with_what_explain_says() -> None:
    rules = 'Q(X, T) :- A(X, T), not B(X, T), X != "<b>". B(X, T) :- A(X, T+1).'
    html = plan_html(plan_of(f"input A(x, time) delay 2. {rules} query Q(X, T)."))
    assert html.count("<tr>") == 1 + 1 + 1 + 2
    assert "decided by T+" in html
    assert html.index("when A(X, T") < html.index("<details>") < html.index("window")
    assert "&lt;b&gt;" in html


def test_facts_of_the_background_that_rules_derive_are_counted() -> None:
    assert list(source_lines(PLAN, {"S": 3}))[1] == "static S(x: text), 2 facts in the program, 1 derived"


def test_what_is_kept_for_ever_is_said() -> None:
    plan = plan_of("""input A(x: text, time). input R(x: text, time) delay 1.
        Old(X, T) :- A(X, T), not R(X, 0..T-1). query Old(X, T).""")
    assert "state: no bound; all there is of R is kept for ever" in list(
        bounds_lines(plan, plan.relation("Old"))
    )


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
        lambda text: text.replace('"delay":2', '"delay":"none"', 1),
        lambda text: text.replace('"type":"Atom"', '"type":"Bomb"', 1),
        lambda text: text.replace('"relations"', '"relation"', 1),
    ],
)
def test_what_is_no_plan_is_refused(damage: object) -> None:
    assert callable(damage)
    with pytest.raises(antelog.PlanError, match="not a plan that antelog wrote"):
        from_json(damage(to_json(PLAN)))
