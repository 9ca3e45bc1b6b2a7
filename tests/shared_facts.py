"""Random programs with literals that one fact may serve: `A(X, T), A(X, U), U <= T`.

`strategies.cases()` hardly ever draws such. Here a rule has three positive literals or four, the
first two of them of the same predicate, and may negate up to two others.
"""

from __future__ import annotations

from hypothesis import assume
from hypothesis import strategies as st

from antelog.diagnostics import Source
from antelog.language import read
from tests.strategies import Case, with_stream

_ARITY = {"A": 1, "B": 2, "C": 0}


@st.composite
def programs(draw: st.DrawFn) -> str:
    """A program as text: one rule."""
    twice = draw(st.sampled_from(["A", "A", "B", "C"]))
    names = [twice, twice, draw(st.sampled_from(["A", "A", "B"])), *draw(st.sampled_from([[], ["C"]]))]
    body = [_atom(draw, name) for name in names]
    denied = draw(st.sampled_from([[], [], [], ["A"], ["B"], ["A", "A"], ["B", "B"]]))
    body += [f"not {_atom(draw, name)}" for name in denied]
    if draw(st.booleans()):
        body.append(draw(st.sampled_from(["X != Y", "U < T+2", "T <= U", "U <= T", "U >= T-1"])))
    delays = [draw(st.sampled_from([" delay 1", " delay 2"])) for _ in range(3)]
    declarations = (
        f"input A(x: text, time){delays[0]}. input B(x: text, y: text, time){delays[1]}.",
        f"input C(time){delays[2]}.",
    )
    values = draw(st.sampled_from(["X", "X", "a", "X, Y", "X, X"]))
    query = f"query P({'X, Y' if ',' in values else 'X'}, T)."
    text = "\n".join((*declarations, f"P({values}, T) :- {', '.join(body)}.", query))
    assume(read(Source(text)).ok)
    return text


def _atom(draw: st.DrawFn, name: str) -> str:
    values = [draw(st.sampled_from(["X", "Y", "a"])) for _ in range(_ARITY[name])]
    time = draw(st.sampled_from(["T", "T", "U"])) + draw(st.sampled_from(["", "", "+1", "-1"]))
    return f"{name}({', '.join((*values, time))})"


@st.composite
def cases_with_shared_facts(draw: st.DrawFn) -> Case:
    """Such a program and a stream of a few facts."""
    return with_stream(draw, draw(programs()), latest=3, most=5)
