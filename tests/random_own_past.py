"""Random programs that deny or count their own past: `P(X, T) :- A(X, T), not P(X, T-5..T-1).`"""

from __future__ import annotations

from itertools import product

from hypothesis import strategies as st

from antelog.diagnostics import Source
from antelog.language import read
from tests.declared import declarations
from tests.strategies import Case, with_stream

_STARTS = (
    ("A(X, T)", "X"),
    ("A(X, T), C(T-1)", "X"),
    ("A(X, T-2)", "X"),
    ("A(X, T), not C(T)", "X"),
    ("R(X, V, T), V > 5", "X"),
    ("A(X, T), count(C(T-2..T)) < 2", "X"),
    ("B(X, Y, T)", "X, Y"),
    ("B(X, Y, T), A(Y, T-1)", "X, Y"),
    ("Odd(X, T)", "X"),
)
_RANGES = ("T-3..T-1", "T-9..T-1", "T-4..T-2", "T-1", "0..T-1")
_PAST = (
    "not P({}, {})",
    "not P({}, {})",
    "count(P({}, {})) = 0",
    "count(P({}, {})) < 2",
    "count(P({}, {})) >= 1",
)
_ODD = "Odd(X, T) :- A(X, T), not A(X, T-1), not C(T)."


@st.composite
def cases_of_own_past(draw: st.DrawFn) -> Case:
    """A program whose predicate P rests on its own past, and a stream with several keys."""
    body, variables = draw(st.sampled_from(_STARTS))
    rules = [f"P({variables}, T) :- {body}, {_past(draw, variables)}."]
    if draw(st.booleans()):
        rules.append(rules[0].replace(body, draw(st.sampled_from(["B(X, Y, T), Y != b", "B(X, Y, T)"]))))
    if draw(st.booleans()):
        rules[0] = f"{rules[0][:-1]}, {_past(draw, variables)}."
    rules += [_ODD] if "Odd" in body else []
    asked = [f"query P({variables}, T)."]
    if draw(st.booleans()):
        seen = draw(st.sampled_from(["not P({}, {})", "count(P({}, {})) >= 2", "not P({}, {})"]))
        rules.append(
            f"Q({variables}, T) :- B(X, Y, T), {seen.format(variables, draw(st.sampled_from(_RANGES[:4])))}."
        )
        asked.append(f"query Q({variables}, T).")
    text = "\n".join((*declarations(draw, "\n".join(rules)), *rules, *asked))
    if not read(Source(text)).ok:
        text = text.partition("\nQ(")[0] + f"\n{asked[0]}"
    return with_stream(draw, text, latest=12, most=14)


def _past(draw: st.DrawFn, variables: str, ticks: str | None = None) -> str:
    names = draw(
        st.sampled_from([variables, variables, variables.replace("Y", "_"), variables.replace("X", "_")])
    )
    return draw(st.sampled_from(_PAST)).format(names, ticks or draw(st.sampled_from(_RANGES)))


# ---- a past that begins, or ends, at a time variable of its own ----


_PAIRS = (
    ("A(X, U), A(X, T)", "X"),
    ("A(X, U), A(_, T)", "X"),
    ("A(X, U), C(T)", "X"),
    ("A(X, U), B(X, Y, T)", "X"),
    ("A(X, U), B(X, Y, T)", "X, Y"),
    ("B(X, _, U), B(_, X, T)", "X"),
    ("A(X, U), C(T), not C(U)", "X"),
    ("A(X, U), A(X, W), C(T), U < W, W < T", "X"),
    ("R(X, V, U), R(X, W, T), V < W", "X"),
    ("Odd(X, U), C(T)", "X"),
)
_APART = ("U < T", "U < T", "U < T, T <= U+4", "U < T, U >= T-2", "U <= T-2")
_SINCE = ("U..T-1", "U..T-1", "U+1..T-1", "U-1..T-1", "U..T-2", "T-3..U-1", "U-1")
_UP_TO = ("T-3..U", "0..U", "U", "U-2..U")  # of a U before T


@st.composite
def cases_of_times_before(draw: st.DrawFn) -> Case:
    """A program whose predicate P asks for its past from, or up to, a time that lies before the head's."""
    body, variables = draw(st.sampled_from(_PAIRS))
    apart, ends = draw(
        st.sampled_from([*product(_APART, [(*_SINCE, *_UP_TO)]), ("U <= T, T <= U+3", _SINCE)])
    )
    ranges = [draw(st.sampled_from(ends)) for _ in range(draw(st.sampled_from([1, 1, 2])))]
    asked = ", ".join(_past(draw, variables, each) for each in ranges)
    rules = [f"P({variables}, T) :- {body}, {apart}, {asked}."]
    if draw(_RARELY):
        rules.append(f"P({variables}, T) :- B(X, Y, T), {_past(draw, variables)}.")
    rules += [_ODD] if "Odd" in body else []
    queries = [f"query P({variables}, T)."]
    if draw(_RARELY):
        rules.append(f"Q({variables}, T) :- B(X, Y, T), A(_, U), U < T, {_past(draw, variables, 'U..T')}.")
        queries.append(f"query Q({variables}, T).")
    text = "\n".join((*declarations(draw, "\n".join(rules)), *rules, *queries))
    return with_stream(draw, text, latest=6, most=8)


_RARELY = st.sampled_from([False, False, False, True])
