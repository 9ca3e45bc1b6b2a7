"""Random programs whose asked literals have open variables that decide nonetheless; and streams for them.

P(X, T) :- A(X, T), B(X, Y, U), U > T, U <= T+3, not R(X, _, T..U).     the last tick of the range is open
P(X, T) :- A(X, T), A(Y, T+2), count(B(X, Y, T..T+1)) >= 1.             Y is
"""

from __future__ import annotations

import re

from hypothesis import strategies as st

from tests.declared import declarations
from tests.strategies import Case, streamed

_STARTS = (
    "A(X, T)", "A(X, T)", "A(X, T)", "B(X, _, T)", "R(X, V, T)", "A(X, T), not C(T)", "Site(X), A(X, T)",
)  # fmt: skip
_NEXT = ("A(X, U)", "A(X, U)", "B(X, Y, U)", "A(Y, U)", "R(X, W, U)", "A(X, U+1)", "A(X, U), B(Y, X, U+1)")
_APART = ("U > T, U <= T+3", "U > T, U <= T+3", "U >= T, U < T+3", "U > T", "U > T, U != T+2, U <= T+4")
_LATER = (*_APART, "U >= T-2", "U > T, U <= 4", "U > T, S >= U, S <= T+3, A(X, S)")
_DENIED = ("A(X, {})", "A(a, {})", "B(X, _, {})", "B(_, _, {})", "B(X, Y, {})", "R(X, _, {})", "R(X, 10, {})")
_MISSING = (*_DENIED, "C({})", "Q(X, _, {})", "Q(X, b, {})", "Q(_, _, {})")
_RANGES = ("T..U", "T+1..U", "T+1..U-1", "T+1..U-1", "T..U+1", "T-1..U", "2..U", "0..U")
_OTHERS = ("A(Y, T+2)", "B(X, Y, T+1)", "B(Y, X, T+2)", "A(Y, T+1), R(Y, W, T+1)", "A(Y, U), U > T, U <= T+2")
_INSIDE = (
    "B(X, Y, {})", "B(Y, _, {})", "B(Y, Y, {})", "A(Y, {})", "Q(Y, _, {})", "Q(X, Y, {})", "B(_, Y, {})",
)  # fmt: skip
_COUNTED = (*(f"count({each})" for each in _INSIDE), "count(distinct N : B(Y, N, {}))", "count(R(Y, _, {}))")
_SUMMED = ("R(Y, N, {})", "R(Y, N, {}), N >= 0", "R(X, N, {}), N > W", "R(Y, N, {}), N >= W")
_SPANS = ("T", "T..T+1", "T-1..T", "T..T+2", "T-2..T-1", "T..U")
_EDGES = (
    "Q(X, a, T) :- A(X, T), C(T+1). Q(X, b, T) :- R(X, V, T), V >= 10.",
    "Q(X, b, T) :- A(X, T), not C(T+1). Q(X, Z, T+1) :- B(X, Z, T).",
    "Q(X, Z, T) :- B(X, Z, T), A(X, T+1).",
    "Q(X, Z, T) :- B(X, Z, T), not A(Z, T+1). Q(X, b, T) :- A(X, T).",
    "Q(X, b, T) :- Site(X), not A(X, T), not C(T-1).",
    "Q(X, b, T) :- A(X, T), B(X, _, U), U > T, U <= T+2, not C(T..U).",
)


@st.composite
def programs_of_open_ends(draw: st.DrawFn) -> str:
    """A program as text: one rule or two, and sometimes one that denies or counts what these derive."""
    rules = [
        draw(st.sampled_from([_range, _range, _aggregate]))(draw) for _ in range(draw(st.integers(1, 2)))
    ]
    head = draw(st.sampled_from(["P(X, T)", "P(X, T)", "P(X, U)", "P(T)", "P(X, Y, T)"]))
    rules = [f"{head} :- {body}." for body in rules]
    if "Q(" in " ".join(rules):
        rules.append(draw(st.sampled_from(_EDGES)))
    query = head
    if draw(st.integers(0, 2)) == 0:
        query, below = "N(X, T)", re.sub(r"Y|U(?=\))", lambda m: "_" if m[0] == "Y" else "T", head)
        what = draw(
            st.sampled_from([f"not {below}", f"not {below[:-1]}+1)", f"count({below[:-2]}T..T+2)) < 1"])
        )
        rules.append(f"N(X, T) :- A(X, T), {what}.")
    text = " ".join(rules)
    return "\n".join((*declarations(draw, text), *rules, f"query {query}."))


def _range(draw: st.DrawFn) -> str:
    body = [draw(st.sampled_from(each)) for each in (_STARTS, _NEXT, _LATER)]
    for denied in draw(st.lists(st.sampled_from(_MISSING), min_size=1, max_size=2)):
        body.append(f"not {denied.format(draw(st.sampled_from(_RANGES)))}")  # noqa: PERF401 - it draws
    return ", ".join(body)


def _aggregate(draw: st.DrawFn) -> str:
    body = [draw(st.sampled_from(each)) for each in (_STARTS, _OTHERS)]
    if "W" not in body[1]:
        body[1] += ", R(X, W, T)"
    sign = draw(st.sampled_from([">=", ">=", ">", "<", "=", "<=", "!="]))
    span = draw(st.sampled_from(_SPANS))
    if draw(st.integers(0, 2)):
        number = draw(
            st.sampled_from(["1", "1", "2", "0", "3", "W", "count(A(X, T..T+1))", "2 * count(A(Y, T))"])
        )
        body.append(f"{draw(st.sampled_from(_COUNTED)).format(span)} {sign} {number}")
    else:
        function = draw(st.sampled_from(["sum", "sum", "avg", "max"]))
        number = draw(st.sampled_from(["10", "20", "W"]))
        body.append(f"{function}(N : {draw(st.sampled_from(_SUMMED)).format(span)}) {sign} {number}")
    return ", ".join(body)


def cases_of_open_ends(latest: int = 5, most: int = 12) -> st.SearchStrategy[Case]:
    """Such a program, and a stream for it."""
    return streamed(programs_of_open_ends(), latest, most)
