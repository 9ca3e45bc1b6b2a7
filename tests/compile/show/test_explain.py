"""antelog/compile/show/explain.py: a plan as lines of text; the details of a plan, line by line."""

from __future__ import annotations

import json

import pytest

import antelog
from antelog.compile import from_json, to_json
from antelog.compile.show.details import (
    answer_text,
    bounds_lines,
    key_text,
    pattern_lines,
    relation_title,
    source_lines,
    strata_lines,
)
from antelog.compile.show.explain import TITLE, Line, details, explain, plan_html, plan_text, report
from tests.compile.plans import plan_of

PLAN = plan_of("""input A(x: text, time) delay 2. static S(x). S(a). S(b).
    P(X, T) :- A(X, T), S(X), not B(X, T). P(c, 5) :- A(c, 5). B(X, T) :- A(X, T+1). query P(X, T).""")


def test_details_come_after_what_a_user_wants_to_know() -> None:
    assert [line.text for line in report(PLAN) if line.role == TITLE] == [
        "query P(X, T)",
        "Inputs and background",
        "Patterns and bounds",
        "Strata: groups of rules, each worked out after those it asks by `not`",
    ]


def test_a_relation_has_its_patterns_and_what_they_fix() -> None:
    lines = list(map(str, details(PLAN)))
    assert "  query P for X, T" in lines
    assert "    S(X), A(X, T), not B(X, T)" in lines
    assert "    A(c, 5)   giving X = c, T = 5" in lines


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


QUERY = PLAN.relation("P")


def test_where_facts_come_from() -> None:
    assert list(source_lines(PLAN)) == [
        "input A(x: text, time), delay 2",
        "static S(x: text), 2 facts in the program",
    ]
    assert list(source_lines(PLAN, {"S": 3}))[1].endswith(", 1 derived")


def test_a_query_and_what_its_patterns_fix() -> None:
    assert relation_title(QUERY) == "query P for X, T"
    assert answer_text(QUERY, QUERY.patterns[1]) == "X = c, T = 5"
    assert not list(pattern_lines(QUERY.patterns[0]))


def test_bounds_of_a_query_and_of_what_it_negates() -> None:
    negated = next(relation for relation in PLAN.relations if not relation.is_query)
    assert list(bounds_lines(PLAN, QUERY))[:2] == [
        "delay: decided by T+3 at the latest; confirmed answers are remembered until then",
        "window: 4 ticks",
    ]
    assert "needed until T+3, asked about in P" in list(bounds_lines(PLAN, negated))


def test_strata_and_the_key() -> None:
    assert [line[:2] for line in strata_lines(PLAN)] == ["0:", "1:"]
    assert key_text(PLAN).startswith("partition key: ")
    off = plan_of("Off(T+1) :- Press(T+1), not Off(T). query Off(T).")
    assert list(strata_lines(off)) == ["0: Off, tick by tick"]


def test_what_is_kept_for_ever_is_said() -> None:
    plan = plan_of("""input A(x: text, time). input R(x: text, time) delay 1.
        Old(X, T) :- A(X, T), not R(X, 0..T-1). query Old(X, T).""")
    assert "state: no bound; all there is of R is kept for ever" in list(
        bounds_lines(plan, plan.relation("Old"))
    )


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
        lambda text: text.replace('"delay":2', '"delay":"none"', 1),
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
