"""What all tests share: the option `--record` and the Hypothesis profiles."""

import os

import pytest
from hypothesis import settings

# "default" draws the same few examples every time, so that a test's outcome depends on the code alone;
# "nightly" looks for new ones, and for long.
settings.register_profile("default", max_examples=50, deadline=None, derandomize=True)
settings.register_profile("nightly", max_examples=10_000, deadline=None, derandomize=False, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--record", action="store_true", help="rewrite the golden files instead of comparing with them"
    )


@pytest.fixture(scope="session")
def record(pytestconfig: pytest.Config) -> bool:
    """Whether golden files are to be rewritten: `pytest --record`."""
    return bool(pytestconfig.getoption("--record"))
