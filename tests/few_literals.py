"""Random rules of a few literals: anything that the language allows, also what is unusual.

A(X, T), A(a, U), not B(X, Y, U), U <= T     R(X, V, T), R(X, W, T+1), W > V, W < 5
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from hypothesis import strategies as st

from tests.declared import COLUMNS, STATIC, declarations
from tests.random_literals import calculated
from tests.strategies import Case, streamed

_MIXES = ("AABC", "AABC", "ABBS", "ACRL", "RRA", "RRASL", "AABCRR")
_NAMES = {"Q": "Q", "S": "Site", "L": "Link", **{name: name for name in COLUMNS}}
_ARGUMENTS = {"Q": ("x",), "Site": ("x",), "Link": ("x", "y"), **COLUMNS}
_VALUES = (["X"], ["X", "a"], ["X", "Y"], ["X", "X", "Y", "a"], ["X", "Y", "_"])
_NUMBERS = (["V"], ["V", "W"], ["V", "W", "5"], ["V", "W", "Z"], ["V", "_"])
_TIMES = (
    *(["T"], ["T", "2"], ["T", "T+1"], ["T", "T+1", "T-1"], ["T", "T+1", "T-1", "1"]),
    *(["T", "U"], ["T", "T", "U", "U+1", "T-1"], ["T", "T+1", "U", "2"]),
)
_CONDITIONS = (
    *("U <= T", "U < T", "U != T", "T <= U+1", "U >= T-1", "T >= 1", "U <= 2", "U = 1", "U >= 2"),
    *("U <= 2, U != T", "U >= T-2, U <= T, U != T-1", "X != Y", "X = a", "X < b", "X >= Y"),
    *("U > T, U <= T+3", "U >= T-2, U < T", "X != a", "X != b"),
)
_OPERATORS = ("<", "<", "<=", ">", ">=", "!=", "=")
_BOUNDS = ("3", "5", "10", "V + 2")


@dataclass(frozen=True)
class _Terms:
    """What the literals of a rule are about: of these they take their arguments."""

    values: list[str]
    numbers: list[str]
    times: list[str]


@st.composite
def programs(draw: st.DrawFn) -> str:
    """A program as text: one rule or two, and sometimes one or two for a predicate of theirs."""
    names, rules = [_NAMES[name] for name in draw(st.sampled_from(_MIXES))], []
    if draw(st.booleans()):
        rules += [_rule(draw, "Q(X, T)", names, most=3) for _ in range(draw(st.sampled_from([1, 1, 2])))]
        names = [*names, "Q", "Q"]
    heads = ["P(X, T)", "P(X, T)", "P(X, Y, T)", "P(T)", *(["P(X, V, T)"] if "R" in names else [])]
    head = draw(st.sampled_from(heads))
    rules += [_rule(draw, head, names, most=5) for _ in range(draw(st.sampled_from([1, 1, 1, 2])))]
    return "\n".join((*declarations(draw, " ".join(rules)), *rules, f"query {head}."))


def _rule(draw: st.DrawFn, head: str, names: list[str], most: int) -> str:
    terms = _Terms(*(draw(st.sampled_from(some)) for some in (_VALUES, _NUMBERS, _TIMES)))
    body = [_literal(draw, names, terms) for _ in range(draw(st.integers(1, most)))]
    there = _variables(", ".join(body))
    fitting = [condition for condition in _CONDITIONS if _variables(condition) <= there]
    numbers = sorted(there & set(terms.numbers))
    if fitting and draw(st.integers(0, 2)) == 0:
        body.append(draw(st.sampled_from(fitting)))
    if numbers:
        body += [_comparison(draw, numbers) for _ in range(draw(st.sampled_from([0, 1, 1, 2, 3])))]
    known = _variables(", ".join(each for each in body if not each.startswith("not ")))
    given = sorted(known & set(numbers))
    calculates = draw(st.booleans())
    if given and calculates:
        other = draw(st.sampled_from([*given, "5"]))
        body.append(calculated(draw, given, draw(st.sampled_from(_OPERATORS)), other))
    lost = there - _variables(", ".join(each for each in body if not each.startswith("not ")))
    if "T" in lost and "U" in there - lost and "T" in head:
        body.append(draw(st.sampled_from(["T <= U", "T <= U + 2"])))
    return f"{head} :- {', '.join(dict.fromkeys(body))}."


def _variables(text: str) -> set[str]:
    return set(re.findall("[T-Z]", text))


def _literal(draw: st.DrawFn, names: list[str], terms: _Terms) -> str:
    name = draw(st.sampled_from(names))
    arguments = [
        draw(st.sampled_from(terms.numbers if column.endswith("number") else terms.values))
        for column in _ARGUMENTS[name]
    ]
    if name not in STATIC:
        arguments.append(draw(st.sampled_from(terms.times)))
    return f"{draw(st.sampled_from(['', '', 'not ']))}{name}({', '.join(arguments)})"


def _comparison(draw: st.DrawFn, numbers: list[str]) -> str:
    one, other = [*numbers, *(f"{name} + 1" for name in numbers), "V + 2.5"], [*numbers, *_BOUNDS]
    return f"{draw(st.sampled_from(one))} {draw(st.sampled_from(_OPERATORS))} {draw(st.sampled_from(other))}"


def cases_of_few_literals() -> st.SearchStrategy[Case]:
    """Such a program and a stream of a few facts."""
    return streamed(programs(), latest=3, most=5)
