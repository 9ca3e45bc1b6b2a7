"""The random programs are what the tests that use them need: well-formed, and of every kind."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from tests.cases_of_latest import cases_of_latest
from tests.cases_of_pairs import cases_of_pairs
from tests.constructs import CONSTRUCTS, GRAMMAR, constructs, forms_of_the_grammar
from tests.engine.replay import runnable
from tests.strategies import Case, cases


@cache
def _sample() -> tuple[Case, ...]:
    """Always the same cases, so that the tests here do not depend on chance."""
    found: list[Case] = []

    @settings(
        max_examples=700,
        database=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(cases() | cases() | cases_of_latest() | cases_of_pairs())
    def draw(case: Case) -> None:
        found.append(case)

    draw()
    return tuple(found)


def test_every_construct_occurs_in_programs_the_engine_runs() -> None:
    """What only occurs in programs the engine refuses would not be tested with it."""
    wanted = Counter(dict.fromkeys(CONSTRUCTS, 4))
    ran = 0
    for number, case in enumerate(_sample(), 1):
        if runnable(case.checked) is not None:
            ran += 1
            wanted -= Counter(constructs(case.text))
        if not wanted and number >= 50:
            assert ran > number * 0.6
            return
    pytest.fail(f"not often enough among {ran} programs: {', '.join(sorted(wanted))}")


def test_what_is_in_the_grammar_has_a_construct() -> None:
    assert {name: number for name, (number, _) in GRAMMAR.items()} == forms_of_the_grammar()
    assert {name for _, names in GRAMMAR.values() for name in names} == CONSTRUCTS
