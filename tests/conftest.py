"""What all tests share: options, which tests are long, no secrets of others, and the Hypothesis profiles."""

import os
from collections.abc import Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, Phase, settings

from antelog import secrets
from tests import selection
from tests.processes import Process, Start, started

if TYPE_CHECKING:
    from xdist.remote import Producer

# "default" draws the same few examples every time, so that a test's outcome depends on the code alone;
# "nightly" looks for new ones, and for long. Both stop at the first failure and show it as it was drawn:
# making a program with its stream smaller may take minutes. "shrink" does so, for what "default" finds.
_QUICK = (Phase.explicit, Phase.reuse, Phase.generate)
# How fast examples are drawn, and how many are passed over, is no property of the code under test.
_ALL = settings(
    deadline=None,
    phases=_QUICK,
    report_multiple_bugs=False,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
settings.register_profile("default", _ALL, max_examples=15, derandomize=True)
settings.register_profile("shrink", _ALL, max_examples=15, derandomize=True, phases=tuple(Phase))
# So many that all of it ends in an evening on two cores; EXAMPLES=10000 takes a night and a day.
settings.register_profile(
    "nightly", _ALL, max_examples=int(os.environ.get("EXAMPLES", "1000")), derandomize=False, print_blob=True
)
# The tests start many short-lived Java machines, for which quick compilation is better than good code.
os.environ.setdefault("SPARK_SUBMIT_OPTS", "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m")
_PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "default")
settings.load_profile(_PROFILE)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--record", action="store_true", help="rewrite golden files instead of comparing them")
    parser.addoption("--record-times", action="store_true", help="write CPU seconds into tests/times.json")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("record_times"):
        config.pluginmanager.register(selection.Recorder())


@pytest.hookimpl(tryfirst=True)  # before pytest leaves out what `-m` does not name
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("record_times"):
        selection.mark_exceptions(items)
    else:
        selection.mark(items, fewer=_PROFILE == "default")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: "Producer") -> selection.OneSpark | None:
    return selection.OneSpark(config, log) if config.getoption("dist") == "loadscope" else None


@pytest.fixture(autouse=True)
def _no_secrets() -> Iterator[None]:
    """A password of one test, such as `secret`, is not hidden in what others say."""
    yield
    secrets.forget()


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts processes, which end with the test; their pipes are closed then."""
    with ExitStack() as stack:

        def start(*command: Any, **how: Any) -> Process:
            return stack.enter_context(started(*command, **how))

        yield start


@pytest.fixture(scope="session")
def record(pytestconfig: pytest.Config) -> bool:
    """Whether golden files are to be rewritten: `pytest --record`."""
    return bool(pytestconfig.getoption("--record"))
