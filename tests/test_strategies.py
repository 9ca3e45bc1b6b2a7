"""The random programs are what the tests that use them need: well-formed, and of every kind."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from tests.constructs import CONSTRUCTS, constructs
from tests.strategies import Case, cases


@pytest.mark.slow
def test_every_construct_occurs() -> None:
    found: Counter[str] = Counter()
    texts: set[str] = set()

    @settings(
        max_examples=400,
        database=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(cases())
    def draw(case: Case) -> None:
        assert case.checked.ok
        texts.add(case.text)
        found.update(constructs(case.text))

    draw()
    assert len(texts) > 200
    assert {name for name, number in found.items() if number >= 4} == CONSTRUCTS
