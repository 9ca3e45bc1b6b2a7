"""Random programs in which aggregates give variables values, with streams: `N = count(R(X, _, T-1..T))`."""

from __future__ import annotations

import re

from hypothesis import strategies as st

from tests.declared import declarations
from tests.strategies import Case, streamed

_STARTS = """A(X, T); A(X, T); R(X, V, T); B(X, Y, T); Site(X); Site(X); A(X, T), C(T+1);
    A(X, T), A(X, T+2); A(X, T), B(X, Y, T-1); not B(X, _, T); A(X, T), not B(X, _, T+1);
    Site(X), Link(X, Y)"""
_VALUES = """count(A(X, {r})); count(B(X, _, {r})); count(R(X, _, {r})); count(Q(X, {r}));
    count(B(_, X, {r})); count(C({r})); count(A(_, {r})); count(B(X, Y, {r})); count(R(_, _, {r}));
    count(Q(_, {r})); count(A(Y, {r})); count(distinct W : R(X, W, {r})); {f}(W : R(X, W, {r}));
    {f}(W : R(X, W, {r}), W > 5); {f}(W : R(_, W, {r})); {f}(W : R(X, W, {r}));
    {f}(W : R(X, W, {r}), W > 5)"""
_RANGES = "T-1..T; T-2..T; T..T+1; T+1..T+2; T-1..T+1; T; T+1; T-2..T-1; T..U"
_STEPS = (
    *("{}",) * 12, "2 * {}", "0.5 * {}", "{} + 1", "3 - {}", "{} / 2", "0 * {}", "{} / 0", "-1 * {} + 0.5",
)  # fmt: skip
_MORE = """N > 1; N > 1; N < 2; N = 2; N != 0; N > M; N > M + 1; D = N - M, D >= 0; N = M; V > N;
    D = N + 1, D > 2; M < 11; abs(M) > 5; N > 0, M > 0; not R(X, N, T+1); last R(X, N, T);
    count(R(X, N, T-1..T+1)) > 0; N = V; count(B(X, _, T..T+1)) > N; N = count(C(T..T+1)); R(X, N, T+1);
    max(W : R(X, W, T..T+1), W > M) > 0; not Q(X, T+1); max(W : R(X, W, T-1..T)) = M;
    avg(W : R(X, W, T-1..T)) = 5; not PAST; not PAST; count(PAST) < 2; K = count(PAST), K < 3"""
_ASKING = """not P({h}, {t}); not P({a}, {t}); count(P({a}, {r})) > 1; P({h}, T+1); P({a}, {t});
    P({h}, {t}); count(P({a}, {r})) < 2; S = count(P({a}, {r})); S = sum(I : P({i}, {r}));
    not P({c}, {t}); P({c}, {t}); last P({a}, {r}) per X; count(P({h}, {r})) = 1;
    max(I : P({i}, {r})) > 1"""
_EDGES = """Q(X, T) :- A(X, T), not B(X, _, T+1); Q(X, T) :- A(X, T), B(X, _, T+1);
    Q(X, T) :- R(X, V, T), V >= 10; Q(X, T) :- A(X, T), M = count(B(X, _, T..T+1)), M < 2;
    Q(X, T+1) :- B(X, _, T), not P(X, {}T-4); Q(X, T) :- Site(X), K = max(W : R(X, W, T-1..T)), K > 5"""


def _one_of(texts: str, most: int | None = None) -> st.SearchStrategy[str]:
    return st.sampled_from(re.split(r";\s+", texts)[:most])


@st.composite
def programs_of_values(draw: st.DrawFn) -> str:
    """A program as text: one rule or two with values, and sometimes one that asks for what they derive."""
    bodies = [_body(draw) for _ in range(draw(st.sampled_from([1, 1, 1, 2])))]
    common = set.intersection(*(set(re.findall(r"\b[DMNVY]\b", body)) for body in bodies))
    own = [name for name in "NMDYV" if name in common and draw(st.sampled_from([True, False, name == "N"]))]
    query, rest = f"P({', '.join(('X', *own[:2], 'T'))})", "_, " * len(own[:2])
    past = f"P(X, {rest}{draw(st.sampled_from(['T-1', 'T-3..T-1']))})"
    rules = [f"{query} :- {body.replace('PAST', past)}." for body in bodies]
    if draw(st.integers(0, 2)) == 0:
        given = {
            "h": [f"{name}2" if name in "NMD" else name for name in own[:2]],
            "a": ["_" for _ in own[:2]], "c": ["1" for _ in own[:2]], "i": ["I", "_"][: len(own)],
        }  # fmt: skip
        arguments = {name: ", ".join(("X", *each)) for name, each in given.items()}
        times = {"t": draw(st.sampled_from(["T", "T+1"])), "r": draw(_one_of(_RANGES, 5))}
        text = draw(_one_of(_ASKING)).format(**times, **arguments)
        query = f"Z(X, {draw(st.sampled_from(['S, ', ''])) if 'S =' in text else ''}T)"
        rules.append(f"{query} :- {draw(_one_of('A(X, T); A(X, T); B(X, _, T); Site(X)'))}, {text}.")
    if "Q(" in " ".join(rules):
        rules.append(f"{draw(_one_of(_EDGES)).format(rest)}.")
    text = " ".join(rules)
    return "\n".join((*declarations(draw, text), *rules, f"query {query}."))


def _body(draw: st.DrawFn) -> str:
    body = [f"{name} = {_value(draw)}" for name in ("N", *draw(st.sampled_from(["", "", "M"])))]
    if "T..U" in " ".join(body):
        body.append("C(U), U <= T+2")
    start = draw(_one_of(_STARTS))
    there = set(re.findall(r"\b[MNVXY]\b", " ".join((start, *body))))
    body += [
        each
        for each in draw(st.lists(_one_of(_MORE), max_size=3, unique=True))
        if set(re.findall(r"\b[MNVXY]\b", each)) <= there
    ]
    return ", ".join((start, *(draw(st.permutations(body)) if draw(st.booleans()) else body)))


def _value(draw: st.DrawFn) -> str:
    """An aggregate that gives a value."""
    at = draw(_one_of(_RANGES, None if draw(st.integers(0, 3)) == 0 else 8))
    function = draw(st.sampled_from(["sum", "avg", "avg", "min", "max"]))
    return draw(st.sampled_from(_STEPS)).format(draw(_one_of(_VALUES)).format(r=at, f=function))


def cases_of_values(latest: int = 5, most: int = 14) -> st.SearchStrategy[Case]:
    """Such a program, and a stream for it."""
    return streamed(programs_of_values(), latest, most)
