"""Random programs in which helpers have a time as a value, `Pair(X, Q, Y, T)`, with streams."""

from __future__ import annotations

import re

from hypothesis import strategies as st

from tests.declared import declarations
from tests.strategies import Case, streamed

_PAIRS = """A(X, Q), B(X, Y, T), T > Q, T <= Q+2; A(X, Q), B(X, Y, T), T > Q, T <= Q+2;
    B(X, Y, Q), A(X, T), T >= Q-1, T <= Q+2;
    B(X, Y, T), A(Y, Q), Q <= T, Q >= T-2; A(X, Q), B(X, Y, Q+1), C(T), T > Q, T <= Q+2;
    A(X, Q), B(X, Y, T), T > Q, T <= Q+2, not B(X, _, Q+1..T-1); B(X, Y, T), Q = T - 1, not A(X, Q);
    Link(X, Y), A(X, Q), A(Y, T), T > Q, T <= Q+2; B(X, Y, T), A(X, Q), Q = T-1"""
_HEADS = """Pair(X, Q, Y, T); Pair(X, Q, Y, T); Pair(X, Q, Y, T); Pair(X, Q+1, Y, T); Pair(X, Q-1, Y, T);
    Pair(X, Q, Y, T+1);
    Pair(X, T, Y, Q)"""
# A time that is open is asked for at no later tick: the engine says decided_by by the bounds below alone.
_CALLERS = """Pair(X, Q, Y, T), A(X, Q+1); Pair(X, Q, Y, T), A(X, Q-1); Pair(X, Q, Y, R), Pair(Y, R, _, T);
    Pair(X, Q, Y, R), A(Y, T), T > R, T <= Q+3; A(X, T), Pair(X, T, _, T+1); Pair(X, Q, _, T), Q+1 < T;
    Pair(X, Q, Y, T), D = T - Q; Pair(X, Q, _, R), R <= Q+1, T = Q; Pair(X, 2, _, T); Pair(X, _, Y, T);
    Pair(X, Q, Y, T), Pair(X, Q, Y, R), R > T; Pair(X, Q, _, T) or A(X, T), Q = T;
    A(X, T), not Pair(X, T-1, _, T); A(X, T), B(X, Y, Q), Q <= T, Q >= T-2, not Pair(X, Q, _, T..T+1);
    A(X, T), not Pair(X, _, a, T); A(X, T), not Pair(X, _, _, T-1..T+1); A(X, T), not Pair(X, 1, _, T);
    Pair(X, Q, Y, T), not Pair(Y, Q, _, T); Pair(X, Q, _, T), not Pair(X, 1, _, T+1..T+2);
    A(X, T), count(Pair(X, T-1, _, T..T+2)) > 0; A(X, T), count(Pair(X, _, _, T-1..T)) < 2;
    A(X, T), count(distinct Y : Pair(X, _, Y, T-1..T+1)) > 1; A(X, T), N = count(Pair(X, T-1, _, T..T+1));
    A(X, Q), C(T), T >= Q, T <= Q+2, count(Pair(X, Q, _, Q..T)) = 1;
    B(X, _, T), last Pair(X, _, Y, T-2..T) per X;
    B(X, _, T), last Pair(X, _, a, T-2..T) per X; A(X, T), last Pair(X, T-1, _, T-1..T+1) per X;
    Pair(X, Q, _, T), last Pair(X, Q, Y, 0..T-1) per X; Pair(X, Q, Y, T), not PAST; Mid(X, Q, T), A(X, Q+1);
    Mid(X, Q, T), not Mid(X, _, T+1); A(X, T), not Mid(X, T-1, T); A(X, T), Mid(X, T-1, R), R <= T+1"""
_MIDDLE = """Mid(X, Q, T) :- Pair(X, Q, _, T); Mid(X, T, Q+1) :- Pair(X, Q, _, T), T <= Q+2;
    Mid(X, Q, T) :- Pair(X, Q, Y, R), Pair(X, R, Y, T); Mid(X, Q, T) :- Pair(X, Q, Y, T), not A(Y, Q)"""
_MORE = "; Q < T; Q >= 1; X != a; not C(Q); not A(X, T)"


def _one_of(texts: str) -> st.SearchStrategy[str]:
    return st.sampled_from(re.split(r";\s+", texts))


@st.composite
def programs_of_pairs(draw: st.DrawFn) -> str:
    """A program as text: rules for pairs, and rules that use them."""
    rules = [
        f"{draw(_one_of(_HEADS))} :- {draw(_one_of(_PAIRS))}."
        for _ in range(draw(st.sampled_from([1, 1, 2])))
    ]
    body = draw(_one_of(_CALLERS))
    has_begin = re.search(r"\bQ\b", body) is not None
    more = draw(_one_of(_MORE))
    if more and (has_begin or "Q" not in more):
        body = f"{body}, {more}"
    own = [name for name in "QDNY" if re.search(rf"\b{name}\b(?! :)", body) and draw(st.booleans())]
    query = f"P({', '.join(('X', *own, 'T'))})"
    past = f"P(X, {''.join('Q, ' if name == 'Q' and draw(st.booleans()) else '_, ' for name in own)}T-2..T-1)"
    rules.append(f"{query} :- {body.replace('PAST', past)}.")
    if "Mid(" in body:
        rules.append(f"{draw(_one_of(_MIDDLE))}.")
    text = " ".join(rules)
    return "\n".join((*declarations(draw, text), *rules, f"query {query}."))


def cases_of_pairs(latest: int = 5, most: int = 14) -> st.SearchStrategy[Case]:
    """Such a program, and a stream for it."""
    return streamed(programs_of_pairs(), latest, most)
