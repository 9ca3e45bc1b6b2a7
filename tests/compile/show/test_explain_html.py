"""antelog/compile/show/explain.py: a plan as a table for notebooks."""

from __future__ import annotations

from antelog.compile.show.explain import plan_html
from tests.compile.plans import plan_of


def test_a_row_for_each_relation_with_what_explain_says() -> None:
    rules = 'Q(X, T) :- A(X, T), not B(X, T), X != "<b>". B(X, T) :- A(X, T+1).'
    html = plan_html(plan_of(f"input A(x, time) delay 2. {rules} query Q(X, T)."))
    assert html.count("<tr>") == 1 + 1 + 1 + 2
    assert "decided by T+" in html
    assert html.index("when A(X, T") < html.index("<details>") < html.index("window")
    assert "&lt;b&gt;" in html
