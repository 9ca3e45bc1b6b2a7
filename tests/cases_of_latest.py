"""Random programs that ask for latest facts, with streams: `P(X, T) :- A(X, T), last R(X, L, T), L > 5.`"""

from __future__ import annotations

import re

from hypothesis import strategies as st

from tests.declared import declarations
from tests.strategies import Case, streamed

_STARTS = (
    "A(X, T)", "A(X, T)", "R(X, V, T)", "B(X, a, T)", "Site(X)", "A(X, T), C(T+1)", "A(X, T), A(X, T+2)",
)  # fmt: skip
_LATEST = (
    *("last R(X, L, {t})", "last R(X, L, {t})", "last R(X, L, {r})", "last R(X, 10, {t})"),
    "last R(X, V, {t})",
    *("last B(X, Y, {t})", "last B(X, Y, {r})", "last B(X, a, {t})", "last B(X, _, {t})"),
    "last B(X, a, {r}) per X",
    *("last B(X, Y, {t}), last R(Y, L, {t})", "last R(X, _, {r})", "last Q(X, a, {r}) per X"),
    "last Q(X, _, {r}) per X",
    *(
        "last Q(X, Y, {r}) per X",
        "last S(X, L, {r}) per X",
        "last S(X, L, {r}) per X",
        "last S(Y, L, {r}) per L",
    ),
    *(
        "last B(X, Y, {r}) per X",
        "last R(_, L, {r}) per X",
        "last R(X, L, {r}) per X",
        "last B(Y, _, {r}) per Y",
    ),
)
_TIMES = ("T", "T", "T", "T+1", "T-1")
_RANGES = ("T-1..T", "T-2..T", "T-2..T-1", "T..T+1", "0..T")
_MORE = (
    "L > 5", "V > L", "L + 2.5 < 14", "D = L + 5, D > 12", "X != Y", "Y != a", "not A(X, T-1)",
    "not C(T)",
)  # fmt: skip
_NEGATED = ("not B(X, Y, T+1)", "not A(Y, T)", "not R(X, L, T+1)")
_VALUED = (
    "S(X, V, T) :- R(X, V, T), V >= 10.",
    "S(X, V, T) :- R(X, V, T), not A(X, T+1).",
    "S(X, D, T+1) :- R(X, V, T), A(X, T+1), D = V + 5. S(X, 10, T) :- B(X, _, T).",
    "S(X, V, T) :- R(X, V, T), not S(X, _, T-2..T-1).",
    "S(X, D, T) :- A(X, T), D = count(B(X, _, T-1..T)).",
    "S(X, V, T) :- A(X, T), last R(X, V, T).",
    "S(X, V, T) :- Site(X), not A(X, T), last R(X, V, T).",
)
_EDGES = (
    "Q(X, a, T) :- R(X, V, T), V >= 10. Q(X, b, T) :- R(X, V, T), V < 10.",
    "Q(X, a, T) :- A(X, T), not C(T+1). Q(X, b, T+1) :- B(X, _, T).",
)


@st.composite
def programs_of_latest(draw: st.DrawFn) -> str:
    """A program as text: one rule or two, and sometimes one that denies what these derive."""
    rules = [_rule(draw) for _ in range(draw(st.sampled_from([1, 1, 1, 2])))]
    head = draw(st.sampled_from(["P(X, T)", "P(X, T)", "P(X, L, T)", "P(X, Y, T)"]))
    rules = [f"{head} :- {body}." for body in rules]
    if "Q(" in " ".join(rules):
        rules.append(draw(st.sampled_from(_EDGES)))
    if "S(" in " ".join(rules):
        rules.append(draw(st.sampled_from(_VALUED)))
    query = head
    if draw(st.integers(0, 4)) == 0:
        query, below = "N(X, T)", re.sub("L|Y", "_", head).replace("T)", draw(st.sampled_from(_TIMES)) + ")")
        rules.append(f"N(X, T) :- A(X, T), not {below}.")
    text = " ".join(rules)
    return "\n".join((*declarations(draw, text), *rules, f"query {query}."))


def _rule(draw: st.DrawFn) -> str:
    body = [draw(st.sampled_from(_STARTS))]
    for latest in draw(st.lists(st.sampled_from(_LATEST), min_size=1, max_size=2)):
        body.append(latest.format(t=draw(st.sampled_from(_TIMES)), r=draw(st.sampled_from(_RANGES))))  # noqa: PERF401 - it draws
    there = set(re.findall("[LVXY]", " ".join(body)))
    fitting = [each for each in (*_MORE, *_NEGATED) if set(re.findall("[LVXY]", each)) <= there]
    body += draw(st.lists(st.sampled_from(fitting), max_size=2, unique=True))
    return ", ".join(body)


def cases_of_latest(latest: int = 5, most: int = 14) -> st.SearchStrategy[Case]:
    """Such a program, and a stream for it."""
    return streamed(programs_of_latest(), latest, most)
