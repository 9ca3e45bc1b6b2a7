"""What the tests of runs share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.cli.conftest import here
from tests.run import running

__all__ = ["here"]


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    yield
    while running.READERS:
        running.READERS.pop().close()
