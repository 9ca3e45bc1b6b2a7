"""antelog/compile/patterns/subsume.py: θ-subsumption on patterns read from rules."""

from __future__ import annotations

from unittest.mock import Mock

import pytest

from antelog.compile import compile_program
from antelog.compile.literals import Atom, Negation
from antelog.compile.literals.terms import Const, Time, Var
from antelog.compile.nodes.patterns import Pattern
from antelog.compile.patterns import subsume
from antelog.compile.patterns.subsume import Antichain, Budget, alike
from antelog.diagnostics import Source
from antelog.language import read
from tests.compile.plans import plan_of
from tests.tables import cases


def _patterns(rules: str) -> list[str]:
    plan = plan_of(f"{rules} query Q(X, T).")
    return [p.text for p in plan.relation("Q").patterns]


@cases(__file__, "minimal")
def test_only_minimal_patterns_are_kept(rules: str, kept: list[str]) -> None:
    assert _patterns(rules) == kept


def test_condensing_ends_once_searches_have_taken_their_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each rule doubles the literals of its pattern: it is refused before each of them was tried."""
    rules = "".join(f"A{n}(X, Z, T) :- A{n - 1}(X, Y, T), A{n - 1}(Y, Z, T). " for n in range(1, 14))
    tried = Mock(side_effect=subsume._without)
    monkeypatch.setattr(subsume, "_without", tried)
    monkeypatch.setattr(subsume, "FEWEST_STEPS", 300_000)
    text = f"input E(x, y, time). A0(X, Y, T) :- E(X, Y, T). {rules} query A13(X, Y, T)."
    found = compile_program(read(Source(text)), 100)
    assert found.plan is None
    assert tried.call_count < 500


@cases(__file__, "alike")
def test_those_are_alike_whose_exchange_changes_nothing(body: str, expected: list[int]) -> None:
    plan = plan_of(f"P(I, T) :- {body}. query P(I, T).")
    (pattern,) = next(plan.queries).patterns
    assert list(alike(pattern)) == expected


X, T = Var("X"), Time("T", 0)
A, B = Atom("A", (X,), T), Atom("B", (X,), T)


def pattern(*literals: Atom | Negation) -> Pattern:
    return Pattern((X,), T, literals)


def test_answers_of_constants_are_compared_with_those_that_say_no_more() -> None:
    def special(*answer: str) -> Pattern:
        terms = tuple(Const(a) if a.islower() else Var(a) for a in answer)
        return Pattern(terms, T, (Atom("A", terms, T),))

    work = Budget(1)
    before, kept = work.steps, Antichain(work)
    assert all(kept.add(special(f"c{i}", "Y")) for i in range(1000))
    assert before - work.steps < 5_000
    assert not kept.add(special("c7", "d"))  # c7 with any Y says so
    assert kept.add(special("e", "d"))
    assert kept.add(special("X", "Y"))
    assert not kept.add(special("e", "f"))


def test_of_many_constants_all_choices_are_found() -> None:
    def special(constants: int) -> Pattern:
        terms = tuple(Const(i) if i < constants else Var(f"X{i}") for i in range(9))
        return Pattern(terms, T, (Atom("A", terms, T),))

    kept = Antichain(Budget(1))
    assert kept.add(special(8))
    assert not kept.add(special(9))
    assert kept.add(special(7))
    assert not kept.add(special(8))


def test_the_steps_to_compare_patterns_follow_their_literals() -> None:
    """Otherwise a program is refused late: a window makes hundreds of patterns with hundreds of literals."""
    work = Budget(1)
    kept, literals = Antichain(work), [Atom("A", (X,), Time("T", -ago)) for ago in range(400)]
    assert kept.add(pattern(*literals))
    before = work.steps
    assert not kept.add(pattern(*literals, B))
    assert 400 < before - work.steps < 5_000
