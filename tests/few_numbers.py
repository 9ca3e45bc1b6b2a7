"""Random rules of a few literals whose numbers are compared: `R(X, V, T), R(X, W, T+1), W > V + 1`.

What comparisons say together matters here: with `W < 5` there is no such V above 4.
"""

from __future__ import annotations

from hypothesis import assume
from hypothesis import strategies as st

from antelog.diagnostics import Source
from antelog.language import read
from tests.strategies import Case, with_stream

_VALUES = (["X"], ["X", "a"], ["X", "Y"], ["X", "X", "Y", "a"])
_NUMBERS = (["V"], ["V", "W"], ["V", "W", "5"], ["V", "W", "Z"])
_TIMES = (["T"], ["T", "T+1"], ["T", "T+1", "T-1"])
_OPERATORS = ("<", "<", "<=", ">", ">=", "!=", "=")
_CONSTANTS = ("3", "5", "10", "V + 2")


@st.composite
def programs(draw: st.DrawFn) -> str:
    """A program as text, of one rule or two."""
    delays = [draw(st.sampled_from(["", " delay 1", " delay 2"])) for _ in range(2)]
    declarations = f"input A(x: text, time){delays[0]}. input R(x: text, v: number, time){delays[1]}."
    head = draw(st.sampled_from(["P(X, T)", "P(X, V, T)", "P(T)"]))
    rules = [_rule(draw, head) for _ in range(draw(st.sampled_from([1, 1, 1, 2])))]
    text = "\n".join((declarations, *rules, f"query {head}."))
    assume(read(Source(text)).ok)
    return text


def _rule(draw: st.DrawFn, head: str) -> str:
    values, numbers, times = (draw(st.sampled_from(some)) for some in (_VALUES, _NUMBERS, _TIMES))
    body = [_literal(draw, values, numbers, times) for _ in range(draw(st.integers(1, 4)))]
    body += [_comparison(draw, values, numbers) for _ in range(draw(st.integers(1, 3)))]
    return f"{head} :- {', '.join(dict.fromkeys(body))}."


def _literal(draw: st.DrawFn, values: list[str], numbers: list[str], times: list[str]) -> str:
    arguments = [draw(st.sampled_from(values)), draw(st.sampled_from(times))]
    name = draw(st.sampled_from("RRA"))
    if name == "R":
        arguments.insert(1, draw(st.sampled_from(numbers)))
    return f"{draw(st.sampled_from(['', '', 'not ']))}{name}({', '.join(arguments)})"


def _comparison(draw: st.DrawFn, values: list[str], numbers: list[str]) -> str:
    variables = [name for name in numbers if name.isupper()]
    one, other = [*variables, *(f"{name} + 1" for name in variables), "V + 2.5"], [*variables, *_CONSTANTS]
    if draw(st.integers(0, 3)) == 0:
        one, other = [name for name in values if name.isupper()], [*values, "b"]
    return f"{draw(st.sampled_from(one))} {draw(st.sampled_from(_OPERATORS))} {draw(st.sampled_from(other))}"


@st.composite
def cases_of_few_numbers(draw: st.DrawFn) -> Case:
    """Such a program and a stream of a few facts."""
    return with_stream(draw, draw(programs()), latest=3, most=5)
