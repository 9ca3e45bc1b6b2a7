"""Random programs that call functions, of users and built in, in conditions and for values."""

from __future__ import annotations

from hypothesis import strategies as st

from antelog import UserFunction
from antelog.diagnostics import Source
from antelog.language import read
from tests.declared import declarations
from tests.specification.functions import OF_USERS
from tests.strategies import Case, with_stream

DECLARED = ("function near(a, b).", "function half(a) -> number.", "function tag(a) -> text.")
FUNCTIONS = {name: UserFunction(name, code, "values") for name, code in OF_USERS.items()}

_BODIES = (
    "R(X, V, T)", "R(X, V, T), R(X, W, T+1)", "R(X, V, T), R(Y, W, T-1)", "R(X, V, T), A(Y, T+1)",
    "R(X, V, T), not A(X, T+1)", "R(X, V, T), R(Y, W, U), U > T, U <= T+2",
    "A(X, T), A(Y, T+1), not R(X, _, T)", "Site(X), R(X, V, T), R(Y, W, T+1)",
)  # fmt: skip
TESTS = (
    *("near(V, W)", "not near(V, W)", "near(V, 3.5)", "not near(V + 1, W)", "near(half(V), W)", "near(X, Y)"),
    *('contains(X, "a")', 'not contains(X, "a")', "starts_with(X, Y)", 'matches(X, "^[ab]$")'),
    "not near(X, Y)",
    *("half(V) = W", "half(V) > 4", "half(V) != W", "W * half(V) >= 30", "tag(V) = tag(W)"),
    "tag(X) != tag(Y)",
    *("lower(X) = X", "upper(X) = Y", "length(X) = 1", "tag(X) > tag(Y)", "half(V) < W, W < 12"),
)
WORKED_OUT = ("D = half(V)", "D = tag(X)", "D = tag(V)", "D = half(V) * 2", "D = length(tag(X))")


@st.composite
def programs(draw: st.DrawFn) -> str:
    """A program as text, with a rule or two for the predicate that is asked for."""
    gives = draw(st.sampled_from((None, None, *WORKED_OUT)))
    head = "P(X, T)" if gives is None else "P(X, D, T)"
    bodies = _BODIES if gives is None or "V" not in gives else [b for b in _BODIES if "V" in b]
    rules = [
        f"{head} :- {', '.join(_body(draw, draw(st.sampled_from(bodies)), gives))}."
        for _ in range(draw(st.sampled_from([1, 1, 2])))
    ]
    return "\n".join((*DECLARED, *declarations(draw, " ".join(rules)), *rules, f"query {head}."))


def _body(draw: st.DrawFn, body: str, gives: str | None) -> list[str]:
    fitting = [each for each in TESTS if all(name in body for name in "VWXY" if name in each)]
    tests = draw(st.lists(st.sampled_from(fitting), min_size=gives is None, max_size=2, unique=True))
    return [body, *([] if gives is None else [gives]), *tests]


@st.composite
def cases_with_functions(draw: st.DrawFn) -> Case:
    """A program that calls functions, and a stream of a few facts."""
    text = draw(programs().filter(lambda text: read(Source(text)).ok))
    return with_stream(draw, text, latest=3, most=6)
