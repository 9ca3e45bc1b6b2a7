"""The engine against the specification: the change log and the answers of every tick of random programs."""

from __future__ import annotations

import pytest
from hypothesis import given

from tests.all_cases import SMALL
from tests.engine.replay import compare
from tests.random_functions import cases_with_functions
from tests.strategies import Case


@pytest.mark.slow
@given(SMALL)
def test_the_engine_tells_what_the_specification_tells(case: Case) -> None:
    compare(case)


@pytest.mark.slow
@given(cases_with_functions())
def test_functions_are_called_as_the_specification_says(case: Case) -> None:
    compare(case)
