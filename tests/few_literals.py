"""Random rules of a few literals, whatever these are: negated or not, about `T`, `U` or ticks beside them.

`strategies.cases()` draws rules much as people write them. Here anything goes that the language allows,
so literals often may be served by one fact, negated ones too: `A(X, T), A(a, U), not B(X, Y, U), U <= T`.
"""

from __future__ import annotations

import re

from hypothesis import assume
from hypothesis import strategies as st

from antelog.diagnostics import Source
from antelog.language import read
from tests.strategies import Case, with_stream

_ARITY = {"A": 1, "B": 2, "C": 0, "Q": 1}
_VALUES = (["X"], ["X", "a"], ["X", "Y"], ["X", "X", "Y", "a"], ["X", "Y", "_"])
_TIMES = (["T", "U"], ["T", "T+1", "T-1"], ["T", "T", "U", "U+1", "T-1"], ["T", "T+1", "U", "2"], ["T", "2"])
_CONDITIONS = (
    *("U <= T", "U < T", "U != T", "T <= U+1", "U >= T-1", "T >= 1", "X != Y", "X = a"),
    *("U <= 2", "U <= 2, U != T", "U >= T-2, U <= T, U != T-1"),
)
_REFINEMENTS = ("", "", "", "", "delay A(a, _) = 3.", "delay B(a, _, _) = 0.")


@st.composite
def programs(draw: st.DrawFn) -> str:
    """A program as text: one rule or two, and sometimes one for a predicate of theirs."""
    delays = [draw(st.sampled_from(["", " delay 1", " delay 1", " delay 2"])) for _ in range(3)]
    declarations = (
        f"input A(x: text, time){delays[0]}. input B(x: text, y: text, time){delays[1]}.",
        f"input C(time){delays[2]}. {draw(st.sampled_from(_REFINEMENTS))}",
    )
    names, rules = ["A", "A", "B", "C"], []
    if draw(st.booleans()):
        rules.append(_rule(draw, "Q(X, T)", names, most=2))
        names = [*names, "Q", "Q"]
    head = draw(st.sampled_from(["P(X, T)", "P(X, T)", "P(X, Y, T)"]))
    rules += [_rule(draw, head, names, most=5) for _ in range(draw(st.sampled_from([1, 1, 1, 2])))]
    text = "\n".join((*declarations, *rules, f"query {head}."))
    assume(read(Source(text)).ok)
    return text


def _rule(draw: st.DrawFn, head: str, names: list[str], most: int) -> str:
    values, times = draw(st.sampled_from(_VALUES)), draw(st.sampled_from(_TIMES))
    body = [_literal(draw, names, values, times) for _ in range(draw(st.integers(1, most)))]
    there = _variables(", ".join(body))
    fitting = [condition for condition in _CONDITIONS if _variables(condition) <= there]
    if fitting and draw(st.integers(0, 2)) == 0:
        body.append(draw(st.sampled_from(fitting)))
    return f"{head} :- {', '.join(dict.fromkeys(body))}."


def _variables(text: str) -> set[str]:
    return set(re.findall("[TUXY]", text))


def _literal(draw: st.DrawFn, names: list[str], values: list[str], times: list[str]) -> str:
    name = draw(st.sampled_from(names))
    arguments = [draw(st.sampled_from(values)) for _ in range(_ARITY[name])]
    denied = draw(st.sampled_from(["", "", "not "]))
    return f"{denied}{name}({', '.join((*arguments, draw(st.sampled_from(times))))})"


@st.composite
def cases_of_few_literals(draw: st.DrawFn) -> Case:
    """Such a program and a stream of a few facts."""
    return with_stream(draw, draw(programs()), latest=3, most=5)
