"""What tests of forecasts share: few rows go a shorter way, and what that gives is the same."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.engine.few import at_most


@pytest.fixture(params=[0, 64], ids=["as columns", "one by one"])
def either_way(request: pytest.FixtureRequest) -> Iterator[None]:
    """Each test twice: with nothing few, and with few rows."""
    with at_most(request.param):
        yield
