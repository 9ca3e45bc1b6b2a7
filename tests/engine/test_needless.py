"""Nothing is told that something else that is told makes needless, whatever values both leave open.

What is told may have instances that are needless. Here it is an explanation all of whose instances
are, or are told anyway, by those of one other: such an explanation is of no use to anybody. That only
some instances can still come, or that an open time can be few ticks alone, is not looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, TypeAlias

import pytest
from hypothesis import assume, event, example, given, note

from antelog.engine.engine import Engine
from antelog.language.syntax import Value
from antelog.reference.answers import Explanation
from antelog.reference.atoms import Atom
from antelog.reference.program import Program, prepare
from tests.engine.replay import frames, lines, runnable
from tests.few_literals import cases_of_few_literals
from tests.reference.helpers import stream_of
from tests.reference.test_conformance import answers_of, instances
from tests.strategies import Case, cases
from tests.two_times import cases_with_two_times

Instance: TypeAlias = tuple[Atom, Explanation]

_FRESH: tuple[Value, ...] = ("x1", "x2", "x3")
"""Values nobody has named, so that open variables may all have different ones."""
_BEFORE = -1
"""A tick at which everything may still come."""
_MOST = 3_000
"""Explanations with more instances than this are passed over."""

# Of all values said in one pattern, and with one fact for two literals in another.
SAID_OF_ALL_TWICE = Case(
    "input A(x: text, time). input R(x: text, time) delay 2. "
    "P(X, T) :- not A(X, 2), R(X, T), R(_, 2). query P(X, T).",
    (("R", ("a", 1), 1), ("A", ("b", 2), 2)),
    4,
)

# A reading above 7 is above 5, too, which is excluded for certain.
ASKED_BY_VALUE = Case(
    "input R(x: text, v: number, time) delay 1. input A(v: number, time) delay 2. delay A(5, _) = 0. "
    "P(X, T) :- R(X, V, T), R(X, W, T+1), W > V, not A(V, T). query P(X, T).",
    (("R", ("a", 5, 0), 0), ("R", ("a", 7, 0), 0), ("A", (7, 0), 2)),
    2,
)

# Both rules say of any value but q that it is not in B.
SAID_OF_ALL_BY_TWO_RULES = Case(
    "input A(x: text, time) delay 1. input B(x: text, time). input C(time) delay 1. input D(time) delay 1. "
    "P(T) :- A(X, T+1), not B(X, T), D(T). P(T) :- A(Y, T+1), not B(Y, T), C(T+1). query P(T).",
    (("D", (1,), 1), ("B", ("q", 1), 1)),
    3,
)

# So do a rule and what it says where one fact serves two literals.
SAID_OF_ALL_WITH_ONE_FACT = Case(
    "input A(x: text, time). input B(x: text, y: text, time) delay 1. input C(time). "
    "Q1(Y, T) :- C(T), B(Y, X, T), P1(X, T-1). "
    "P1(Y, T) :- A(Y, T), C(T+2), not A(_, T+1), not Q1(Y, T-1). P1(a, 0). "
    "P2(X, T) :- Q1(X, T+1), B(a, X, T), B(X, X, U), not P2(a, T-1). query P2(X, T).",
    (("C", (0,), 0),),
    1,
)


@pytest.mark.slow
@example(SAID_OF_ALL_TWICE)
@example(SAID_OF_ALL_BY_TWO_RULES)
@example(SAID_OF_ALL_WITH_ONE_FACT)
@example(ASKED_BY_VALUE)
@given(cases() | cases_of_few_literals() | cases_with_two_times(latest=2, most=6))
def test_nothing_told_is_made_needless_by_one_other(case: Case) -> None:
    compiled = runnable(case.checked)
    assume(compiled is not None)
    assert compiled is not None
    note(f"{case}\n{compiled.plan}")
    program = prepare(case.checked, stream_of(case.facts), case.until + 2, _FRESH)
    engine = Engine(compiled)
    several = False
    for now in range(case.until + 1):
        engine.advance(now, frames(case.facts, compiled.plan, now - 1, now))
        for line in lines(engine, compiled.plan):
            told = [(answer, e) for answer in line["answers"] for e in answer["explanations"]]
            if any("where" in text for _, e in told for text in e["evidence"]):
                continue  # whether what is confirmed of equal values alone is told with others is documented
            stands_for = [set(_instances(program, line["query"], *each)) for each in told]
            several = several or len(told) > 1
            for number, mine in enumerate(stands_for):
                if _has_last_tick(told[number][1]):
                    continue
                for other, its in enumerate(stands_for):
                    less = told[number][0] is told[other][0] and _size(told[other]) < _size(told[number])
                    assert number == other or not _needless(mine, its, less), (now, told[number], told[other])
    event("with several explanations" if several else "with one at most")


def _instances(
    program: Program, query: str, answer: dict[str, Any], explanation: dict[str, Any]
) -> Iterator[Instance]:
    bindings = {name: value for name, value in answer["answer"].items() if value is not None}
    found = list(islice(instances(program, explanation, bindings, _BEFORE, program.domain), _MOST + 1))
    assume(len(found) <= _MOST)
    for values, instance in found:
        yield from ((atom, instance) for atom in answers_of(program, query, values) if atom.time >= 0)


def _has_last_tick(explanation: dict[str, Any]) -> bool:
    return any(
        re.search(r" where .*\b[A-Z]\w*(?:[-+]\d+)? <=? \d", text) for text in explanation["hypotheses"]
    )


def _size(told: tuple[dict[str, Any], dict[str, Any]]) -> int:
    _, explanation = told
    return len(explanation["evidence"]) + len(explanation["hypotheses"])


def _needless(mine: Iterable[Instance], its: Iterable[Instance], less: bool) -> bool:
    """Whether each instance is made needless by one of the other's, or is the same as one and so told twice.

    That is needless if the other says it of the same answer with `less`: what values or answers that are
    exceptions have in common with all others may be told with both. An instance that others of its own
    make needless does not count.
    """
    own, others = _by_answer(mine), _by_answer(its)
    left = [(atom, one) for atom, one in mine if not _is_beaten(one, own[atom])]
    beaten = [_is_beaten(one, others.get(atom, [])) for atom, one in left]
    same = [one in others.get(atom, []) for atom, one in left]
    return (any(beaten) or (less and any(same))) and all(b or s for b, s in zip(beaten, same, strict=True))


def _is_beaten(one: Explanation, others: Iterable[Explanation]) -> bool:
    return any(other.beats(one) for other in others)


def _by_answer(instances_: Iterable[Instance]) -> dict[Atom, list[Explanation]]:
    found: dict[Atom, list[Explanation]] = {}
    for atom, explanation in instances_:
        found.setdefault(atom, []).append(explanation)
    return found
