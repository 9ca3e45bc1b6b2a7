"""A folder of its own, and somebody who receives alerts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.watch.alerts.receiving import Server, serving


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as found:
        yield found


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
