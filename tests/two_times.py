"""Random programs in which one rule negates another at one of two times, `T` and `U`, with streams."""

from __future__ import annotations

from hypothesis import strategies as st

from tests.declared import STATIC
from tests.strategies import Case, streamed


@st.composite
def programs(draw: st.DrawFn) -> str:
    """A program as text: `P1`, and `P2` which negates it."""
    rules = [_lower(draw) for _ in range(draw(st.sampled_from([1, 1, 2])))]
    rules.append(_upper(draw))
    delays = [draw(st.sampled_from(["", "delay 1", "delay 2"])) for _ in range(3)]
    slot = draw(st.sampled_from(["", "", "one per x"]))
    gaps = [draw(st.sampled_from(["", "", f"every {gap} per x"])) for gap in (1, 2)]
    clauses = [", ".join(filter(None, each)) for each in ((delays[0], gaps[0]), (delays[1], slot, gaps[1]))]
    declarations = (
        f"input A(x: text, time) {clauses[0]} . input B(x: text, y: text, time) {clauses[1]} .",
        *draw(st.lists(st.sampled_from(("delay A(a, _) = 2.", "delay B(_, a, _) = 1.")), max_size=1)),
        f"input C(time) {delays[2]} . {STATIC['Site']}",
    )
    return "\n".join((*declarations, *rules, "query P2(X, T)."))


def _lower(draw: st.DrawFn) -> str:
    body = []
    if draw(st.integers(0, 2)):
        body.append(_atom(draw, ("X", "a"), "T"))
    elif draw(st.integers(0, 3)):
        body.append("Site(X)")
    head = "X" if any("X" in literal for literal in body) else "a"
    if draw(st.booleans()) or body in ([], ["Site(X)"]):
        body.append(f"not {_atom(draw, ('X', 'a'), 'T')}")
    if draw(st.booleans()):
        body.append(f"not P1({draw(st.sampled_from(['X', 'a']))}, T-{draw(st.integers(1, 2))})")
    return f"P1({head}, T) :- {', '.join(body)}."


def _upper(draw: st.DrawFn) -> str:
    body = [_atom(draw, ("X", "Y"), draw(st.sampled_from(["T", "U", "U"])))]
    if draw(st.booleans()):
        body.append(_atom(draw, ("X", "Y"), draw(st.sampled_from(["T", "U"]))))
    value, time = draw(st.sampled_from(["X", "Y", "a"])), draw(st.sampled_from(["T", "U"]))
    body.append(f"not P1({value}, {_shifted(draw, time)})")
    if draw(st.booleans()):
        body.append(f"not {_atom(draw, ('X', 'Y', '_'), draw(st.sampled_from(['T', 'U'])))}")
    if draw(st.integers(0, 3)) == 0:
        body.append(f"not P2({draw(st.sampled_from(['X', 'Y', 'a']))}, T-{draw(st.integers(3, 4))})")
    positive = " ".join(each for each in body if not each.startswith("not "))
    conditions = [*_OF_TIMES, *(["X < Y", "X != Y"] if "X" in positive and "Y" in positive else [])]
    if draw(st.booleans()):
        body.append(draw(st.sampled_from(conditions)))
    if "T" not in positive:
        body.append(draw(st.sampled_from(["T <= U+2", "T <= U", "T <= 2"])))
    named = [name for name in ("X", "Y") if name in " ".join(body)]
    head = draw(st.sampled_from([*named, "a"]))
    lost = [name for name in named if name not in positive]
    return f"P2({(lost or [head])[0]}, {_shifted(draw, 'T')}) :- {', '.join(body)}."


_OF_TIMES = ("U < T+2", "T <= U", "U <= T", "U <= T", "U > T, U <= T+3", "U >= T-2, U < T", "U != T")


def _atom(draw: st.DrawFn, values: tuple[str, ...], time: str) -> str:
    name, arity = draw(st.sampled_from([("A", 1), ("A", 1), ("B", 2), ("C", 0)]))
    arguments = [draw(st.sampled_from(values)) for _ in range(arity)]
    return f"{name}({', '.join((*arguments, _shifted(draw, time)))})"


def _shifted(draw: st.DrawFn, time: str) -> str:
    # At a time before U the recorded explanations go further than the specification looks.
    by = draw(st.sampled_from([0, 0, 1, 2] if time == "U" else [0, 0, 1, 2, -1, -2]))
    return f"{time}{by:+d}" if by else time


def cases_with_two_times(latest: int = 5, most: int = 9) -> st.SearchStrategy[Case]:
    """Such a program and a stream, of at most so many facts about ticks up to the latest."""
    return streamed(programs(), latest, most)
