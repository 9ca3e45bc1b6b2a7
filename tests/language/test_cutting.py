"""antelog/language/parser.py: which `%` begin comments, and where statements end."""

from __future__ import annotations

import pytest

from antelog.diagnostics import Source
from antelog.language.parser import cut, parse
from antelog.language.printer import to_text


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("delay P(_) = 2 % slow", "delay P(_) = 2       "),
        ("delay P(_) = 2% slow", "delay P(_) = 2      "),
        ("delay P(_, 5% five", "delay P(_, 5      "),
        ("delay P(_) = 1 (70%, 30%)% late", "delay P(_) = 1 (70%, 30%)      "),
        ("delay P(_) = 1 (70 %, 30%)", "delay P(_) = 1 (70        "),
        ('delay P("(", 5% five', 'delay P("(", 5      '),
        ("input P(time) delay 0 (9%)", None),
        ("input P(time) delay 0% none", "input P(time) delay 0      "),
        ("chance P(_) = 5%, again 80%.% often", "chance P(_) = 5%, again 80%.       "),
        ("chance P(5% five", "chance P(5      "),
        ("chance P(_) =5%", None),
        ("query P(X, T) alert 80%", None),
        ("query P(X, T) window 5% ticks", "query P(X, T) window 5       "),
        ("P(X, T) :- Q(X, V, T), V = 5% of it", "P(X, T) :- Q(X, V, T), V = 5       "),
        ("P(X, T) :- again(X, V, T), alert 5% of it", "P(X, T) :- again(X, V, T), alert 5       "),
        ("chance P(_) = 5%% five", "chance P(_) = 5%      "),
        ('P("5%, again 5%", T)% none', 'P("5%, again 5%", T)      '),
    ],
)
def test_comments_are_blank(text: str, left: str | None) -> None:
    assert cut(text).text == (left or text)


def test_a_percentage_ends_no_statement() -> None:
    text = "chance P(_) = 0.5%, again 1.5%. % twice.\ndelay P(_) = 0 (1.5%).\nQ(T) :- P(T)."
    cuts = cut(text).statements
    assert [text[each.start : each.end] for each in cuts] == [
        "chance P(_) = 0.5%, again 1.5%.",
        "delay P(_) = 0 (1.5%).",
        "Q(T) :- P(T).",
    ]


def test_what_is_read_shows_each_percentage() -> None:
    text = """delay Temp(_, _, _) = 2 % slow
        .
        chance Temp(_, high, _) = 5%, % seldom, again 3%
          again 80%.
    """
    assert to_text(parse(Source(text)).document) == (
        "delay Temp(_, _, _) = 2.\nchance Temp(_, high, _) = 5%, again 80%.\n"
    )


def test_a_missing_full_stop_does_not_hide_the_next_percentage() -> None:
    (error,) = parse(Source("query P(X, T)\nchance Q(_) = 5%, again 80%.\nQ(T) :- P(T).")).diagnostics
    assert error.message == "this statement has no full stop at its end"
