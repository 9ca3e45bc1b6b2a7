"""Chromium, started once for each module of tests."""

from collections.abc import Iterator

import pytest

from tests.watch.browser import Browser, browser


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as found:
        yield found
