"""Draws random programs with `first` and `next`: alone, in a chain, under `not`, and with other literals."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import assume
from hypothesis import strategies as st

from antelog.diagnostics import Source
from antelog.language import read, syntax
from antelog.language.printer import to_text
from tests.declared import declarations
from tests.specification.written_out import written_out
from tests.strategies import Case, with_stream

_STARTS = (
    *(("A(X, T)", "X"),) * 3, ("B(X, Y, T)", "XY"), ("C(T)", ""), ("R(X, V, T), V > 5", "X"),
    ("Site(X), C(T)", "X"), ("A(X, T), X in (a, b)", "X"), ("Up(X, T)", "X"), ("A(X, T), not C(T-1)", "X"),
    ("A(X, T), B(X, _, T+1)", "X"), ("(A(X, T) or B(_, X, T))", "X"), ("A(X, 1), T = 1", "X"),
)  # fmt: skip
_DERIVED = (
    "Up(X, T) :- A(X, T), not C(T+1).",
    "Up(X, T) :- R(X, V, T), V > 5. Up(X, T) :- A(X, T-1).",
    "Up(X, T) :- B(X, Y, T), A(Y, T).",
    "Up(X, T) :- A(X, T), not Up(X, T-2..T-1).",
    "Up(X, T) :- A(X, S), first B(X, _, T) after S within 2.",
)
_COLUMNS = {"A": 1, "B": 2, "C": 0, "R": 2, "Up": 1}
_BESIDE = (
    *("",) * 6, "not C(U)", "not C(T..U)", "count(C(T..T+2)) < 2", "last R(a, L, T)", "U <= T + 2", "C(U)",
    "U != T + 2", "not B(X, _, T+1..U-1)", "X != a", "Z != b", "V > 5", "W = V + 2.5, W < 14", "Z = a",
    "M = count(C(T..T+1)), M < 2", "Link(X, Z)", "B(X, Z, T)", "A(Z, T+1)", "D = U - T, D > 1",
)  # fmt: skip


@st.composite
def cases_with_firsts(draw: st.DrawFn, latest: int = 5, most: int = 10) -> Case:
    """A program with one or two, and a stream of at most so many facts."""
    start, objects = draw(st.sampled_from(_STARTS))
    body = [start, _first(draw, objects, "T", "U")]
    if draw(st.integers(0, 3)) == 0:
        body.append(_first(draw, f"{objects}Z", draw(st.sampled_from("UT")), "S"))
    body += filter(None, [draw(st.sampled_from(_BESIDE))])
    shown = draw(st.sampled_from(["X", "X", "X, Z", "X, V", "Z"] if "X" in objects else ["Z", "a"]))
    rules = [f"P({shown}, {draw(st.sampled_from('TTU'))}) :- {', '.join(draw(st.permutations(body)))}."]
    asked = [f"query P({', '.join('XY'[: len(shown.split(', '))])}, T).".replace("XY", "X, Y")]
    if draw(st.integers(0, 3)) == 0:
        rules.append(rules[0].replace(start, draw(st.sampled_from(["A(X, T)", "B(X, _, T)"]))))
    if draw(st.integers(0, 2)) == 0:
        rules.append(
            f"Q(X, T) :- A(X, T), not P({shown.replace('X, ', 'X, _')[:1]}{', _' * shown.count(',')}, T)."
        )
        asked.append("query Q(X, T).")
    if any("Up(" in each for each in rules):
        rules.append(draw(st.sampled_from(_DERIVED)))
    text = "\n".join((*declarations(draw, "\n".join(rules)), *rules, *asked))
    assume(read(Source(text)).ok)
    return with_stream(draw, text, latest, most)


def _first(draw: st.DrawFn, objects: str, after: str, time: str) -> str:
    name = draw(st.sampled_from(["A", "B", "B", "B", "C", "R", "Up"]))
    names = ["X", "X", "Z", "_", "a"] if "X" in objects else ["X", "Z", "_", "a"]
    columns = [draw(st.sampled_from(names)) for _ in range(_COLUMNS[name])]
    if name == "R":
        columns[1] = draw(st.sampled_from(["V", "V", "_", "10"]))
    word = draw(st.sampled_from(["first", "first", "next"]))
    shift = draw(st.sampled_from(["", "", "", "+1", "-1"]))
    within = draw(st.sampled_from([" within 1", *(f" within {each}" for each in "2345" * 2), ""]))
    named = [each for each in columns if each != "_"]
    per = draw(st.sampled_from(["", *(f" per {each}" for each in named)]))
    return f"{word} {name}({', '.join((*columns, time))}) after {after}{shift}{within}{per}"


def by_hand(case: Case) -> Case:
    """The case with each written out as it is defined."""
    document = case.checked.document

    def statement(each: syntax.Statement) -> syntax.Statement:
        return written_out(each, case.checked.vocabulary.tick) if isinstance(each, syntax.Rule) else each

    return replace(case, text=to_text(syntax.Document(tuple(map(statement, document.statements)))))
