"""antelog/compile/show/explain.py: a plan as lines of text."""

from __future__ import annotations

from antelog.compile.show.details import key_text
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
