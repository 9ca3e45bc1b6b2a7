"""The file the tests of reading write to."""

from pathlib import Path

import pytest


@pytest.fixture
def temp(tmp_path: Path) -> Path:
    return tmp_path / "temp.csv"
